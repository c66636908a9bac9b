//! Is a closer one too many, since the text goes on as if it were not there?

use crate::{
    Span,
    judge::{
        continuation::{Halt, KeyFilter, Lookahead, LookaheadStart, continuation},
        key::opens_key,
        string::context::KeyStyle,
    },
    parser::{Frame, Spacing, Window},
    sink::Container,
};

/// Tokens by which going on inside a container proves that its closer was one too many.
const LIMIT: u32 = 5;
/// The same of the reading that the container around it was never closed.
const OUTER_LIMIT: u32 = 4 * LIMIT;
/// Tokens after which what follows a comma counts as sound.
const LAST_LIMIT: u32 = 64;
/// How far back the keys of an object are looked for, in bytes.
const OBJECT_REACH: usize = 1 << 10;

/// Whether an object of a list, the innermost of `stack`, goes on behind its closer at `at`, where
/// a comma and a string stand.
pub(crate) fn is_early(
    window: &Window<'_>,
    at: usize,
    stack: &[Frame],
    spacing: Spacing,
    budget: &mut usize,
) -> bool {
    if repeats_a_key(window, at, budget) {
        return false;
    }
    let mut behind = |stack, limit| {
        continuation(window, at + 1, &Lookahead::value(stack, limit, spacing), budget)
    };
    // The other reading: the array around it was never closed.
    let outer = stack.get(..stack.len().saturating_sub(2)).unwrap_or_default();
    if !outer.is_empty() && behind(outer, OUTER_LIMIT).is_clean() {
        return false;
    }
    let found = behind(stack, LIMIT);
    matches!(found.halt, Halt::End | Halt::Limit)
        || (found.clean >= 3 && matches!(found.halt, Halt::InString | Halt::Unclosed))
}

/// Whether the key behind the closer at `at` and its comma is one of the object that is closed: then
/// another object begins with it, whose brace is missing.
fn repeats_a_key(window: &Window<'_>, at: usize, budget: &mut usize) -> bool {
    let key = window.skip_space(window.skip_space(at + 1) + 1);
    let Some((end, _)) = window.scan_string(key + 1) else { return false };
    let key = window.slice(Span::new(key, end + 1));
    let inside = window.before(at, OBJECT_REACH);
    *budget = budget.saturating_sub(inside.len() / 4);
    let own = inside.rfind('{').and_then(|at| inside.get(at..)).unwrap_or_default();
    own.match_indices(key).any(|(at, _)| {
        own.get(at + key.len()..).is_some_and(|after| after.trim_start().starts_with(':'))
    })
}

/// The outermost container, where it is closed and more stands behind that.
pub(crate) struct Outermost<'s> {
    /// Where its closer stands.
    pub(crate) closer: usize,
    /// Where the closers in a row end that stand there.
    pub(crate) end: usize,
    /// What stands behind them: a comma, or a member.
    pub(crate) comma: usize,
    /// It, and nothing else.
    pub(crate) stack: &'s [Frame],
    pub(crate) spacing: Spacing,
    pub(crate) style: KeyStyle,
}

impl Outermost<'_> {
    /// Whether it goes on with the comma.
    ///
    /// Prose has commas, words and colons, too: only a key in quotes tells. Where the value writes
    /// its keys without quotes, all that follows has to be members, up to a closer of its own.
    pub(crate) fn continues(&self, window: &Window<'_>, budget: &mut usize) -> bool {
        let Self { stack, spacing, .. } = *self;
        let object = stack.last().is_some_and(|frame| frame.kind == Container::Object);
        let keys = if object { KeyFilter::Quoted } else { KeyFilter::Any };
        let ahead = Lookahead { stack, from: LookaheadStart::Value, limit: LIMIT, spacing, keys };
        let found = continuation(window, self.end, &ahead, budget);
        let sound = found.is_clean() || found.clean >= 3;
        if object {
            let bare = self.style == KeyStyle::Bare;
            return sound || (bare && self.is_closed_behind(window, self.end, budget));
        }
        // In an array a comma and an item prove nothing: those may be documents in a row.
        let surplus = self.end > self.closer + 1;
        sound
            && (surplus || found.halt == Halt::End)
            && self.is_closed_behind(window, self.comma, budget)
    }

    /// Whether it goes on with a member behind it whose comma is missing, and is closed behind that.
    pub(crate) fn has_member(&self, window: &Window<'_>, budget: &mut usize) -> bool {
        let object = self.stack.last().is_some_and(|frame| frame.kind == Container::Object);
        object && opens_key(window, self.comma) && self.is_closed_behind(window, self.end, budget)
    }

    /// Whether what follows `at` ends with a closer of the container.
    fn is_closed_behind(&self, window: &Window<'_>, at: usize, budget: &mut usize) -> bool {
        continuation(window, at, &Lookahead::value(self.stack, LAST_LIMIT, self.spacing), budget)
            .halt
            == Halt::End
    }
}

#[cfg(test)]
mod tests {
    use super::{KeyStyle, Outermost, is_early};
    use crate::{
        parser::{Frame, Opened, Spacing, Window},
        sink::Container,
    };

    fn open(brackets: &str) -> Vec<Frame> {
        let kind = |c| if c == '{' { Container::Object } else { Container::Array };
        brackets.chars().map(|c| Frame::new(kind(c), Opened::Plain)).collect()
    }

    #[test]
    fn closers_of_an_object_in_a_list() {
        for (stack, before, rest, expected) in [
            ("[{", r#"{"a": 1"#, r#"}, "b": 2}]"#, true),
            ("[{", r#"{"a": 1"#, r#"}, "b": 2}, {"a": 3}]"#, true),
            ("[{", r#"{"a": 1"#, r#"}, "a": 2}]"#, false),
            ("[{", r#"{"a": 1"#, r#"}, "b"]"#, false),
            ("{[{", r#"{"a": 1"#, r#"}, "b": 2}"#, false),
            ("{[{", r#"{"a": 1"#, r#"}, "b": 2}]}"#, true),
        ] {
            let text = format!("{before}{rest}");
            let window = Window::whole(&text);
            let stack = open(stack);
            let found = is_early(&window, before.len(), &stack, Spacing::Plain, &mut 10_000);
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn closers_of_the_value() {
        use KeyStyle::{Bare, Quoted};
        for (stack, rest, style, expected) in [
            ("{", r#"}, "b": 2}"#, Quoted, true),
            ("{", r#"}}, "b": 2}"#, Quoted, true),
            ("{", "}, b: 2}", Bare, true),
            ("{", "}, b: 2}", Quoted, false),
            ("{", "}, b: as I said", Bare, false),
            ("{", "}, as you see", Quoted, false),
            ("[", "], 2]", Quoted, true),
            ("[", "]], 2]", Quoted, true),
            ("[", "], [2]", Quoted, false),
            ("[", "], and more", Quoted, false),
        ] {
            let window = Window::whole(rest);
            let end = rest.find(',').expect(rest);
            let stack = open(stack);
            let outermost = Outermost {
                closer: 0,
                end,
                comma: end,
                stack: &stack,
                spacing: Spacing::Plain,
                style,
            };
            assert_eq!(outermost.continues(&window, &mut 10_000), expected, "{rest}");
        }
    }
}
