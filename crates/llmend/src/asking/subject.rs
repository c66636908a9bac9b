//! What the loop asks for, how it reads an answer, and what it shows a model.

use llmend_json::{Class, Diagnostic, Node};
use serde_json::{Map, Value as Json};

use super::{FailedAnswer, FailureKind};
use crate::model::Output;

/// How an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ending {
    /// The model finished.
    Complete,
    /// The token limit was reached.
    Length,
    /// The connection broke: whatever the text looks like, it is not the whole answer.
    Interrupted,
}

/// The evaluation of an answer: everything that can be had of it without asking again.
#[derive(Clone, Debug)]
pub struct Evaluation<V> {
    /// The value, if any; possibly one that cannot be used.
    pub value: Option<V>,
    /// Why the value cannot be used. `None` if it can.
    pub failure: Option<FailureKind>,
    /// Every finding; at least one error if the value cannot be used.
    pub findings: Vec<Diagnostic>,
    /// The answer as strict JSON, in the form that the paths of the findings refer to. `None` if
    /// there is no such form; then only the whole can be asked for again.
    pub json: Option<String>,
    /// What was understood, as JSON in the form that the subject's own patches refer to. `None` if
    /// there is none.
    pub own: Option<String>,
    /// The worst class of repairs and coercions. `None` without any.
    pub class: Option<Class>,
    /// The number of repairs and coercions.
    pub repairs: usize,
}

impl<V> Evaluation<V> {
    /// Creates the evaluation of an answer without a value.
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
pub struct PartSchema {
    /// The schema of the part.
    pub schema: Json,
    /// The definitions by the keywords that hold them (`$defs`, `definitions`), and `$schema` if
    /// given.
    pub definitions: Map<String, Json>,
}

/// What a model is shown of the subject.
pub trait Topic: Send + Sync {
    /// Returns the output form of a complete answer.
    fn output(&self) -> Output;

    /// Returns the parts of the schema, catalog or rules that the findings concern: texts of the
    /// caller, never of a model.
    fn excerpt(&self, failed: &FailedAnswer) -> Vec<String>;

    /// Returns the schema of the part at a JSON Pointer into the failed answer, if known.
    fn part(&self, _root: Node<'_>, _path: &str) -> Option<PartSchema> {
        None
    }

    /// Returns whether a finding is that nothing may stand in its place, so that no value corrects it.
    fn is_forbidden(&self, _root: Node<'_>, finding: &Diagnostic) -> bool {
        finding.code == "schema/extra"
    }

    /// Returns the instructions as far as the findings need them. `None` if they need all.
    fn narrowed(&self, _instructions: &str, _failed: &FailedAnswer) -> Option<String> {
        None
    }

    /// Returns the names of required members that the object `node` at `path` lacks.
    fn missing(&self, _path: &str, _node: Node<'_>) -> Vec<String> {
        Vec::new()
    }

    /// Returns whether a name comes from the schema or the rules, and is not a model's own word.
    fn is_known(&self, name: &str) -> bool;

    /// Returns whether a finding can be corrected in its own place alone.
    fn is_local(&self, finding: &Diagnostic) -> bool;

    /// Returns the prompt for a patch in the subject's own form of what was understood
    /// ([`FailedAnswer::own`]). `None` if its patches are those of RFC 6902.
    fn own_patch(&self, _failed: &FailedAnswer) -> Option<String> {
        None
    }
}

/// Something that a model can be asked for.
pub trait Subject: Topic {
    /// The type of the value.
    type Value: Send;

    /// Reads an answer, as far as possible without asking again.
    fn read(&self, answer: &str, ending: Ending) -> Evaluation<Self::Value>;

    /// Applies the patch in `answer` to the earlier value. `None` if the subject has no patches of
    /// its own for it.
    fn patched(&self, _before: &Self::Value, _answer: &str) -> Option<Evaluation<Self::Value>> {
        None
    }
}
