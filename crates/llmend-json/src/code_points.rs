//! Where does a byte of a text stand, in code points?

/// Bytes between two places that are remembered.
const STRIDE: usize = 1024;

/// Counts the code points before a byte of one text, as Python and SQL count. The text is gone
/// through once, and not at all if all of it is ASCII; then each place costs the same.
///
/// ```
/// use llmend_json::CodePoints;
///
/// assert_eq!(CodePoints::new("é {a: 1}").at(3), 2);
/// ```
#[derive(Clone, Debug)]
pub struct CodePoints<'t> {
    text: &'t str,
    /// Code points before each multiple of [`STRIDE`] bytes; nothing where bytes are code points.
    before: Option<Vec<usize>>,
}

impl<'t> CodePoints<'t> {
    /// Looks at `text`.
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

    /// The code points before the byte at `offset`; all of them where the text is shorter.
    #[must_use]
    pub fn at(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        let Some(before) = &self.before else { return offset };
        let stride = offset / STRIDE;
        let rest = self.text.as_bytes().get(stride * STRIDE..offset).unwrap_or_default();
        before.get(stride).copied().unwrap_or_default() + count_chars(rest)
    }
}

/// How many characters begin in `bytes`.
fn count_chars(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::{CodePoints, STRIDE};

    #[test]
    fn each_place_is_what_counting_from_the_start_gives() {
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
