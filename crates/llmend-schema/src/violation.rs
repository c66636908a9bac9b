//! In which ways does a value not fit?

use llmend_json::{Diagnostic, Severity, Span, Value};
use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::Schema;

/// One way in which a value does not fit its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Stable code, such as `schema/type`.
    pub code: &'static str,
    /// JSON Pointer into the value. Of a member that is missing: of the object that lacks it.
    pub path: String,
    /// JSON Pointer into the schema, to the keyword.
    pub schema_path: String,
    /// The keyword of the schema that is violated; empty if it is none of the schema's.
    pub keyword: String,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What the schema asks for there, in a few words.
    pub expected: String,
    /// What stands there, as JSON of at most 100 characters.
    pub found: String,
    /// What to do about it, if there is something to say.
    pub hint: Option<String>,
    /// Where it stands in the caller's text, if it stands there.
    pub span: Option<Span>,
}

impl From<&Violation> for Diagnostic {
    fn from(violation: &Violation) -> Self {
        let mut row = Self::new(violation.code, Severity::Error, violation.message.clone())
            .on(violation.path.clone());
        row.span = violation.span;
        row.help.clone_from(&violation.hint);
        row
    }
}

impl Serialize for Violation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_struct("Violation", 10)?;
        row.serialize_field("code", self.code)?;
        row.serialize_field("path", &self.path)?;
        row.serialize_field("schema_path", &self.schema_path)?;
        row.serialize_field("keyword", &self.keyword)?;
        row.serialize_field("message", &self.message)?;
        row.serialize_field("expected", &self.expected)?;
        row.serialize_field("found", &self.found)?;
        row.serialize_field("hint", &self.hint)?;
        row.serialize_field("start", &self.span.map(|span| span.start))?;
        row.serialize_field("end", &self.span.map(|span| span.end))?;
        row.end()
    }
}

/// All ways in which `value` does not fit `schema`. Nothing is changed.
#[must_use]
pub fn validate(_value: &Value<'_>, _schema: &Schema) -> Vec<Violation> {
    Vec::new()
}
