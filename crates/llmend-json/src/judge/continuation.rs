//! Lookahead: how far a text continues as JSON after an assumed end of a value.
//!
//! A small tokenizer that can start anywhere, given the open containers. It is lenient about
//! comments, quotes of other kinds and literals of other languages, and counts the tokens that fit
//! until one does not.

use crate::{
    Span,
    judge::{
        key::{
            bare_key,
            bracketed::bracketed_colon,
            colon::{colon, colon_after, is_angle, is_semicolon},
            inner_colon, odd_separator,
        },
        words::{interjection, remark},
    },
    parser::{Frame, Spacing, Window, is_separator, quote, trivia},
    sink::Container,
};

mod beyond;
mod open;
mod prose;
mod value;

use open::OpenContainers;

/// Where the lookahead starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LookaheadStart {
    /// After a complete value.
    Value,
    /// After a key.
    Key,
}

/// Why the lookahead stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    /// The outermost container is closed, and no JSON follows.
    End,
    /// The maximum number of tokens fitted.
    Limit,
    /// The text ended with open containers.
    Unclosed,
    /// A token does not fit.
    Mismatch,
    /// The outermost container is closed, and the text continues as if it were not.
    Beyond,
    /// A string does not end where one may.
    InString,
}

/// How far the text continues as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Continuation {
    /// Number of tokens that fitted.
    pub(crate) clean: u32,
    pub(crate) halt: Halt,
}

impl Continuation {
    /// Returns whether nothing contradicts the assumed end.
    pub(crate) const fn is_clean(self) -> bool {
        matches!(self.halt, Halt::End | Halt::Limit)
    }
}

/// Fixed cost of a lookahead, in bytes.
const COST: usize = 24;
/// Longest key that is read, in bytes.
const KEY_REACH: usize = 256;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    Value,
    FirstItem,
    Item,
    FirstKey,
    Key,
    Colon,
    After,
}

/// Which keys count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyFilter {
    Any,
    /// Only quoted ones after a comma. Code contains the others.
    Quoted,
}

/// The parameters of a lookahead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lookahead<'s> {
    /// The open containers.
    pub(crate) stack: &'s [Frame],
    pub(crate) from: LookaheadStart,
    /// Maximum number of tokens.
    pub(crate) limit: u32,
    pub(crate) spacing: Spacing,
    pub(crate) keys: KeyFilter,
    /// Whether the value is known to contain tuples.
    pub(crate) tuples: bool,
}

impl<'s> Lookahead<'s> {
    /// Creates a lookahead after a value with `stack` open, for at most `limit` tokens.
    pub(crate) const fn value(stack: &'s [Frame], limit: u32, spacing: Spacing) -> Self {
        let from = LookaheadStart::Value;
        Self { stack, from, limit, spacing, keys: KeyFilter::Any, tuples: false }
    }

    /// Creates a lookahead after a value in a list of tuples.
    pub(crate) const fn tuples(stack: &'s [Frame], limit: u32, spacing: Spacing) -> Self {
        Self { tuples: true, ..Self::value(stack, limit, spacing) }
    }
}

/// Reads on after the value or key that ends at `at`. The bytes read are taken off `budget`.
pub(crate) fn continuation(
    window: &Window<'_>,
    at: usize,
    ahead: &Lookahead<'_>,
    budget: &mut usize,
) -> Continuation {
    let Lookahead { stack, from, limit, spacing, keys, tuples } = *ahead;
    let mut reader = TokenReader {
        window,
        at,
        open: OpenContainers::new(stack, tuples),
        expect: if from == LookaheadStart::Key { Expect::Colon } else { Expect::After },
        clean: 0,
        spacing,
        keys,
        scanned: 0,
    };
    let halt = loop {
        if reader.clean >= limit {
            break Halt::Limit;
        }
        if let Some(halt) = reader.token() {
            break halt;
        }
    };
    *budget = budget.saturating_sub(reader.at.saturating_sub(at) + reader.scanned + COST);
    Continuation { clean: reader.clean, halt }
}

struct TokenReader<'w, 's> {
    window: &'w Window<'w>,
    at: usize,
    open: OpenContainers<'s>,
    expect: Expect,
    clean: u32,
    spacing: Spacing,
    keys: KeyFilter,
    /// Cost of reading past the value, in bytes.
    scanned: usize,
}

impl TokenReader<'_, '_> {
    /// Reads one token. Returns why the lookahead stops, if it does.
    fn token(&mut self) -> Option<Halt> {
        let before = self.at;
        self.at = trivia::skip(self.window, self.at, self.spacing);
        let Some(character) = self.window.character(self.at) else {
            return Some(match self.open.top() {
                None if self.expect == Expect::After => Halt::End,
                _ => Halt::Unclosed,
            });
        };
        if !matches!(self.expect, Expect::Value | Expect::Colon)
            && let Some(top) = self.open.top()
        {
            let mut left = usize::MAX;
            let end = interjection::end_of_any(self.window, self.at, top, &mut left);
            self.scanned += usize::MAX - left;
            let remark =
                || remark::end(self.window, self.at, top).filter(|_| remark::is_pointer(character));
            if let Some(end) = end.or_else(remark) {
                self.at = end;
                return None;
            }
        }
        if matches!(self.expect, Expect::Item | Expect::Key) && self.is_cut_off(before) {
            return Some(Halt::Unclosed);
        }
        match self.expect {
            Expect::After => self.after(before, character),
            Expect::Colon => self.colon(before),
            Expect::FirstKey | Expect::Key => self.key(character),
            Expect::Value | Expect::Item | Expect::FirstItem => self.value(character),
        }
    }

    fn fits(&mut self, length: usize, expect: Expect) -> Option<Halt> {
        self.at += length;
        self.clean += 1;
        self.expect = expect;
        None
    }

    fn after(&mut self, before: usize, character: char) -> Option<Halt> {
        let Some(top) = self.open.top() else { return Some(self.beyond(before, character)) };
        let length = character.len_utf8();
        match (character, top) {
            (';', _) if self.keys == KeyFilter::Quoted => Some(Halt::Mismatch),
            (mark, Container::Object) if is_separator(mark) => self.fits(length, Expect::Key),
            (mark, Container::Array) if is_separator(mark) => self.fits(length, Expect::Item),
            _ if self.closer(character, top).is_some() => self.close(character, top),
            (_, Container::Object) if odd_separator(self.window, self.at).is_some() => {
                self.fits(odd_separator(self.window, self.at).unwrap_or(1), Expect::Key)
            }
            // The value is cut off before a closing remark.
            _ if character.is_alphabetic() && self.is_prose(before, self.at) => {
                Some(Halt::Unclosed)
            }
            // A comma may be missing before a key.
            (_, Container::Object) if self.may_lack_comma(before, character) => {
                self.expect = Expect::Key;
                let halt = self.key(character);
                self.clean = self.clean.saturating_sub(1);
                halt
            }
            (_, Container::Array) if self.may_lack_comma(before, character) => {
                self.expect = Expect::Item;
                let halt = self.value(character);
                self.clean = self.clean.saturating_sub(1);
                halt
            }
            _ => Some(Halt::Mismatch),
        }
    }

    /// Returns the length of the closing bracket here, if it fits the innermost container.
    fn closer(&self, character: char, top: Container) -> Option<usize> {
        let odd = self.open.is_odd();
        let length = match (character, top) {
            (']' | ')', Container::Object) if self.open.is_keyed() => 1,
            ('}', Container::Object) if odd => {
                let second = self.window.skip_space(self.at + 1);
                (self.window.byte(second) == Some(b'}')).then_some(second + 1 - self.at)?
            }
            ('}' | '｝', Container::Object) => character.len_utf8(),
            (')' | '）', Container::Array) if odd => character.len_utf8(),
            (']' | '］' | '】', Container::Array) if !odd => character.len_utf8(),
            _ => return None,
        };
        Some(length)
    }

    fn close(&mut self, character: char, top: Container) -> Option<Halt> {
        let Some(length) = self.closer(character, top) else { return Some(Halt::Mismatch) };
        self.open.pop();
        self.fits(length, Expect::After)
    }

    /// Returns whether the next item or member may start here without a comma.
    fn may_lack_comma(&self, before: usize, character: char) -> bool {
        let gap = self.window.slice(Span::new(before, self.at));
        match self.open.top() {
            Some(Container::Object) => {
                let line = gap.contains('\n') && self.keys == KeyFilter::Any;
                line || (!gap.is_empty() && character == '"')
            }
            _ => match character {
                '{' | '[' => {
                    self.window.character_before(before).is_some_and(|c| matches!(c, '}' | ']'))
                }
                '(' => self.open.tuples && self.window.character_before(before) == Some(')'),
                '"' => {
                    !gap.is_empty()
                        && self
                            .window
                            .character(self.at + 1)
                            .is_some_and(|c| !c.is_whitespace() && !matches!(c, ',' | ']' | '"'))
                }
                _ => false,
            },
        }
    }

    fn colon(&mut self, before: usize) -> Option<Halt> {
        let angle = self.at == before && is_angle(self.window, before);
        let sign = if angle || is_semicolon(self.window, self.at) {
            Some(1)
        } else {
            colon(self.window, self.at)
        };
        match sign {
            Some(length) => self.fits(length, Expect::Value),
            None => Some(Halt::Mismatch),
        }
    }

    fn key(&mut self, character: char) -> Option<Halt> {
        if matches!(character, '}' | '｝') {
            return self.close(character, Container::Object);
        }
        let odd_quotes = self.keys == KeyFilter::Quoted
            && quote::opening(self.window, self.at).is_some_and(|mark| {
                matches!(mark.style, quote::Style::TwiceDouble | quote::Style::TwiceSingle)
            });
        if odd_quotes {
            return Some(Halt::Mismatch);
        }
        if let Some(end) = self.quoted(KEY_REACH) {
            let inner = || inner_colon(self.window, self.at + 1).map(|_| (end, 0));
            let sign = colon_after(self.window, end, self.spacing).or_else(inner);
            let Some((colon, length)) = sign else {
                let next = trivia::skip(self.window, end, self.spacing);
                let open = self.window.byte(next).is_none();
                return Some(if open { Halt::Unclosed } else { Halt::Mismatch });
            };
            self.clean += 1;
            self.at = colon;
            return self.fits(length, Expect::Value);
        }
        let key = bare_key(self.window, self.at).filter(|_| self.keys == KeyFilter::Any);
        match key.or_else(|| bracketed_colon(self.window, self.at)) {
            Some(at) => {
                self.at = at;
                self.clean += 1;
                self.fits(colon(self.window, at).unwrap_or(1), Expect::Value)
            }
            _ => Some(Halt::Mismatch),
        }
    }

    /// Returns the end of the quoted text here, if it ends within `reach` bytes.
    fn quoted(&self, reach: usize) -> Option<usize> {
        let delimiter = quote::opening(self.window, self.at)?;
        let start = self.at + delimiter.open;
        let stop = start + reach;
        let mut at = start;
        while at < stop {
            let plain = self.window.run(at, |byte| byte.is_ascii_alphanumeric() || byte == b' ');
            if plain > 0 {
                at += plain;
                continue;
            }
            self.window.byte(at)?;
            if let Some(length) = delimiter.style.closes(self.window, at)
                && !delimiter.style.is_inside_word(self.window, at, length)
            {
                return Some(at + length);
            }
            let step = self.window.character(at).map_or(1, char::len_utf8);
            at += if step == 1 && self.window.byte(at) == Some(b'\\') {
                1 + self.window.character(at + 1).map_or(1, char::len_utf8)
            } else {
                step
            };
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Continuation, Halt, KeyFilter, Lookahead, LookaheadStart, continuation};
    use crate::{
        parser::{Frame, Opened, Spacing, Window},
        sink::Container,
    };

    /// Checks how far each text continues in the containers that `open` lists.
    fn check(rows: &[(&str, &str, u32, Halt)], from: LookaheadStart, keys: KeyFilter) {
        for &(open, text, clean, halt) in rows {
            let kind = |c| if c == '{' { Container::Object } else { Container::Array };
            let frame = |c| Frame::new(kind(c), Opened::Plain);
            let stack: Vec<Frame> = open.chars().map(frame).collect();
            let spacing = Spacing::Plain;
            let ahead = Lookahead { stack: &stack, from, limit: 6, spacing, keys, tuples: false };
            let found = continuation(&Window::whole(text), 0, &ahead, &mut 10_000);
            assert_eq!(found, Continuation { clean, halt }, "{open} {text}");
        }
    }

    #[test]
    fn continuation_after_a_value() {
        let rows = [
            ("{", "}", 1, Halt::End),
            ("{", "} That is all.", 1, Halt::End),
            ("{", "}, 1", 1, Halt::Beyond),
            ("{", "}\n\"and so on\"", 1, Halt::End),
            ("{", "} \"and so on\"", 1, Halt::Beyond),
            ("{", r#", "b": 1}"#, 5, Halt::End),
            ("{", ", b: 1, c: True}", 7, Halt::Limit),
            ("{", ", 'b': /* c */ [1, 2", 6, Halt::Limit),
            ("{", r#", "b": 1"#, 4, Halt::Unclosed),
            ("{", r#", "b"#, 1, Halt::Mismatch),
            ("{", ", and so on}", 1, Halt::Mismatch),
            ("{", r#", "b": "c" d"}"#, 3, Halt::InString),
            ("{", "]", 0, Halt::Mismatch),
            ("{", "", 0, Halt::Unclosed),
            ("{", "\n\"b\": 1}", 3, Halt::End),
            ("[", ", 1, 2]", 5, Halt::End),
            ("[", r#", "a" "b"]"#, 3, Halt::End),
            ("[", ", one]", 1, Halt::Mismatch),
            ("[{", "}, {}]", 5, Halt::End),
            ("", "", 0, Halt::End),
            ("[{", "}\nHope that helps!", 1, Halt::Unclosed),
            ("[{", "}\nHope \"that\" helps!", 1, Halt::Mismatch),
        ];
        check(&rows, LookaheadStart::Value, KeyFilter::Any);
    }

    #[test]
    fn continuation_with_quoted_keys_only() {
        let rows = [
            ("{", r#", "b": 1}"#, 5, Halt::End),
            ("{", ", b: 1}", 1, Halt::Mismatch),
            ("{", r#"; "b": 1}"#, 0, Halt::Mismatch),
            ("{", r#"} or {"b": 1}"#, 1, Halt::Beyond),
            ("{", "} That is all.", 1, Halt::End),
        ];
        check(&rows, LookaheadStart::Value, KeyFilter::Quoted);
    }

    #[test]
    fn continuation_after_a_key() {
        let rows = [
            ("{", ": 1}", 3, Halt::End),
            ("{", "： 1}", 3, Halt::End),
            ("{", ", 1}", 0, Halt::Mismatch),
            ("{", "", 0, Halt::Unclosed),
        ];
        check(&rows, LookaheadStart::Key, KeyFilter::Any);
    }
}
