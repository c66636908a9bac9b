//! The work budget of judgments, which keeps the total work linear.

/// Bytes that may be read in any text.
const BASE: usize = 1 << 16;
/// Bytes that may be read for each parsed byte.
const SHARE: usize = 6;
/// Bytes that may be read ahead in any text. The last such read may go beyond.
const AHEAD: usize = 1 << 20;
/// Bytes that may be read ahead for each parsed byte.
const AHEAD_SHARE: usize = 64;

/// The number of bytes that judgments may still read. It grows with the parsed text, so it does
/// not depend on how much text is still to come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    pub(crate) left: usize,
    /// How far the text was parsed.
    reached: usize,
    /// Bytes that were read ahead, to the end of the text or of a value.
    ahead: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Budget {
    pub(crate) const fn new(at: usize) -> Self {
        Self { left: BASE, reached: at, ahead: 0 }
    }

    /// Extends the budget: the text was parsed up to `at`.
    #[inline]
    pub(crate) fn reach(&mut self, at: usize) {
        if at > self.reached {
            self.left = self.left.saturating_add(SHARE * (at - self.reached));
            self.reached = at;
        }
    }

    /// Returns whether a judgment may read as far as the value goes, and perhaps all of the text.
    pub(crate) const fn may_read_ahead(self) -> bool {
        self.ahead < AHEAD.saturating_add(AHEAD_SHARE.saturating_mul(self.reached))
    }

    /// Notes that it read `bytes` bytes.
    pub(crate) const fn read_ahead(&mut self, bytes: usize) {
        self.ahead = self.ahead.saturating_add(bytes);
    }

    /// Returns the number of bytes read since the budget was `before`.
    pub(crate) fn since(self, before: Self) -> usize {
        let earned = SHARE * (self.reached - before.reached);
        (before.left + earned).saturating_sub(self.left)
    }
}
