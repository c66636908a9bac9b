//! Frames of a stream of server-sent events, which keep their original bytes.

use super::lines::{Lines, field, without_mark};

/// Splits bytes, cut anywhere, into frames: events or comments with their blank line.
///
/// The frames and the rest, joined, are the stream byte for byte. Memory is not limited; the caller
/// can check [`partial_len`](Self::partial_len).
///
/// ```
/// use llmend_models::sse::{SseFrames, fields};
///
/// let mut frames = SseFrames::default();
/// frames.push(b": hello\r\ndata: Good\r\n\r\nda");
/// let frame = frames.next_frame().unwrap();
/// assert_eq!(frame, b": hello\r\ndata: Good\r\n\r\n");
/// assert!(fields(&frame).eq([(&b"data"[..], Some(&b"Good"[..]))]));
/// assert_eq!((frames.next_frame(), frames.rest()), (None, b"da".to_vec()));
/// ```
#[derive(Clone, Debug, Default)]
pub struct SseFrames {
    lines: Lines,
    /// The complete lines of the next frame.
    frame: Vec<u8>,
    /// Whether one of them is not blank.
    is_begun: bool,
    /// Whether it is complete but for an LF that is to come.
    awaits_lf: bool,
}

impl SseFrames {
    /// Adds bytes that have arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// Returns the next complete frame.
    ///
    /// In a stream of CRLF it ends with its last LF, which clients that split at LF need. Where lines
    /// end with CR alone, it ends with that, since the next byte may be long in coming.
    pub fn next_frame(&mut self) -> Option<Vec<u8>> {
        loop {
            if self.awaits_lf {
                self.lines.end_line_into(&mut self.frame)?;
                self.awaits_lf = false;
                return Some(std::mem::take(&mut self.frame));
            }
            let line = self.lines.next_line_into(&mut self.frame)?;
            // Blank lines alone do not end a frame.
            if !line.range.is_empty() {
                self.is_begun = true;
            } else if std::mem::take(&mut self.is_begun) {
                self.awaits_lf = self.frame.ends_with(b"\n\r");
                if !self.awaits_lf {
                    return Some(std::mem::take(&mut self.frame));
                }
            }
        }
    }

    /// Returns the number of bytes of the incomplete frame.
    pub fn partial_len(&self) -> usize {
        self.frame.len() + self.lines.partial().range.len()
    }

    /// Takes the incomplete frame, such as at the end of a stream.
    pub fn rest(&mut self) -> Vec<u8> {
        let Self { lines, mut frame, .. } = std::mem::take(self);
        frame.extend_from_slice(lines.text(&lines.partial()));
        frame
    }
}

/// Returns the names and values of a frame's fields. A value is `None` if there is no colon. A byte
/// order mark at the start is skipped.
pub fn fields(frame: &[u8]) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
    let frame = without_mark(frame);
    let mut start = 0;
    let ends = memchr::memchr2_iter(b'\n', b'\r', frame).chain([frame.len()]);
    let lines = ends.map(move |end| &frame[std::mem::replace(&mut start, end + 1)..end]);
    // Comments, blank lines, and what is between CR and LF have no name.
    lines.map(field).filter(|(name, _)| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::SseFrames;

    #[test]
    fn a_frame_ends_with_its_blank_line() {
        let rows: [(&str, &[&str], &str); 15] = [
            ("data: a\n\ndata: b\n\n", &["data: a\n\n", "data: b\n\n"], ""),
            ("data: a\r\n\r\ndata: b\r\n\r\n", &["data: a\r\n\r\n", "data: b\r\n\r\n"], ""),
            (": hi\r\n\r\n\r\ndata: a\r\n\r\n", &[": hi\r\n\r\n", "\r\ndata: a\r\n\r\n"], ""),
            ("data: a\n\r\ndata: b", &["data: a\n\r\n"], "data: b"),
            ("data: a\r\n\rdata: b", &["data: a\r\n\r"], "data: b"),
            ("data: a\r\rdata: b\r\r", &["data: a\r\r", "data: b\r\r"], ""),
            ("data: a\r\n\ndata: b", &["data: a\r\n\n"], "data: b"),
            (": hi\n\n", &[": hi\n\n"], ""),
            ("\n\n\ndata: a\n\n", &["\n\n\ndata: a\n\n"], ""),
            ("\u{feff}\n\ndata: a\n\n", &["\u{feff}\n\n", "data: a\n\n"], ""),
            ("data: a\ndata: b\n\n", &["data: a\ndata: b\n\n"], ""),
            ("data: a\r\n\r", &[], "data: a\r\n\r"),
            ("data: a\n", &[], "data: a\n"),
            ("", &[], ""),
            ("\n", &[], "\n"),
        ];
        for (text, expected, rest) in rows {
            for size in [1, 2, 99] {
                let (mut frames, mut found) = (SseFrames::default(), Vec::new());
                for bytes in text.as_bytes().chunks(size) {
                    frames.push(bytes);
                    found.extend(std::iter::from_fn(|| frames.next_frame()));
                }
                let expected: Vec<_> = expected.iter().map(|frame| frame.as_bytes()).collect();
                assert_eq!(found, expected, "{text:?} by {size}");
                assert_eq!((frames.partial_len(), frames.rest()), (rest.len(), rest.into()));
            }
        }
    }
}
