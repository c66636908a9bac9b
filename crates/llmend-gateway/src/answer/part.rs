//! The parts of a response that llmend inspects: text and tool calls, and what became of each.

use llmend::json::{Repair, Span};
use llmend::{Class, Coercion, Diagnostic};

/// A part of an answer, and what was made of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ResponsePart {
    /// Where it stands.
    pub(crate) place: Location,
    /// What the model wrote.
    pub(crate) text: String,
    /// What was made of it.
    pub(crate) outcome: Result<Repaired, Fault>,
}

impl ResponsePart {
    /// What is to stand in the place of what the model wrote, if that was changed.
    pub(crate) fn json(&self) -> Option<&str> {
        self.outcome.as_ref().ok()?.json.as_deref()
    }
}

/// Where a part of an answer stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    /// Which choice, from 0.
    pub(crate) choice: u32,
    pub(crate) kind: PartKind,
    /// In the words of the protocol.
    pub(crate) path: String,
}

/// What a part of an answer is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PartKind {
    /// The text.
    Content,
    /// The arguments of a call.
    Call {
        /// Which call, from 0.
        index: usize,
        /// Of which tool.
        name: String,
    },
}

/// What is to stand in the place of the arguments of a call, if they were changed.
pub(crate) fn call_json(parts: &[ResponsePart], choice: u32, call: usize) -> Option<&str> {
    let is_it = |kind: &PartKind| matches!(kind, PartKind::Call { index, .. } if *index == call);
    let part = parts.iter().find(|part| part.place.choice == choice && is_it(&part.place.kind));
    part.and_then(ResponsePart::json)
}

/// Whether the call with this number was looked at.
pub(crate) fn is_judged(parts: &[ResponsePart], call: usize) -> bool {
    let is_it = |kind: &PartKind| matches!(kind, PartKind::Call { index, .. } if *index == call);
    parts.iter().any(|part| is_it(&part.place.kind))
}

/// Whether any of them was changed.
pub(crate) fn is_changed(parts: &[ResponsePart]) -> bool {
    parts.iter().any(|part| part.outcome.as_ref().is_ok_and(|mended| mended.json.is_some()))
}

/// A part of an answer that is what was asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Repaired {
    /// What it says, as JSON; nothing if the text does already, which then stays as it stands.
    pub(crate) json: Option<String>,
    /// How sure that is.
    pub(crate) class: Option<Class>,
    /// Whether the text breaks off.
    pub(crate) cut: Cut,
    /// What was done, by name: rules, then coercions, each with its class.
    pub(crate) done: Vec<(&'static str, Class)>,
    /// What was done, with its places.
    pub(crate) edits: Edits,
}

/// What was done to a text, with its places, and what there is to tell of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Edits {
    /// The bytes that were read as the value.
    pub(crate) candidate: Option<Span>,
    pub(crate) repairs: Vec<Repair>,
    pub(crate) coercions: Vec<Coercion>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Repaired {
    /// A text that is what was asked for as it stands.
    pub(crate) fn as_it_stands() -> Self {
        let (json, class, done) = (None, None, Vec::new());
        Self { json, class, cut: Cut::Whole, done, edits: Edits::default() }
    }
}

/// Whether a text breaks off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cut {
    /// It is whole.
    Whole,
    /// It lacks nothing but brackets at its end.
    Open,
    /// It breaks off inside of something.
    Inside,
}

/// A part of an answer that is not what was asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    /// What was found; the first says why.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// What is wrong with a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum FaultKind {
    /// It holds no JSON.
    NoJson,
    /// It cannot be read.
    Syntax,
    /// It breaks off, and that may not be mended.
    Truncated,
    /// It does not fit its schema.
    Schema,
    /// A limit was reached.
    Limit,
}

impl FaultKind {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::NoJson => "no-json",
            Self::Syntax => "syntax",
            Self::Truncated => "truncated",
            Self::Schema => "schema",
            Self::Limit => "limit",
        }
    }
}
