//! Detection of operators and further literals after a string.

use crate::{
    Span,
    judge::string::end::first_mark::{KEY_REACH, Probe},
    parser::quote,
    sink::Container,
};

/// Maximum number of literals on lines of their own that are read.
const MAX_LITERALS: usize = 16;

impl Probe<'_, '_> {
    /// Returns whether an operator is at `at`, followed by a literal that ends the item.
    pub(super) fn operator_at(&self, at: usize, kind: Container) -> bool {
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
            Some(b',') if kind == Container::Array => {
                quote::opening(self.window, self.skip(next + 1)).is_some()
                    || self.continues(next, kind)
            }
            Some(b',') => self.continues(next, kind),
            Some(b'}' | b']') => self.is_closed(next, kind),
            _ => next > end + close && self.operator_at(next, kind),
        }
    }

    /// Returns whether a literal that ends the member is at `at`.
    pub(super) fn adjacent_literal(&self, at: usize) -> bool {
        let Some(delimiter) = quote::opening(self.window, at) else { return false };
        let spaced = self.window.character(at + delimiter.open).is_some_and(char::is_whitespace);
        !spaced && self.literal_end(at).is_some_and(|end| self.ends_literals(end))
    }

    /// Returns whether literals of the same kind are at `at`, each on a line of its own, and the
    /// last one ends the member. The first one ends at `after`.
    pub(super) fn literals_below(&self, after: usize, at: usize) -> bool {
        let (mut after, mut at) = (after, at);
        for _ in 0..MAX_LITERALS {
            let delimiter = quote::opening(self.window, at);
            let below = self.window.slice(Span::new(after, at)).contains('\n');
            let Some(end) = self.literal_end(at).filter(|_| below) else { return false };
            if delimiter != Some(self.delimiter) {
                return false;
            }
            (after, at) = (end, self.skip(end));
            if quote::opening(self.window, at).is_none() {
                return self.ends_literals(after);
            }
        }
        false
    }

    /// Returns the end of the literal at `at`, which is not empty.
    fn literal_end(&self, at: usize) -> Option<usize> {
        let delimiter = quote::opening(self.window, at)?;
        let (end, close) = self.mark_within(at + delimiter.open, delimiter)?;
        (end > at + delimiter.open).then_some(end + close)
    }

    /// Returns whether the member ends, or another literal follows, after the literal that ends at
    /// `end`.
    fn ends_literals(&self, end: usize) -> bool {
        let next = self.skip(end);
        match self.window.byte(next) {
            Some(b',') => self.continues(next, Container::Object),
            Some(b'"') => next > end,
            Some(b'}') => self.is_closed(next, Container::Object),
            _ => false,
        }
    }
}
