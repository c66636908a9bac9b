//! Does the first mark end the string, though the text after it is not strict JSON?
//!
//! With no mark inside before it, a mark is the end or opens an inner quote. One that opens is
//! followed by text; never by what a container needs, however carelessly that is written.

use crate::{
    Span,
    judge::{
        fence,
        key::{bare_key, mismatched_mark, opens_key, prefixed_key},
        layout::closed_before,
        scene::{KeyStyle, Role, Scene},
        word,
    },
    parser::{
        Delimiter, Opened, Window, parent, quote, starts_value,
        trivia::{self, Place},
    },
    sink::Container,
};

/// What the judgement costs, in bytes.
const COST: usize = 40;
/// Most characters that stand between members and belong to none.
const STRAY_REACH: usize = 24;
/// Longest key that is looked at, in bytes.
const KEY_REACH: usize = 80;

/// Whether the mark that ends at `after`, the first in the string whose text is at `inside`, is
/// its end.
pub(crate) fn ends(
    window: &Window<'_>,
    inside: Span,
    after: usize,
    delimiter: Delimiter,
    scene: &Scene<'_>,
    budget: &mut usize,
) -> bool {
    *budget = budget.saturating_sub(COST);
    let look = Look { window, delimiter, scene };
    let next = look.skip(after);
    let Some(character) = window.character(next) else { return window.at_end };
    if scene.role == Role::Key {
        return look.after_key(after, next, character);
    }
    let Some(frame) = scene.stack.last() else { return false };
    let tuple = frame.opened == Opened::Tuple;
    let spaced = next > after;
    let text = window.slice(inside);
    let whole = !text.is_empty() && !text.ends_with(char::is_whitespace);
    match (character, frame.kind) {
        // The next line is one of an outer container.
        _ if closed_before(window, after, next, scene.stack).is_some() => true,
        // An operator and another literal: an expression.
        _ if spaced && whole && look.operates(next, frame.kind) => true,
        // A comment, and the container goes on with the next line.
        ('#' | '-', kind) if spaced && whole && look.comment(next, kind) => true,
        // A word or mark that belongs to nothing, and then the next member.
        _ if whole && frame.kind == Container::Object && look.stray(next) => true,
        // Literals that are joined.
        ('+', _) => {
            let operand = look.skip(next + 1);
            quote::opening(window, operand).is_some()
                || (spaced && window.byte(operand).is_some_and(|byte| byte.is_ascii_alphabetic()))
        }
        (':', Container::Array) => inside.is_empty() || is_name(window.slice(inside)),
        // The block that holds the value is closed.
        ('`', _) if spaced => fence::closes_block(window, next),
        (')' | '）', kind) => {
            tuple || (no_parenthesis(window.slice(inside)) && look.is_closed(next, kind))
        }
        (',' | '，' | '،' | ';' | '；', kind) => look.goes_on(next, kind),
        ('}' | ']' | '｝' | '］', kind) => look.is_closed(next, kind),
        ('.' | '…', kind) => look.ellipsis(next).is_some_and(|end| look.goes_on(end, kind)),
        (_, Container::Object) if window.slice(Span::new(after, next)).contains("\\\n") => {
            look.literal_beside(next)
        }
        (_, Container::Object) if window.slice(Span::new(after, next)).contains('\n') => {
            look.member(next)
        }
        // A second literal side by side, which is no key: they are joined.
        (_, Container::Object) if spaced => look.literal_beside(next) || look.member_beside(next),
        (_, Container::Array) if spaced => {
            let opens = quote::opening(window, next).is_some();
            (opens && tuple) || look.lone_word(next) || look.lone_scalar(next)
        }
        _ => false,
    }
}

/// Whether every parenthesis that opens in `text` is closed there.
fn no_parenthesis(text: &str) -> bool {
    text.matches('(').count() == text.matches(')').count()
}

/// Whether `text` may be a key.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() < KEY_REACH && !text.contains(['\n', '{', '[', ':', ','])
}

struct Look<'w, 's> {
    window: &'w Window<'w>,
    delimiter: Delimiter,
    scene: &'w Scene<'s>,
}

impl Look<'_, '_> {
    fn skip(&self, at: usize) -> usize {
        trivia::skip(self.window, at, self.scene.spacing)
    }

    /// After a key: a colon in another spelling, or nothing but the value or the next member.
    fn after_key(&self, after: usize, next: usize, character: char) -> bool {
        let spaced = next > after;
        match character {
            '=' | ',' | '}' | '，' | '،' | '｝' | '{' | '[' => true,
            // Keys that are joined: an expression.
            '+' => quote::opening(self.window, self.skip(next + 1)).is_some(),
            '-' | '0'..='9' => spaced,
            't' | 'f' | 'n' | 'T' | 'F' | 'N' => spaced && self.literal(next).is_some(),
            _ => spaced && quote::opening(self.window, next).is_some(),
        }
    }

    /// Whether, at or after the separator at `at`, a container of this kind goes on.
    fn goes_on(&self, at: usize, kind: Container) -> bool {
        let (mut at, mut skipped) = (at, 0);
        // Separators that are one too many, and dots for what was left out.
        loop {
            at = self.skip(at);
            match self.window.character(at) {
                Some(mark @ (',' | '，' | '،' | ';' | '；')) => {
                    skipped += usize::from(mark != ',');
                    at += mark.len_utf8();
                }
                Some('.' | '…') => match self.ellipsis(at) {
                    Some(end) => at = end,
                    None => break,
                },
                None => return self.window.at_end,
                Some('`') => return fence::closes_block(self.window, at),
                Some(')')
                    if self
                        .scene
                        .stack
                        .last()
                        .is_some_and(|frame| frame.opened == Opened::Tuple) =>
                {
                    return true;
                }
                Some('}' | ']' | '｝' | '］') => return true,
                Some(_) => break,
            }
            skipped += 1;
        }
        match kind {
            Container::Object => self.member(at) || self.next_object(at),
            Container::Array => {
                let number = match self.window.byte(at) {
                    Some(b'0'..=b'9') => true,
                    Some(b'$') => {
                        self.window.byte(at + 1).is_some_and(|byte| byte.is_ascii_digit())
                    }
                    Some(0xC2 | 0xE2) => matches!(self.window.character(at), Some('€' | '£' | '¥')),
                    Some(b'-' | b'+' | b'.') => self
                        .window
                        .byte(at + 1)
                        .is_some_and(|byte| byte.is_ascii_digit() || byte == b'.'),
                    _ => false,
                };
                let item = self.window.byte(at).is_some_and(starts_value)
                    || quote::opening(self.window, at).is_some();
                number
                    || (skipped > 1 && item)
                    || self.half_quoted_word(at)
                    || self.bare_item(at)
                    || quote::prefixed(self.window, at).is_some()
            }
        }
    }

    /// Whether an operator between literals stands at `at`, and one that ends the item behind it.
    fn operates(&self, at: usize, kind: Container) -> bool {
        let word = self.window.run(at, |byte| byte.is_ascii_alphabetic());
        let sign = self.window.run(at, |byte| b"+-*/%.&|?=<>!".contains(&byte));
        let length = word.max(sign);
        let operator = self.window.slice(Span::new(at, at + length));
        let known = matches!(
            operator,
            "or" | "and"
                | "if"
                | "not"
                | "in"
                | "is"
                | "-"
                | "*"
                | "/"
                | "%"
                | "."
                | "&"
                | "&&"
                | "|"
                | "||"
                | "??"
                | "?"
                | "=="
                | "!="
                | ".."
        );
        let operand = self.window.skip_space(at + length);
        if !known || operand == at + length {
            return false;
        }
        if operator == "if" {
            return self.window.line_after(operand, KEY_REACH).contains(" else ");
        }
        let Some(delimiter) = quote::opening(self.window, operand) else { return false };
        let Some((end, close)) = self.mark_within(operand + delimiter.open, delimiter) else {
            return false;
        };
        let next = self.skip(end + close);
        match self.window.byte(next) {
            Some(b',') => self.goes_on(next, kind),
            Some(b'}' | b']') => self.is_closed(next, kind),
            _ => next > end + close && self.operates(next, kind),
        }
    }

    /// Whether a comment stands at `at` behind which the container goes on.
    fn comment(&self, at: usize, kind: Container) -> bool {
        let Some(comment) = trivia::trivia_at(self.window, at, Place::Elsewhere) else {
            return false;
        };
        let next = self.skip(comment.end);
        match self.window.byte(next) {
            Some(b',') => self.goes_on(next, kind),
            Some(b'}' | b']') => self.is_closed(next, kind),
            _ => kind == Container::Object && self.member(next),
        }
    }

    /// Whether a few words or a mark stand at `at`, or in parentheses behind a comma there, and
    /// then the next member in quotes.
    fn stray(&self, at: usize) -> bool {
        let comma = self.window.byte(at) == Some(b',');
        let start = if comma { self.window.skip_space(at + 1) } else { at };
        let length = self.window.short_word(start, STRAY_REACH, |c| {
            c.is_alphanumeric() || matches!(c, ' ' | '(' | ')' | '.' | '!' | '?' | '-' | '*' | '_')
        });
        let end = start + length;
        let words = self.window.slice(Span::new(start, end)).trim();
        let key = if comma {
            if !(words.starts_with('(') && words.ends_with(')')) {
                return false;
            }
            end
        } else if self.window.byte(end) == Some(b',') && !words.is_empty() {
            self.window.skip_space(end + 1)
        } else {
            return false;
        };
        quote::opening(self.window, key).is_some_and(|mark| mark.style == self.delimiter.style)
            && opens_key(self.window, key)
    }

    /// Whether the next member stands at `at`, with its value, and only the comma is missing.
    fn member_beside(&self, at: usize) -> bool {
        let colon = match quote::opening(self.window, at) {
            Some(delimiter) => self
                .mark_within(at + delimiter.open, delimiter)
                .map(|(end, close)| self.window.skip_space(end + close)),
            None if self.scene.style == KeyStyle::Bare => bare_key(self.window, at),
            None => None,
        };
        colon.is_some_and(|colon| {
            let value = self.window.skip_space(colon + 1);
            self.window.byte(colon) == Some(b':')
                && is_name(self.window.slice(Span::new(at, colon)))
                && (self.value_at(value) || quote::opening(self.window, value).is_some())
        })
    }

    /// Whether a literal stands at `at` that ends the member.
    fn literal_beside(&self, at: usize) -> bool {
        let Some(delimiter) = quote::opening(self.window, at) else { return false };
        let Some((end, close)) = self.mark_within(at + delimiter.open, delimiter) else {
            return false;
        };
        let next = self.skip(end + close);
        let text = self.window.slice(Span::new(at + delimiter.open, end));
        let sound = !text.starts_with(char::is_whitespace) && !text.is_empty();
        sound
            && match self.window.byte(next) {
                Some(b',') => self.goes_on(next, Container::Object),
                Some(b'"') => next > end + close,
                Some(b'}') => self.is_closed(next, Container::Object),
                _ => false,
            }
    }

    /// Whether the next object of the list around this one starts at `at`.
    fn next_object(&self, at: usize) -> bool {
        parent(self.scene.stack) == Some(Container::Array)
            && self.window.byte(at) == Some(b'{')
            && self.member(self.skip(at + 1))
    }

    /// Whether words without quotes, and then a comma or the end of the array, stand at `at`.
    fn bare_item(&self, at: usize) -> bool {
        let end = at
            + self.window.word(at, |c| {
                !matches!(c, ',' | ']' | '\n' | '"' | '\'' | '{' | '}' | '[' | '(' | '\\')
            });
        let words = self.window.slice(Span::new(at, end));
        let call = self.window.byte(end) == Some(b'(')
            && !words.is_empty()
            && words.chars().all(|c| c.is_alphanumeric() || c == '.' || c == '_');
        call || words.starts_with(char::is_alphabetic)
            && words.len() < KEY_REACH
            && matches!(self.window.byte(end), Some(b',' | b']' | b'\n'))
            && words.split_whitespace().count() <= 3
            && matches!(self.window.byte(self.window.skip_space(end)), Some(b',' | b']'))
    }

    /// Whether a key stands at `at`, in any spelling.
    fn member(&self, at: usize) -> bool {
        let at = at + self.window.run(at, |byte| byte == b'*');
        let at = prefixed_key(self.window, at).unwrap_or(at);
        let Some(delimiter) = quote::opening(self.window, at) else {
            return bare_key(self.window, at).is_some()
                || self.half_quoted_key(at)
                || self.name_before_equals(at);
        };
        let start = at + delimiter.open;
        if self.unmarked_key(start) || mismatched_mark(self.window, start).is_some() {
            return true;
        }
        let Some((end, close)) = self.mark_within(start, delimiter) else {
            // Half a key, where the text breaks off.
            let rest = self.window.near(start, KEY_REACH);
            return self.window.at_end
                && rest.len() < KEY_REACH
                && (rest.is_empty() || is_name(rest.trim_end()));
        };
        let after = end + close;
        let after = after + self.window.run(after, |byte| byte == b'*');
        let next = self.skip(after);
        let name = is_name(self.window.slice(Span::new(start, end)));
        match self.window.character(next) {
            Some(':' | '：' | '=') => true,
            Some(',' | '}') | None => name && self.word_like(start, end),
            Some(_) => name && next > after && self.word_like(start, end) && self.value_at(next),
        }
    }

    /// Whether a plain name, a colon and a value stand at `start`: a key without its end mark.
    fn unmarked_key(&self, start: usize) -> bool {
        let name = self.name(start);
        name > 0
            && self.window.starts_with(start + name, b": ")
            && self.value_at(self.window.skip_space(start + name + 1))
    }

    fn word_like(&self, start: usize, end: usize) -> bool {
        let text = self.window.slice(Span::new(start, end));
        text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | ' '))
            && text.split(' ').count() <= 3
            && !text.starts_with(' ')
            && !text.ends_with(' ')
    }

    fn value_at(&self, at: usize) -> bool {
        self.window
            .byte(at)
            .is_some_and(|byte| matches!(byte, b'"' | b'{' | b'[' | b'-' | b'0'..=b'9'))
            || self.literal(at).is_some()
    }

    /// Length of the plain name at `at`.
    fn name(&self, at: usize) -> usize {
        self.window.word(at, |c| c.is_alphanumeric() || c == '_')
    }

    /// Whether a key with a mark at its end only stands at `at`.
    fn half_quoted_key(&self, at: usize) -> bool {
        let name = self.name(at);
        let close = self.delimiter.style.closes(self.window, at + name).filter(|_| name > 0);
        close.is_some_and(|close| self.window.byte(self.skip(at + name + close)) == Some(b':'))
    }

    fn name_before_equals(&self, at: usize) -> bool {
        let name = self.name(at);
        name > 0 && self.window.byte(self.window.skip_space(at + name)) == Some(b'=')
    }

    /// The first mark of `delimiter` from `start` on, near by: where it stands, and its length.
    fn mark_within(&self, start: usize, delimiter: Delimiter) -> Option<(usize, usize)> {
        let mut at = start;
        while at < start + KEY_REACH {
            let character = self.window.character(at)?;
            if let Some(length) = delimiter.style.closes(self.window, at) {
                return Some((at, length));
            }
            at += character.len_utf8();
        }
        None
    }

    /// Whether the closers at `at` are those of containers and not of a text.
    fn is_closed(&self, at: usize, kind: Container) -> bool {
        let start = at;
        let mut at = at;
        let mut closers = 0usize;
        while let Some(closer @ ('}' | ']' | ')' | '｝' | '］' | '）')) = self.window.character(at)
        {
            closers += 1;
            at = self.skip(at + closer.len_utf8());
        }
        let depth = self.scene.stack.len();
        match self.window.character(at) {
            None => self.window.at_end,
            Some(',' | '，' | '،') => {
                let outer = depth
                    .checked_sub(closers + 1)
                    .and_then(|at| self.scene.stack.get(at))
                    .map_or(kind, |frame| frame.kind);
                let next = self.skip(at + 1);
                let object = matches!(self.window.byte(next), Some(b'{' | b'['));
                self.member(next)
                    || (closers >= depth && self.prose(next))
                    || (object && (outer == Container::Array || closers <= depth))
                    || self.goes_on(at, outer)
            }
            Some('`' | '<' | '>' | '~' | ';') => true,
            // The comma is missing, too.
            Some(_) => {
                opens_key(self.window, at)
                    && self.window.slice(Span::new(start, at)).contains([' ', '\n'])
            }
        }
    }

    /// Whether words stand at `at`, as behind a whole value in a sentence.
    fn prose(&self, at: usize) -> bool {
        let word = self.window.short_word(at, KEY_REACH, char::is_alphabetic);
        let next = self.window.byte(at + word);
        word > 0 && matches!(next, Some(b' ')) && bare_key(self.window, at).is_none()
    }

    /// End of the three dots at `at`.
    fn ellipsis(&self, at: usize) -> Option<usize> {
        if self.window.starts_with(at, b"...") {
            return Some(at + 3);
        }
        (self.window.character(at) == Some('…')).then(|| at + '…'.len_utf8())
    }

    /// End of the literal at `at`, in any spelling.
    fn literal(&self, at: usize) -> Option<usize> {
        let end = at + self.window.run(at, |byte| byte.is_ascii_alphabetic());
        word::literal(self.window.slice(Span::new(at, end))).map(|_| end)
    }

    /// Whether one word, and then the end of the array, stands at `at`.
    fn lone_word(&self, at: usize) -> bool {
        let length = self.window.word(at, char::is_alphanumeric);
        let next = self.window.skip_space(at + length);
        let item = || {
            let item = self.window.skip_space(next + 1);
            self.window.byte(next) == Some(b',')
                && match self.window.byte(item) {
                    Some(b'"') => self.window.scan_string(item + 1).is_some_and(|(end, _)| {
                        matches!(self.window.byte(self.skip(end + 1)), Some(b',' | b']'))
                    }),
                    _ => self.lone_scalar(item),
                }
        };
        length > 0
            && (item()
                || (matches!(self.window.byte(at + length), Some(b'\n' | b']'))
                    && self.window.byte(next) == Some(b']')))
    }

    /// Whether a number or literal, and then a comma or the end of the array, stands at `at`.
    fn lone_scalar(&self, at: usize) -> bool {
        let end = self.window.scan_number(at).or_else(|| self.literal(at));
        end.is_some_and(|end| {
            matches!(self.window.byte(self.skip(end)), Some(b',' | b']'))
                || self.window.byte(end) == Some(b'\n')
        })
    }

    /// Whether one word with a mark at its end only stands at `at`, and the array goes on.
    fn half_quoted_word(&self, at: usize) -> bool {
        let length = self.window.word(at, |c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        length > 0
            && self.delimiter.style.closes(self.window, at + length).is_some_and(|close| {
                matches!(self.window.byte(self.skip(at + length + close)), Some(b',' | b']'))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::ends;
    use crate::{
        Span,
        judge::scene::{KeyStyle, Role, Scene},
        parser::{Frame, Opened, Spacing, Window, quote},
        sink::Container,
    };

    /// Whether the string at the start of `text` ends with its first mark, in what was opened so.
    fn check(rows: &[(&str, bool)], role: Role, kind: Container, opened: Opened) {
        for &(text, expected) in rows {
            let window = Window::whole(text);
            let scene = Scene {
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
            let found = ends(&window, inside, after, delimiter, &scene, &mut 10_000);
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
            ("\"x\" # note\n, \"b\": 2}", true),
            (r#""x" (a note), "b": 2}"#, true),
            (r#""x", (a note) "b": 2}"#, true),
            ("\"x\"}\n```", true),
            (r#""say "hi" to"}"#, false),
            (r#""the "best" one"}"#, false),
            (r#""he said "no", and left"}"#, false),
            (r#""x", he said, "yes"}"#, false),
            (r#""x"} and more"#, false),
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
            (r#""x" y]"#, true),
            (r#""x" 2, 3]"#, true),
            (r#""x": 1, "y": 2]"#, true),
            (r#""x" "y"]"#, false),
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
