//! Which exchanges are kept, and where?
//!
//! Nothing, unless the configuration says so. What happens to an answer is noted in a [`Draft`]; when that
//! ends it goes through a bounded channel to one thread, which alone clips texts, writes them down and
//! waits for a disk. Where the channel is full an exchange is not kept, and counted: no answer ever waits
//! for what is kept of it.
//!
//! Kept are numbers, and the parts of answers that are looked at. Neither a request's words nor its
//! headers are noted anywhere here, and so no key is.

mod draft;
mod journal;
mod kept;
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
use self::journal::Journal;
pub use self::journal::JournalError;
pub(crate) use self::journal::Reader;
pub(crate) use self::kept::Kept;
pub use self::kept::{Finding, Summary};
pub use self::outcome::Outcome;
use self::ring::Ring;
use self::writer::{Message, keep};
use crate::config::{Recording, Store as Configured};
use crate::protocol::Protocol;

/// Who keeps exchanges; nobody, where nothing is recorded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder(Option<Arc<Inner>>);

#[derive(Debug)]
struct Inner {
    messages: SyncSender<Message>,
    counts: Arc<Counts>,
    shelf: Shelf,
}

/// What is counted of recording itself.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    kept: AtomicU64,
    dropped: AtomicU64,
    /// Why the last one could not be kept, if that was so.
    trouble: Mutex<Option<String>>,
    /// Bytes of texts that wait to be kept.
    pending: AtomicUsize,
}

/// Where the kept ones are to be found.
#[derive(Clone, Debug)]
enum Shelf {
    Memory(Arc<Ring>),
    File(PathBuf),
}

/// Where they are put.
#[derive(Debug)]
enum Store {
    Memory(Arc<Ring>),
    File(Journal),
}

/// Most exchanges that wait to be kept.
const MOST_WAITING: usize = 1024;

/// Most bytes of texts that wait to be kept.
const MOST_PENDING: usize = 64 << 20;

/// How long is waited for what was handed in last, before what is kept is told.
const CATCH_UP: Duration = Duration::from_secs(1);

impl Recorder {
    /// Who keeps what `recording` says.
    pub(crate) fn new(recording: &Recording) -> Result<Self, String> {
        match recording.store {
            Configured::Off => Ok(Self::default()),
            Configured::Memory => {
                let ring = Arc::new(Ring::new(recording.keep));
                Self::start(Shelf::Memory(Arc::clone(&ring)), Store::Memory(ring), recording)
            }
            Configured::File => {
                let path = recording.journal.clone().unwrap_or_default();
                let journal = Journal::open(&path, recording.keep)
                    .map_err(|error| format!("{}: {error}", path.display()))?;
                Self::start(Shelf::File(path), Store::File(journal), recording)
            }
        }
    }

    /// Why what `recording` says could not be kept. A journal that is not there is made, and taken away again:
    /// whoever asks may be somebody else than whoever is to write it.
    pub(crate) fn check(recording: &Recording) -> Result<(), String> {
        if recording.store != Configured::File {
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

    fn start(shelf: Shelf, store: Store, recording: &Recording) -> Result<Self, String> {
        let (messages, received): (_, Receiver<Message>) = sync_channel(MOST_WAITING);
        let counts = Arc::new(Counts::default());
        let (recording, theirs) = (recording.clone(), Arc::clone(&counts));
        thread::Builder::new()
            .name("recording".to_owned())
            .spawn(move || keep(&received, store, &recording, &theirs))
            .map_err(|error| format!("no thread can be had for recording: {error}"))?;
        Ok(Self(Some(Arc::new(Inner { messages, counts, shelf }))))
    }

    /// A draft of an exchange that begins.
    pub(crate) fn draft(&self, protocol: Protocol) -> Draft {
        match &self.0 {
            Some(_) => Draft::new(self.clone(), protocol),
            None => Draft::default(),
        }
    }

    /// Takes what was noted of an exchange that ended.
    fn hand_in(&self, notes: Notes) {
        let Some(inner) = &self.0 else { return };
        if notes.model.is_none() {
            return;
        }
        let millis = notes.started.elapsed().as_millis();
        let weight = notes.weight();
        let pending = inner.counts.pending.fetch_add(weight, Ordering::Relaxed);
        let message = Message::Ended(Box::new(notes), u64::try_from(millis).unwrap_or(u64::MAX));
        if pending > MOST_PENDING || inner.messages.try_send(message).is_err() {
            inner.counts.pending.fetch_sub(weight, Ordering::Relaxed);
            inner.counts.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The word for where exchanges are kept.
    pub(crate) fn word(&self) -> &'static str {
        match self.0.as_ref().map(|inner| &inner.shelf) {
            None => "off",
            Some(Shelf::Memory(_)) => "memory",
            Some(Shelf::File(_)) => "file",
        }
    }

    /// How many exchanges were kept by this process, and how many could not be.
    pub(crate) fn counts(&self) -> (u64, u64) {
        let counts = self.0.as_ref().map(|inner| &inner.counts);
        counts.map_or((0, 0), |counts| {
            (counts.kept.load(Ordering::Relaxed), counts.dropped.load(Ordering::Relaxed))
        })
    }

    /// Why the last exchange could not be kept, if that was so.
    pub(crate) fn trouble(&self) -> Option<String> {
        let trouble = &self.0.as_ref()?.counts.trouble;
        trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The last `limit` exchanges before the one called `before`, the newest first.
    pub(crate) async fn list(
        &self,
        limit: usize,
        before: Option<u64>,
    ) -> Result<Vec<Summary>, String> {
        let Some(inner) = &self.0 else { return Ok(Vec::new()) };
        inner.catch_up().await;
        match &inner.shelf {
            Shelf::Memory(ring) => Ok(ring.list(limit, before)),
            Shelf::File(path) => reading(path, move |reader| reader.list(limit, before)).await,
        }
    }

    /// One exchange, if it is kept.
    pub(crate) async fn find(&self, id: u64) -> Result<Option<Arc<Kept>>, String> {
        let Some(inner) = &self.0 else { return Ok(None) };
        inner.catch_up().await;
        match &inner.shelf {
            Shelf::Memory(ring) => Ok(ring.find(id)),
            Shelf::File(path) => {
                reading(path, move |reader| reader.find(id)).await.map(|found| found.map(Arc::new))
            }
        }
    }

    /// Keeps what was handed in, and closes the journal: whoever copies the file then has all of it. What
    /// takes longer than `limit` is left to the end of the process.
    pub(crate) async fn close(&self, limit: Duration) {
        let Some(inner) = &self.0 else { return };
        let (asker, told) = oneshot::channel();
        if inner.messages.try_send(Message::Close(asker)).is_ok() {
            let _ = timeout(limit, told).await;
        }
    }
}

impl Inner {
    async fn catch_up(&self) {
        let (asker, told) = oneshot::channel();
        if self.messages.try_send(Message::Tell(asker)).is_ok() {
            let _ = timeout(CATCH_UP, told).await;
        }
    }
}

impl Store {
    /// Keeps a few. What cannot be kept is counted, with the reason of the last one.
    fn add(&mut self, batch: Vec<Kept>, counts: &Counts) {
        let size = batch.len() as u64;
        let trouble = match self {
            Self::Memory(ring) => {
                for kept in batch {
                    ring.add(kept);
                }
                None
            }
            Self::File(_) if batch.is_empty() => return,
            Self::File(journal) => journal.add(&batch).err().map(|error| error.to_string()),
        };
        let count = if trouble.is_some() { &counts.dropped } else { &counts.kept };
        count.fetch_add(size, Ordering::Relaxed);
        *counts.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }
}

/// Reads a journal where nobody else has to wait.
async fn reading<T: Send + 'static>(
    path: &Path,
    read: impl FnOnce(&Reader) -> Result<T, JournalError> + Send + 'static,
) -> Result<T, String> {
    let path = path.to_owned();
    let reading = spawn_blocking(move || Reader::open(&path).and_then(|reader| read(&reader)));
    match reading.await {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => Err("the reader failed".to_owned()),
    }
}
