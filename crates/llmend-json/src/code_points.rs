//! Conversion of byte offsets to code point offsets.

/// Bytes between two stored counts.
const STRIDE: usize = 1024;

/// Converts byte offsets of one text to code point offsets, as Python and SQL count.
///
/// Construction is linear in the text, each conversion takes constant time.
///
/// ```
/// use llmend_json::CodePoints;
///
/// assert_eq!(CodePoints::new("é {a: 1}").at(3), 2);
/// ```
#[derive(Clone, Debug)]
pub struct CodePoints<'t> {
    text: &'t str,
    /// Code points before each multiple of [`STRIDE`] bytes. `None` if the text is ASCII.
    before: Option<Vec<usize>>,
}

impl<'t> CodePoints<'t> {
    /// Indexes `text`.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        let before = (!text.is_ascii()).then(|| {
            let sums = text.as_bytes().chunks(STRIDE).scan(0, |sum, chunk| {
                *sum += count_chars(chunk);
                Some(*sum)
            });
            std::iter::once(0).chain(sums).collect()
        });
        Self { text, before }
    }

    /// Returns the number of code points before the byte at `offset`, at most that of the text.
    #[must_use]
    pub fn at(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        let Some(before) = &self.before else { return offset };
        let stride = offset / STRIDE;
        let rest = self.text.as_bytes().get(stride * STRIDE..offset).unwrap_or_default();
        before.get(stride).copied().unwrap_or_default() + count_chars(rest)
    }
}

/// Returns the number of characters that begin in `bytes`.
fn count_chars(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::{CodePoints, STRIDE};

    #[test]
    fn offsets_equal_counting_from_the_start() {
        let long = "aé日🙂".repeat(STRIDE);
        for text in ["", "abc", "é", "a日b", &long, &"a".repeat(3 * STRIDE)] {
            let places = CodePoints::new(text);
            for (count, (offset, _)) in text.char_indices().enumerate() {
                assert_eq!(places.at(offset), count, "{offset}");
            }
            assert_eq!(places.at(text.len()), text.chars().count());
            assert_eq!(places.at(usize::MAX), text.chars().count());
        }
    }
}
