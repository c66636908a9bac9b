//! Validation by an independent validator.

use serde_json::Value;

use crate::data::Data;

/// A compiled schema.
pub struct Oracle(jsonschema::Validator);

impl Oracle {
    /// Compiles a schema. Formats are checked in every draft.
    ///
    /// # Errors
    /// What is wrong with the schema.
    pub fn new(schema: &Value) -> Result<Self, String> {
        let options = jsonschema::options().should_validate_formats(true);
        options.build(schema).map(Self).map_err(|error| error.to_string())
    }

    /// Returns whether a JSON text is valid. Texts that it cannot parse, such as `1e999` or more
    /// than 128 levels, are accepted.
    ///
    /// # Errors
    /// The first violation, or what keeps the text from being JSON.
    pub fn check(&self, text: &str) -> Result<(), String> {
        let value: Value = match serde_json::from_str(text) {
            Ok(value) => value,
            Err(_) => return Data::read(text).map(drop),
        };
        self.0.validate(&value).map_err(|error| format!("{}: {error}", error.instance_path()))
    }

    /// Returns whether a JSON text is valid.
    #[must_use]
    pub fn accepts(&self, text: &str) -> bool {
        self.check(text).is_ok()
    }
}
