//! Recording of exchanges, in memory or in a journal file. Off by default.
//!
//! A [`Draft`] collects what happens to an exchange. When it is dropped, it is sent through a bounded channel
//! to one thread, which truncates texts and writes to disk. If the channel is full, the exchange is dropped
//! and counted, so that no answer ever waits for recording.
//!
//! Records contain numbers and the inspected parts of answers. The text and the headers of requests, and
//! with them all keys, are never recorded.

mod draft;
mod entry;
mod journal;
pub(crate) mod moment;
mod outcome;
mod ring;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

pub(crate) use self::draft::Draft;
use self::draft::Notes;
#[cfg(test)]
pub(crate) use self::entry::CallCounts;
pub(crate) use self::entry::Entry;
pub(crate) use self::entry::{Finding, Summary};
use self::journal::Journal;
pub use self::journal::JournalError;
pub(crate) use self::journal::Reader;
pub use self::outcome::Outcome;
use self::ring::Ring;
use self::writer::{Message, record};
use crate::config::{Recording, Store};
use crate::protocol::Protocol;

/// Handle to the recording thread; empty if recording is off.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder(Option<Arc<Inner>>);

#[derive(Debug)]
struct Inner {
    messages: SyncSender<Message>,
    counts: Arc<Counts>,
    source: Source,
}

/// Counters of the recording itself.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    recorded: AtomicU64,
    dropped: AtomicU64,
    /// Why the last exchange could not be recorded; `None` if it was.
    trouble: Mutex<Option<String>>,
    /// Bytes of texts in the channel.
    pending: AtomicUsize,
}

/// Where recorded exchanges are read from.
#[derive(Clone, Debug)]
enum Source {
    Memory(Arc<Ring>),
    File(PathBuf),
}

/// Where exchanges are written to.
#[derive(Debug)]
enum Sink {
    Memory(Arc<Ring>),
    File(Journal),
}

/// Maximum number of exchanges in the channel.
const MAX_WAITING: usize = 1024;

/// Maximum number of bytes of texts in the channel.
const MAX_PENDING: usize = 64 << 20;

/// How long a query waits for exchanges that are still in the channel.
const CATCH_UP: Duration = Duration::from_secs(1);

impl Recorder {
    /// Starts the recording that the settings ask for.
    pub(crate) fn new(recording: &Recording) -> Result<Self, String> {
        match recording.store {
            Store::Off => Ok(Self::default()),
            Store::Memory => {
                let ring = Arc::new(Ring::new(recording.keep));
                Self::start(Source::Memory(Arc::clone(&ring)), Sink::Memory(ring), recording)
            }
            Store::File => {
                let path = recording.journal.clone().unwrap_or_default();
                let journal = Journal::open(&path, recording.keep)
                    .map_err(|error| format!("{}: {error}", path.display()))?;
                Self::start(Source::File(path), Sink::File(journal), recording)
            }
        }
    }

    /// Checks that the journal can be opened. A new journal is removed again, because the gateway may run as
    /// another user.
    pub(crate) fn check(recording: &Recording) -> Result<(), String> {
        if recording.store != Store::File {
            return Ok(());
        }
        let path = recording.journal.clone().unwrap_or_default();
        let is_new = !path.exists();
        let opened = Journal::open(&path, recording.keep).map(drop);
        if is_new && opened.is_ok() {
            let _ = std::fs::remove_file(&path);
        }
        opened.map_err(|error| format!("{}: {error}", path.display()))
    }

    fn start(source: Source, sink: Sink, recording: &Recording) -> Result<Self, String> {
        let (messages, received): (_, Receiver<Message>) = sync_channel(MAX_WAITING);
        let counts = Arc::new(Counts::default());
        let (recording, theirs) = (recording.clone(), Arc::clone(&counts));
        thread::Builder::new()
            .name("recording".to_owned())
            .spawn(move || record(&received, sink, &recording, &theirs))
            .map_err(|error| format!("cannot start the recording thread: {error}"))?;
        Ok(Self(Some(Arc::new(Inner { messages, counts, source }))))
    }

    /// Returns the draft of a new exchange.
    pub(crate) fn draft(&self, protocol: Protocol) -> Draft {
        match &self.0 {
            Some(_) => Draft::new(self.clone(), protocol),
            None => Draft::default(),
        }
    }

    /// Sends a finished exchange to the recording thread.
    fn submit(&self, notes: Notes) {
        let Some(inner) = &self.0 else { return };
        if notes.model.is_none() {
            return;
        }
        let millis = notes.started.elapsed().as_millis();
        let weight = notes.weight();
        let pending = inner.counts.pending.fetch_add(weight, Ordering::Relaxed);
        let message = Message::Ended(Box::new(notes), u64::try_from(millis).unwrap_or(u64::MAX));
        if pending > MAX_PENDING || inner.messages.try_send(message).is_err() {
            inner.counts.pending.fetch_sub(weight, Ordering::Relaxed);
            inner.counts.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns the name of the store: `off`, `memory` or `file`.
    pub(crate) fn store_name(&self) -> &'static str {
        match self.0.as_ref().map(|inner| &inner.source) {
            None => "off",
            Some(Source::Memory(_)) => "memory",
            Some(Source::File(_)) => "file",
        }
    }

    /// Returns the numbers of recorded and dropped exchanges of this process.
    pub(crate) fn counts(&self) -> (u64, u64) {
        let counts = self.0.as_ref().map(|inner| &inner.counts);
        counts.map_or((0, 0), |counts| {
            (counts.recorded.load(Ordering::Relaxed), counts.dropped.load(Ordering::Relaxed))
        })
    }

    /// Returns why the last exchange could not be recorded, if it was not.
    pub(crate) fn trouble(&self) -> Option<String> {
        let trouble = &self.0.as_ref()?.counts.trouble;
        trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Lists up to `limit` exchanges with an id below `before`, newest first.
    pub(crate) async fn list(
        &self,
        limit: usize,
        before: Option<u64>,
    ) -> Result<Vec<Summary>, String> {
        let Some(inner) = &self.0 else { return Ok(Vec::new()) };
        inner.catch_up().await;
        match &inner.source {
            Source::Memory(ring) => Ok(ring.list(limit, before)),
            Source::File(path) => {
                read_journal(path, move |reader| reader.list(limit, before)).await
            }
        }
    }

    /// Returns a recorded exchange.
    pub(crate) async fn find(&self, id: u64) -> Result<Option<Arc<Entry>>, String> {
        let Some(inner) = &self.0 else { return Ok(None) };
        inner.catch_up().await;
        match &inner.source {
            Source::Memory(ring) => Ok(ring.find(id)),
            Source::File(path) => {
                let found = read_journal(path, move |reader| reader.find(id)).await;
                found.map(|found| found.map(Arc::new))
            }
        }
    }

    /// Writes all submitted exchanges and closes the journal, so that the file is complete. Gives up after
    /// `limit`.
    pub(crate) async fn close(&self, limit: Duration) {
        let Some(inner) = &self.0 else { return };
        let (sender, done) = oneshot::channel();
        if inner.messages.try_send(Message::Close(sender)).is_ok() {
            let _ = timeout(limit, done).await;
        }
    }
}

impl Inner {
    /// Waits for the exchanges that are still in the channel.
    async fn catch_up(&self) {
        let (sender, done) = oneshot::channel();
        if self.messages.try_send(Message::Flush(sender)).is_ok() {
            let _ = timeout(CATCH_UP, done).await;
        }
    }
}

impl Sink {
    /// Writes a batch. If that fails, counts it as dropped and notes the reason.
    fn add(&mut self, batch: Vec<Entry>, counts: &Counts) {
        let size = batch.len() as u64;
        let trouble = match self {
            Self::Memory(ring) => {
                for exchange in batch {
                    ring.add(exchange);
                }
                None
            }
            Self::File(_) if batch.is_empty() => return,
            Self::File(journal) => journal.add(&batch).err().map(|error| error.to_string()),
        };
        let count = if trouble.is_some() { &counts.dropped } else { &counts.recorded };
        count.fetch_add(size, Ordering::Relaxed);
        *counts.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }
}

/// Reads a journal on a blocking thread.
async fn read_journal<T: Send + 'static>(
    path: &Path,
    read: impl FnOnce(&Reader) -> Result<T, JournalError> + Send + 'static,
) -> Result<T, String> {
    let path = path.to_owned();
    let reading = spawn_blocking(move || Reader::open(&path).and_then(|reader| read(&reader)));
    match reading.await {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => Err("reading failed".to_owned()),
    }
}
