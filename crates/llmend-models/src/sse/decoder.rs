//! The decoder of a stream.

use serde::Serialize;

use super::collector::Collector;
use super::delta::Delta;
use super::dialect::{Dialect, Seen};
use super::error::{Error, Place};
use super::framing::Framing;
use super::reader::SseEvent;

/// The number of characters that the error about a text that is not a stream shows.
const PREVIEW_CHARS: usize = 100;
/// The number of bytes that contain that many characters.
const PREVIEW_BYTES: usize = 4 * PREVIEW_CHARS;
/// The maximum length of an error's detail in characters: serde quotes values, which can be long.
const DETAIL_CHARS: usize = 200;

/// Limits of decoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The maximum size of an event in bytes. 16 MiB by default: most events have a few hundred
    /// bytes, but one with a picture has megabytes.
    pub max_event_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_event_bytes: 16 << 20 }
    }
}

/// The counts of events so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// All events.
    pub events: u64,
    /// Events that are unknown to the dialect, at least in part.
    pub skipped: u64,
    /// Events that could not be read.
    pub malformed: u64,
    /// Events with invalid UTF-8, which was replaced.
    pub replaced: u64,
}

/// Takes the bytes of a stream, cut anywhere, and returns the deltas in them.
///
/// Memory is bounded by [`Options::max_event_bytes`], plus what was pushed and not pulled yet. Each
/// byte is processed a bounded number of times.
///
/// [The module](super) has an example.
#[derive(Clone, Debug)]
pub struct Decoder {
    dialect: Dialect,
    options: Options,
    framing: Framing,
    out: Collector,
    counts: Counts,
    /// The start of the stream, until an event was read.
    head: Vec<u8>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// More bytes may come.
    Open,
    /// No more bytes will come, and the rest has not been read yet.
    Ending,
    /// Nothing more is read.
    Closed,
}

impl Decoder {
    /// Creates a decoder of one stream.
    #[must_use]
    pub fn new(dialect: Dialect, options: Options) -> Self {
        Self {
            dialect,
            options,
            framing: Framing::new(),
            out: Collector::default(),
            counts: Counts::default(),
            head: Vec::new(),
            state: State::Open,
        }
    }

    /// Adds bytes that have arrived. Nothing is decoded before [`next_delta`](Self::next_delta) is
    /// called.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.state != State::Open {
            return;
        }
        if self.counts.events == 0 && self.head.len() < PREVIEW_BYTES {
            let wanted = bytes.len().min(PREVIEW_BYTES - self.head.len());
            self.head.extend_from_slice(&bytes[..wanted]);
        }
        self.framing.push(bytes, self.dialect, self.options.max_event_bytes);
    }

    /// Ends the stream. Bytes pushed later are ignored.
    pub fn finish(&mut self) {
        if self.state == State::Open {
            self.state = State::Ending;
        }
    }

    /// Returns the next delta, or `None` if more bytes are needed or, after
    /// [`finish`](Self::finish), if there are no more.
    ///
    /// Decoding continues only after [`Error::Malformed`].
    pub fn next_delta(&mut self) -> Option<Result<Delta, Error>> {
        loop {
            if let Some(delta) = self.out.queue.pop_front() {
                return Some(delta);
            }
            if self.state == State::Closed {
                return None;
            }
            match self.framing.next_event() {
                Some(Ok(event)) => self.read(&event),
                Some(Err(error)) => {
                    self.counts.events += 1;
                    self.counts.malformed += 1;
                    if !matches!(error, Error::Malformed { .. }) {
                        self.state = State::Closed;
                    }
                    return Some(Err(error));
                }
                None if self.state == State::Ending => self.close(),
                None => return None,
            }
        }
    }

    /// Returns the counts so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns whether the provider marked the answer as complete. It may still send the usage.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.out.is_complete()
    }

    fn read(&mut self, event: &SseEvent) {
        if let Err(detail) = self.interpret(event) {
            self.counts.malformed += 1;
            let detail = clipped(&detail, DETAIL_CHARS);
            self.out.queue.push_back(Err(Error::Malformed { place: event.place, detail }));
        }
    }

    fn interpret(&mut self, event: &SseEvent) -> Result<(), String> {
        self.counts.events += 1;
        self.counts.replaced += u64::from(event.replaced);
        self.head = Vec::new();
        let seen = self.dialect.read(event, &mut self.out)?;
        self.counts.skipped += u64::from(seen == Seen::Unknown);
        Ok(())
    }

    /// Reads the rest at the end, and reports a missing end.
    fn close(&mut self) {
        self.state = State::Closed;
        let mut place = Place { event: self.counts.events + 1, offset: self.framing.offset() };
        if let Some(event) = self.framing.finish() {
            // An event that can be read was not cut off: JSON ends with its closing bracket.
            if self.interpret(&event).is_err() {
                self.counts.malformed += 1;
                place = event.place;
            }
        }
        if self.counts.events == 0 {
            let head = String::from_utf8_lossy(&self.head);
            let preview = clipped(head.trim(), PREVIEW_CHARS);
            self.out.queue.push_back(Err(Error::NoEvent { preview }));
        } else if !self.out.is_complete() {
            self.out.queue.push_back(Err(Error::UnexpectedEnd { place }));
        }
    }
}

fn clipped(text: &str, chars: usize) -> String {
    text.chars().take(chars).collect()
}
