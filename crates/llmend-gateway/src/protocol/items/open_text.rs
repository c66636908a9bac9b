//! A text of the server whose calls are being read.

use crate::protocol::queue::Queue;

/// Whether texts are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Read,
    /// No, since the server finds calls itself.
    NativeCalls,
    /// No, since calls cannot be written among events in an unusual order.
    Off,
}

/// A text item of the server that is not complete.
#[derive(Debug)]
pub(super) struct OpenText {
    pub(super) item: u32,
    pub(super) id: Option<String>,
    pub(super) queue: Queue<Part>,
    /// Whether all that was sent of it was sent in its own events.
    pub(super) is_intact: bool,
    /// The number of texts that it has brought.
    pub(super) texts: usize,
}

/// What an event that waits is of its item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Its beginning.
    Start,
    Text,
    /// Nothing.
    Aside,
}
