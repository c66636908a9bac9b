//! Closing marks after a backslash that is the last character of a path.

use crate::{
    Span,
    judge::{
        continuation::Halt,
        string::end::{EndSearch, Ending},
    },
    parser::quote,
};

impl EndSearch<'_, '_> {
    /// Handles the backslash at `at`: an escape, or the last character of a path before the end.
    pub(super) fn escape(&mut self, at: usize, budget: &mut usize) -> Option<Ending> {
        let next = self.window.byte(at + 1)?;
        self.escaped_lines |= next == b'n';
        self.path |= next.is_ascii_alphabetic() && self.window.legal_escape(at).is_none();
        let before = self.window.slice(Span::new(self.start, at));
        let drive = before
            .strip_suffix(':')
            .and_then(|before| before.strip_suffix(|c: char| c.is_ascii_alphabetic()));
        let opens = |c: char| c.is_whitespace() || quote::is_mark(c) || matches!(c, '(' | '=');
        self.path |= next.is_ascii_alphanumeric()
            && !self.window.byte(at + 2).is_some_and(|byte| byte.is_ascii_whitespace())
            && drive.is_some_and(|before| before.is_empty() || before.ends_with(opens));
        let length = self.delimiter.style.closes(self.window, at + 1)?;
        if !self.path || self.marks > 0 || self.closes_strictly(budget) {
            return None;
        }
        let continuation = self.continuation(at + 1 + length, budget);
        let key = continuation.clean >= 3 && continuation.halt != Halt::Beyond;
        (continuation.is_clean() || key).then_some(Ending::Mark {
            at: at + 1,
            length,
            contested: true,
        })
    }

    /// Returns whether the string is strict JSON up to its first mark, and the container continues
    /// cleanly after it. Every backslash in it is then an escape.
    fn closes_strictly(&mut self, budget: &mut usize) -> bool {
        if let Some(known) = self.strict {
            return known;
        }
        let end = match self.delimiter.style {
            quote::Style::Double => self.window.scan_string(self.start),
            _ => None,
        };
        let closes = end.is_some_and(|(end, _)| {
            *budget = budget.saturating_sub((end - self.start) / 8);
            let continuation = self.continuation(end + 1, budget);
            continuation.is_clean()
                || (continuation.halt == Halt::Unclosed && continuation.clean > 0)
        });
        self.strict = Some(closes);
        closes
    }
}
