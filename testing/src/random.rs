//! A small random number generator with stable output.

/// A seeded random number generator (`SplitMix64`) with the same output on every machine and in
/// every version, so that cases can be named by their seeds.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator from `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed ^ 0x6c6c_6d65_6e64_0001)
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number in `0..end`; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 {
            return 0;
        }
        let wide = u128::from(self.bits()) * (end as u128);
        usize::try_from(wide >> 64).unwrap_or(0)
    }

    /// Returns a number in `low..=high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// Returns true with a probability of `percent`.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns one of `items`, which must not be empty.
    pub fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }

    /// Returns one of `items`, which must not be empty.
    pub fn one<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Returns the index of an item that `wanted` accepts.
    pub fn find<T>(&mut self, items: &[T], wanted: impl Fn(usize, &T) -> bool) -> Option<usize> {
        let places: Vec<usize> =
            items.iter().enumerate().filter(|(i, item)| wanted(*i, item)).map(|(i, _)| i).collect();
        if places.is_empty() { None } else { Some(places[self.below(places.len())]) }
    }

    /// Returns an independent generator for the case `index`.
    #[must_use]
    pub fn for_case(seed: u64, index: usize) -> Self {
        let mut parent = Self::new(seed);
        let salt = parent.bits();
        Self::new(salt ^ (index as u64).wrapping_mul(0xd134_2543_de82_ef95))
    }
}
