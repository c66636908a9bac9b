//! Which exchanges were the last ones?

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::kept::{Kept, Summary};

/// The last exchanges, in memory.
#[derive(Debug)]
pub(super) struct Ring {
    most: usize,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// The oldest first.
    kept: VecDeque<Arc<Kept>>,
    /// How many there were.
    count: u64,
}

impl Ring {
    pub(super) fn new(most: usize) -> Self {
        Self { most, inner: Mutex::default() }
    }

    /// Keeps one more, and forgets the oldest if that is one too many.
    pub(super) fn add(&self, mut kept: Kept) {
        let mut inner = self.inner();
        inner.count += 1;
        kept.summary.id = inner.count;
        inner.kept.push_back(Arc::new(kept));
        if inner.kept.len() > self.most {
            inner.kept.pop_front();
        }
    }

    /// The last `limit` ones before `before`, the newest first.
    pub(super) fn list(&self, limit: usize, before: Option<u64>) -> Vec<Summary> {
        let inner = self.inner();
        let newest_first = inner.kept.iter().rev();
        let asked = newest_first.skip_while(|kept| before.is_some_and(|id| kept.summary.id >= id));
        asked.take(limit).map(|kept| kept.summary.clone()).collect()
    }

    pub(super) fn find(&self, id: u64) -> Option<Arc<Kept>> {
        let inner = self.inner();
        let oldest = inner.kept.front()?.summary.id;
        let at = usize::try_from(id.checked_sub(oldest)?).ok()?;
        inner.kept.get(at).cloned()
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
