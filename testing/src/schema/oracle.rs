//! Validation by an independent validator.

use serde_json::Value;

use crate::data::Data;

/// A schema that the validator has read.
pub struct Oracle(jsonschema::Validator);

impl Oracle {
    /// Reads a schema. Formats are checked in every draft.
    ///
    /// # Errors
    /// What is wrong with the schema.
    pub fn new(schema: &Value) -> Result<Self, String> {
        let options = jsonschema::options().should_validate_formats(true);
        options.build(schema).map(Self).map_err(|error| error.to_string())
    }

    /// Whether the JSON text fits. It says nothing against JSON that it cannot read: numbers such as
    /// `1e999`, and more than 128 levels.
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

    /// Whether the JSON text fits.
    #[must_use]
    pub fn accepts(&self, text: &str) -> bool {
        self.check(text).is_ok()
    }
}
