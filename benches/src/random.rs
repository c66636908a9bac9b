//! Where do the arbitrary choices in a generated document come from?

/// A `SplitMix64` generator: the same seed gives the same document on every machine.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Starts a sequence that depends on nothing but `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number below `bound`, which must not be zero.
    ///
    /// # Panics
    ///
    /// If it is zero.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).expect("a usize fits 64 bits");
        usize::try_from(self.bits() % bound).expect("a remainder fits its divisor's type")
    }

    /// True once in `count` draws.
    pub fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// One of `choices`, which must not be empty.
    pub fn pick<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }
}
