//! Unclosed brackets inside a string.

/// Numbers of brackets opened inside a string and not closed there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Balance {
    braces: u32,
    brackets: u32,
    /// Counts in an array only, where a comma and a quote prove little.
    pub(super) parentheses: u32,
}

impl Balance {
    pub(super) fn count_byte(&mut self, byte: u8) {
        match byte {
            b'{' => self.braces += 1,
            b'}' => self.braces = self.braces.saturating_sub(1),
            b'[' => self.brackets += 1,
            b']' => self.brackets = self.brackets.saturating_sub(1),
            b'(' => self.parentheses += 1,
            b')' => self.parentheses = self.parentheses.saturating_sub(1),
            _ => {}
        }
    }

    /// Returns the balance of `text`.
    pub(super) fn of(text: &str) -> Self {
        let mut open = Self::default();
        text.bytes().for_each(|byte| open.count_byte(byte));
        open
    }

    pub(super) const fn is_even(self) -> bool {
        self.braces == 0 && self.brackets == 0
    }
}
