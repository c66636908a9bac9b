//! What a part of a response has to be, and the cache of compiled schemas.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use llmend::Schema;

/// What a part of a response has to be.
#[derive(Clone, Debug)]
pub(crate) enum Expectation {
    /// JSON. Text that is not JSON as a whole has to contain an object.
    Json,
    /// A value that fits a schema.
    Schema(Schema),
}

/// Recently compiled schemas by their text. Clients send the same few with every request, and
/// compiling one takes longer than validating an answer.
#[derive(Debug, Default)]
pub(crate) struct Schemas(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    schemas: HashMap<String, Schema>,
    /// The total size of the texts.
    bytes: usize,
}

/// Most schemas in the cache.
const MOST: usize = 256;

/// Most bytes of schema texts in the cache. Compiled schemas are many times larger.
const MOST_BYTES: usize = 2 << 20;

impl Schemas {
    /// Returns the schema for `text`, or why it cannot be used.
    pub(crate) fn get(&self, text: &str) -> Result<Schema, String> {
        if let Some(known) = self.known().schemas.get(text) {
            return Ok(known.clone());
        }
        let schema = Schema::from_text(text).map_err(|error| error.to_string())?;
        if text.len() > MOST_BYTES {
            return Ok(schema);
        }
        let mut known = self.known();
        if known.schemas.len() >= MOST || known.bytes + text.len() > MOST_BYTES {
            // This is rare, and schemas in use are back at once, so tracking their use is not worth
            // it.
            *known = Known::default();
        }
        if known.schemas.insert(text.to_owned(), schema.clone()).is_none() {
            known.bytes += text.len();
        }
        Ok(schema)
    }

    /// Returns how many bytes have to be compiled before `text` can be used.
    pub(crate) fn new_bytes(&self, text: &str) -> usize {
        if self.known().schemas.contains_key(text) { 0 } else { text.len() }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Any object, for the arguments of a tool without a usable schema.
    pub(crate) fn object(&self) -> Expectation {
        self.get(r#"{"type":"object"}"#).map_or(Expectation::Json, Expectation::Schema)
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, MOST_BYTES, Schemas};

    #[test]
    fn the_cache_keeps_few_schemas_and_rejects_bad_ones() {
        let schemas = Schemas::default();
        assert!(schemas.get("{\"type\": \"objekt\"}").is_err());
        assert!(schemas.get("{").is_err());
        for number in 0..=MOST {
            assert!(schemas.get(&format!("{{\"minimum\": {number}}}")).is_ok());
            assert!(schemas.known().schemas.len() <= MOST);
        }
        assert_eq!(schemas.known().schemas.len(), 1);
    }

    #[test]
    fn the_cache_keeps_few_bytes_of_schemas() {
        let schemas = Schemas::default();
        let of = |size: usize| format!("{{\"title\": \"{}\"}}", "x".repeat(size));
        for size in [MOST_BYTES / 3, MOST_BYTES / 3 + 1, MOST_BYTES / 3 + 2, 1] {
            let text = of(size);
            assert_eq!(schemas.new_bytes(&text), text.len());
            assert!(schemas.get(&text).is_ok());
            assert_eq!(schemas.new_bytes(&text), 0);
            let known = schemas.known();
            let bytes: usize = known.schemas.keys().map(String::len).sum();
            assert!(bytes <= MOST_BYTES && bytes == known.bytes, "{bytes}");
        }
        assert!(schemas.get(&of(MOST_BYTES)).is_ok());
        assert_eq!(schemas.known().schemas.len(), 2);
    }
}
