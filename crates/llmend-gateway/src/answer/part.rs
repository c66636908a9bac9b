//! The inspected parts of a response, texts and tool calls, and what became of each.

use llmend::json::{Repair, Span};
use llmend::{Class, Coercion, Diagnostic};

/// An inspected part of a response.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ResponsePart {
    pub(crate) place: Location,
    pub(crate) origin: Origin,
    /// The text that the model wrote.
    pub(crate) text: String,
    /// The result of the repair.
    pub(crate) outcome: Result<Repaired, Fault>,
}

impl ResponsePart {
    /// Returns the JSON that replaces the text, if the part was changed.
    pub(crate) fn json(&self) -> Option<&str> {
        self.outcome.as_ref().ok()?.json.as_deref()
    }
}

/// Where a part was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Where the protocol has it.
    Protocol,
    /// In a text, in this notation if it is known.
    Text(Option<&'static str>),
}

/// The location of a part in a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    /// The choice, from 0.
    pub(crate) choice: u32,
    pub(crate) kind: PartKind,
    /// The path in the words of the protocol.
    pub(crate) path: String,
}

/// The kind of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PartKind {
    /// The content.
    Content,
    /// The arguments of a call.
    Call {
        /// The index of the call in its choice, from 0.
        index: usize,
        /// The name of the tool.
        name: String,
    },
    /// The text that a call passes to a tool.
    Input {
        /// The index of the call among those that pass a text, from 0.
        index: usize,
        /// The name of the tool.
        name: String,
    },
}

impl PartKind {
    /// Returns the name of the tool, which is empty if it is not known.
    pub(crate) fn tool(&self) -> Option<&str> {
        match self {
            Self::Content => None,
            Self::Call { name, .. } | Self::Input { name, .. } => Some(name),
        }
    }
}

/// Returns the JSON that replaces the arguments of a call, if they were changed.
pub(crate) fn call_json(parts: &[ResponsePart], choice: u32, call: usize) -> Option<&str> {
    let is_it = |kind: &PartKind| matches!(kind, PartKind::Call { index, .. } if *index == call);
    let part = parts.iter().find(|part| part.place.choice == choice && is_it(&part.place.kind));
    part.and_then(ResponsePart::json)
}

/// Whether the call was inspected.
pub(crate) fn is_inspected(parts: &[ResponsePart], call: usize) -> bool {
    let is_it = |kind: &PartKind| matches!(kind, PartKind::Call { index, .. } if *index == call);
    parts.iter().any(|part| is_it(&part.place.kind))
}

/// Whether any part was changed.
pub(crate) fn is_changed(parts: &[ResponsePart]) -> bool {
    parts.iter().any(|part| part.outcome.as_ref().is_ok_and(|repaired| repaired.json.is_some()))
}

/// Whether anything was done that is reported.
pub(crate) fn is_reported(parts: &[ResponsePart]) -> bool {
    let is_it = |repaired: &Repaired| repaired.json.is_some() || !repaired.done.is_empty();
    parts.iter().any(|part| part.outcome.as_ref().is_ok_and(is_it))
}

/// A part that is what was asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Repaired {
    /// The JSON, or `None` if the text stays as it is.
    pub(crate) json: Option<String>,
    /// The worst class of the changes.
    pub(crate) class: Option<Class>,
    /// Whether the text is cut off.
    pub(crate) cut: Cut,
    /// The names of the changes with their classes: rules, then coercions.
    pub(crate) done: Vec<(&'static str, Class)>,
    /// The changes with their locations.
    pub(crate) edits: Edits,
}

/// The changes to a text, and what was found in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Edits {
    /// The bytes that were read as the value.
    pub(crate) candidate: Option<Span>,
    pub(crate) repairs: Vec<Repair>,
    pub(crate) coercions: Vec<Coercion>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Repaired {
    /// Makes the result of a text that needs no change.
    pub(crate) fn unchanged() -> Self {
        let (json, class, done) = (None, None, Vec::new());
        Self { json, class, cut: Cut::Whole, done, edits: Edits::default() }
    }
}

/// Whether a text is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cut {
    /// No.
    Whole,
    /// Only closing brackets are missing.
    Open,
    /// It ends within a value.
    Inside,
}

/// A part that is not what was asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    /// What was found. The first one is the reason.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Why a part cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum FaultKind {
    /// It contains no JSON.
    NoJson,
    /// It cannot be parsed.
    Syntax,
    /// It is cut off, and may not be completed.
    Truncated,
    /// It does not fit its schema.
    Schema,
    /// A limit was reached.
    Limit,
    /// It was demanded and is not there.
    NoCall,
    /// The request does not allow it.
    UnexpectedCall,
}

impl FaultKind {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::NoJson => "no-json",
            Self::Syntax => "syntax",
            Self::Truncated => "truncated",
            Self::Schema => "schema",
            Self::Limit => "limit",
            Self::NoCall => "no-call",
            Self::UnexpectedCall => "unexpected-call",
        }
    }
}
