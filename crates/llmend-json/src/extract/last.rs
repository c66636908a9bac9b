//! What is last in a text.

/// Returns what follows the last `sign` of ASCII in a text, or all of it.
pub(super) fn after(sign: u8, text: &str) -> &str {
    let start = memchr::memrchr(sign, text.as_bytes()).map_or(0, |at| at + 1);
    text.get(start..).unwrap_or_default()
}

/// Returns the last line of a text.
pub(super) fn line(text: &str) -> &str {
    after(b'\n', text)
}

/// Returns the end of the last `mark` in `text`.
pub(super) fn end_of(mark: &str, text: &str) -> Option<usize> {
    let last = *mark.as_bytes().last()?;
    let mut ends = memchr::memrchr_iter(last, text.as_bytes()).map(|at| at + 1);
    ends.find(|&end| text.get(..end).is_some_and(|text| text.ends_with(mark)))
}
