//! A small cache of what is compiled from texts that clients send with every request.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Recently compiled values by their text.
#[derive(Debug)]
pub(crate) struct Cache<T>(Mutex<Known<T>>);

#[derive(Debug)]
struct Known<T> {
    values: HashMap<String, T>,
    /// The total size of the texts.
    bytes: usize,
}

/// Most values in the cache.
pub(crate) const MOST: usize = 256;

/// Most bytes of texts in the cache. What is compiled from them is many times larger.
pub(crate) const MOST_BYTES: usize = 2 << 20;

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self { values: HashMap::new(), bytes: 0 }
    }
}

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Cache<T> {
    /// Returns the value for `text`, compiled now if it is not known.
    pub(crate) fn get(
        &self,
        text: &str,
        compile: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, String> {
        if let Some(known) = self.known().values.get(text) {
            return Ok(known.clone());
        }
        let value = compile(text)?;
        if text.len() > MOST_BYTES {
            return Ok(value);
        }
        let mut known = self.known();
        if known.values.len() >= MOST || known.bytes + text.len() > MOST_BYTES {
            // This is rare, and values in use are back at once, so tracking their use is not worth
            // it.
            *known = Known::default();
        }
        if known.values.insert(text.to_owned(), value.clone()).is_none() {
            known.bytes += text.len();
        }
        Ok(value)
    }

    /// Returns how many bytes have to be compiled before `text` can be used.
    pub(crate) fn new_bytes(&self, text: &str) -> usize {
        if self.known().values.contains_key(text) { 0 } else { text.len() }
    }

    fn known(&self) -> MutexGuard<'_, Known<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{Cache, MOST, MOST_BYTES};

    #[test]
    fn the_cache_keeps_few_values_and_no_errors() {
        let cache = Cache::<usize>::default();
        assert!(cache.get("bad", |_| Err("bad".to_owned())).is_err());
        for number in 0..=MOST {
            assert_eq!(cache.get(&number.to_string(), |_| Ok(number)), Ok(number));
            assert!(cache.known().values.len() <= MOST);
        }
        assert_eq!(cache.known().values.len(), 1);
    }

    #[test]
    fn the_cache_keeps_few_bytes() {
        let cache = Cache::<()>::default();
        for size in [MOST_BYTES / 3, MOST_BYTES / 3 + 1, MOST_BYTES / 3 + 2, 1] {
            let text = "x".repeat(size);
            assert_eq!(cache.new_bytes(&text), text.len());
            assert!(cache.get(&text, |_| Ok(())).is_ok());
            assert_eq!(cache.new_bytes(&text), 0);
            let known = cache.known();
            let bytes: usize = known.values.keys().map(String::len).sum();
            assert!(bytes <= MOST_BYTES && bytes == known.bytes, "{bytes}");
        }
        assert!(cache.get(&"x".repeat(MOST_BYTES + 1), |_| Ok(())).is_ok());
        assert_eq!(cache.known().values.len(), 2);
    }
}
