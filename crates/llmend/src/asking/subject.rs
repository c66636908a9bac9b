//! What is asked for, how is an answer read, and what is a model told of it?

use llmend_json::{Class, Diagnostic, Node};
use serde_json::{Map, Value as Json};

use super::{Failed, FailureKind};
use crate::model::Output;

/// How an answer came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ending {
    /// The model stopped.
    Complete,
    /// The limit of tokens was reached.
    Length,
    /// The connection broke: whatever the text looks like, it is not the whole answer.
    Interrupted,
}

/// What came of an answer: everything that can be had of it without asking again.
#[derive(Clone, Debug)]
pub struct Judged<V> {
    /// What it says, as far as something could be had; also where it cannot be used.
    pub value: Option<V>,
    /// Why it cannot be used. `None` if it can.
    pub failure: Option<FailureKind>,
    /// Everything that was found; if it cannot be used, at least one error.
    pub findings: Vec<Diagnostic>,
    /// What it says as strict JSON, in the form that the paths of the findings are about. `None` if
    /// there is no such form; then it can only be asked for as a whole.
    pub json: Option<String>,
    /// What was understood, as JSON in the form that the subject's own patches are about. `None` if it
    /// has none.
    pub own: Option<String>,
    /// How sure the reading is; nothing where nothing was done to the text and the value.
    pub class: Option<Class>,
    /// How many repairs and coercions were made.
    pub repairs: usize,
}

impl<V> Judged<V> {
    /// An answer of which nothing could be had.
    #[must_use]
    pub const fn unreadable(failure: FailureKind, findings: Vec<Diagnostic>) -> Self {
        Self {
            value: None,
            failure: Some(failure),
            findings,
            json: None,
            own: None,
            class: None,
            repairs: 0,
        }
    }
}

/// A part of a JSON Schema, and the definitions that it refers to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// The schema of the part.
    pub schema: Json,
    /// Definitions under the names of the members that hold them (`$defs`, `definitions`), and the
    /// `$schema`, if it is said.
    pub definitions: Map<String, Json>,
}

/// What a model is told of what is asked for.
pub trait Topic: Send + Sync {
    /// The form in which a whole answer is wished for.
    fn output(&self) -> Output;

    /// The parts of the schema, of the catalog or of the rules that the findings touch: each a text of
    /// the caller's own, not of a model's.
    fn excerpt(&self, failed: &Failed) -> Vec<String>;

    /// The schema of the part at a JSON Pointer; nothing where it is not known.
    fn part(&self, _path: &str) -> Option<Part> {
        None
    }

    /// Names of members that the object `node`, which stands at `path`, lacks.
    fn missing(&self, _path: &str, _node: Node<'_>) -> Vec<String> {
        Vec::new()
    }

    /// Whether a name is one of the schema or of the rules, and not a model's own word.
    fn is_known(&self, name: &str) -> bool;

    /// Whether a finding is put right where it was made, and nowhere else.
    fn is_local(&self, finding: &Diagnostic) -> bool;

    /// What is asked for where the subject has patches of its own for what was understood
    /// ([`Failed::own`]); nothing where they are those of RFC 6902.
    fn own_patch(&self, _failed: &Failed) -> Option<String> {
        None
    }
}

/// Something that a model can be asked for.
pub trait Subject: Topic {
    /// What an answer is read into.
    type Value: Send;

    /// Reads an answer: everything that can be done without asking again.
    fn read(&self, answer: &str, ending: Ending) -> Judged<Self::Value>;

    /// What the patch in `answer` makes of what was read before; nothing where it has no patches of
    /// its own for that.
    fn patched(&self, _before: &Self::Value, _answer: &str) -> Option<Judged<Self::Value>> {
        None
    }
}
