//! Which deltas do these bytes hold?

use serde::Serialize;

use super::collector::Collector;
use super::delta::Delta;
use super::dialect::{Dialect, Seen};
use super::error::{Error, Place};
use super::framing::Framing;
use super::reader::SseEvent;

/// Characters of a text that is no stream which the error about it shows.
const PREVIEW_CHARS: usize = 100;
/// Bytes that hold that many characters, whatever they are.
const PREVIEW_BYTES: usize = 4 * PREVIEW_CHARS;
/// Characters of what is wrong with an event: serde quotes values, and those can be long.
const DETAIL_CHARS: usize = 200;

/// Limits of what is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The largest event, in bytes. 16 MiB by default: an event is some hundred bytes, but one that
    /// holds a picture is megabytes.
    pub max_event_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_event_bytes: 16 << 20 }
    }
}

/// What was read so far, in events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// All events.
    pub events: u64,
    /// Those which the dialect does not know, or parts of which it does not know.
    pub skipped: u64,
    /// Those which could not be read.
    pub malformed: u64,
    /// Those with bytes that are no UTF-8, which were replaced.
    pub replaced: u64,
}

/// Takes the bytes of a stream, cut anywhere, and gives the deltas in them.
///
/// Memory is bounded by [`Options::max_event_bytes`], plus what was pushed and not pulled yet. Each byte
/// is looked at a bounded number of times.
///
/// [The module](super) has an example.
#[derive(Clone, Debug)]
pub struct Decoder {
    dialect: Dialect,
    options: Options,
    framing: Framing,
    out: Collector,
    counts: Counts,
    /// How the stream starts, until an event was read.
    head: Vec<u8>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Bytes may come.
    Open,
    /// No more bytes will come, and what is left has not been looked at.
    Ending,
    /// Nothing more is read.
    Closed,
}

impl Decoder {
    /// A decoder of one stream.
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

    /// Adds what has arrived. Nothing is read before [`next_delta`](Self::next_delta) is called.
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

    /// Says that the stream has ended. What is pushed later is ignored.
    pub fn finish(&mut self) {
        if self.state == State::Open {
            self.state = State::Ending;
        }
    }

    /// The next delta, or `None` if more bytes are needed, or, after [`finish`](Self::finish), if there
    /// are none.
    ///
    /// Only [`Error::Malformed`] is followed by more.
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

    /// What was read so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Whether the provider has said that the answer is complete. It may still send the usage.
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

    /// Reads what is left at the end, and says if it is not all that was to come.
    fn close(&mut self) {
        self.state = State::Closed;
        let mut place = Place { event: self.counts.events + 1, offset: self.framing.offset() };
        if let Some(event) = self.framing.finish() {
            // An event that can be read was not cut off: JSON ends with a bracket, and not before.
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
