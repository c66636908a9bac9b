//! A reader of server-sent events.
//!
//! The rules are those of the WHATWG HTML standard, section 9.2.6, "Interpreting an event stream":
//! a byte order mark at the start is ignored; lines end with LF, CR or CRLF; a line that starts
//! with a colon is a comment; one space after the colon of a field is not part of its value; the
//! values of several `data` fields are joined by LF; a blank line dispatches the event, if it has
//! data; an `id` holds until the next one, and one with a NUL is ignored; a `retry` counts only if
//! it is all digits; unknown fields are ignored; invalid UTF-8 is replaced by U+FFFD.

use super::error::{Error, Place};
use super::lines::{Line, Lines, field, without_mark};

/// An event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// The name of the event. Empty if none was given, which browsers call `message`.
    pub event: String,
    /// The values of its `data` fields, joined by LF. At most
    /// [`Options::max_event_bytes`](super::Options) bytes; three times as many if all were
    /// replaced.
    pub data: String,
    /// The last `id` that the stream has set, or empty.
    pub id: String,
    /// The position: the number of the event, from 1, and the byte offset of its first line.
    pub place: Place,
    /// Whether invalid UTF-8 was replaced.
    pub replaced: bool,
}

/// Takes bytes, cut anywhere, and returns events.
///
/// ```
/// use llmend_models::sse::SseReader;
///
/// let mut reader = SseReader::new(1024);
/// reader.push(b": hello\r\nevent: greeting\r\nda");
/// assert!(reader.next_event().is_none());
/// reader.push(b"ta: Good\r\ndata: morning\r\n\r\n");
/// let event = reader.next_event().unwrap()?;
/// assert_eq!((event.event.as_str(), event.data.as_str()), ("greeting", "Good\nmorning"));
/// assert!(reader.next_event().is_none());
/// # Ok::<(), llmend_models::sse::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SseReader {
    lines: Lines,
    max_event_bytes: usize,
    /// The current event. Its position is that of its first field.
    event: SseEvent,
    progress: Progress,
    last_id: String,
    retry: Option<u64>,
    /// The number of events returned.
    events: u64,
    phase: Phase,
}

/// The state of the current event. An empty `data` field makes an event with empty data; without
/// one there is no event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Nothing,
    Fields,
    Data,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Before the first line, which may start with a byte order mark.
    Start,
    Lines,
    /// The stream has ended, or an event was too large.
    Closed,
}

impl SseReader {
    /// Creates a reader of events of at most `max_event_bytes` bytes, including field names, names
    /// and ids, but not comments.
    #[must_use]
    pub fn new(max_event_bytes: usize) -> Self {
        Self::starting_at(0, max_event_bytes)
    }

    /// Creates a reader of a stream whose first `offset` bytes were read elsewhere.
    pub(crate) fn starting_at(offset: u64, max_event_bytes: usize) -> Self {
        Self {
            lines: Lines::starting_at(offset),
            max_event_bytes,
            event: SseEvent::default(),
            progress: Progress::Nothing,
            last_id: String::new(),
            retry: None,
            events: 0,
            phase: if offset == 0 { Phase::Start } else { Phase::Lines },
        }
    }

    /// Adds bytes that have arrived. Nothing is read before [`next_event`](Self::next_event) is
    /// called.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.phase != Phase::Closed {
            self.lines.push(bytes);
        }
    }

    /// Returns the next complete event, or `None` if more bytes are needed.
    ///
    /// An event beyond the limit is [`Error::TooLarge`], and nothing is read after it: the event is
    /// lost, and its sender cannot be trusted with memory for the next one.
    pub fn next_event(&mut self) -> Option<Result<SseEvent, Error>> {
        if self.phase == Phase::Closed {
            return None;
        }
        while let Some(line) = self.lines.next_line() {
            // The size of a line is checked before it is read, so that memory is bounded even if a
            // whole event arrives at once.
            if self.is_too_large(&line) {
                return Some(Err(self.fail(&line)));
            }
            if self.take_line(&line) {
                return Some(Ok(self.dispatch()));
            }
        }
        let partial = self.lines.partial();
        if self.content(&partial).starts_with(b":") {
            self.phase = Phase::Lines;
            self.lines.discard_partial();
        } else if self.is_too_large(&partial) {
            return Some(Err(self.fail(&partial)));
        }
        None
    }

    /// Ends the stream, and returns an event that no blank line ended, if it has data.
    ///
    /// The standard discards such an event, since it may be cut off. It is returned because some
    /// servers omit the last blank line. The caller has to check that it is complete; an object
    /// that parses as JSON is.
    pub fn finish(&mut self) -> Option<SseEvent> {
        if self.phase == Phase::Closed {
            return None;
        }
        let line = self.lines.partial();
        if !line.range.is_empty() {
            self.take_line(&line);
        }
        self.lines.clear();
        self.phase = Phase::Closed;
        (self.progress == Progress::Data).then(|| self.dispatch())
    }

    /// Returns the last `id` that the stream has set, to be sent as `Last-Event-ID` on
    /// reconnection.
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        &self.last_id
    }

    /// Returns the last `retry` that the stream has set: milliseconds to wait before reconnecting.
    #[must_use]
    pub fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// Returns the number of bytes read.
    pub(crate) fn offset(&self) -> u64 {
        self.lines.offset()
    }

    fn content(&self, line: &Line) -> &[u8] {
        content(&self.lines, line, self.phase)
    }

    fn is_too_large(&self, line: &Line) -> bool {
        let is_comment = self.content(line).starts_with(b":");
        let held = self.event.data.len() + self.event.event.len();
        !is_comment && held + line.range.len() > self.max_event_bytes
    }

    fn fail(&mut self, line: &Line) -> Error {
        let offset = match self.progress {
            Progress::Nothing => line.offset,
            Progress::Fields | Progress::Data => self.event.place.offset,
        };
        self.phase = Phase::Closed;
        self.lines.clear();
        self.event = SseEvent::default();
        let place = Place { event: self.events + 1, offset };
        Error::TooLarge { place, limit: self.max_event_bytes }
    }

    /// Reads one line. Returns whether it is the blank one that dispatches an event.
    fn take_line(&mut self, line: &Line) -> bool {
        let bytes = content(&self.lines, line, self.phase);
        self.phase = Phase::Lines;
        if bytes.is_empty() {
            if self.progress == Progress::Data {
                return true;
            }
            // Without data there is no event: only its name is forgotten.
            self.event = SseEvent::default();
            self.progress = Progress::Nothing;
            return false;
        }
        let (name, value) = field(bytes);
        if name.is_empty() {
            return false;
        }
        if self.progress == Progress::Nothing {
            self.event.place.offset = line.offset;
            self.progress = Progress::Fields;
        }
        let value = value.unwrap_or_default();
        match name {
            b"data" => {
                if std::mem::replace(&mut self.progress, Progress::Data) == Progress::Data {
                    self.event.data.push('\n');
                }
                self.event.replaced |= append_lossy(&mut self.event.data, value);
            }
            b"event" => {
                self.event.event.clear();
                self.event.replaced |= append_lossy(&mut self.event.event, value);
            }
            b"id" if !value.contains(&0) => {
                self.last_id.clear();
                append_lossy(&mut self.last_id, value);
            }
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                let digits = str::from_utf8(value).ok();
                self.retry = digits.and_then(|digits| digits.parse().ok()).or(self.retry);
            }
            _ => {}
        }
        false
    }

    fn dispatch(&mut self) -> SseEvent {
        self.events += 1;
        self.progress = Progress::Nothing;
        let mut event = std::mem::take(&mut self.event);
        event.id.clone_from(&self.last_id);
        event.place.event = self.events;
        event
    }
}

/// Returns a line without the byte order mark that the first one may have.
fn content<'l>(lines: &'l Lines, line: &Line, phase: Phase) -> &'l [u8] {
    let bytes = lines.text(line);
    match phase {
        Phase::Start => without_mark(bytes),
        Phase::Lines | Phase::Closed => bytes,
    }
}

/// Appends `bytes` to `text`, with U+FFFD for invalid UTF-8. Returns whether anything was replaced.
pub(crate) fn append_lossy(text: &mut String, bytes: &[u8]) -> bool {
    if let Ok(valid) = str::from_utf8(bytes) {
        text.push_str(valid);
        return false;
    }
    text.push_str(&String::from_utf8_lossy(bytes));
    true
}

#[cfg(test)]
mod tests {
    use super::{SseEvent, SseReader};
    use crate::sse::error::{Error, Place};

    fn read(reader: &mut SseReader) -> Vec<SseEvent> {
        std::iter::from_fn(|| reader.next_event()).map(|event| event.unwrap()).collect()
    }

    /// Returns the events in `bytes`, which must be the same whole and byte by byte, and what was
    /// left at the end.
    fn events(bytes: &[u8]) -> (Vec<SseEvent>, Option<SseEvent>) {
        let mut whole = SseReader::new(1000);
        whole.push(bytes);
        let found = read(&mut whole);
        let left = whole.finish();
        let mut pieces = SseReader::new(1000);
        let mut by_byte = Vec::new();
        for byte in bytes {
            pieces.push(&[*byte]);
            by_byte.extend(read(&mut pieces));
        }
        assert_eq!((&found, &left), (&by_byte, &pieces.finish()));
        (found, left)
    }

    #[test]
    fn events_are_read_as_the_standard_says() {
        // (stream, (name, data, id) of each event)
        type Row = (&'static str, &'static [(&'static str, &'static str, &'static str)]);
        let rows: [Row; 27] = [
            ("data: a\n\n", &[("", "a", "")]),
            ("data:a\r\rdata:b\r\r", &[("", "a", ""), ("", "b", "")]),
            ("data: a\r\n\r\n", &[("", "a", "")]),
            ("data: a\r\n\n\r", &[("", "a", "")]),
            ("\u{feff}data: a\n\n", &[("", "a", "")]),
            ("\u{feff}\u{feff}data: a\n\n", &[]),
            ("data: a\n\n\u{feff}data: b\n\n", &[("", "a", "")]),
            ("data:  two spaces\n\n", &[("", " two spaces", "")]),
            ("data:\ttab\n\n", &[("", "\ttab", "")]),
            ("data: YHOO\ndata: +2\ndata: 10\n\n", &[("", "YHOO\n+2\n10", "")]),
            ("data\n\ndata\ndata\n\ndata:", &[("", "", ""), ("", "\n", "")]),
            ("data:test\n\ndata: test\n\n", &[("", "test", ""), ("", "test", "")]),
            (": note\n\ndata: a\n:between\ndata: b\n\n", &[("", "a\nb", "")]),
            (":\n:\n\n", &[]),
            ("event: add\ndata: 1\n\ndata: 2\n\n", &[("add", "1", ""), ("", "2", "")]),
            ("event: a\nevent: b\ndata: 1\n\n", &[("b", "1", "")]),
            // Without data there is no event, and the name does not last.
            ("event: lost\n\ndata: 1\n\n", &[("", "1", "")]),
            ("id: 1\ndata: a\n\ndata: b\n\n", &[("", "a", "1"), ("", "b", "1")]),
            ("id: 1\n\ndata: a\n\nid\ndata: b\n\n", &[("", "a", "1"), ("", "b", "")]),
            ("id: 1\nid: 2\0\ndata: a\n\n", &[("", "a", "1")]),
            ("Data: a\nDATA: b\ndata : c\n data: d\n\n", &[]),
            ("other: a\nother\ndata: b\n\n", &[("", "b", "")]),
            ("data: {\"a\": \"b:c\"}\n\n", &[("", "{\"a\": \"b:c\"}", "")]),
            ("data: é😀\n\n", &[("", "é😀", "")]),
            ("data: a\u{2028}b\u{85}c\n\n", &[("", "a\u{2028}b\u{85}c", "")]),
            ("\n\n\n\ndata: a\n\n\n\n", &[("", "a", "")]),
            ("", &[]),
        ];
        for (stream, expected) in rows {
            let (found, _) = events(stream.as_bytes());
            let found: Vec<_> = found
                .iter()
                .map(|event| (event.event.as_str(), event.data.as_str(), event.id.as_str()))
                .collect();
            assert_eq!(found, expected, "{stream:?}");
        }
    }

    #[test]
    fn what_no_blank_line_ended_is_given_at_the_end() {
        let rows = [
            ("data: a", Some("a")),
            ("data: a\n", Some("a")),
            ("data: a\r", Some("a")),
            ("data: a\ndata: b", Some("a\nb")),
            ("data: a\n\n", None),
            ("event: a\n", None),
            (": note", None),
            ("dat", None),
            ("data", Some("")),
        ];
        for (stream, expected) in rows {
            let (_, left) = events(stream.as_bytes());
            assert_eq!(left.as_ref().map(|event| event.data.as_str()), expected, "{stream:?}");
        }
    }

    #[test]
    fn retry_counts_only_if_it_is_a_number() {
        let rows = [
            ("retry: 10000\n", Some(10_000)),
            ("retry: 5\nretry: x\nretry: -1\nretry:\nretry: 1.5\n", Some(5)),
            ("retry: 99999999999999999999999999\n", None),
            ("retry\n", None),
        ];
        for (stream, expected) in rows {
            let mut reader = SseReader::new(100);
            reader.push(stream.as_bytes());
            assert_eq!(read(&mut reader), []);
            assert_eq!(reader.retry(), expected, "{stream:?}");
        }
    }

    #[test]
    fn the_last_id_outlives_its_event() {
        let mut reader = SseReader::new(100);
        reader.push(b"id: 7\ndata: a\n\nid: 8\n");
        assert_eq!(read(&mut reader).len(), 1);
        assert_eq!(reader.last_event_id(), "8");
    }

    #[test]
    fn places_count_bytes_of_the_stream() {
        let (found, left) = events(b"\n: note\r\n\r\nid: 1\ndata: \xC3\xA9\n\ndata: b\n\ndata: c");
        let places: Vec<_> = found.iter().chain(&left).map(|event| event.place).collect();
        let place = |event, offset| Place { event, offset };
        assert_eq!(places, [place(1, 11), place(2, 27), place(3, 36)]);
    }

    #[test]
    fn invalid_utf8_is_replaced_and_reported() {
        let (found, _) = events(b"data: a\xFFb\n\ndata: \xF0\x9F\n\ndata: c\n\n");
        let found: Vec<_> =
            found.iter().map(|event| (event.data.as_str(), event.replaced)).collect();
        assert_eq!(found, [("a\u{fffd}b", true), ("\u{fffd}", true), ("c", false)]);
    }

    #[test]
    fn an_event_beyond_the_limit_ends_the_reading() {
        let long = "x".repeat(50);
        let rows = [
            (format!("data: a\n\n{long}"), 9),
            (format!("data: a\n\ndata: {long}\n\n"), 9),
            (format!("data: a\n\n{}", "data: abcdefgh\n".repeat(9)), 9),
            (format!("data: a\n\n{}", "data\n".repeat(99)), 9),
            (format!("data: a\n\nevent: {long}"), 9),
            (format!("data: a\n\nid: {long}"), 9),
        ];
        for (stream, offset) in rows {
            for step in [1, 7, stream.len()] {
                let mut reader = SseReader::new(40);
                let mut found = Vec::new();
                for chunk in stream.as_bytes().chunks(step) {
                    reader.push(chunk);
                    found.extend(std::iter::from_fn(|| reader.next_event()));
                }
                let place = Place { event: 2, offset };
                assert_eq!(found.len(), 2, "{stream} by {step}");
                assert_eq!(found[1], Err(Error::TooLarge { place, limit: 40 }), "{stream}");
                reader.push(b"data: b\n\n");
                assert_eq!(reader.next_event(), None);
                assert_eq!(reader.finish(), None);
            }
        }
    }

    /// Feeds `chunk` until `total` bytes have come. Each byte is scanned once, and the memory is
    /// that of the limit.
    fn feed(chunk: &[u8], total: usize, limit: usize) -> SseReader {
        let mut reader = SseReader::new(limit);
        let mut fed = 0;
        while fed < total {
            reader.push(chunk);
            fed += chunk.len();
            let _ = read(&mut reader);
        }
        assert!(reader.lines.looked_at <= fed, "{} of {fed}", reader.lines.looked_at);
        assert!(reader.lines.capacity() <= 4 * limit.max(chunk.len()));
        reader
    }

    #[test]
    fn hostile_streams_cost_one_look_at_each_byte_and_no_memory() {
        let megabyte = 1 << 20;
        // An endless line, below the limit.
        let mut reader = feed(b"x", megabyte, 2 * megabyte);
        assert_eq!(reader.finish(), None);
        feed(b"data: ", megabyte, 2 * megabyte);
        // An endless comment, endless comments, endless blank lines.
        feed(b": note ", megabyte, 64);
        feed(b":", megabyte, 64);
        feed(b"\xEF\xBB\xBF:", megabyte, 64);
        feed(b": keep-alive\n\n", megabyte, 64);
        feed(b"\r", megabyte, 64);
        feed(b"\n", megabyte, 64);
        // Endless events and fields, none of which is large.
        feed(b"data: a\r\n\r\n", megabyte, 64);
        feed(b"event: a\nid: b\nretry: 1\n", megabyte, 64);
    }
}
