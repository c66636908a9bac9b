//! The recording thread.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;

use tokio::sync::oneshot;

use super::draft::Notes;
use super::entry::Entry;
use super::{Counts, Sink};
use crate::config::Recording;

/// Message to the thread.
#[derive(Debug)]
pub(super) enum Message {
    /// An exchange ended, after this many milliseconds.
    Ended(Box<Notes>, u64),
    /// Report when all earlier exchanges are written.
    Flush(oneshot::Sender<()>),
    /// Close the sink, and report when that is done.
    Close(oneshot::Sender<()>),
}

/// Maximum number of messages in a batch.
const MAX_BATCH: usize = 256;

/// Writes exchanges until the sink is closed or all senders are gone.
pub(super) fn record(
    messages: &Receiver<Message>,
    mut sink: Sink,
    recording: &Recording,
    counts: &Arc<Counts>,
) {
    while let Ok(first) = messages.recv() {
        let (mut batch, mut waiting, mut closing) = (Vec::new(), Vec::new(), None);
        for message in std::iter::once(first).chain(messages.try_iter()).take(MAX_BATCH) {
            match message {
                Message::Ended(notes, duration) => {
                    counts.pending.fetch_sub(notes.weight(), Ordering::Relaxed);
                    batch.extend(Entry::of(&notes, recording, duration));
                }
                Message::Flush(sender) => waiting.push(sender),
                Message::Close(sender) => closing = Some(sender),
            }
        }
        sink.add(batch, counts);
        // The receiver may have given up.
        for sender in waiting {
            let _ = sender.send(());
        }
        if let Some(sender) = closing {
            drop(sink);
            let _ = sender.send(());
            return;
        }
    }
}
