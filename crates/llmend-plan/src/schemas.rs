//! Which schemas of a catalog were compiled already?

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use llmend_schema::Schema;
use serde_json::Value;

/// The schemas of a catalog's tools, each compiled when it is first asked for. A copy shares them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Schemas {
    /// By the tool and its capability.
    compiled: Arc<Mutex<HashMap<Key, Entry>>>,
}

/// A tool and its capability.
type Key = (String, Option<String>);

/// A schema and what came of compiling it, or why it cannot be used.
type Entry = (Value, Result<Schema, String>);

impl Schemas {
    /// The compiled form of `json`, the schema that `tool` has for its `capability`; if it cannot
    /// be used, the reason.
    pub(crate) fn of(
        &self,
        tool: &str,
        capability: Option<&str>,
        json: &Value,
    ) -> Result<Schema, String> {
        let key = (tool.to_owned(), capability.map(str::to_owned));
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        // Who has a catalog may change it, so that a name alone says nothing of its schema.
        if let Some((_, known)) = compiled.get(&key).filter(|(of, _)| of == json) {
            return known.clone();
        }
        let fresh = Schema::new(json).map_err(|error| error.to_string());
        compiled.insert(key, (json.clone(), fresh.clone()));
        fresh
    }
}

/// What was compiled is no part of what a catalog says.
impl PartialEq for Schemas {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Schemas;

    #[test]
    fn a_schema_is_compiled_once_until_it_changes() {
        let schemas = Schemas::default();
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
