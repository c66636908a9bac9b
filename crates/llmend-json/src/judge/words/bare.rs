//! Ends of unquoted values.

use crate::{
    judge::{
        key::{bare_key, opens_key},
        string::end_token,
        words::{
            interjection::outdent,
            word::{self, is_height},
        },
    },
    parser::{Frame, Opened, Spacing, Window, quote, space, trivia},
    sink::Container,
};

/// The end of an unquoted value and its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BareExtent {
    /// One past its last character, without trailing white space.
    pub(crate) end: usize,
    pub(crate) reason: EndReason,
}

/// Why an unquoted value ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndReason {
    /// The container continues or is closed.
    Container,
    /// A closing quote.
    Quote,
    /// The end of the text.
    Text,
    /// It exceeds the maximum length.
    Reach,
}

/// Longest token of a chat template, in bytes.
const TOKEN_REACH: usize = 40;
/// Longest tag name, in characters.
const TAG_REACH: usize = 24;
/// Longest remark behind a sign, in bytes.
const REMARK_REACH: usize = 200;
/// Maximum length of an unquoted value, in bytes.
const REACH: usize = 1 << 12;

/// Returns the end of the unquoted value at `at` in the innermost container of `stack`.
pub(crate) fn extent(
    window: &Window<'_>,
    at: usize,
    stack: &[Frame],
    budget: &mut usize,
) -> BareExtent {
    let top = stack.last().map(|frame| frame.kind);
    let value = ValueScan { window, start: at, top, equals: window.byte_before(at) == Some(b'=') };
    let mut depth = 0usize;
    let mut place = at;
    let stop = at + REACH;
    let done = |end: usize, reason: EndReason| {
        let text = window.slice(crate::Span::new(at, end));
        let blank = |c: char| c.is_whitespace() || space::is_unusual_space(c);
        BareExtent { end: at + text.trim_end_matches(blank).len(), reason }
    };
    while place < stop
        && let Some(byte) = window.byte(place)
    {
        match byte {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' if depth > 0 => depth -= 1,
            b'}' | b']' | b'\n' => break,
            b')' if ends_by_parenthesis(window, place, stack) => break,
            b'`' if window.starts_with(place, b"```") => break,
            _ if depth > 0 => {}
            // The text continues after an operand.
            b'"' if after_operator(window, at, place) => {
                let operand = |bytes: &[u8]| memchr::memchr2(b'"', b'\n', bytes);
                let Some(end) = window.find(place + 1, usize::MAX, operand) else { break };
                place = end;
            }
            b'"' if place > at && is_height(window.slice(crate::Span::new(at, place + 1))) => {}
            b'"' if place > at && ends_text(window, place, top) => {
                return BareExtent { end: place, reason: EndReason::Quote };
            }
            b'"' if place > at && next_member(window, at, place, top) => break,
            _ if value.ends(place, byte) => break,
            _ => {}
        }
        place += 1;
    }
    *budget = budget.saturating_sub(place - at);
    if place >= stop && place < window.end() {
        return done(place, EndReason::Reach);
    }
    if window.byte(place).is_some() {
        return done(place, EndReason::Container);
    }
    done(place, EndReason::Text)
}

/// The search for the end of an unquoted value.
struct ValueScan<'w> {
    window: &'w Window<'w>,
    start: usize,
    /// Kind of its container.
    top: Option<Container>,
    /// Whether an equals sign precedes it.
    equals: bool,
}

impl ValueScan<'_> {
    /// Returns whether the value ends before `byte` at `at`, outside of its own brackets.
    #[inline]
    fn ends(&self, at: usize, byte: u8) -> bool {
        let Self { window, start, top, equals } = *self;
        match byte {
            b'\\' => {
                let bracket = matches!(window.byte(at + 1), Some(b'}' | b']' | b'\n'));
                bracket || window.starts_with(at, b"\\n") || window.starts_with(at, b"\\r\\n")
            }
            b',' | b';' => {
                separates(window, at, top) || (equals && named(window, window.skip_space(at + 1)))
            }
            b'/' => at > start && comment(window, start, at),
            b'#' => {
                let complete = || is_complete(window, start, at);
                at > start
                    && match (spaced(window, at), window.starts_with(at, b"# ")) {
                        (true, true) => true,
                        (false, false) => remarks(window, at) && complete(),
                        _ => complete(),
                    }
            }
            // The end of an emphasized member.
            b'*' => {
                window.starts_with(at, b"**")
                    && matches!(
                        window.byte(window.skip_space(at + 2)),
                        None | Some(b',' | b'}' | b']' | b'"')
                    )
                    && is_complete(window, start, at)
            }
            b'-' => {
                at > start
                    && window.starts_with(at, b"--")
                    && (spaced(window, at) || is_complete(window, start, at))
                    && (window.starts_with(at, b"-- ")
                        || (spaced(window, at)
                            && window.byte(at + 2).is_some_and(|b| b.is_ascii_alphabetic())
                            && is_complete(window, start, at)))
            }
            b'.' => at > start && window.starts_with(at, b"...") && is_complete(window, start, at),
            b'<' | b'&' if is_before_space(window, start, at) => true,
            b'<' => {
                window.starts_with(at, b"<!--")
                    || (at > start
                        && end_token::length(window.line_after(at, TOKEN_REACH)).is_some())
                    || (window.starts_with(at, b"</") && !closes_own_tag(window, start, at))
            }
            // A change of color.
            0x1B => at > start,
            // The end of a sentence.
            0xE3 if window.character(at) == Some('。') => {
                at > start && is_complete(window, start, at)
            }
            0xEF | 0xE3 | 0xD8 => full_width(window, at, top),
            _ => false,
        }
    }
}

/// Returns whether the parenthesis at `at`, which matches none in the text, ends the value.
fn ends_by_parenthesis(window: &Window<'_>, at: usize, stack: &[Frame]) -> bool {
    let list = |frame: &Frame| frame.kind == Container::Array || frame.opened == Opened::Keyed;
    stack.last().is_some_and(list)
        || matches!(
            window.byte(trivia::skip(window, at + 1, Spacing::Escaped)),
            None | Some(b',' | b'}' | b']' | b')' | b'<' | b'`')
        )
}

/// Returns whether an operator comes right before `place`.
fn after_operator(window: &Window<'_>, at: usize, place: usize) -> bool {
    window.slice(crate::Span::new(at, place)).trim_end().ends_with(['+', '*', '-', '/', '%', '='])
}

/// Returns whether the tag closed at `place` was opened in the value that starts at `at`.
fn closes_own_tag(window: &Window<'_>, at: usize, place: usize) -> bool {
    let name = window.short_word(place + 2, TAG_REACH, |c| c.is_ascii_alphanumeric());
    let name = window.slice(crate::Span::new(place + 2, place + 2 + name));
    let inside = window.slice(crate::Span::new(at, place));
    !name.is_empty()
        && inside.rfind('<').is_some_and(|open| {
            inside
                .get(open + 1..)
                .is_some_and(|tag| tag.starts_with(name) || inside.contains(&format!("<{name}")))
        })
}

fn spaced(window: &Window<'_>, at: usize) -> bool {
    window.character_before(at).is_some_and(char::is_whitespace)
}

/// Returns whether a number or literal is between `at` and `end`. Only a comment can follow it.
fn is_complete(window: &Window<'_>, at: usize, end: usize) -> bool {
    let text = window.slice(crate::Span::new(at, end)).trim_end();
    word::literal(text).is_some() || word::is_strict(text)
}

/// Returns whether a number or literal ends at `at`, before white space as HTML writes it.
fn is_before_space(window: &Window<'_>, start: usize, at: usize) -> bool {
    space::written_space(window, at).is_some() && is_complete(window, start, at)
}

/// Returns whether a comment is at `at`, behind white space or a complete scalar.
fn comment(window: &Window<'_>, start: usize, at: usize) -> bool {
    let (line, block) = (window.starts_with(at, b"//"), window.starts_with(at, b"/*"));
    // `7//2` is a division.
    let divides = window.byte(at + 2).is_some_and(|byte| byte.is_ascii_digit());
    (line || block) && (spaced(window, at) || (!divides && is_complete(window, start, at)))
}

/// Returns whether words follow the sign at `at` up to the end of its line, and no bracket that they would
/// swallow: `#the port`.
fn remarks(window: &Window<'_>, at: usize) -> bool {
    let line = window.line_after(at + 1, REMARK_REACH);
    line.starts_with(char::is_alphabetic)
        && line.trim_end().contains(' ')
        && !line.contains(['"', '}', ']'])
        && window.byte(at + 1 + line.len()) == Some(b'\n')
}

/// Returns whether the comma or semicolon at `at` ends the value.
pub(crate) fn separates(window: &Window<'_>, at: usize, top: Option<Container>) -> bool {
    if top != Some(Container::Object) {
        return true;
    }
    let next = trivia::skip(window, at + 1, Spacing::Escaped);
    match window.byte(next) {
        None | Some(b'}' | b']' | b',' | b';') => true,
        Some(b'.') => window.starts_with(next, b"..."),
        Some(b'{') => true,
        Some(b':') => opens_key(window, next),
        Some(_) => {
            quote::opening(window, next).is_some()
                || bare_key(window, next).is_some_and(|colon| {
                    // The time in `at 10:30` is no key.
                    let digits = window
                        .slice(crate::Span::new(next, colon))
                        .bytes()
                        .all(|byte| byte.is_ascii_digit());
                    !digits || !window.byte(colon + 1).is_some_and(|byte| byte.is_ascii_digit())
                })
                || partial_key(window, next)
                || outdent::end(window, next, Container::Object, &mut { usize::MAX }).is_some()
        }
    }
}

/// Returns whether a name and an equals sign are at `at`: the next member in that notation.
fn named(window: &Window<'_>, at: usize) -> bool {
    let length = window.word(at, |c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let sign = window.skip_space(at + length);
    length > 0
        && window.byte(sign) == Some(b'=')
        && !matches!(window.byte(sign + 1), Some(b'=' | b'>'))
}

/// Returns whether a single word that ends the text is at `at`.
fn partial_key(window: &Window<'_>, at: usize) -> bool {
    let length = window.word(at, |c| c.is_alphanumeric() || c == '_');
    window.at_end && (1..80).contains(&length) && at + length == window.end()
}

/// Returns whether the quote at `at` ends a text without an opening quote.
fn ends_text(window: &Window<'_>, at: usize, top: Option<Container>) -> bool {
    let next = trivia::skip(window, at + 1, Spacing::Escaped);
    matches!(
        (window.byte(next), top),
        (None, _)
            | (Some(b','), Some(_))
            | (Some(b'}'), Some(Container::Object))
            | (Some(b']'), Some(Container::Array))
    )
}

/// Returns whether the quote at `at`, behind white space and words without quotes, opens the key of
/// the next member.
fn next_member(window: &Window<'_>, start: usize, at: usize, top: Option<Container>) -> bool {
    top == Some(Container::Object)
        && spaced(window, at)
        && !window.slice(crate::Span::new(start, at)).contains('"')
        && opens_key(window, at)
}

/// Returns whether full-width punctuation at `at` ends a value.
fn full_width(window: &Window<'_>, at: usize, top: Option<Container>) -> bool {
    match window.character(at) {
        Some('｝' | '］' | '】') => true,
        Some('，' | '،' | '；' | '、') => match top {
            Some(Container::Object) => {
                let length = window.character(at).map_or(1, char::len_utf8);
                let next = trivia::skip(window, at + length, Spacing::Escaped);
                window.byte(next).is_none_or(|byte| byte == b'}')
                    || window.character(next) == Some('｝')
                    || quote::opening(window, next).is_some()
                    || bare_key(window, next).is_some()
            }
            _ => true,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{EndReason, extent};
    use crate::{
        parser::{Frame, Opened, Window},
        sink::Container,
    };

    #[test]
    fn members_with_an_equals_sign() {
        for (text, at, expected) in [
            ("{k=v, n=3}", 3, "v"),
            ("{k = v w, n = x}", 5, "v w"),
            ("{k=v, w}", 3, "v, w"),
            ("{k=v, a==b}", 3, "v, a==b"),
            ("{k: v, n=3}", 4, "v, n=3"),
        ] {
            let stack = [Frame::new(Container::Object, Opened::Plain)];
            let mut budget = 1000;
            let found = extent(&Window::whole(text), at, &stack, &mut budget);
            assert_eq!(text.get(at..found.end), Some(expected), "{text}");
        }
    }

    #[test]
    fn unquoted_value_ends() {
        for (text, kind, expected, reason) in [
            ("hello, \"b\": 1}", Container::Object, "hello", EndReason::Container),
            ("hello, you }", Container::Object, "hello, you", EndReason::Container),
            ("a, b]", Container::Array, "a", EndReason::Container),
            ("f(1, 2), \"b\"", Container::Object, "f(1, 2)", EndReason::Container),
            (
                "https://x.y/z?a=1,\"b\":2}",
                Container::Object,
                "https://x.y/z?a=1",
                EndReason::Container,
            ),
            ("x \"b\": 1}", Container::Object, "x", EndReason::Container),
            ("x // c\n}", Container::Object, "x", EndReason::Container),
            ("3 #max\n}", Container::Object, "3", EndReason::Container),
            ("3# max\n}", Container::Object, "3", EndReason::Container),
            ("3#max\n}", Container::Object, "3#max", EndReason::Container),
            ("8080#the port\n}", Container::Object, "8080", EndReason::Container),
            ("true#so it is\n}", Container::Object, "true", EndReason::Container),
            ("8080#the port}", Container::Object, "8080#the port", EndReason::Container),
            ("8080#9\n}", Container::Object, "8080#9", EndReason::Container),
            ("x#the port\n}", Container::Object, "x#the port", EndReason::Container),
            ("2.5-- half\n}", Container::Object, "2.5", EndReason::Container),
            ("2.5--half\n}", Container::Object, "2.5--half", EndReason::Container),
            ("8080// the port\n}", Container::Object, "8080", EndReason::Container),
            ("null/* no */}", Container::Object, "null", EndReason::Container),
            ("7//2}", Container::Object, "7//2", EndReason::Container),
            ("a/b// c}", Container::Object, "a/b// c", EndReason::Container),
            ("75**, \"b\": 1}", Container::Object, "75", EndReason::Container),
            ("2**3}", Container::Object, "2**3", EndReason::Container),
            ("true --max\n}", Container::Object, "true", EndReason::Container),
            ("room #5\n}", Container::Object, "room #5", EndReason::Container),
            ("run --max\n}", Container::Object, "run --max", EndReason::Container),
            ("1 --2\n}", Container::Object, "1 --2", EndReason::Container),
            ("<b>x</b>, \"c\": 1}", Container::Object, "<b>x</b>", EndReason::Container),
            ("x</json>", Container::Object, "x", EndReason::Container),
            ("b\",\"c\":1}", Container::Object, "b", EndReason::Quote),
            ("Ola\n  age: 31\n", Container::Object, "Ola", EndReason::Container),
            ("1,234, \"b\": 1", Container::Object, "1,234", EndReason::Container),
            ("true<br>}", Container::Object, "true", EndReason::Container),
            ("7&nbsp;, \"b\": 1}", Container::Object, "7", EndReason::Container),
            ("Q&nbsp;A}", Container::Object, "Q&nbsp;A", EndReason::Container),
            ("tru", Container::Object, "tru", EndReason::Text),
        ] {
            let stack = [Frame::new(kind, Opened::Plain)];
            let mut budget = 1000;
            let found = extent(&Window::whole(text), 0, &stack, &mut budget);
            assert_eq!((text.get(..found.end), found.reason), (Some(expected), reason), "{text}");
        }
    }
}
