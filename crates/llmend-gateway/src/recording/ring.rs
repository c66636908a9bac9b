//! Ring buffer of the last exchanges.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::entry::{Entry, Summary};

/// The last exchanges, in memory.
#[derive(Debug)]
pub(super) struct Ring {
    capacity: usize,
    buffer: Mutex<Buffer>,
}

#[derive(Debug, Default)]
struct Buffer {
    /// Oldest first.
    entries: VecDeque<Arc<Entry>>,
    /// Number of exchanges recorded so far.
    count: u64,
}

impl Ring {
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity, buffer: Mutex::default() }
    }

    /// Adds an exchange, and removes the oldest if the buffer is full.
    pub(super) fn add(&self, mut entry: Entry) {
        let mut buffer = self.buffer();
        buffer.count += 1;
        entry.summary.id = buffer.count;
        buffer.entries.push_back(Arc::new(entry));
        if buffer.entries.len() > self.capacity {
            buffer.entries.pop_front();
        }
    }

    /// Lists up to `limit` exchanges with an id below `before`, newest first.
    pub(super) fn list(&self, limit: usize, before: Option<u64>) -> Vec<Summary> {
        let buffer = self.buffer();
        let newest_first = buffer.entries.iter().rev();
        let older =
            newest_first.skip_while(|entry| before.is_some_and(|id| entry.summary.id >= id));
        older.take(limit).map(|entry| entry.summary.clone()).collect()
    }

    pub(super) fn find(&self, id: u64) -> Option<Arc<Entry>> {
        let buffer = self.buffer();
        let oldest = buffer.entries.front()?.summary.id;
        let at = usize::try_from(id.checked_sub(oldest)?).ok()?;
        buffer.entries.get(at).cloned()
    }

    fn buffer(&self) -> std::sync::MutexGuard<'_, Buffer> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
