//! Ends of strings whose first closing mark is not conclusive.
//!
//! A string ends where its container continues. Each mark that could close it is weighed by what
//! follows, in the order of the text:
//!
//! 1. brackets opened inside the string and not closed speak against an end;
//! 2. after an even number of marks, which pair up, the mark is the end or opens another pair: it
//!    is the end if the container continues cleanly;
//! 3. after an odd number (an inch mark, a stray quote), the continuation must be clean for longer;
//! 4. if the mark opens a key, the closing mark of the string may be missing;
//! 5. if an odd reading and a later one are both clean, the string is ambiguous.

use crate::{
    Span,
    judge::{
        continuation::{Continuation, Halt, KeyFilter, Lookahead, LookaheadStart, continuation},
        fence,
        key::bare_key,
        string::{
            context::{KeyStyle, Role, StringContext},
            scalars, swallowed,
        },
        words::word,
    },
    parser::{Delimiter, Spacing, Window, quote, trivia},
    sink::Container,
};

mod balance;
mod escape;
mod first_mark;
mod pair;
mod unmarked;
mod weigh;

use balance::Balance;
use weigh::{Fallback, Quality};

/// The end of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// At a mark of `length` bytes at `at`. `contested` if it is not the first mark.
    Mark { at: usize, length: usize, contested: bool },
    /// At `at`, where the closing mark is missing.
    Unmarked { at: usize },
    /// With the text, which is cut off at `at`.
    Cut { at: usize },
    /// Several readings are equally likely.
    Unclear,
}

/// Tokens that support an end of even parity in an object, unless it is clean.
const OBJECT_LIMIT: u32 = 5;
/// Tokens that support an end in an array, where a comma and a string prove little.
const ARRAY_LIMIT: u32 = 9;
/// Longest string that is searched for structure, in bytes.
const STRUCTURE_REACH: usize = 512;
/// Maximum number of marks before structure in a string that swallowed it.
const STRUCTURE_MARKS: usize = 3;
/// Marks that are weighed after a reading was deferred.
const MAX_MARKS_AFTER_FALLBACK: usize = 512;

/// Returns the end of the string whose content starts at `start`.
pub(crate) fn string_end(
    window: &Window<'_>,
    start: usize,
    delimiter: Delimiter,
    context: &StringContext<'_>,
    budget: &mut usize,
) -> Ending {
    let mut search = EndSearch {
        window,
        context,
        delimiter,
        start,
        marks: 0,
        balance: Balance::default(),
        fallback: None,
        marks_left: MAX_MARKS_AFTER_FALLBACK,
        json_inside: false,
        member_inside: false,
        path: false,
        strict: None,
        inch: false,
        triple: false,
        escaped_lines: false,
        plain_lines: false,
        line_end: None,
        curly: pair::CurlyQuotes::new(start),
    };
    let ending = search.run(budget);
    let (Ending::Mark { at, .. } | Ending::Unmarked { at } | Ending::Cut { at }) = ending else {
        return ending;
    };
    if context.role == Role::Key && matches!(ending, Ending::Cut { .. }) {
        // What is cut off in a key is removed.
        return ending;
    }
    let content = window.slice(Span::new(start, at));
    if matches!(ending, Ending::Unmarked { .. }) && content.contains("<|im_start|>") {
        // Another turn begins inside.
        return Ending::Unclear;
    }
    if matches!(ending, Ending::Unmarked { .. } | Ending::Cut { .. })
        && delimiter.style != quote::Style::Double
        && is_whole_value(content)
    {
        return Ending::Unclear;
    }
    if !swallows(content, delimiter, context) {
        return ending;
    }
    // A mark of another kind may be the end.
    match swallowed::end_inside(content, |c| c == '"').map(|inside| start + inside) {
        Some(at) if delimiter.style != quote::Style::Double => {
            let ahead = Lookahead::value(context.stack, OBJECT_LIMIT, context.spacing);
            let clean = continuation(window, at + 1, &ahead, budget).is_clean();
            if clean { Ending::Mark { at, length: 1, contested: true } } else { Ending::Unclear }
        }
        Some(at) if scalars::lack_commas(window, at + 1, context.stack) => {
            Ending::Mark { at, length: 1, contested: false }
        }
        _ => Ending::Unclear,
    }
}

/// Returns whether `content`, behind an opening mark of another kind that nothing closes, is a value
/// without it.
fn is_whole_value(content: &str) -> bool {
    let text = content.trim();
    text.starts_with(['{', '['])
        || (text.len() > 1 && text.starts_with('"') && text.ends_with('"'))
        || word::literal(text).is_some()
        || word::is_strict(text)
}

/// Returns whether a string with the given content swallows structure of the value around it.
fn swallows(content: &str, delimiter: Delimiter, context: &StringContext<'_>) -> bool {
    let smart = delimiter.style == quote::Style::SmartDouble;
    let is_mark = |c: char| if smart { quote::is_double(c) } else { c == '"' };
    if delimiter.style == quote::Style::Single && restarts(content) {
        return true;
    }
    swallowed::find_double(content, is_mark).is_some()
        && (swallowed::end_inside(content, is_mark).is_some()
            || match context.role {
                Role::Key => swallowed::has_member(content, is_mark),
                Role::Value => has_structure(content),
            })
}

/// Returns whether an object with a key in single quotes begins a line of `content`, in which they would have
/// to be escaped.
fn restarts(content: &str) -> bool {
    let opened = |line: &str| {
        let inside = line.trim_start().strip_prefix(['{', '['])?;
        let key = inside.trim_start_matches(['{', '[', ' ', '\t']).strip_prefix('\'')?;
        Some(key.split_once('\'')?.1.trim_start().starts_with(':'))
    };
    content.split('\n').skip(1).any(|line| opened(line) == Some(true))
}

/// Returns whether `text` closes a bracket that it did not open, and goes on with members or items
/// and a key after it: `x}, {"b": 1`. Only code that begins inside a block is written like that, and
/// has more quotes before the bracket.
fn has_structure(text: &str) -> bool {
    if text.len() > STRUCTURE_REACH
        || memchr::memchr2(b'}', b']', text.as_bytes()).is_none()
        || text.contains([';', '\\'])
    {
        return false;
    }
    let mut open = Balance::default();
    for (at, byte) in text.bytes().enumerate() {
        if matches!(byte, b'}' | b']') && open.is_even() {
            let (before, rest) = text.split_at_checked(at + 1).unwrap_or_default();
            let next = rest.trim_start();
            let line = rest.strip_suffix(next).is_some_and(|space| space.contains('\n'));
            let apart = line && next.starts_with('{');
            let next = next.strip_prefix(',').map(str::trim_start).or(apart.then_some(next));
            return next.is_some_and(|next| next.starts_with(['{', '"', '[']))
                && before.matches('"').count() <= STRUCTURE_MARKS
                && has_key(rest);
        }
        open.count_byte(byte);
    }
    false
}

/// Returns whether a quote with a colon after it is in `text`.
fn has_key(text: &str) -> bool {
    text.match_indices('"')
        .any(|(at, _)| text.get(at + 1..).is_some_and(|next| next.trim_start().starts_with(':')))
}

#[expect(clippy::struct_excessive_bools, reason = "independent observations")]
struct EndSearch<'w, 's> {
    window: &'w Window<'w>,
    context: &'w StringContext<'s>,
    delimiter: Delimiter,
    start: usize,
    /// Number of marks inside the string so far.
    marks: usize,
    balance: Balance,
    fallback: Option<Fallback>,
    marks_left: usize,
    /// Whether the content contains a key of its own.
    json_inside: bool,
    /// Whether a member of the container follows an odd mark, outside of brackets of the content.
    member_inside: bool,
    /// Whether an escape was seen that only paths, regexes and the like contain.
    path: bool,
    /// Whether the string closes strictly, once known.
    strict: Option<bool>,
    /// Whether the only mark inside follows a digit, as an inch mark does.
    inch: bool,
    /// Whether a triple-quoted text is open inside.
    triple: bool,
    /// Whether the content has escaped line breaks, and plain ones.
    escaped_lines: bool,
    plain_lines: bool,
    /// The first line break inside that is followed by a closing fence.
    line_end: Option<usize>,
    curly: pair::CurlyQuotes,
}

impl EndSearch<'_, '_> {
    fn run(&mut self, budget: &mut usize) -> Ending {
        let mut at = self.start;
        while let Some(byte) = self.window.byte(at) {
            if *budget == 0 || self.window.is_starved() {
                return Ending::Unclear;
            }
            let plain = self.window.run(at, is_plain);
            *budget = budget.saturating_sub(1 + plain / 4);
            if plain > 0 {
                at += plain;
                continue;
            }
            if let Some(length) = self.delimiter.style.closes(self.window, at) {
                let inside = self.delimiter.style.is_inside_word(self.window, at, length)
                    || self.closes_low_quote(at);
                if !inside {
                    if let Some(ending) = self.mark(at, length, budget) {
                        return ending;
                    }
                    self.count(at);
                }
                at += length;
                continue;
            }
            match byte {
                b'\\' => {
                    if let Some(ending) = self.escape(at, budget) {
                        return ending;
                    }
                    at += 1 + self.window.character(at + 1).map_or(0, char::len_utf8);
                    continue;
                }
                b'\n' => {
                    if let Some(ending) = self.line(at) {
                        return ending;
                    }
                }
                b'{' | b'}' | b'[' | b']' | b'(' | b')' => self.balance.count_byte(byte),
                0xE2 if self.marks == 0 && self.is_curly_end(at) => {
                    return Ending::Mark { at, length: pair::CURLY.len(), contested: true };
                }
                b'"' if self.delimiter.style != quote::Style::Double && self.marks == 0 => {
                    if let Some(ending) = self.missing_end_mark(at, 1, budget) {
                        return ending;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        self.at_text_end(budget)
    }

    /// Counts the mark at `at` as one inside the string, unless it belongs to no pair.
    fn count(&mut self, at: usize) {
        let before = self.window.slice(Span::new(self.start, at));
        // The escaped quote of quoted source code, whose backslash is escaped here.
        if before.ends_with("\\\\") && self.delimiter.style == quote::Style::Double {
            return;
        }
        // Three in a row open or close a text whose quotes pair up inside.
        let third = before.ends_with("\"\"")
            && !before.ends_with("\"\"\"")
            && self.window.byte(at + 1) != Some(b'"');
        if third && (self.triple || self.marks.is_multiple_of(2)) {
            self.triple = !self.triple;
            self.marks -= 2.min(self.marks);
            return;
        }
        self.inch = self.marks == 0 && before.ends_with(|c: char| c.is_ascii_digit());
        self.marks += 1;
    }

    /// Handles the line break at `at`.
    fn line(&mut self, at: usize) -> Option<Ending> {
        // A text whose line breaks are escaped does not continue after a plain one.
        if self.escaped_lines
            && !self.plain_lines
            && let Some(fallback) =
                self.fallback.filter(|fallback| fallback.quality >= Quality::OddClean)
        {
            return Some(fallback.ending);
        }
        self.plain_lines = true;
        if self.line_end.is_none() && fence::closes(self.window, at + 1) {
            self.line_end = Some(at);
        }
        None
    }

    /// Returns whether the number of marks inside is odd.
    const fn is_odd(&self) -> bool {
        self.marks % 2 == 1
    }

    fn in_array(&self) -> bool {
        self.context.stack.last().is_some_and(|frame| frame.kind == Container::Array)
    }

    /// Weighs the mark at `at`.
    fn mark(&mut self, at: usize, length: usize, budget: &mut usize) -> Option<Ending> {
        if let Some(ending) = self.missing_end_mark(at, length, budget) {
            return Some(ending);
        }
        let ending = Ending::Mark { at, length, contested: self.marks > 0 };
        let after = at + length;
        if self.delimiter.style == quote::Style::Double
            && self.window.byte(trivia::skip(self.window, after, Spacing::Plain)) == Some(b':')
            && self.is_odd()
        {
            self.json_inside |= self.context.role == Role::Value;
        }
        let continuation = self.continuation(after, budget);
        let evidence = self.weigh(after, continuation);
        self.member_inside |= self.is_odd()
            && !self.in_array()
            && self.balance.is_even()
            && continuation.clean >= 3
            && continuation.halt == Halt::InString;
        if let Some(fallback) = self.fallback {
            self.marks_left -= 1;
            if self.marks_left == 0 {
                return Some(self.evaluate(fallback));
            }
        }
        if self.marks == 0
            && first_mark::ends(
                self.window,
                Span::new(self.start, at),
                after,
                self.delimiter,
                self.context,
                budget,
            )
        {
            return Some(ending);
        }
        if !evidence.fits && !evidence.inch {
            return None;
        }
        // A key usually ends at the first mark that fits. Later ones must be followed by a colon
        // and a value.
        if self.context.role == Role::Key
            && (self.marks == 0 || (continuation.clean >= 2 && self.marks < 4))
        {
            return Some(ending);
        }
        self.accept_or_defer(Fallback { ending, quality: self.quality(evidence) }, evidence)
    }

    /// Returns how the text continues after an end at `at`.
    fn continuation(&self, at: usize, budget: &mut usize) -> Continuation {
        let limit = if self.in_array() { ARRAY_LIMIT } else { OBJECT_LIMIT };
        let from = if self.context.role == Role::Key {
            LookaheadStart::Key
        } else {
            LookaheadStart::Value
        };
        let keys = if self.marks > 0 && self.context.style == KeyStyle::Quoted {
            KeyFilter::Quoted
        } else {
            KeyFilter::Any
        };
        let StringContext { stack, spacing, .. } = *self.context;
        let ahead = Lookahead { from, keys, ..Lookahead::value(stack, limit, spacing) };
        let found = continuation(self.window, at, &ahead, budget);
        if keys == KeyFilter::Any || found.clean > 1 || !self.bare_member(at) {
            return found;
        }
        // After quotes in pairs, a key without quotes counts, too, if all that follows fits.
        let ahead = Lookahead { keys: KeyFilter::Any, ..ahead };
        let bare = continuation(self.window, at, &ahead, budget);
        if bare.is_clean() { bare } else { found }
    }

    /// Returns whether the quotes so far pair up, and a comma and a key without quotes are at `at`.
    fn bare_member(&self, at: usize) -> bool {
        !self.is_odd()
            && self.balance.is_even()
            && self.balance.parentheses == 0
            && !self.in_array()
            && self.window.byte(at) == Some(b',')
            && bare_key(self.window, self.window.skip_space(at + 1)).is_some()
    }
}

/// Returns whether a byte inside a string is irrelevant to the search, whatever the marks.
#[inline]
const fn is_plain(byte: u8) -> bool {
    PLAIN[byte as usize]
}

const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0_u8;
    while byte < u8::MAX {
        plain[byte as usize] = byte.is_ascii_alphanumeric()
            || matches!(byte, b' ' | b'.' | b',' | b':' | b';' | b'-' | b'_' | b'/' | b'=');
        byte += 1;
    }
    plain
};

#[cfg(test)]
mod tests {
    use super::{Ending, string_end};
    use crate::{
        judge::string::context::{KeyStyle, Role, StringContext},
        parser::{Frame, Opened, Spacing, Window, quote},
        sink::Container,
    };

    const fn mark(at: usize, contested: bool) -> Ending {
        Ending::Mark { at, length: 1, contested }
    }

    #[test]
    fn string_ends() {
        for (text, expected) in [
            (r#""say "hi" now"}"#, mark(13, true)),
            (r#""x, "b": 1}"#, Ending::Unmarked { at: 2 }),
            (r#""x', "b": 1}"#, mark(2, true)),
            (r#""say 'x', "b": 1}"#, Ending::Unmarked { at: 8 }),
            (r#"'x", "b": 1}"#, mark(2, true)),
            (r#""C:\", "b": 1}"#, mark(4, true)),
            (r#""C:\temp\", "b": 1}"#, mark(9, true)),
            (r#""as f:\tx[\"k\"] in {\"a\", \"b\"}"}"#, mark(34, false)),
            (r#""on C:\temp\"k\"] in"}"#, mark(20, false)),
            (r#""a \"b\", "c": 1}"#, Ending::Unmarked { at: 8 }),
            (r#""6'2\", "c": 1}"#, Ending::Unclear),
            ("\"x”, “b\": \"y\"}", Ending::Mark { at: 2, length: 3, contested: true }),
            ("\"say “x”, “y” \"now}", Ending::Unclear),
            (r#""x"#, Ending::Cut { at: 2 }),
            ("\"x\n\n", Ending::Cut { at: 2 }),
            ("\"x ", Ending::Cut { at: 3 }),
            (r#""x "b": 1}"#, Ending::Unmarked { at: 2 }),
            (r#""x "b": "y", "c": [2]}"#, Ending::Unmarked { at: 2 }),
            (r#""say "b": 1 now"}"#, mark(15, true)),
            (r#""say "b": "x""}"#, mark(13, true)),
            (r#""x" "v" 1}, {"k": "b", "v": 1}"#, Ending::Unclear),
            (r#""x {"a": 1}, {"b": 2}"}"#, mark(21, true)),
            ("\"x\"}:\n\n{\"a\": \"y\"}", mark(2, false)),
        ] {
            let window = Window::whole(text);
            let stack = [Frame::new(Container::Object, Opened::Plain)];
            let context = StringContext {
                stack: &stack,
                role: Role::Value,
                spacing: Spacing::Plain,
                style: KeyStyle::Quoted,
                keys: &[],
            };
            let delimiter = quote::opening(&window, 0).expect(text);
            let mut budget = 10_000;
            let found = string_end(&window, delimiter.open, delimiter, &context, &mut budget);
            assert_eq!(found, expected, "{text}");
        }
    }
}
