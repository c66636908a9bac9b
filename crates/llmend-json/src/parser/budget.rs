//! The work budget of judgments, which keeps the total work linear.

/// Bytes that may be read in any text.
const BASE: usize = 1 << 16;
/// Bytes that may be read for each parsed byte.
const SHARE: usize = 6;

/// The number of bytes that judgments may still read. It grows with the parsed text, so it does
/// not depend on how much text is still to come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    pub(crate) left: usize,
    /// How far the text was parsed.
    reached: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Budget {
    pub(crate) const fn new(at: usize) -> Self {
        Self { left: BASE, reached: at }
    }

    /// Extends the budget: the text was parsed up to `at`.
    #[inline]
    pub(crate) fn reach(&mut self, at: usize) {
        if at > self.reached {
            self.left = self.left.saturating_add(SHARE * (at - self.reached));
            self.reached = at;
        }
    }

    /// Returns the number of bytes read since the budget was `before`.
    pub(crate) fn since(self, before: Self) -> usize {
        let earned = SHARE * (self.reached - before.reached);
        (before.left + earned).saturating_sub(self.left)
    }
}
