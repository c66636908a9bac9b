//! Who keeps what was handed in, while nobody waits?

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;

use tokio::sync::oneshot;

use super::draft::Notes;
use super::kept::Kept;
use super::{Counts, Store};
use crate::config::Recording;

/// What the thread is told.
#[derive(Debug)]
pub(super) enum Message {
    /// An exchange came to its end, after so many milliseconds.
    Ended(Box<Notes>, u64),
    /// Somebody wants to know when all that was handed in before is kept.
    Tell(oneshot::Sender<()>),
    /// No more is to be kept, and somebody wants to know when the store is closed.
    Close(oneshot::Sender<()>),
}

/// Most messages that are dealt with at once.
const MOST_AT_ONCE: usize = 256;

/// Keeps what comes, until nobody is left who could hand anything in.
pub(super) fn keep(
    messages: &Receiver<Message>,
    mut store: Store,
    recording: &Recording,
    counts: &Arc<Counts>,
) {
    while let Ok(first) = messages.recv() {
        let (mut batch, mut waiting, mut closing) = (Vec::new(), Vec::new(), None);
        for message in std::iter::once(first).chain(messages.try_iter()).take(MOST_AT_ONCE) {
            match message {
                Message::Ended(notes, duration) => {
                    counts.pending.fetch_sub(notes.weight(), Ordering::Relaxed);
                    batch.extend(Kept::of(&notes, recording, duration));
                }
                Message::Tell(asker) => waiting.push(asker),
                Message::Close(asker) => closing = Some(asker),
            }
        }
        store.add(batch, counts);
        // Whoever asked may be gone.
        for asker in waiting {
            let _ = asker.send(());
        }
        if let Some(asker) = closing {
            drop(store);
            let _ = asker.send(());
            return;
        }
    }
}
