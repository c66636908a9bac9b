//! Conversion of byte offsets to UTF-16 units.

/// Bytes between two stored counts.
const STRIDE: usize = 1024;

/// Converts byte offsets of one text to offsets in UTF-16 units, as JavaScript counts.
///
/// Construction is linear in the text, each conversion takes constant time.
pub(crate) struct Utf16<'t> {
    text: &'t str,
    /// Units before each multiple of [`STRIDE`] bytes. `None` if the text is ASCII.
    before: Option<Vec<usize>>,
}

impl<'t> Utf16<'t> {
    /// Indexes `text`.
    pub(crate) fn new(text: &'t str) -> Self {
        let before = (!text.is_ascii()).then(|| {
            let sums = text.as_bytes().chunks(STRIDE).scan(0, |sum, chunk| {
                *sum += units(chunk);
                Some(*sum)
            });
            std::iter::once(0).chain(sums).collect()
        });
        Self { text, before }
    }

    /// Returns the number of units before the byte at `offset`, at most that of the text.
    pub(crate) fn at(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        let Some(before) = &self.before else { return offset };
        let stride = offset / STRIDE;
        let rest = self.text.as_bytes().get(stride * STRIDE..offset).unwrap_or_default();
        before.get(stride).copied().unwrap_or_default() + units(rest)
    }
}

/// Returns the number of UTF-16 units of the characters that begin in `bytes`: a character of four bytes has two.
pub(crate) fn units(bytes: &[u8]) -> usize {
    bytes.iter().map(|&byte| usize::from(byte & 0xC0 != 0x80) + usize::from(byte >= 0xF0)).sum()
}

/// Counts units in a growing text, from the last place on.
#[derive(Default)]
pub(crate) struct Walker {
    bytes: usize,
    units: usize,
}

impl Walker {
    /// Returns the number of units before the byte at `offset`.
    pub(crate) fn at(&mut self, offset: usize, text: &[u8]) -> usize {
        let offset = offset.min(text.len());
        let between = |from: usize, to: usize| text.get(from..to).map(units).unwrap_or_default();
        self.units = if offset < self.bytes {
            self.units - between(offset, self.bytes)
        } else {
            self.units + between(self.bytes, offset)
        };
        self.bytes = offset;
        self.units
    }
}
