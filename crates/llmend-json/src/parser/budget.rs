//! How much may judgements look at, so that all of it together stays linear?

/// Bytes that may be looked at whatever the text.
const BASE: usize = 1 << 16;
/// Bytes that may be looked at for each byte that was read.
const SHARE: usize = 6;

/// Bytes that judgements may still look at. It grows with the text that is read, so that it does
/// not matter how much of the text is still to come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    pub(crate) left: usize,
    /// How far the text was read.
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

    /// The text was read up to `at`.
    #[inline]
    pub(crate) fn reach(&mut self, at: usize) {
        if at > self.reached {
            self.left = self.left.saturating_add(SHARE * (at - self.reached));
            self.reached = at;
        }
    }

    /// What was looked at since the budget was `before`.
    pub(crate) fn since(self, before: Self) -> usize {
        let earned = SHARE * (self.reached - before.reached);
        (before.left + earned).saturating_sub(self.left)
    }
}
