//! Lines of a stream that arrives in pieces.
//!
//! A line ends with LF, CR or CRLF, as the specification of server-sent events says (WHATWG HTML,
//! 9.2.5). A CR ends its line at once, even as the last byte that has arrived: a following LF is
//! skipped later, so that no event waits for the next one.

use std::ops::Range;

/// A line splitter. Consumed bytes are dropped when more are pushed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    bytes: Vec<u8>,
    /// The start of the current line in `bytes`.
    start: usize,
    /// The end of the part of `bytes` that contains no end of that line. Invariant: `start <=
    /// scanned`.
    scanned: usize,
    /// The offset of `start` in the stream, in bytes.
    offset: u64,
    /// Whether the last line ended with a CR, so that a following LF belongs to it.
    skip_lf: bool,
    /// Whether the current line is discarded.
    discarding: bool,
    /// The number of bytes scanned, which tests compare with the number of bytes pushed.
    #[cfg(test)]
    pub(crate) looked_at: usize,
}

/// A line without its end, as a range of [`Lines::text`].
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) range: Range<usize>,
    /// The offset of its first byte in the stream, in bytes.
    pub(crate) offset: u64,
}

impl Lines {
    /// Creates a splitter of a stream whose first `offset` bytes were read elsewhere.
    pub(crate) fn starting_at(offset: u64) -> Self {
        Self { offset, ..Self::default() }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        // Moving the rest to the front only when it is the smaller part keeps the work linear.
        if self.start * 2 >= self.bytes.len() {
            self.bytes.drain(..self.start);
            self.scanned -= self.start;
            self.start = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next line, if its end has arrived.
    pub(crate) fn next_line(&mut self) -> Option<Line> {
        loop {
            self.end_line()?;
            let from = self.scanned;
            let found = memchr::memchr2(b'\n', b'\r', &self.bytes[from..]);
            self.scanned = found.map_or(self.bytes.len(), |end| from + end + 1);
            #[cfg(test)]
            {
                self.looked_at += self.scanned - from;
            }
            if found.is_none() {
                if self.discarding {
                    self.advance(self.bytes.len());
                }
                return None;
            }
            let end = self.scanned - 1;
            self.skip_lf = self.bytes[end] == b'\r';
            let line = Line { range: self.start..end, offset: self.offset };
            self.advance(end + 1);
            if !std::mem::take(&mut self.discarding) {
                return Some(line);
            }
        }
    }

    /// Returns the next line, if its end has arrived, and appends the bytes read to `raw`.
    pub(crate) fn next_line_into(&mut self, raw: &mut Vec<u8>) -> Option<Line> {
        let start = self.start;
        let line = self.next_line();
        raw.extend_from_slice(&self.bytes[start..self.start]);
        line
    }

    /// Takes the LF that belongs to the last CR, and appends it to `raw`. Returns `None` if it may
    /// still arrive.
    pub(crate) fn end_line_into(&mut self, raw: &mut Vec<u8>) -> Option<()> {
        let start = self.start;
        self.end_line()?;
        raw.extend_from_slice(&self.bytes[start..self.start]);
        Some(())
    }

    fn end_line(&mut self) -> Option<()> {
        if self.skip_lf {
            let next = *self.bytes.get(self.start)?;
            self.skip_lf = false;
            if next == b'\n' {
                self.advance(self.start + 1);
            }
        }
        Some(())
    }

    /// Returns what has arrived of the incomplete line.
    pub(crate) fn partial(&self) -> Line {
        Line { range: self.start..self.bytes.len(), offset: self.offset }
    }

    /// Discards the incomplete line, and what is still to come of it.
    pub(crate) fn discard_partial(&mut self) {
        self.discarding = true;
        self.advance(self.bytes.len());
    }

    /// Discards everything and frees the memory.
    pub(crate) fn clear(&mut self) {
        self.advance(self.bytes.len());
        self.bytes = Vec::new();
        self.start = 0;
        self.scanned = 0;
    }

    pub(crate) fn text(&self, line: &Line) -> &[u8] {
        &self.bytes[line.range.clone()]
    }

    /// Returns the offset in the stream up to which lines were returned, in bytes.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    fn advance(&mut self, to: usize) {
        self.offset += (to - self.start) as u64;
        self.start = to;
        self.scanned = self.scanned.max(to);
    }

    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }
}

/// Returns the bytes behind the byte order mark that they may start with.
pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

/// Splits a line into the name of its field, which is empty in comments, and the value behind the
/// colon, if there is one.
pub(crate) fn field(line: &[u8]) -> (&[u8], Option<&[u8]>) {
    let Some(colon) = memchr::memchr(b':', line) else { return (line, None) };
    let value = &line[colon + 1..];
    (&line[..colon], Some(value.strip_prefix(b" ").unwrap_or(value)))
}

#[cfg(test)]
mod tests {
    use super::Lines;

    fn lines(chunks: &[&str]) -> (Vec<(String, u64)>, String) {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for chunk in chunks {
            lines.push(chunk.as_bytes());
            while let Some(line) = lines.next_line() {
                let text = String::from_utf8(lines.text(&line).to_vec()).unwrap();
                found.push((text, line.offset));
            }
        }
        let rest = String::from_utf8(lines.text(&lines.partial()).to_vec()).unwrap();
        (found, rest)
    }

    #[test]
    fn each_of_the_three_ends_is_one_end() {
        // (chunks, (line, place) of each, what is left)
        type Row = (&'static [&'static str], &'static [(&'static str, u64)], &'static str);
        let rows: [Row; 9] = [
            (&["a\nb\n"], &[("a", 0), ("b", 2)], ""),
            (&["a\rb\r"], &[("a", 0), ("b", 2)], ""),
            (&["a\r\nb\r\n"], &[("a", 0), ("b", 3)], ""),
            (&["a\r", "\nb\r", "\n"], &[("a", 0), ("b", 3)], ""),
            (&["a\r", "b\r", "", "\nc"], &[("a", 0), ("b", 2)], "c"),
            (&["\n\r\r\n\n"], &[("", 0), ("", 1), ("", 2), ("", 4)], ""),
            (&["a", "b", "c\nd"], &[("abc", 0)], "d"),
            (&["", ""], &[], ""),
            (&["a\r\n\r\nb"], &[("a", 0), ("", 3)], "b"),
        ];
        for (chunks, expected, rest) in rows {
            let expected: Vec<_> =
                expected.iter().map(|(text, at)| ((*text).to_owned(), *at)).collect();
            assert_eq!(lines(chunks), (expected, rest.to_owned()), "{chunks:?}");
        }
    }

    #[test]
    fn a_line_ends_with_its_cr_without_waiting() {
        assert_eq!(lines(&["a\r"]).0.len(), 1);
    }
}
