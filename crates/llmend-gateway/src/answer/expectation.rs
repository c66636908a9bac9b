//! What a part of a response has to be, and the compiled schemas.

use llmend::Schema;

use crate::answer::cache::Cache;

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
pub(crate) struct Schemas(Cache<Schema>);

impl Schemas {
    /// Returns the schema for `text`, or why it cannot be used.
    pub(crate) fn get(&self, text: &str) -> Result<Schema, String> {
        self.0.get(text, |text| Schema::from_text(text).map_err(|error| error.to_string()))
    }

    /// Returns how many bytes have to be compiled before `text` can be used.
    pub(crate) fn new_bytes(&self, text: &str) -> usize {
        self.0.new_bytes(text)
    }

    /// Any object, for the arguments of a tool without a usable schema.
    pub(crate) fn object(&self) -> Expectation {
        self.get(r#"{"type":"object"}"#).map_or(Expectation::Json, Expectation::Schema)
    }
}

#[cfg(test)]
mod tests {
    use super::Schemas;

    #[test]
    fn bad_schemas_are_rejected() {
        let schemas = Schemas::default();
        assert!(schemas.get("{\"type\": \"objekt\"}").is_err());
        assert!(schemas.get("{").is_err());
        assert!(schemas.get("{\"minimum\": 1}").is_ok());
    }
}
