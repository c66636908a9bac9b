//! The result of reading: calls, the text around them, and findings.

use std::fmt;

use llmend_json::{Class, Diagnostic, Relocate, Repair, Severity, Span, Value};
use llmend_schema::{Coercion, Violation};
use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::Notation;

/// What an answer says: calls, and text for the user.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The calls, in the order of the text.
    pub calls: Vec<Call>,
    /// What was meant as a call and is none, with the reason.
    pub refused: Vec<Refused>,
    /// The text around the calls, without markers.
    pub text: String,
    /// The reasoning, without its tags.
    pub reasoning: String,
    /// Byte offset at which the text is cut off inside a call, if it is.
    pub cut: Option<usize>,
    /// Location of that call, from its mark on.
    pub cut_call: Option<Span>,
    /// Findings about the text as a whole.
    pub diagnostics: Vec<Diagnostic>,
}

/// A tool call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The name, as the tool is offered.
    pub name: String,
    /// The name as written, if it differs.
    pub written_name: Option<String>,
    /// The arguments, an object. Spans within count from the start of `arguments_span`.
    pub arguments: Value<'static>,
    /// Location of the arguments in the text.
    pub arguments_span: Span,
    /// The id, if the text has one.
    pub id: Option<String>,
    /// Location of the call in the text.
    pub span: Span,
    /// The notation.
    pub notation: &'static Notation,
    /// Worst class of the repairs, the coercions and the reading of the name.
    pub class: Option<Class>,
    /// Repairs of the text, sorted by start.
    pub repairs: Vec<Repair>,
    /// Changes that made the arguments fit the tool's schema.
    pub coercions: Vec<Coercion>,
    /// Where the arguments do not fit the tool's schema.
    pub violations: Vec<Violation>,
    /// Further findings about this call.
    pub diagnostics: Vec<Diagnostic>,
}

/// Something that was meant as a call and is none.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The name, if one was read.
    pub name: Option<String>,
    /// Location in the text.
    pub span: Span,
    /// The notation.
    pub notation: &'static Notation,
    /// The reason.
    pub diagnostic: Diagnostic,
    /// The call as written, if nothing is wrong with it but that no such tool is offered.
    pub call: Option<Box<Call>>,
    /// Whether it stays in the text, since without marks it may be something else.
    pub is_text: bool,
}

impl Reading {
    /// Returns whether the text is cut off inside a call.
    #[must_use]
    pub const fn truncated(&self) -> bool {
        self.cut.is_some()
    }

    /// Returns the worst class of the calls.
    #[must_use]
    pub fn class(&self) -> Option<Class> {
        self.calls.iter().filter_map(|call| call.class).max()
    }

    /// Returns whether each call that was meant can be used: none is refused, cut off or does not
    /// fit its schema.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.refused.is_empty()
            && self.cut.is_none()
            && self.calls.iter().all(|call| call.violations.is_empty())
            && self.diagnostics.iter().all(|row| row.severity < Severity::Error)
    }

    /// Returns every finding: those about the text, the refused calls and the calls.
    pub fn findings(&self) -> impl Iterator<Item = Diagnostic> {
        let refused = self.refused.iter().map(|one| one.diagnostic.clone());
        let calls = self.calls.iter().enumerate().flat_map(|(at, call)| {
            let own = call.diagnostics.iter().cloned();
            let prefix = format!("/{at}/arguments");
            let violations = call.violations.iter().map(move |violation| {
                let mut row = Diagnostic::from(violation);
                row.path = Some(format!("{prefix}{}", violation.path));
                row
            });
            own.chain(violations)
        });
        self.diagnostics.iter().cloned().chain(refused).chain(calls)
    }
}

impl Relocate for Reading {
    fn relocate(&mut self, to: &mut impl FnMut(usize) -> usize) {
        self.calls.relocate(to);
        self.refused.relocate(to);
        self.cut.relocate(to);
        self.cut_call.relocate(to);
        self.diagnostics.relocate(to);
    }
}

impl Relocate for Call {
    fn relocate(&mut self, to: &mut impl FnMut(usize) -> usize) {
        self.span.relocate(to);
        self.arguments_span.relocate(to);
        self.repairs.relocate(to);
        self.coercions.relocate(to);
        self.violations.relocate(to);
        self.diagnostics.relocate(to);
    }
}

impl Relocate for Refused {
    fn relocate(&mut self, to: &mut impl FnMut(usize) -> usize) {
        self.span.relocate(to);
        self.diagnostic.relocate(to);
        if let Some(call) = &mut self.call {
            call.relocate(to);
        }
    }
}

impl Reading {
    /// Returns the reading as JSON. Numbers in arguments keep their digits.
    ///
    /// The members are `calls`, `text`, `reasoning`, `truncated`, `class`, `refused` and
    /// `diagnostics`; offsets count bytes.
    #[must_use]
    pub fn to_json(&self) -> String {
        let calls: Vec<String> = self.calls.iter().map(Call::to_json).collect();
        let rest = Members(&[
            ("text", written(&self.text)),
            ("reasoning", written(&self.reasoning)),
            ("truncated", written(&self.truncated())),
            ("class", written(&self.class().map(Class::as_str))),
            ("refused", written(&self.refused)),
            ("diagnostics", written(&self.diagnostics)),
        ]);
        format!("{{\"calls\":[{}],{rest}}}", calls.join(","))
    }
}

impl Call {
    /// Returns the call as JSON. Numbers in arguments keep their digits.
    #[must_use]
    pub fn to_json(&self) -> String {
        let rest = Members(&[
            ("id", written(&self.id)),
            ("written_name", written(&self.written_name)),
            ("start", written(&self.span.start)),
            ("end", written(&self.span.end)),
            ("notation", written(&self.notation.name)),
            ("class", written(&self.class.map(Class::as_str))),
            ("repairs", written(&self.repairs)),
            ("coercions", written(&self.coercions)),
            ("violations", written(&self.violations)),
            ("diagnostics", written(&self.diagnostics)),
        ]);
        format!("{{\"name\":{},\"arguments\":{},{rest}}}", written(&self.name), self.arguments)
    }
}

/// Returns a record as JSON, with its members in order.
fn written(record: &impl Serialize) -> String {
    serde_json::to_string(record).unwrap_or_else(|_| "null".to_owned())
}

/// Members of an object, without its braces.
struct Members<'m>(&'m [(&'m str, String)]);

impl fmt::Display for Members<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (key, value)) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}\"{key}\":{value}")?;
        }
        Ok(())
    }
}

impl Serialize for Refused {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_struct("Refused", 5)?;
        row.serialize_field("name", &self.name)?;
        row.serialize_field("start", &self.span.start)?;
        row.serialize_field("end", &self.span.end)?;
        row.serialize_field("notation", self.notation.name)?;
        row.serialize_field("diagnostic", &self.diagnostic)?;
        row.end()
    }
}
