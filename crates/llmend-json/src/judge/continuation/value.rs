//! Values in a lookahead, and where they may end.

use crate::{
    Span,
    judge::continuation::{Expect, Halt, TokenReader},
    parser::{is_separator, quote, trivia},
    sink::Container,
};

/// Longest string value that is read to its end. A longer one counts as fitting.
const STRING_REACH: usize = 600;

impl TokenReader<'_, '_> {
    /// Reads a value or the beginning of one.
    pub(super) fn value(&mut self, character: char) -> Option<Halt> {
        match character {
            '{' => {
                let doubled = self.open.doubled && self.window.byte(self.at + 1) == Some(b'{');
                let more = self.open.push(Container::Object, doubled);
                let length = 1 + usize::from(doubled);
                self.fits(length, Expect::FirstKey).or((!more).then_some(Halt::Limit))
            }
            '[' | '(' if character == '[' || self.open.tuples => {
                let more = self.open.push(Container::Array, character == '(');
                self.fits(1, Expect::FirstItem).or((!more).then_some(Halt::Limit))
            }
            ']' | ')'
                if self.expect != Expect::Value && self.open.top() == Some(Container::Array) =>
            {
                self.close(character, Container::Array)
            }
            '-' | '0'..='9' => match self.window.scan_number(self.at) {
                Some(end) if self.ends_value(end) => self.fits(end - self.at, Expect::After),
                _ => Some(Halt::Mismatch),
            },
            'a'..='z' | 'A'..='Z' => {
                let length = self.window.run(self.at, |byte| byte.is_ascii_alphabetic());
                let known = matches!(
                    self.window.slice(Span::new(self.at, self.at + length)),
                    "true"
                        | "false"
                        | "null"
                        | "True"
                        | "False"
                        | "None"
                        | "TRUE"
                        | "FALSE"
                        | "NULL"
                );
                if known && self.ends_value(self.at + length) {
                    return self.fits(length, Expect::After);
                }
                Some(Halt::Mismatch)
            }
            _ => {
                if quote::opening(self.window, self.at).is_none() {
                    return Some(Halt::Mismatch);
                }
                match self.quoted(STRING_REACH) {
                    Some(end) if self.ends_value(end) => self.fits(end - self.at, Expect::After),
                    Some(_) => Some(Halt::InString),
                    // A long string, or one that is cut off.
                    None => {
                        self.clean += 1;
                        Some(if self.window.end() <= self.at + STRING_REACH {
                            Halt::Unclosed
                        } else {
                            Halt::Limit
                        })
                    }
                }
            }
        }
    }

    /// Returns whether a value may end at `end`.
    fn ends_value(&self, end: usize) -> bool {
        let next = trivia::skip(self.window, end, self.spacing);
        match (self.window.character(next), self.open.top()) {
            (None, _) => true,
            (Some(mark), Some(_)) if is_separator(mark) => true,
            (Some(character), Some(top)) => {
                let ahead = TokenReader { at: next, open: self.open, ..*self };
                ahead.closer(character, top).is_some() || ahead.may_lack_comma(end, character)
            }
            _ => false,
        }
    }
}
