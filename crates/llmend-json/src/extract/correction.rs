//! Words that introduce a correction of the value before them.

use crate::{
    Span,
    extract::{
        beginning::{self, KEY_REACH},
        rival,
    },
    judge::words::correction::{self, Means},
    parser::Window,
};

/// How far before a value its introduction is searched for, in bytes.
const REACH: usize = 120;
/// Most lines between two values that may be the title of the second one.
const LINES: usize = 8;
/// How far after a value that cannot be read its new beginning is searched for, in bytes.
const RESTART_REACH: usize = 1 << 14;

/// Signs between a value and the one that replaces it.
const ARROWS: &[&str] = &["->", "→", "=>", "⇒"];

/// A search for such words, at ascending positions. Reads every byte at most once.
pub(super) struct Corrections<'w> {
    window: &'w Window<'w>,
    /// What comes before this offset was searched, or is too far from any later position.
    searched_to: usize,
    /// Start of the last correction.
    correction: Option<usize>,
    /// Start of the last retraction.
    retraction: Option<usize>,
}

impl<'w> Corrections<'w> {
    pub(super) const fn new(window: &'w Window<'w>) -> Self {
        Self { window, searched_to: window.base, correction: None, retraction: None }
    }

    /// Returns whether the value at `span` is introduced as a correction, or after the value at
    /// `before` was taken back. Positions must ascend.
    pub(super) fn correct(&mut self, before: Option<Span>, span: Span) -> bool {
        let at = span.start;
        let near = at.saturating_sub(REACH).max(self.window.base);
        let new = Span::new(self.searched_to.max(near).min(at), at);
        self.searched_to = at;
        let text = self.window.bytes(new);
        let place = |means| last_of(text, means).map(|place| new.start + place);
        self.correction = place(Means::Corrects).or(self.correction);
        let better = || better_version(text).map(|place| new.start + place);
        self.retraction = place(Means::Retracts).or_else(better).or(self.retraction);
        let introduces = |words: Option<usize>| {
            words.filter(|last| *last >= near).is_some_and(|last| {
                let between = self.window.bytes(Span::new(last, at));
                let sentence = self.window.before(last, last - near);
                let sentence = sentence.rsplit(['.', '!', '?', '\n']).next().unwrap_or_default();
                memchr::memchr2(b'}', b']', between).is_none() && !rival::is_condition(sentence)
            })
        };
        introduces(self.correction)
            || before.is_some_and(|before| {
                (introduces(self.retraction)
                    || self.replaces(before, span)
                    || self.is_titled(before, span))
                    && beginning::same_key(self.window, before, span)
            })
    }

    /// Returns whether the text between both values begins with words that take the first one back, or a
    /// line of it is the title of a correction.
    fn is_titled(&self, before: Span, span: Span) -> bool {
        let end = span.start.max(before.end);
        let between = self.window.slice(Span::new(before.end.min(end), end));
        let text = between.trim_start_matches(|c: char| !c.is_alphanumeric());
        let mut lines = between.lines().take(LINES);
        let version = || {
            let above = self.window.before(before.start, REACH).to_lowercase();
            !above.contains("version") && !above.contains("v1")
        };
        correction::begins(text, &[Means::Corrects, Means::Retracts])
            || lines.any(|line| {
                let condition = rival::is_condition(line) || line.contains(['{', '[']);
                !condition
                    && (correction::is_title(line)
                        || (correction::is_later_version(line) && version()))
            })
    }

    /// Returns whether only an arrow is between both values.
    fn replaces(&self, before: Span, span: Span) -> bool {
        let between =
            self.window.before(span.start, REACH.min(span.start.saturating_sub(before.end))).trim();
        ARROWS.contains(&between)
    }
}

/// Most places that are inspected for a new beginning.
const RESTARTS: usize = 8;
/// What a search for a new beginning is charged, in bytes.
pub(super) const RESTART_COST: usize = RESTARTS * REACH;

/// Returns where the value at `start`, which cannot be read, begins anew with the same key, after
/// words that take it back.
pub(super) fn restart(window: &Window<'_>, start: usize) -> Option<usize> {
    restart_where(window, start, |_| true)
}

/// Returns where the value at `start` begins anew, at a place that `may_be` allows.
fn restart_where(
    window: &Window<'_>,
    start: usize,
    may_be: impl Fn(usize) -> bool,
) -> Option<usize> {
    let near = window.near(start, KEY_REACH);
    let opening = near.get(..near.find(':')?)?;
    let is_outside = |c: char| matches!(c, '{' | '[') || c.is_whitespace();
    let quoted = opening.trim_start_matches(is_outside);
    let key = quoted.trim().trim_matches(['"', '\'']);
    let brackets = opening.strip_suffix(quoted)?.trim_end();
    if key.is_empty() {
        return None;
    }
    let mut from = start + opening.len();
    let finder = memchr::memmem::Finder::new(key);
    for _ in 0..RESTARTS {
        let at = window.find(from, RESTART_REACH, |bytes| finder.find(bytes))?;
        from = at + key.len();
        // The key may have quotes in one of both places.
        let after = window.near(from, KEY_REACH).trim_start_matches(['"', '\'']);
        if !after.trim_start().starts_with(':') {
            continue;
        }
        let space = window.before(at, KEY_REACH);
        let before = space.trim_end_matches(['"', '\'']).trim_end();
        let place = at - (space.len() - before.len()) - brackets.len().min(before.len());
        let again = || takes_back(window, start, place) || resumes(window, start, place);
        if before.ends_with(brackets) && may_be(place) && again() {
            return Some(place);
        }
    }
    None
}

/// Returns where the value at `span`, which was read with repairs, begins anew. Only words in lines
/// of their own are before that place, and take back what precedes them.
pub(super) fn restart_inside(window: &Window<'_>, span: Span) -> Option<usize> {
    let text = window.bytes(span);
    // A new beginning is a line with the same bracket.
    if let Some(bracket @ (b'{' | b'[')) = text.first()
        && memchr::memmem::find(text, &[b'\n', *bracket]).is_none()
    {
        return None;
    }
    let window = &window.up_to(span.end);
    restart_where(window, span.start, |place| {
        let Some(words) = lines_before(window, place) else { return false };
        let takes_back = |means| last_of(words.as_bytes(), means).is_some();
        [Means::Retracts, Means::Corrects].into_iter().any(takes_back)
            || resumes(window, span.start, place)
    })
}

/// Returns the lines of words that end at `place`.
fn lines_before<'w>(window: &Window<'w>, place: usize) -> Option<&'w str> {
    let before = window.before(place, REACH);
    if !before.ends_with('\n') {
        return None;
    }
    let words = before.get(before.rfind(['"', '{', '[', '}', ']']).map_or(0, |at| at + 1)..)?;
    let (_, words) = words.split_once('\n')?;
    (!words.is_empty()).then_some(words)
}

/// Returns whether the text at `between`, which ends with a value, takes back what is before it, whatever both
/// are.
pub(super) fn takes_back_before(window: &Window<'_>, between: Span) -> bool {
    let (text, mut lines) = (window.bytes(between), window.slice(between).lines().take(LINES));
    let says = |means| last_of(text, means).is_some();
    [Means::Retracts, Means::Corrects].into_iter().any(says) || lines.any(correction::is_title)
}

/// Longest text between a value that is cut off and its repetition, in bytes.
const NOTICE_REACH: usize = 240;
/// Least text that must be repeated, in bytes.
const LEAST_REPEATED: usize = 6;

/// Returns whether the text at `place` repeats the value at `start` up to where that one is cut off,
/// in a string or at the end of a line. Nothing but a notice is between both.
pub(super) fn resumes(window: &Window<'_>, start: usize, place: usize) -> bool {
    let cut = window.slice(Span::new(start, place));
    let again = window.near(place, cut.len());
    let same = cut.bytes().zip(again.bytes()).take_while(|(one, other)| one == other).count();
    cut.get(same..).is_some_and(|notice| {
        let in_string = notice.is_empty() && cut.matches('"').count() % 2 == 1;
        same >= LEAST_REPEATED
            && notice.len() <= NOTICE_REACH
            && (in_string || notice.trim_start_matches([' ', '\r']).starts_with('\n'))
            && !notice.contains(['"', '{', '}'])
    })
}

/// Returns whether the value at `start` was taken back before the one at `place`, which begins with
/// the same key.
pub(super) fn takes_back(window: &Window<'_>, start: usize, place: usize) -> bool {
    let failed = Span::new(start, window.end());
    let next = Span::new(place, window.end());
    start < place && Corrections::new(window).correct(Some(failed), next)
}

/// Returns where a version is compared with another one: `a stricter version`.
fn better_version(text: &[u8]) -> Option<usize> {
    memchr::memmem::rfind(text, b"er version")
}

/// Returns the start of the last words in `text` with that meaning. They begin and end where a word does.
fn last_of(text: &[u8], means: Means) -> Option<usize> {
    let is_word = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    (0..text.len()).rev().find(|&at| {
        let (before, rest) = text.split_at(at);
        !is_word(before.last())
            && correction::beginnings(&[means], rest).any(|rest| !is_word(rest.first()))
    })
}

#[cfg(test)]
mod tests {
    use super::{Corrections, restart};
    use crate::{Span, parser::Window};

    #[test]
    fn values_that_begin_anew() {
        for (text, expected) in [
            ("{\"a\": 1, \n\nOops. Again:\n{\"a\": 2}", Some(20)),
            ("{\"a\": 1, \n\nAnd:\n{\"a\": 2}", None),
            ("{\"a\": 1, \n\nOops:\n{\"b\": 2}", None),
            ("{\n  \"a\": 1, \n\nOops:\n{\"a\": 2}", Some(18)),
            ("{\"a\": {\"a\": 1}, \n\nOops:\n{\"a\": 2}", Some(26)),
            ("{\"a\": 2, \"b\":\n{\"a\": 2}", None),
            ("{a: 1 b\n\nFinal answer:\n{\"a\": 2}", Some(22)),
            ("{a: 1 b\n\nThe answer:\n{\"a\": 2}", None),
            ("{\"a\": 2\n(continued)\n{\"a\": 2}", Some(21)),
        ] {
            let found = restart(&Window::whole(text), 0);
            assert_eq!(found.map(|at| &text[at..]), expected.map(|_| "{\"a\": 2}"), "{text}");
        }
    }

    #[test]
    fn corrected_values() {
        for (between, second, expected) in [
            ("Corrected: ", "{\"b\": 2}", true),
            ("Wait, no: ", "{\"a\": 2}", true),
            ("Oops, that's wrong. It should be:\n", "{'a': 2}", true),
            ("Correct: ", "{\"b\": 2}", true),
            ("A stricter version: ", "{\"a\": 2}", true),
            ("Second pass:\n", "{\"a\": 2}", true),
            ("\n\nLet me revise:\n", "{\"a\": 2}", true),
            ("\n\nThat was one.\n\n**Revision:**\n", "{\"a\": 2}", true),
            ("\n\nInstead, use:\n", "{\"b\": 2}", false),
            ("\n\nIf it is better:\n", "{\"a\": 2}", false),
            ("\n\nv2:\n", "{\"a\": 2}", true),
            (
                "Correction: the total has no tax in it, and the currency was left out, since the \
                 invoice names it in its last line only, which I had not seen before. It reads:\n",
                "{\"a\": 2}",
                true,
            ),
            ("Actually, ", "{\"b\": 2}", false),
            ("-> ", "{\"a\": 2}", true),
            ("Second -> ", "{\"a\": 2}", false),
            ("\n=======\n", "{\"a\": 2}", false),
            ("And the next one: ", "{\"a\": 2}", false),
            ("A waiter brings ", "{\"a\": 2}", false),
            ("It was corrected {x} before. Now: ", "{\"a\": 2}", false),
        ] {
            let first = "{\"a\": 1}";
            let text = format!("{first} {between}{second}");
            let window = Window::whole(&text);
            let mut corrections = Corrections::new(&window);
            let span = Span::new(0, first.len());
            assert!(!corrections.correct(None, span), "{text}");
            let next = Span::new(text.len() - second.len(), text.len());
            assert_eq!(corrections.correct(Some(span), next), expected, "{text}");
        }
    }
}
