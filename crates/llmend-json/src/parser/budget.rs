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
    /// How often the rest of the text was read.
    rests: u8,
}

/// How often all of the rest of a text may be read. A value whose brackets balance is not read beyond
/// its end, so only texts with many others are affected.
const MAX_RESTS: u8 = 64;

impl Default for Budget {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Budget {
    pub(crate) const fn new(at: usize) -> Self {
        Self { left: BASE, reached: at, rests: 0 }
    }

    /// Extends the budget: the text was parsed up to `at`.
    #[inline]
    pub(crate) fn reach(&mut self, at: usize) {
        if at > self.reached {
            self.left = self.left.saturating_add(SHARE * (at - self.reached));
            self.reached = at;
        }
    }

    /// Returns whether a judgment may look as far as the value goes.
    pub(crate) const fn looks(self) -> bool {
        self.rests < MAX_RESTS
    }

    /// Notes such a look, and whether it read the rest of the text.
    pub(crate) fn looked(&mut self, rest: bool) {
        self.rests = self.rests.saturating_add(u8::from(rest));
    }

    /// Returns the number of bytes read since the budget was `before`.
    pub(crate) fn since(self, before: Self) -> usize {
        let earned = SHARE * (self.reached - before.reached);
        (before.left + earned).saturating_sub(self.left)
    }
}
