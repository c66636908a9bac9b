//! Superfluous closing brackets after which the container continues.

use crate::{
    judge::{
        continuation::{Halt, KeyFilter, Lookahead, continuation},
        key::{
            opens_key,
            repeated::{has_same_first_key, repeated},
        },
        string::context::KeyStyle,
    },
    parser::{Frame, Spacing, Window},
    sink::Container,
};

/// Tokens inside a container that prove its closing bracket superfluous.
const LIMIT: u32 = 5;
/// Tokens that prove that the container around it was never closed.
const OUTER_LIMIT: u32 = 4 * LIMIT;
/// Tokens after which what follows a comma is sound.
const LAST_LIMIT: u32 = 64;
/// Tokens that are read up to the end of a list of objects.
const LIST_LIMIT: u32 = 4096;
/// White space between the last item and the closing bracket of a list, in bytes.
const ITEM_REACH: usize = 80;

/// Returns whether an object in a list, the innermost of `stack`, continues after its closing
/// bracket at `at`, which a comma and a string follow.
pub(crate) fn is_early(
    window: &Window<'_>,
    at: usize,
    stack: &[Frame],
    spacing: Spacing,
    budget: &mut usize,
) -> bool {
    // Another object begins there, whose brace is missing.
    let key = window.skip_space(window.skip_space(at + 1) + 1);
    let start = stack.last().map_or(at, |frame| frame.start);
    if repeated(window, start, key, budget).is_some() {
        return false;
    }
    let mut lookahead = |stack, limit| {
        continuation(window, at + 1, &Lookahead::value(stack, limit, spacing), budget)
    };
    // Alternatively, the array around it was never closed.
    let outer = stack.get(..stack.len().saturating_sub(2)).unwrap_or_default();
    if !outer.is_empty() && lookahead(outer, OUTER_LIMIT).is_clean() {
        return false;
    }
    let found = lookahead(stack, LIMIT);
    matches!(found.halt, Halt::End | Halt::Limit)
        || (found.clean >= 3 && matches!(found.halt, Halt::InString | Halt::Unclosed))
}

/// Returns whether a list in an object, the innermost of `stack`, continues after its closing bracket
/// at `at`, which a comma and an object follow: one with the first key of the list's last item.
pub(crate) fn is_early_list(
    window: &Window<'_>,
    at: usize,
    stack: &[Frame],
    spacing: Spacing,
    budget: &mut usize,
) -> bool {
    let comma = window.skip_space(at + 1);
    if !has_next_item(window, at, comma) {
        return false;
    }
    // Alternatively, the next record of the list around both begins there.
    let key = key_behind(window, comma);
    let around = stack.len().checked_sub(2).and_then(|at| stack.get(at));
    let next_record =
        around.is_some_and(|frame| repeated(window, frame.start, key, budget).is_some());
    !next_record
        && continuation(window, at + 1, &Lookahead::value(stack, OUTER_LIMIT, spacing), budget)
            .is_clean()
}

/// Returns whether an object after the comma at `comma` has the first key of the object that ends the list
/// whose closing bracket is at `closer`.
fn has_next_item(window: &Window<'_>, closer: usize, comma: usize) -> bool {
    let before = window.before(closer, ITEM_REACH);
    let end = closer - (before.len() - before.trim_end().len());
    window.byte_before(end) == Some(b'}')
        && window.byte(window.skip_space(comma + 1)) == Some(b'{')
        && has_same_first_key(window, end, key_behind(window, comma))
}

/// Returns the position of the first key of the object after the comma at `comma`.
fn key_behind(window: &Window<'_>, comma: usize) -> usize {
    window.skip_space(window.skip_space(comma + 1) + 1)
}

/// The closed outermost container, with more text after it.
pub(crate) struct Outermost<'s> {
    /// Position of its closing bracket.
    pub(crate) closer: usize,
    /// End of the row of closing brackets there.
    pub(crate) end: usize,
    /// Position of what follows them: a comma or a member.
    pub(crate) comma: usize,
    /// The container alone.
    pub(crate) stack: &'s [Frame],
    pub(crate) spacing: Spacing,
    pub(crate) style: KeyStyle,
}

impl Outermost<'_> {
    /// Returns whether the container continues with the comma.
    ///
    /// Prose contains commas, words and colons, so only a quoted key is proof. If the value has
    /// unquoted keys, members must follow up to a closing bracket of their own.
    pub(crate) fn continues(&self, window: &Window<'_>, budget: &mut usize) -> bool {
        let Self { stack, spacing, .. } = *self;
        let object = stack.last().is_some_and(|frame| frame.kind == Container::Object);
        let keys = if object { KeyFilter::Quoted } else { KeyFilter::Any };
        let ahead = Lookahead { keys, ..Lookahead::value(stack, LIMIT, spacing) };
        let found = continuation(window, self.end, &ahead, budget);
        let sound = found.is_clean() || found.clean >= 3;
        if object {
            let bare = self.style == KeyStyle::Bare;
            return sound || (bare && self.is_closed_after(window, self.end, LAST_LIMIT, budget));
        }
        // Items after a comma in an array prove nothing, since they may be separate documents.
        let surplus = self.end > self.closer + 1;
        if !sound {
            return false;
        }
        if surplus || found.halt == Halt::End {
            return self.is_closed_after(window, self.comma, LAST_LIMIT, budget);
        }
        has_next_item(window, self.closer, self.comma)
            && self.is_closed_after(window, self.end, LIST_LIMIT, budget)
    }

    /// Returns whether the container continues with a member without a comma, and is closed after
    /// it.
    pub(crate) fn has_member(&self, window: &Window<'_>, budget: &mut usize) -> bool {
        let object = self.stack.last().is_some_and(|frame| frame.kind == Container::Object);
        object
            && opens_key(window, self.comma)
            && self.is_closed_after(window, self.end, LAST_LIMIT, budget)
    }

    /// Returns whether the text after `at` ends with a closing bracket of the container, within `limit`
    /// tokens.
    fn is_closed_after(
        &self,
        window: &Window<'_>,
        at: usize,
        limit: u32,
        budget: &mut usize,
    ) -> bool {
        continuation(window, at, &Lookahead::value(self.stack, limit, self.spacing), budget).halt
            == Halt::End
    }
}

#[cfg(test)]
mod tests {
    use super::{KeyStyle, Outermost, is_early, is_early_list};
    use crate::{
        parser::{Frame, Opened, Spacing, Window},
        sink::Container,
    };

    fn open(brackets: &str) -> Vec<Frame> {
        let kind = |c| if c == '{' { Container::Object } else { Container::Array };
        brackets.chars().map(|c| Frame { start: 1, ..Frame::new(kind(c), Opened::Plain) }).collect()
    }

    #[test]
    fn superfluous_closers_in_a_list() {
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
    fn lists_closed_before_their_last_items() {
        for (stack, before, rest, expected) in [
            ("{[", r#"{"a": [{"id": 1}"#, r#"], {"id": 2}], "b": 3}"#, true),
            ("{[", r#"{"a": [{"id": 1}"#, "\n], \n{\"id\": 2}, {\"id\": 3}]}", true),
            ("{[", "{a: [{id: 1}", "], {id: 2}]}", true),
            // Records of another kind, and of the list around the object.
            ("{[", r#"{"a": [{"id": 1}"#, r#"], {"n": 2}], "b": 3}"#, false),
            ("[{[", r#"[{"id": 1, "a": [{"id": 2}"#, r#"], {"id": 3, "a": [{"id": 4}]}]"#, false),
            // Nothing closes the list again.
            ("{[", r#"{"a": [{"id": 1}"#, r#"], {"id": 2}, "b": 3}"#, false),
            ("{[", r#"{"a": [1"#, r#"], {"id": 2}]}"#, false),
        ] {
            let text = format!("{before}{rest}");
            let window = Window::whole(&text);
            let mut stack = open(stack);
            let inner = stack.len() - 2;
            if let Some(frame) = stack.get_mut(inner) {
                frame.start = before.find(['{', '[']).map_or(0, |at| at + inner + 1);
            }
            let at = before.len() + rest.find(']').expect(rest);
            let found = is_early_list(&window, at, &stack, Spacing::Plain, &mut 10_000);
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn superfluous_closers_of_the_value() {
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
