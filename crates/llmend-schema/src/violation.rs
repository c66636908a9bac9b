//! Schema violations.

use llmend_json::{Diagnostic, Node, Relocate, Severity, Span};
use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::quote::clipped;

/// A mismatch between a value and its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Stable code, such as `schema/type`.
    pub code: &'static str,
    /// JSON Pointer into the value. For a missing property, that of the object.
    pub path: String,
    /// JSON Pointer to the keyword in the schema. For a member that only `OnExtra::Fail` forbids,
    /// the place where `additionalProperties` would be.
    pub schema_path: String,
    /// Violated keyword; empty if no keyword is involved.
    pub keyword: String,
    /// Description of the violation, in one clause.
    pub message: String,
    /// What the schema expects, in a few words.
    pub expected: String,
    /// The value found, as JSON of at most 100 characters.
    pub found: String,
    /// Suggested fix, if there is one.
    pub hint: Option<String>,
    /// Span in the caller's text; `None` if the value does not appear there.
    pub span: Option<Span>,
}

impl From<&Violation> for Diagnostic {
    fn from(violation: &Violation) -> Self {
        let mut row = Self::new(violation.code, Severity::Error, violation.message.clone())
            .on(violation.path.clone());
        row.span = violation.span;
        row.help = violation.advice();
        row
    }
}

impl Relocate for Violation {
    fn relocate(&mut self, to: &mut impl FnMut(usize) -> usize) {
        self.span.relocate(to);
    }
}

impl Violation {
    /// Returns the violation of a value that has no list at `path`, a JSON Pointer.
    #[must_use]
    pub fn missing_list(root: Node<'_>, path: &str) -> Option<Self> {
        let missing = root.missing_list(path)?;
        Some(Self {
            code: "items/no-list",
            path: path.to_owned(),
            schema_path: String::new(),
            keyword: String::new(),
            message: missing.message,
            expected: "array".to_owned(),
            found: root.pointer(path).map(clipped).unwrap_or_default(),
            hint: missing.help,
            span: missing.span,
        })
    }

    /// Returns whether the message or the hint contains the expectation.
    #[must_use]
    pub fn mentions_expected(&self) -> bool {
        let mentions = |text: &str| text.contains(&self.expected);
        mentions(&self.message) || self.hint.as_deref().is_some_and(mentions)
    }

    /// Returns the suggested fix, preceded by the expectation unless the message or the hint
    /// already contains it.
    #[must_use]
    pub fn advice(&self) -> Option<String> {
        let expected = (!self.mentions_expected()).then(|| format!("expected: {}", self.expected));
        match (expected, &self.hint) {
            (Some(expected), Some(hint)) => Some(format!("{expected}; {hint}")),
            (expected, hint) => expected.or_else(|| hint.clone()),
        }
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
