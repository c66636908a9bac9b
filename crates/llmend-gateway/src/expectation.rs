//! What was asked for?

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use llmend::Schema;

/// What a part of an answer has to be.
#[derive(Clone, Debug)]
pub(crate) enum Expectation {
    /// JSON. What is no JSON by itself has to hold an object, since that is what was asked for.
    Json,
    /// A value that fits a schema.
    Schema(Schema),
}

/// The schemas that were compiled lately, by their text. Clients send the same few with each request,
/// and to compile one takes longer than to hold an answer against it.
#[derive(Debug, Default)]
pub(crate) struct Schemas(Mutex<HashMap<String, Schema>>);

/// Most schemas that are kept.
const MOST: usize = 256;

impl Schemas {
    /// The schema that `text` is, or why it cannot be used.
    pub(crate) fn get(&self, text: &str) -> Result<Schema, String> {
        if let Some(known) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(text) {
            return Ok(known.clone());
        }
        let schema = Schema::from_text(text).map_err(|error| error.to_string())?;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            // Rare, and what is in use is back at once: not worth to remember who was used when.
            known.clear();
        }
        known.insert(text.to_owned(), schema.clone());
        Ok(schema)
    }

    /// Any object: the arguments of a tool of which no more is known.
    pub(crate) fn object(&self) -> Expectation {
        self.get(r#"{"type":"object"}"#).map_or(Expectation::Json, Expectation::Schema)
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, Schemas};

    #[test]
    fn few_schemas_are_kept_and_a_bad_one_is_none() {
        let schemas = Schemas::default();
        assert!(schemas.get("{\"type\": \"objekt\"}").is_err());
        assert!(schemas.get("{").is_err());
        for number in 0..=MOST {
            assert!(schemas.get(&format!("{{\"minimum\": {number}}}")).is_ok());
            assert!(schemas.0.lock().unwrap().len() <= MOST);
        }
        assert_eq!(schemas.0.lock().unwrap().len(), 1);
    }
}
