//! A small random number generator with stable output.

/// A seeded source of numbers (`SplitMix64`). The same seed gives the same numbers on every machine
/// and in every version of this crate, so that a case can be named by its seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A source that starts at `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed ^ 0x6c6c_6d65_6e64_0001)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0..end`; 0 when `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 {
            return 0;
        }
        let wide = u128::from(self.bits()) * (end as u128);
        usize::try_from(wide >> 64).unwrap_or(0)
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True in `percent` of a hundred draws.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `items`, which must not be empty.
    pub fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }

    /// One of `items`, which must not be empty.
    pub fn one<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// A place in `items` that `wanted` accepts.
    pub fn find<T>(&mut self, items: &[T], wanted: impl Fn(usize, &T) -> bool) -> Option<usize> {
        let places: Vec<usize> =
            items.iter().enumerate().filter(|(i, item)| wanted(*i, item)).map(|(i, _)| i).collect();
        if places.is_empty() { None } else { Some(places[self.below(places.len())]) }
    }

    /// A source of its own for case number `index`, so that a case does not depend on those before.
    #[must_use]
    pub fn for_case(seed: u64, index: usize) -> Self {
        let mut parent = Self::new(seed);
        let salt = parent.bits();
        Self::new(salt ^ (index as u64).wrapping_mul(0xd134_2543_de82_ef95))
    }
}
