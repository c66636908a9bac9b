//! Objects of a stream that is one JSON array or a sequence of objects.
//!
//! Gemini streams a pretty-printed array of objects unless asked for server-sent events. Only
//! brackets and strings are recognized; whether an object is valid is up to its reader.

use super::error::{Error, Place};
use super::reader::{SseEvent, append_lossy};

/// A reader of the objects at the top level, or in an array at the top level.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    pending: Vec<u8>,
    /// The end of the consumed part of `pending`.
    read: usize,
    /// The current object.
    value: Vec<u8>,
    /// Its open brackets; 0 outside of objects.
    depth: u64,
    state: State,
    /// The offset of `read` in the stream, in bytes.
    offset: u64,
    place: Place,
    max_event_bytes: usize,
    failed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Plain,
    String,
    Escape,
    /// Between objects, in unexpected text, which was reported once.
    Garbage,
}

impl Values {
    pub(crate) fn starting_at(offset: u64, max_event_bytes: usize) -> Self {
        Self {
            pending: Vec::new(),
            read: 0,
            value: Vec::new(),
            depth: 0,
            state: State::Plain,
            offset,
            place: Place::default(),
            max_event_bytes,
            failed: false,
        }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.failed {
            return;
        }
        if self.read == self.pending.len() {
            self.pending.clear();
            self.read = 0;
        }
        self.pending.extend_from_slice(bytes);
    }

    /// Returns the next complete object, or `None` if more bytes are needed.
    pub(crate) fn next_event(&mut self) -> Option<Result<SseEvent, Error>> {
        while let Some(&byte) = self.pending.get(self.read) {
            self.read += 1;
            self.offset += 1;
            if self.depth == 0 {
                if let Some(error) = self.between(byte) {
                    return Some(Err(error));
                }
                continue;
            }
            if self.value.len() == self.max_event_bytes {
                self.failed = true;
                self.pending = Vec::new();
                self.value = Vec::new();
                self.read = 0;
                let limit = self.max_event_bytes;
                return Some(Err(Error::TooLarge { place: self.place, limit }));
            }
            self.value.push(byte);
            self.inside(byte);
            if self.depth == 0 {
                return Some(Ok(self.take_event()));
            }
        }
        None
    }

    /// Ends the stream, and returns the incomplete object.
    pub(crate) fn finish(&mut self) -> Option<SseEvent> {
        let cut_off = self.depth > 0 && !std::mem::replace(&mut self.failed, true);
        cut_off.then(|| self.take_event())
    }

    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads a byte between objects. Returns an error at the first unexpected one.
    fn between(&mut self, byte: u8) -> Option<Error> {
        match byte {
            b'{' => {
                self.place = Place { event: self.place.event + 1, offset: self.offset - 1 };
                self.depth = 1;
                self.state = State::Plain;
                self.value.push(byte);
            }
            b'[' | b']' | b',' | b' ' | b'\t' | b'\r' | b'\n' => {}
            _ if self.state == State::Garbage => {}
            _ => {
                self.state = State::Garbage;
                self.place = Place { event: self.place.event + 1, offset: self.offset - 1 };
                let detail = "expected an object".to_owned();
                return Some(Error::Malformed { place: self.place, detail });
            }
        }
        None
    }

    fn inside(&mut self, byte: u8) {
        match (self.state, byte) {
            (State::Escape, _) => self.state = State::String,
            (State::String, b'\\') => self.state = State::Escape,
            (State::String, b'"') => self.state = State::Plain,
            (State::String, _) => {}
            (_, b'"') => self.state = State::String,
            (_, b'{' | b'[') => self.depth += 1,
            (_, b'}' | b']') => self.depth -= 1,
            _ => {}
        }
    }

    fn take_event(&mut self) -> SseEvent {
        let mut event = SseEvent { place: self.place, ..SseEvent::default() };
        event.replaced = append_lossy(&mut event.data, &self.value);
        self.value.clear();
        self.depth = 0;
        self.state = State::Plain;
        event
    }
}

#[cfg(test)]
mod tests {
    use super::Values;
    use crate::sse::error::{Error, Place};

    fn read(stream: &[u8], step: usize, limit: usize) -> Vec<Result<(String, u64), &'static str>> {
        let mut values = Values::starting_at(0, limit);
        let mut found = Vec::new();
        for chunk in stream.chunks(step) {
            values.push(chunk);
            while let Some(event) = values.next_event() {
                found.push(match event {
                    Ok(event) => Ok((event.data, event.place.offset)),
                    Err(error) => Err(error.code()),
                });
            }
        }
        found.extend(values.finish().map(|event| Ok((event.data, event.place.offset))));
        found
    }

    #[test]
    fn objects_are_found_wherever_they_are_cut() {
        type Row = (&'static str, &'static [Result<(&'static str, u64), &'static str>]);
        let rows: [Row; 9] = [
            (
                "[{\"a\": 1}\n,\r\n{\"b\": [{}]}\n]\n",
                &[Ok(("{\"a\": 1}", 1)), Ok(("{\"b\": [{}]}", 13))],
            ),
            ("{\"a\": \"}\\\"]\"}{}", &[Ok(("{\"a\": \"}\\\"]\"}", 0)), Ok(("{}", 13))]),
            ("[]", &[]),
            ("", &[]),
            ("[{\"a\": \"\\\\\"}]", &[Ok(("{\"a\": \"\\\\\"}", 1))]),
            ("[{\"a\": 1}, {\"b\": \"", &[Ok(("{\"a\": 1}", 1)), Ok(("{\"b\": \"", 11))]),
            ("[{}, null, x, {}]", &[Ok(("{}", 1)), Err("stream/malformed"), Ok(("{}", 14))]),
            ("[{] {}", &[Ok(("{]", 1)), Ok(("{}", 4))]),
            ("[{\"a\": 1, \"b\": 234567890123}]", &[Err("stream/too-large")]),
        ];
        for (stream, expected) in rows {
            let expected: Vec<_> =
                expected.iter().map(|row| row.map(|(text, at)| (text.to_owned(), at))).collect();
            for step in [1, 2, 3, 100] {
                assert_eq!(read(stream.as_bytes(), step, 20), expected, "{stream} by {step}");
            }
        }
    }

    #[test]
    fn what_is_beyond_the_limit_holds_no_memory() {
        let mut values = Values::starting_at(0, 64);
        values.push(b"{");
        let mut errors = Vec::new();
        for _ in 0..100_000 {
            values.push(b"[[[[[[[[[[");
            errors.extend(std::iter::from_fn(|| values.next_event()));
        }
        let place = Place { event: 1, offset: 0 };
        assert_eq!(errors, [Err(Error::TooLarge { place, limit: 64 })]);
        assert!(values.pending.capacity() + values.value.capacity() <= 256);
    }
}
