//! Detection of operators and further literals after a string.

use crate::{
    Span,
    judge::string::end::first_mark::{KEY_REACH, Probe},
    parser::quote,
    sink::Container,
};

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
            Some(b',') => self.continues(next, kind),
            Some(b'}' | b']') => self.is_closed(next, kind),
            _ => next > end + close && self.operator_at(next, kind),
        }
    }

    /// Returns whether a literal that ends the member is at `at`.
    pub(super) fn adjacent_literal(&self, at: usize) -> bool {
        let Some(delimiter) = quote::opening(self.window, at) else { return false };
        let Some((end, close)) = self.mark_within(at + delimiter.open, delimiter) else {
            return false;
        };
        let next = self.skip(end + close);
        let text = self.window.slice(Span::new(at + delimiter.open, end));
        let sound = !text.starts_with(char::is_whitespace) && !text.is_empty();
        sound
            && match self.window.byte(next) {
                Some(b',') => self.continues(next, Container::Object),
                Some(b'"') => next > end + close,
                Some(b'}') => self.is_closed(next, Container::Object),
                _ => false,
            }
    }
}
