//! A cache of what is compiled from texts that the lines of a batch repeat.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

/// The maximum number of entries.
pub(crate) const MAX_CACHED: usize = 256;
/// The maximum length of their texts together, in bytes.
const MAX_CACHED_BYTES: usize = 16 << 20;

/// A cache by text. Safe to share between threads.
#[derive(Debug)]
pub(crate) struct Cache<T> {
    entries: Mutex<Entries<T>>,
}

#[derive(Debug)]
struct Entries<T> {
    by_text: HashMap<String, T>,
    bytes: usize,
}

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Self { entries: Mutex::default() }
    }
}

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self { by_text: HashMap::new(), bytes: 0 }
    }
}

impl<T: Clone> Cache<T> {
    /// Finds what belongs to `text`, or makes it.
    pub(crate) fn get(&self, text: String, make: impl FnOnce(&str) -> T) -> T {
        if let Some(known) = self.entries().by_text.get(&text) {
            return known.clone();
        }
        // Made without the lock: two threads may do the same work, but none waits.
        let made = make(&text);
        self.keep(text, made.clone());
        made
    }

    /// Keeps an entry. A full cache is emptied first: a batch has few texts, or a new one in each line.
    fn keep(&self, text: String, made: T) {
        let mut entries = self.entries();
        let full =
            entries.by_text.len() >= MAX_CACHED || entries.bytes + text.len() > MAX_CACHED_BYTES;
        if full {
            *entries = Entries::default();
        }
        if text.len() <= MAX_CACHED_BYTES && !entries.by_text.contains_key(&text) {
            entries.bytes += text.len();
            entries.by_text.insert(text, made);
        }
    }

    /// Locks the cache, which is consistent even after a panic of another thread.
    fn entries(&self) -> std::sync::MutexGuard<'_, Entries<T>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{Cache, MAX_CACHED};

    #[test]
    fn an_entry_is_made_once_and_the_cache_is_bounded() {
        let cache = Cache::default();
        let mut made = 0;
        for _ in 0..3 {
            cache.get("a".to_owned(), |_| made += 1);
        }
        assert_eq!(made, 1);
        for n in 0..MAX_CACHED * 2 {
            cache.get(n.to_string(), |_| ());
            let entries = cache.entries();
            assert!(entries.by_text.len() <= MAX_CACHED);
            assert_eq!(entries.bytes, entries.by_text.keys().map(String::len).sum::<usize>());
        }
    }
}
