//! The text after the outermost container.

use crate::{
    Span,
    judge::continuation::{Halt, KeyFilter, TokenReader},
};

/// How much of the text around the value is read, in bytes.
const TAIL_REACH: usize = 512;

impl TokenReader<'_, '_> {
    /// Decides whether the text after the outermost container surrounds the value or continues it.
    pub(super) fn beyond(&mut self, before: usize, character: char) -> Halt {
        let new_line = self.window.slice(Span::new(before, self.at)).contains('\n');
        let continues = match character {
            ',' if self.are_arguments() => false,
            ',' | ':' | '}' | ']' => true,
            // A quoted text on a line of its own may follow a value.
            '\'' if self.closes_quotation() => false,
            '"' | '\'' => !new_line || self.keys == KeyFilter::Quoted,
            '\\' | '+' => !new_line,
            _ => false,
        };
        if continues {
            return Halt::Beyond;
        }
        if self.keys == KeyFilter::Quoted {
            // Code contains further brackets and quotes, the text around a value does not.
            let line = self.window.line_after(self.at, TAIL_REACH);
            let tail = self.window.near(self.at, TAIL_REACH);
            self.scanned += tail.len() / 8;
            let code = if tail.len() < TAIL_REACH {
                tail.trim_end().ends_with(['}', ']', '"'])
            } else {
                tail.contains('"')
            };
            if code || (!new_line && line.contains(['"', '\\'])) {
                return Halt::Beyond;
            }
        }
        Halt::End
    }

    /// Returns whether further arguments of a call are here, up to its parenthesis: `, null, 2)`.
    fn are_arguments(&mut self) -> bool {
        let line = self.window.line_after(self.at, TAIL_REACH).trim_end().trim_end_matches(';');
        self.scanned += line.len() / 8;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ',' | ' ' | '_' | '.');
        line.strip_suffix(')').is_some_and(|arguments| arguments.chars().all(is_plain))
    }

    /// Returns whether the quote here may close a quotation around the value: the next argument of a
    /// call follows, or nothing else on its line could be a part of a string.
    fn closes_quotation(&mut self) -> bool {
        let line = self.window.line_after(self.at + 1, TAIL_REACH);
        self.scanned += line.len() / 8;
        let argument = line.strip_prefix(", ").and_then(|rest| rest.split_once('='));
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if argument.is_some_and(|(name, _)| !name.is_empty() && name.chars().all(is_name)) {
            return true;
        }
        !line.starts_with(char::is_alphanumeric) && !line.contains(['"', '\'', '}', ']', '{', '['])
    }
}
