//! Framing of a stream, detected by its first byte.

use super::Dialect;
use super::error::{Error, Place};
use super::lines::Lines;
use super::reader::{SseEvent, SseReader, append_lossy};
use super::values::Values;

/// The framing of a stream.
#[derive(Clone, Debug)]
pub(crate) enum Framing {
    /// Only white space so far. The offset, and the last byte.
    Undecided(u64, u8),
    /// Server-sent events.
    Sse(SseReader),
    /// One JSON object a line (NDJSON).
    Lines(JsonLines),
    /// A JSON array of objects, or a sequence of objects.
    Values(Values),
}

impl Framing {
    pub(crate) fn new() -> Self {
        Self::Undecided(0, b'\n')
    }

    pub(crate) fn push(&mut self, bytes: &[u8], dialect: Dialect, max_event_bytes: usize) {
        match self {
            Self::Undecided(offset, last) => {
                // White space and the bytes of a byte order mark are not text in any framing.
                let blank = |byte: &&u8| b" \t\r\n\xEF\xBB\xBF".contains(*byte);
                let skipped = bytes.iter().take_while(blank).count();
                let offset = *offset + skipped as u64;
                let last = skipped.checked_sub(1).map_or(*last, |at| bytes[at]);
                let Some(&first) = bytes.get(skipped) else {
                    *self = Self::Undecided(offset, last);
                    return;
                };
                *self = match (first, dialect) {
                    (b'{', Dialect::Ollama) => Self::Lines(JsonLines::new(offset, max_event_bytes)),
                    (b'{' | b'[', _) => Self::Values(Values::starting_at(offset, max_event_bytes)),
                    // An indented `data` is not a field name: the reader has to see the space.
                    _ if matches!(last, b' ' | b'\t') => {
                        let mut reader = SseReader::starting_at(offset - 1, max_event_bytes);
                        reader.push(&[last]);
                        Self::Sse(reader)
                    }
                    _ => Self::Sse(SseReader::starting_at(offset, max_event_bytes)),
                };
                self.push(&bytes[skipped..], dialect, max_event_bytes);
            }
            Self::Sse(reader) => reader.push(bytes),
            Self::Lines(reader) => reader.lines.push(bytes),
            Self::Values(reader) => reader.push(bytes),
        }
    }

    pub(crate) fn next_event(&mut self) -> Option<Result<SseEvent, Error>> {
        match self {
            Self::Undecided(..) => None,
            Self::Sse(reader) => reader.next_event(),
            Self::Lines(reader) => reader.next_event(),
            Self::Values(reader) => reader.next_event(),
        }
    }

    /// Ends the stream, and returns the incomplete event.
    pub(crate) fn finish(&mut self) -> Option<SseEvent> {
        match self {
            Self::Undecided(..) => None,
            Self::Sse(reader) => reader.finish(),
            Self::Lines(reader) => reader.finish(),
            Self::Values(reader) => reader.finish(),
        }
    }

    /// Returns the number of bytes read.
    pub(crate) fn offset(&self) -> u64 {
        match self {
            Self::Undecided(offset, _) => *offset,
            Self::Sse(reader) => reader.offset(),
            Self::Lines(reader) => reader.lines.offset(),
            Self::Values(reader) => reader.offset(),
        }
    }
}

/// A reader of lines that are not blank.
#[derive(Clone, Debug)]
pub(crate) struct JsonLines {
    lines: Lines,
    events: u64,
    max_event_bytes: usize,
    failed: bool,
}

impl JsonLines {
    fn new(offset: u64, max_event_bytes: usize) -> Self {
        Self { lines: Lines::starting_at(offset), events: 0, max_event_bytes, failed: false }
    }

    fn next_event(&mut self) -> Option<Result<SseEvent, Error>> {
        if self.failed {
            self.lines.clear();
            return None;
        }
        loop {
            let (line, complete) = match self.lines.next_line() {
                Some(line) => (line, true),
                None => (self.lines.partial(), false),
            };
            if line.range.len() > self.max_event_bytes {
                let place = Place { event: self.events + 1, offset: line.offset };
                self.failed = true;
                self.lines.clear();
                return Some(Err(Error::TooLarge { place, limit: self.max_event_bytes }));
            }
            if !complete {
                return None;
            }
            if !self.lines.text(&line).trim_ascii().is_empty() {
                return Some(Ok(self.event(&line)));
            }
        }
    }

    fn finish(&mut self) -> Option<SseEvent> {
        let line = self.lines.partial();
        let is_blank = self.lines.text(&line).trim_ascii().is_empty();
        (!is_blank && !std::mem::replace(&mut self.failed, true)).then(|| self.event(&line))
    }

    fn event(&mut self, line: &super::lines::Line) -> SseEvent {
        self.events += 1;
        let place = Place { event: self.events, offset: line.offset };
        let mut event = SseEvent { place, ..SseEvent::default() };
        event.replaced = append_lossy(&mut event.data, self.lines.text(line));
        event
    }
}

#[cfg(test)]
mod tests {
    use super::Framing;
    use crate::sse::Dialect;

    #[test]
    fn the_first_byte_tells() {
        use Dialect::{Gemini, Ollama, OpenAiChat};
        let rows: [(Dialect, &str, &[&str]); 14] = [
            (OpenAiChat, "data: 1\n\n", &["1"]),
            (OpenAiChat, ": note\n\ndata: 1\n\n", &["1"]),
            (OpenAiChat, "\r\n\ndata: 1\n\n", &["1"]),
            (OpenAiChat, "\u{feff}data: 1\n\n", &["1"]),
            // An indented field name is not one.
            (OpenAiChat, "  data: 1\ndata: 2\n\n", &["2"]),
            (OpenAiChat, "\n\tdata: 1\ndata: 2\n\n", &["2"]),
            (OpenAiChat, " \ndata: 1\n\n", &["1"]),
            (OpenAiChat, "\u{feff} \n{\n\"a\": 1\n}", &["{\n\"a\": 1\n}"]),
            (Gemini, "[{}\n,\n{}]", &["{}", "{}"]),
            (Gemini, "data: {}\n\n", &["{}"]),
            (Ollama, "{}\n{\"a\n{}\n", &["{}", "{\"a", "{}"]),
            (Ollama, "[{}\n,{}]", &["{}", "{}"]),
            (Ollama, "data: {}\n\n", &["{}"]),
            (Ollama, "  \n", &[]),
        ];
        for (dialect, stream, expected) in rows {
            for size in [1, 2, 100] {
                let mut framing = Framing::new();
                let mut found = Vec::new();
                for chunk in stream.as_bytes().chunks(size) {
                    framing.push(chunk, dialect, 100);
                    found.extend(std::iter::from_fn(|| framing.next_event()));
                }
                let data: Vec<_> = found.into_iter().map(|event| event.unwrap().data).collect();
                assert_eq!(data, expected, "{dialect:?}: {stream:?} by {size}");
                assert_eq!(framing.offset(), stream.len() as u64, "{dialect:?}: {stream:?}");
                assert_eq!(framing.finish(), None, "{dialect:?}: {stream:?}");
            }
        }
    }
}
