//! Byte spans of the caller's text.

use serde::{Deserialize, Serialize};

/// A half-open range of bytes, `start..end`, of the caller's text.
///
/// Both ends lie on character boundaries.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset one past the last byte. Equal to `start` for an empty span.
    pub end: usize,
}

impl Span {
    /// Creates the span `start..end`.
    #[must_use]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Creates the empty span at `offset`.
    #[must_use]
    pub const fn at(offset: usize) -> Self {
        Self { start: offset, end: offset }
    }

    /// Returns the number of bytes.
    #[must_use]
    pub const fn len(self) -> usize {
        self.end - self.start
    }

    /// Returns whether the span is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns whether `other` lies within this span.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns the part of `text` that this span covers, or an empty string if out of range.
    #[must_use]
    #[inline]
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// Returns line and column of `offset` in `text`, both from 1, the column in characters.
///
/// ```
/// assert_eq!(llmend_json::line_column("a\nbc", 3), (2, 2));
/// ```
#[must_use]
pub fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
    let column = before.get(line_start..).map_or(1, |rest| rest.chars().count() + 1);
    (line, column)
}

/// Returns the first `limit` characters of `text`.
///
/// ```
/// assert_eq!(llmend_json::preview("héllo", 2), "hé");
/// ```
#[must_use]
pub fn preview(text: &str, limit: usize) -> &str {
    text.char_indices().nth(limit).map_or(text, |(at, _)| text.get(..at).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{line_column, preview};

    #[test]
    fn lines_and_columns_count_from_one_in_characters() {
        // S2-28: an error includes line and column.
        for (text, offset, expected) in [
            ("", 0, (1, 1)),
            ("abc", 2, (1, 3)),
            ("a\nbc", 2, (2, 1)),
            ("é\nüx", 5, (2, 2)),
            ("a", 9, (1, 2)),
        ] {
            assert_eq!(line_column(text, offset), expected, "{text:?} at {offset}");
        }
    }

    #[test]
    fn a_preview_counts_characters() {
        // S4-12: characters, not bytes.
        assert_eq!(preview("héllo", 2), "hé");
        assert_eq!(preview("hé", 9), "hé");
        assert_eq!(preview(&"日".repeat(200), 100).chars().count(), 100);
    }
}
