//! The prose before a place: how much it is, and its labels.

/// Longest line, in bytes, that may stand before or after an unmarked call.
pub(super) const SHORT_LINE: usize = 240;

/// Prose so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prose {
    lines: usize,
    /// Bytes of the current line that are not white space.
    current: usize,
    longest: usize,
    /// Whether a line is labelled as a thought.
    pub(super) thought: bool,
    /// Whether a line is labelled as the user's.
    pub(super) conversation: bool,
}

impl Prose {
    /// Adds text of the current line.
    pub(super) fn add(&mut self, text: &str) {
        let length = text.trim().len();
        if length > 0 {
            self.current += text.len();
        }
    }

    /// Ends the current line.
    pub(super) fn end_line(&mut self) {
        if self.current > 0 {
            self.lines += 1;
            self.longest = self.longest.max(self.current);
            self.current = 0;
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.lines == 0 && self.current == 0
    }

    /// Returns whether there is text on the current line.
    pub(super) const fn is_in_line(&self) -> bool {
        self.current > 0
    }

    /// Returns whether there is at most one short line.
    pub(super) fn is_short(&self) -> bool {
        self.lines + usize::from(self.current > 0) <= 1
            && self.longest.max(self.current) <= SHORT_LINE
    }
}
