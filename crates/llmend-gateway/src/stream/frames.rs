//! Frames of an event stream with their original bytes.
//!
//! [`llmend_models::sse`] reads what events mean and drops how they were written. Here they stay
//! bytes: all frames together are the stream.

use std::borrow::Cow;

/// One event with its blank line, or comments or blank lines alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) raw: Vec<u8>,
}

/// The content of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content<'f> {
    /// No event: comments or blank lines.
    Nothing,
    /// An event without data. Clients fail on it.
    Empty,
    /// The end mark `[DONE]`.
    Done,
    /// The joined `data` fields.
    Data(Cow<'f, str>),
    /// An `error` field, which some servers send and clients ignore.
    Error(String),
    /// Data that is not UTF-8.
    Garbled,
}

impl Frame {
    /// Reads the content. Data lines are joined as the standard says.
    pub(crate) fn content(&self) -> Content<'_> {
        let mut data: Option<Cow<'_, [u8]>> = None;
        for line in lines(without_mark(&self.raw)) {
            if let Some(said) = line.strip_prefix(b"error:") {
                return Content::Error(String::from_utf8_lossy(said).trim().to_owned());
            }
            let Some(value) = line.strip_prefix(b"data") else { continue };
            let value = match value {
                [b':', b' ', value @ ..] | [b':', value @ ..] => value,
                [] => value,
                // Another field whose name begins alike.
                _ => continue,
            };
            match &mut data {
                Some(data) => {
                    let data = data.to_mut();
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => data = Some(value.into()),
            }
        }
        let Some(data) = data else {
            return if self.name().is_some() { Content::Empty } else { Content::Nothing };
        };
        let Some(data) = as_text(data) else { return Content::Garbled };
        match data.trim() {
            "" => Content::Empty,
            "[DONE]" => Content::Done,
            _ => Content::Data(data),
        }
    }

    /// Returns the `event` field.
    pub(crate) fn name(&self) -> Option<&str> {
        let names = lines(without_mark(&self.raw)).filter_map(|line| line.strip_prefix(b"event:"));
        names.last().and_then(|name| str::from_utf8(name).ok()).map(str::trim)
    }

    /// Whether it is only a line end, such as the last LF of a stream with CRLF line ends.
    pub(crate) fn is_line_end(&self) -> bool {
        !self.raw.is_empty() && self.raw.iter().all(|byte| matches!(byte, b'\n' | b'\r'))
    }

    /// Whether it starts with a byte order mark, which many readers do not skip.
    pub(crate) fn has_mark(&self) -> bool {
        self.raw.starts_with(MARK)
    }
}

/// The byte order mark.
const MARK: &[u8] = b"\xEF\xBB\xBF";

fn without_mark(raw: &[u8]) -> &[u8] {
    raw.strip_prefix(MARK).unwrap_or(raw)
}

/// Converts bytes to text without copying them again.
fn as_text(bytes: Cow<'_, [u8]>) -> Option<Cow<'_, str>> {
    match bytes {
        Cow::Borrowed(bytes) => str::from_utf8(bytes).ok().map(Cow::Borrowed),
        Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
    }
}

/// Returns the lines without their ends. An empty line between CR and LF does no harm.
fn lines(raw: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(raw);
    std::iter::from_fn(move || {
        let bytes = rest?;
        let end = memchr::memchr2(b'\n', b'\r', bytes);
        let (line, behind) = bytes.split_at(end.unwrap_or(bytes.len()));
        rest = behind.get(1..);
        Some(line)
    })
}

/// Splits bytes, cut anywhere, into frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frames {
    bytes: Vec<u8>,
    /// The start of the next frame. Invariant: at most `scanned`.
    start: usize,
    /// The end of the scanned bytes. Invariant: at most the length.
    scanned: usize,
    /// The state of the line at `scanned`.
    line: Line,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Line {
    /// Empty, and the frame is empty so far.
    #[default]
    First,
    /// Empty, in a frame that is not.
    Blank,
    /// Not empty.
    Filled,
    /// Ended by a CR; an LF belongs to it.
    AfterCr,
}

impl Frames {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        // Moves at most the beginning of one frame.
        self.bytes.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next complete frame. It ends as early as possible: an LF behind its last CR
    /// becomes part of the next one, where it means nothing.
    pub(crate) fn next_frame(&mut self) -> Option<Frame> {
        while let Some(&byte) = self.bytes.get(self.scanned) {
            self.scanned += 1;
            let is_end = matches!(byte, b'\n' | b'\r');
            self.line = match (self.line, byte) {
                (Line::AfterCr, b'\n') => Line::Blank,
                (Line::Blank | Line::AfterCr, _) if is_end => return Some(self.cut()),
                // Blank lines alone do not end a frame.
                (Line::First, _) if is_end => Line::First,
                (_, b'\r') => Line::AfterCr,
                (_, b'\n') => Line::Blank,
                _ => self.skip_line(),
            };
        }
        None
    }

    /// Skips to the end of a line.
    fn skip_line(&mut self) -> Line {
        let rest = self.bytes.get(self.scanned..).unwrap_or_default();
        let end = memchr::memchr2(b'\n', b'\r', rest);
        self.scanned = end.map_or(self.bytes.len(), |end| self.scanned + end);
        Line::Filled
    }

    fn cut(&mut self) -> Frame {
        let raw = self.partial().get(..self.scanned - self.start).unwrap_or_default().to_vec();
        self.start = self.scanned;
        self.line = Line::First;
        Frame { raw }
    }

    /// Returns the incomplete frame.
    pub(crate) fn partial(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }

    /// Takes the incomplete frame at the end of a stream.
    pub(crate) fn rest(&mut self) -> Frame {
        self.scanned = self.bytes.len();
        self.cut()
    }
}

#[cfg(test)]
mod tests {
    use super::{Content, Frame, Frames};

    /// The frames of a text, which have to be the same when it comes byte by byte, and what is left.
    fn frames(text: &str) -> (Vec<String>, String) {
        let shown = |frame: Frame| String::from_utf8(frame.raw).unwrap();
        let mut whole = Frames::default();
        whole.push(text.as_bytes());
        let found: Vec<_> = std::iter::from_fn(|| whole.next_frame()).map(shown).collect();
        let mut pieces = Frames::default();
        let mut by_byte = Vec::new();
        for byte in text.as_bytes() {
            pieces.push(&[*byte]);
            by_byte.extend(std::iter::from_fn(|| pieces.next_frame()).map(shown));
        }
        assert_eq!(found, by_byte, "{text:?}");
        let rest = shown(whole.rest());
        assert_eq!(found.concat() + &rest, text);
        (found, rest)
    }

    #[test]
    fn a_frame_ends_with_its_blank_line() {
        let rows: [(&str, &[&str], &str); 10] = [
            ("data: a\n\ndata: b\n\n", &["data: a\n\n", "data: b\n\n"], ""),
            ("data: a\r\n\r\ndata: b\r\n\r\n", &["data: a\r\n\r", "\ndata: b\r\n\r"], "\n"),
            ("data: a\r\rdata: b\r\r", &["data: a\r\r", "data: b\r\r"], ""),
            ("data: a\r\n\ndata: b", &["data: a\r\n\n"], "data: b"),
            (": hi\n\n", &[": hi\n\n"], ""),
            ("\n\n\ndata: a\n\n", &["\n\n\ndata: a\n\n"], ""),
            ("data: a\ndata: b\n\n", &["data: a\ndata: b\n\n"], ""),
            ("data: a\n", &[], "data: a\n"),
            ("", &[], ""),
            ("\n", &[], "\n"),
        ];
        for (text, expected, rest) in rows {
            let expected: Vec<String> = expected.iter().map(|&text| text.to_owned()).collect();
            assert_eq!(frames(text), (expected, rest.to_owned()), "{text:?}");
        }
    }

    #[test]
    fn the_data_of_a_frame_is_joined() {
        let data = Content::Data as fn(_) -> _;
        let data = |text: &'static str| data(text.into());
        let rows: [(&[u8], Content<'_>); 14] = [
            (b"data: {\"a\": 1}\n\n", data("{\"a\": 1}")),
            (b"data:{}\r\n\r\n", data("{}")),
            (b"event: x\ndata: {\ndata: }\n\n", data("{\n}")),
            (b"\xEF\xBB\xBFdata: 1\n\n", data("1")),
            (b": note\n\n", Content::Nothing),
            (b"event: ping\n\n", Content::Empty),
            (b"error: {}\n\n", Content::Error("{}".to_owned())),
            (b"dataset: 1\n\n", Content::Nothing),
            (b"data:\n\n", Content::Empty),
            (b"data\n\n", Content::Empty),
            (b"data: [DONE]\n\n", Content::Done),
            (b"data: \xFF\n\n", Content::Garbled),
            (b"data: {\ndata: \xFF\n\n", Content::Garbled),
            (b"data: {}\nerror: no\n\n", Content::Error("no".to_owned())),
        ];
        for (raw, expected) in rows {
            assert_eq!(Frame { raw: raw.to_vec() }.content(), expected, "{raw:?}");
        }
        let named = Frame { raw: b"event: ping\ndata: {}\n\n".to_vec() };
        assert_eq!((named.name(), named.has_mark()), (Some("ping"), false));
    }
}
