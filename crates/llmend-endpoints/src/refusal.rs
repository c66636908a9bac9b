//! Why there is no answer.

use llmend::{Diagnostic, Severity};
use serde_json::{Map, Value, json};

/// Why a request has no answer, or only a partial one.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// HTTP status: 400 for a request that cannot be used, 422 for a text.
    pub status: u16,
    /// Stable code: `bad_policy`, `schema/type`.
    pub code: String,
    /// Member of the request that it is about.
    pub param: Option<Box<str>>,
    /// Message for a person.
    pub message: String,
    /// What was found in the text.
    pub details: Vec<Diagnostic>,
    /// Partial result, if there is one: the value that does not match, the plan that is invalid.
    pub more: Map<String, Value>,
}

impl Refusal {
    /// Creates a refusal without findings.
    pub fn new(status: u16, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            status,
            code: code.into(),
            param: None,
            message: message.into(),
            details: Vec::new(),
            more: Map::new(),
        }
    }

    /// Creates the refusal of a request that cannot be used.
    pub(crate) fn request(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(400, code, message)
    }

    /// Creates the refusal of a text by its diagnostics, the first error of which is in the message.
    pub(crate) fn text(what: &str, rows: Vec<Diagnostic>) -> Self {
        let first = rows.iter().find(|row| row.severity == Severity::Error).or(rows.first());
        let code = first.map_or_else(|| "refused".to_owned(), |row| row.code.to_string());
        let why = first.map(|row| row.message.clone()).unwrap_or_default();
        Self { details: rows, ..Self::new(422, code, format!("{what}: {why}")) }
    }

    /// Names the member of the request that it is about.
    pub(crate) fn about(mut self, param: &str) -> Self {
        self.param = Some(param.into());
        self
    }

    /// Returns the body of the answer: `error`, `details` and `status`, and the partial result.
    pub fn into_body(self) -> Value {
        let details = if self.details.is_empty() {
            json!([{"code": self.code, "message": self.message, "path": self.param}])
        } else {
            json!(self.details)
        };
        let mut body = self.more;
        body.insert("error".to_owned(), json!(self.message));
        body.insert("details".to_owned(), details);
        body.insert("status".to_owned(), json!(self.status));
        body.into()
    }
}
