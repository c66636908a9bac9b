//! Conversion of byte offsets to the units that other languages count.

/// Bytes between two stored counts.
const STRIDE: usize = 1024;

/// What an offset counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffsetUnit {
    /// Bytes of UTF-8, as Rust counts.
    Byte,
    /// Code points, as Python and SQL count.
    CodePoint,
    /// Units of UTF-16, as JavaScript and Java count.
    Utf16,
}

impl OffsetUnit {
    /// Returns the number of units of the characters that begin in `bytes`.
    fn count(self, bytes: &[u8]) -> usize {
        let begins = |byte: u8| usize::from(byte & 0xC0 != 0x80);
        match self {
            Self::Byte => bytes.len(),
            Self::CodePoint => bytes.iter().map(|&byte| begins(byte)).sum(),
            // A character of four bytes is a surrogate pair.
            Self::Utf16 => bytes.iter().map(|&b| begins(b) + usize::from(b >= 0xF0)).sum(),
        }
    }

    /// Returns what a message calls the unit.
    #[must_use]
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Byte => "byte",
            Self::CodePoint | Self::Utf16 => "character",
        }
    }
}

/// Converts byte offsets of one text to another unit.
///
/// Construction is linear in the text, each conversion takes constant time.
///
/// ```
/// use llmend_json::{OffsetUnit, Offsets};
///
/// assert_eq!(Offsets::new("🙂 {a: 1}", OffsetUnit::CodePoint).at(5), 2);
/// assert_eq!(Offsets::new("🙂 {a: 1}", OffsetUnit::Utf16).at(5), 3);
/// ```
#[derive(Clone, Debug)]
pub struct Offsets<'t> {
    text: &'t str,
    unit: OffsetUnit,
    /// Units before each multiple of [`STRIDE`] bytes. `None` if each unit is a byte.
    before: Option<Vec<usize>>,
}

impl<'t> Offsets<'t> {
    /// Indexes `text`.
    #[must_use]
    pub fn new(text: &'t str, unit: OffsetUnit) -> Self {
        let before = (unit != OffsetUnit::Byte && !text.is_ascii()).then(|| {
            let sums = text.as_bytes().chunks(STRIDE).scan(0, |sum, chunk| {
                *sum += unit.count(chunk);
                Some(*sum)
            });
            std::iter::once(0).chain(sums).collect()
        });
        Self { text, unit, before }
    }

    /// Returns the number of units before the byte at `offset`, at most that of the text.
    #[must_use]
    pub fn at(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        let Some(before) = &self.before else { return offset };
        let stride = offset / STRIDE;
        let rest = self.text.as_bytes().get(stride * STRIDE..offset).unwrap_or_default();
        before.get(stride).copied().unwrap_or_default() + self.unit.count(rest)
    }
}

/// Converts byte offsets of a text that grows, each counted from the one before.
///
/// ```
/// use llmend_json::{OffsetUnit, OffsetWalker};
///
/// let mut walker = OffsetWalker::new(OffsetUnit::CodePoint);
/// assert_eq!(walker.at(2, "é".as_bytes()), 1);
/// assert_eq!(walker.at(3, "é!".as_bytes()), 2);
/// ```
#[derive(Clone, Debug)]
pub struct OffsetWalker {
    unit: OffsetUnit,
    bytes: usize,
    units: usize,
}

impl OffsetWalker {
    /// Starts at the beginning of a text.
    #[must_use]
    pub fn new(unit: OffsetUnit) -> Self {
        Self { unit, bytes: 0, units: 0 }
    }

    /// Returns the number of units before the byte at `offset`, at most that of the `text` so far.
    pub fn at(&mut self, offset: usize, text: &[u8]) -> usize {
        let offset = offset.min(text.len());
        let between = |from: usize, to: usize| {
            text.get(from..to).map(|bytes| self.unit.count(bytes)).unwrap_or_default()
        };
        self.units = if offset < self.bytes {
            self.units - between(offset, self.bytes)
        } else {
            self.units + between(self.bytes, offset)
        };
        self.bytes = offset;
        self.units
    }
}

#[cfg(test)]
mod tests {
    use super::{OffsetUnit, OffsetWalker, Offsets, STRIDE};

    #[test]
    fn offsets_equal_counting_from_the_start() {
        let long = "aé日🙂".repeat(STRIDE);
        for text in ["", "abc", "é", "a日b", "🙂🙂", &long, &"a".repeat(3 * STRIDE)] {
            for (unit, length) in [
                (OffsetUnit::Byte, char::len_utf8 as fn(char) -> usize),
                (OffsetUnit::CodePoint, |_| 1),
                (OffsetUnit::Utf16, char::len_utf16),
            ] {
                let offsets = Offsets::new(text, unit);
                let mut walker = OffsetWalker::new(unit);
                let mut count = 0;
                for (offset, c) in text.char_indices() {
                    assert_eq!(offsets.at(offset), count, "{unit:?} {offset}");
                    assert_eq!(walker.at(offset, text.as_bytes()), count, "{unit:?} {offset}");
                    count += length(c);
                }
                assert_eq!((offsets.at(text.len()), offsets.at(usize::MAX)), (count, count));
                assert_eq!(walker.at(usize::MAX, text.as_bytes()), count);
                assert_eq!(walker.at(0, text.as_bytes()), 0, "{unit:?}: back to the start");
            }
        }
    }
}
