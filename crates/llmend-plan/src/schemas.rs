//! Cache of compiled tool schemas.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use llmend_schema::Schema;
use serde_json::Value;

/// The schemas of the tools of a catalog, each compiled on first use. Clones share the cache.
#[derive(Clone, Debug, Default)]
pub(crate) struct SchemaCache {
    compiled: Arc<Mutex<HashMap<Key, Entry>>>,
}

/// A tool and its capability.
type Key = (String, Option<String>);

/// A schema, and its compiled form or the reason why it cannot be compiled.
type Entry = (Value, Result<Schema, String>);

impl SchemaCache {
    /// Returns the compiled form of `json`, the schema of `tool` or of its `capability`, or why it
    /// cannot be compiled.
    pub(crate) fn of(
        &self,
        tool: &str,
        capability: Option<&str>,
        json: &Value,
    ) -> Result<Schema, String> {
        let key = (tool.to_owned(), capability.map(str::to_owned));
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        // The tools of a catalog are public and may change, so the name alone does not identify a schema.
        if let Some((_, known)) = compiled.get(&key).filter(|(of, _)| of == json) {
            return known.clone();
        }
        let fresh = Schema::new(json).map_err(|error| error.to_string());
        compiled.insert(key, (json.clone(), fresh.clone()));
        fresh
    }
}

/// The cache is not part of the value of a catalog, so all caches are equal.
impl PartialEq for SchemaCache {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::SchemaCache;

    #[test]
    fn a_schema_is_compiled_once_until_it_changes() {
        let schemas = SchemaCache::default();
        let (one, other) = (json!({"type": "object"}), json!({"type": "array"}));
        let place =
            |json| std::ptr::from_ref(schemas.of("t", None, json).unwrap().as_json()).addr();
        let first = place(&one);
        let again = schemas.of("t", None, &one).unwrap();
        assert_eq!(std::ptr::from_ref(again.as_json()).addr(), first);
        assert_eq!(*schemas.of("t", None, &other).unwrap().as_json(), other);
        assert_eq!(*schemas.of("t", Some("c"), &one).unwrap().as_json(), one);
        assert!(schemas.of("t", None, &json!({"type": "nonsense"})).is_err());
    }
}
