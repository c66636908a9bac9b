//! Strings that end at their first mark although strict JSON does not follow.
//!
//! A first mark is the end or opens an inner quote. Text follows a mark that opens a quote, but
//! never what the container needs, however it is written.

use crate::{
    Span,
    judge::{
        bracket::{layout::closed_before, record},
        fence,
        key::{
            colon::{is_angle, is_semicolon},
            is_name, odd_separator, opens_pair,
        },
        string::{
            context::{Role, StringContext},
            end_token,
        },
        words::{bullet, notice, remark, replacement, stray, word},
    },
    parser::{Delimiter, Opened, Window, quote, trivia},
    sink::Container,
};

mod container;
mod item;
mod joined;
mod member;

/// Cost of the judgment, in bytes.
const COST: usize = 40;
/// How far quotes are searched for behind a closing tag, in bytes.
const ELEMENT_REACH: usize = 512;
/// Longest key that is read, in bytes.
const KEY_REACH: usize = 80;

/// Returns whether the mark that ends at `after`, the first one in the string with the content
/// `inside`, ends the string.
pub(crate) fn ends(
    window: &Window<'_>,
    inside: Span,
    after: usize,
    delimiter: Delimiter,
    context: &StringContext<'_>,
    budget: &mut usize,
) -> bool {
    *budget = budget.saturating_sub(COST);
    let probe = Probe { window, delimiter, context };
    let next = probe.skip(after);
    let Some(character) = window.character(next) else { return window.at_end };
    if context.role == Role::Key {
        return probe.after_key(after, next, character);
    }
    let Some(frame) = context.stack.last() else { return false };
    let tuple = frame.opened == Opened::Tuple;
    let spaced = next > after;
    let text = window.slice(inside);
    let opens = || quote::opening(window, next).is_some();
    let whole = !text.is_empty() && !text.ends_with(char::is_whitespace);
    match (character, frame.kind) {
        // The next line belongs to an outer container.
        _ if closed_before(window, after, next, context.stack).is_some() => true,
        // A sign for the comma, and the next member.
        (_, Container::Object) if whole && odd_separator(window, next).is_some() => true,
        // Literals are joined.
        ('.' | '&', _) if spaced && !whole && probe.operator_at(next, frame.kind) => true,
        // An operator and another literal form an expression.
        _ if spaced && whole && probe.operator_at(next, frame.kind) => true,
        // The container continues on the line after a comment.
        ('#' | '-', kind) if spaced && whole && probe.comment(next, kind) => true,
        // The value is cut off, and a remark follows.
        (c, _)
            if whole
                && (c.is_alphabetic() || !c.is_ascii())
                && stray::is_prose(window, after, next, budget) =>
        {
            stray::is_apart(window, after, next)
        }
        _ if whole && notice::is_at(window, next) => true,
        // A stray word or mark comes before the next member.
        _ if whole && frame.kind == Container::Object && probe.stray_before_member(next) => true,
        ('+', _) => {
            let operand = probe.skip(next + 1);
            quote::opening(window, operand).is_some()
                || (spaced && window.byte(operand).is_some_and(|byte| byte.is_ascii_alphabetic()))
        }
        (':', Container::Array) => text.is_empty() || is_name(text),
        // Another value replaces this one.
        _ if whole && spaced && replacement::is_at(window, next) => true,
        // The element around the value ends, or the text does.
        ('<', _) if whole && probe.closed_element(next) => true,
        // The block around the value ends.
        ('`', _) if spaced => fence::closes_block(window, next),
        ('}' | ']', _) if whole && probe.ends_before_quote(next) => true,
        (')' | '）', kind) => tuple || (no_parenthesis(text) && probe.is_closed(next, kind)),
        (',' | '，' | '،' | ';' | '；', kind) => probe.continues(next, kind),
        ('}' | ']' | '｝' | '］' | '】', kind) => probe.is_closed(next, kind),
        _ if whole && probe.annotated(after, next, frame.kind) => true,
        _ if spaced && remark::end(window, next, frame.kind).is_some() => true,
        (c, Container::Object)
            if whole && spaced && c.is_alphabetic() && probe.remarked(text, next) =>
        {
            true
        }
        ('.' | '…', kind) => probe.ellipsis(next).is_some_and(|end| probe.continues(end, kind)),
        // The next record does.
        ('{', Container::Object) if record::begins(window, after, next, context.stack) => true,
        // The next object follows without the end of this one.
        ('{', Container::Object) if whole && probe.next_object(next) => true,
        (_, Container::Object) if window.slice(Span::new(after, next)).contains("\\\n") => {
            probe.adjacent_literal(next)
        }
        (_, Container::Object) if window.slice(Span::new(after, next)).contains('\n') => {
            probe.member(next) || probe.literals_below(after, next)
        }
        // A second literal that is no key is joined to the first.
        (_, Container::Object) if spaced => {
            probe.adjacent_literal(next)
                || probe.adjacent_member(next)
                || (whole && probe.lacks_colon(inside) && opens_pair(window, next))
        }
        // The next key may follow directly if the marks pair up.
        (c, Container::Object) if whole && (opens() || c.is_alphabetic()) => {
            probe.adjacent_member(next)
        }
        // The comma before the next item is inside the string.
        ('0'..='9' | '-', Container::Array) if text.ends_with(',') => probe.lone_scalar(next),
        (_, Container::Array) if spaced => {
            (window.slice(Span::new(after, next)).contains('\n')
                && bullet::end(window, next, frame.kind).is_some())
                || (opens() && tuple)
                || probe.lone_word(next)
                || probe.lone_scalar(next)
                || (whole && (probe.strings(next) || probe.list(next)))
        }
        _ => false,
    }
}

/// Returns whether every parenthesis opened in `text` is closed there.
fn no_parenthesis(text: &str) -> bool {
    text.matches('(').count() == text.matches(')').count()
}

/// A look at the text after a mark.
struct Probe<'w, 's> {
    window: &'w Window<'w>,
    delimiter: Delimiter,
    context: &'w StringContext<'s>,
}

impl Probe<'_, '_> {
    fn skip(&self, at: usize) -> usize {
        trivia::skip(self.window, at, self.context.spacing)
    }

    /// Returns whether a closing tag or a token of a chat template is at `at`, and no quote comes
    /// after it.
    fn closed_element(&self, at: usize) -> bool {
        let rest = self.window.near(at, ELEMENT_REACH);
        let closes = rest.starts_with("</") && rest.contains('>');
        (closes && !rest.contains(['"', '}', ']'])) || end_token::ends_value(self.window, at)
    }

    /// Returns whether the text after a key continues with a colon in any notation, a value or the
    /// next member.
    fn after_key(&self, after: usize, next: usize, character: char) -> bool {
        let spaced = next > after;
        match character {
            ';' => is_semicolon(self.window, next),
            '=' | ',' | '}' | '，' | '،' | '｝' | '{' | '[' => true,
            '>' => is_angle(self.window, after),
            // Keys that are joined form an expression.
            '+' => quote::opening(self.window, self.skip(next + 1)).is_some(),
            '-' | '0'..='9' => {
                spaced || self.window.scan_number(next).is_some_and(|end| self.ends_member(end))
            }
            't' | 'f' | 'n' | 'T' | 'F' | 'N' => {
                let ends = |end| spaced || self.ends_member(end);
                self.literal(next).is_some_and(ends)
            }
            _ if spaced => quote::opening(self.window, next).is_some(),
            _ => self.adjacent_literal(next),
        }
    }

    /// Returns whether the member ends with its value, which ends at `at`.
    fn ends_member(&self, at: usize) -> bool {
        matches!(self.window.byte(self.skip(at)), Some(b',' | b'}'))
    }

    /// Returns whether the key before the string whose content is `inside` has no colon.
    fn lacks_colon(&self, inside: Span) -> bool {
        let opening = inside.start - self.delimiter.open;
        let before = self.window.before(opening, KEY_REACH).trim_end();
        before.ends_with(quote::is_mark)
    }

    /// Returns whether a value in strict notation starts at `at`.
    fn value_at(&self, at: usize) -> bool {
        self.window
            .byte(at)
            .is_some_and(|byte| matches!(byte, b'"' | b'{' | b'[' | b'-' | b'0'..=b'9'))
            || self.literal(at).is_some()
    }

    /// Returns the end of the literal at `at`, in any notation.
    fn literal(&self, at: usize) -> Option<usize> {
        let end = at + self.window.run(at, |byte| byte.is_ascii_alphabetic());
        word::literal(self.window.slice(Span::new(at, end))).map(|_| end)
    }

    /// Returns the position and length of the first mark of `delimiter` near `start`.
    fn mark_within(&self, start: usize, delimiter: Delimiter) -> Option<(usize, usize)> {
        let mut at = start;
        while at < start + KEY_REACH {
            let character = self.window.character(at)?;
            let mark = delimiter.style.closes(self.window, at);
            let ends = |length: &usize| !delimiter.style.is_inside_word(self.window, at, *length);
            if let Some(length) = mark.filter(ends) {
                return Some((at, length));
            }
            at += character.len_utf8();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::ends;
    use crate::{
        Span,
        judge::string::context::{KeyStyle, Role, StringContext},
        parser::{Frame, Opened, Spacing, Window, quote},
        sink::Container,
    };

    /// Whether the string at the start of `text` ends with its first mark, in what was opened so.
    fn check(rows: &[(&str, bool)], role: Role, kind: Container, opened: Opened) {
        for &(text, expected) in rows {
            let window = Window::whole(text);
            let context = StringContext {
                stack: &[Frame::new(kind, opened)],
                role,
                spacing: Spacing::Plain,
                style: KeyStyle::Quoted,
                keys: &[],
            };
            let delimiter = quote::opening(&window, 0).expect(text);
            let mut marks = (1..text.len()).filter(|&at| text.is_char_boundary(at));
            let mark = marks.find(|&at| delimiter.style.closes(&window, at).is_some());
            let mark = mark.expect(text);
            let inside = Span::new(delimiter.open, mark);
            let after = mark + delimiter.style.closes(&window, mark).expect(text);
            let found = ends(&window, inside, after, delimiter, &context, &mut 10_000);
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn values_of_an_object() {
        let rows = [
            (r#""x"}"#, true),
            (r#""x", b: 2}"#, true),
            (r#""x"; "b": 2}"#, true),
            (r#""x",, "b": 2}"#, true),
            (r#""x" | "b": 2}"#, true),
            (r#""x". "b": 2}"#, true),
            // What is struck out, or a remark, is behind the comma.
            ("\"x\",\n~~\"b\": \"y\",~~\n\"b\": 2}", true),
            ("\"x\",\n~~\"b\": \"y\",~~\n}", true),
            ("\"x\", [3]\n\"b\": 2}", true),
            (r#""x" | "b": no"}"#, false),
            (r#""x " . "y"}"#, true),
            (r#""x", ...}"#, true),
            (r#""x", 'b': 2}"#, true),
            (r#""x", b = 2}"#, true),
            (r#""x", b": 2}"#, true),
            (r#""x", "b" 2}"#, true),
            (r#""x", {"b": 2}"#, false),
            ("\"x\"\n\"b\": 2}", true),
            (r#""x" "y"}"#, true),
            (r#""x" + "y"}"#, true),
            (r#""x" or "y"}"#, true),
            (r#""x" or y"}"#, false),
            (r#""x" "b": 2}"#, true),
            (r#""x""b":2}"#, true),
            (r#""x""b":"y""c":3}"#, true),
            (r#""x" "b": no}"#, true),
            (r#""x" "b": https://y.org/a#c, "d": 1}"#, true),
            (r#""x" "b": no, and so on"}"#, false),
            (r#""x" "b": no}"}"#, false),
            ("“x”“b”:2}", true),
            ("`x``b`:2}", true),
            ("“say ”“b”: now”}", false),
            (r#""say ""b"": 2"}"#, false),
            (r#""x""b" and "c":2}"#, false),
            (r#""x""and so on: 2"}"#, false),
            (r#"""b":2}"#, false),
            ("\"x\" # note\n, \"b\": 2}", true),
            (r#""x" (a note), "b": 2}"#, true),
            (r#""x" (or "y"), "b": 2}"#, true),
            (r#""x" (or "y"), and so on"}"#, false),
            (r#""x" [to check], "b": 2}"#, true),
            (r#""x" <-- a note, "b": 2}"#, true),
            (r#""x" <b> y, "b": 2}"#, false),
            (r#""x", (a note) "b": 2}"#, true),
            ("\"x\"}\n```", true),
            (r#""x".}"#, true),
            (r#""x"., "b": 2}"#, true),
            (r#""x". And so, on"}"#, false),
            (r#""x" (a note)}"#, true),
            (r#""x" (a note) to"}"#, false),
            (r#""say "hi" to"}"#, false),
            (r#""the "best" one"}"#, false),
            (r#""he said "no", and left"}"#, false),
            (r#""x", he said, "yes"}"#, false),
            (r#""x"} and more"#, false),
            (r#""x"}""#, true),
            (r#""x"}"}"#, true),
            (r#""x "}"}"#, false),
            (r#""x"}" and}"#, false),
            ("\"x\"]\n\nThat is all.", true),
            ("\"x\"]\n\nThat isn't \"all\" there is.", true),
            ("\"x\"]\n\nThat is \"all\", they say.", false),
            ("\"x\"\n\nThat is \"all\", they say.", true),
            ("\"x\"\nThat is \"all\", they say.", false),
            ("\"x\"\n\nThat is all\", they say.", false),
        ];
        check(&rows, Role::Value, Container::Object, Opened::Plain);
    }

    #[test]
    fn items_of_an_array() {
        let rows = [
            (r#""x"]"#, true),
            (r#""x", 2]"#, true),
            (r#""x", $2]"#, true),
            (r#""x", y]"#, true),
            (r#""x", y"]"#, true),
            (r#""x",, "y"]"#, true),
            (r#""x", f(y)]"#, true),
            (r#""x", b"y"]"#, true),
            (r#""x", (3, "y")]"#, true),
            (r#""x", (3, or so), and"]"#, false),
            (r#""x" y]"#, true),
            (r#""x" 2, 3]"#, true),
            (r#""x": 1, "y": 2]"#, true),
            (r#""x" "y"]"#, false),
            ("'x' 'y']", true),
            ("'x' 'it's', 2]", true),
            ("'the boys' 'fine' day']", false),
            ("'the 'best' 'worst' day']", false),
            ("“x” “y” “z”]", true),
            (r#""say "hi", or so"]"#, false),
            (r#""a, "b: c"]"#, false),
        ];
        check(&rows, Role::Value, Container::Array, Opened::Plain);
        check(
            &[(r#""x" "y")"#, true), (r#""x",)"#, true)],
            Role::Value,
            Container::Array,
            Opened::Tuple,
        );
    }

    #[test]
    fn keys() {
        let rows = [
            (r#""a" = 1"#, true),
            (r#""a" 1"#, true),
            (r#""a"1"#, false),
            (r#""a"1}"#, true),
            (r#""a"1 b": 2}"#, false),
            (r#""a">1}"#, true),
            (r#""a"> b": 2}"#, false),
            (r#""a" true"#, true),
            (r#""a" "b""#, true),
            (r#""a" {"b": 1}"#, true),
            (r#""a", "b": 1"#, true),
            (r#""a"}"#, true),
            (r#""a" + "b": 1"#, true),
            (r#""a "b" c": 1"#, false),
            (r#""a" b": 1"#, false),
        ];
        check(&rows, Role::Key, Container::Object, Opened::Plain);
    }
}
