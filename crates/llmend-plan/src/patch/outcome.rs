//! What came of a patch?

use llmend_json::{Diagnostic, Severity, choice};

use crate::{Edge, graph::names::shown};

choice! {
    /// What becomes of the gap that a removed node leaves.
    #[derive(Default)]
    Gaps {
        /// It stays: the edges that touch the node go.
        #[default]
        Leave = "leave",
        /// Those before the node are joined to the one after it, if it had no choice.
        Bridge = "bridge",
    }
}

/// What came of a patch that could be applied.
#[derive(Clone, Debug, PartialEq)]
pub enum Patched<T> {
    /// Everything is as it was, as the patch says.
    NoChange,
    /// There is something new.
    Changed(Box<Changed<T>>),
}

/// A plan or workflow that a patch changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed<T> {
    /// It, as it is now.
    pub value: T,
    /// Edges, or dependencies, that went because what they touched did.
    pub removed_edges: Vec<Edge>,
    /// Warnings and remarks about the patch, with paths in its canonical form; no errors.
    pub diagnostics: Vec<Diagnostic>,
}

impl<T> Changed<T> {
    /// A remark for each edge that went because what it touched did.
    pub fn edges_told(&self) -> impl Iterator<Item = Diagnostic> {
        self.removed_edges.iter().map(|edge| {
            let (from, to) = (shown(&edge.from), shown(&edge.to));
            let message = format!("the edge from `{from}` to `{to}` goes with what it touches");
            Diagnostic::new(EDGE_REMOVED, Severity::Info, message)
        })
    }
}

impl<T> Patched<T> {
    /// What is new, if anything is.
    #[must_use]
    pub fn changed(self) -> Option<Changed<T>> {
        match self {
            Self::NoChange => None,
            Self::Changed(changed) => Some(*changed),
        }
    }

    /// The value as it is now, given what it was before.
    #[must_use]
    pub fn or(self, before: T) -> T {
        self.changed().map_or(before, |changed| changed.value)
    }

    pub(super) fn new(
        before: &T,
        value: T,
        removed_edges: Vec<Edge>,
        diagnostics: Vec<Diagnostic>,
    ) -> Self
    where
        T: PartialEq,
    {
        if value == *before {
            return Self::NoChange;
        }
        Self::Changed(Box::new(Changed { value, removed_edges, diagnostics }))
    }
}

/// Why a patch was not applied: every reason. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the patch is not applied: {}", .violations.first().map(|row| row.message.as_str()).unwrap_or_default())]
pub struct NotApplied {
    /// At least one, with paths in the canonical form of the patch, or in the list of operations.
    pub violations: Vec<Diagnostic>,
}

/// It names a node, a step or an edge that there is not.
pub const UNKNOWN: &str = "patch/unknown";
/// It adds what there is already, or does the same thing twice.
pub const TWICE: &str = "patch/twice";
/// An entry cannot be carried out on what it is about.
pub const UNFIT: &str = "patch/unfit";
/// An edge that is to come is there already.
pub const THERE: &str = "patch/there-already";
/// Those before a node that went are joined to the one after it, or could not be.
pub const BRIDGED: &str = "patch/bridged";
/// The operations of RFC 6902 cannot be carried out, or come to no workflow or plan.
pub const JSON_PATCH: &str = "patch/json-patch";
/// The operations change what a patch of nodes, edges or steps has no field for.
pub const NOT_CARRIED: &str = "patch/not-carried";
/// An edge goes since a node that it touches does.
pub const EDGE_REMOVED: &str = "patch/edge-removed";
/// The patch is empty.
pub const NO_CHANGE: &str = "patch/no-change";

/// Everything that may be wrong with a patch, or worth knowing: the code, and what it says.
pub const FINDINGS: [(&str, &str); 9] = [
    (UNKNOWN, "a patch names what there is not"),
    (TWICE, "a patch adds what there is already, or does the same thing twice"),
    (UNFIT, "an entry of a patch cannot be carried out on what it is about"),
    (THERE, "an edge that is to come is there already"),
    (BRIDGED, "the gap that a removed node leaves is bridged, or could not be"),
    (JSON_PATCH, "the operations of RFC 6902 cannot be carried out"),
    (NOT_CARRIED, "the operations change what a patch has no field for"),
    (NO_CHANGE, "the patch is empty, and changes nothing"),
    (EDGE_REMOVED, "an edge, or a dependency, goes since what it touches does"),
];

/// The remark that a patch is empty.
#[must_use]
pub fn no_change() -> Diagnostic {
    Diagnostic::new(NO_CHANGE, Severity::Info, "the patch is empty, and changes nothing")
}

/// What is found while a patch is looked at.
#[derive(Default)]
pub(super) struct Found {
    pub(super) rows: Vec<Diagnostic>,
}

impl Found {
    pub(super) fn violation(&mut self, code: &'static str, path: String, message: String) {
        self.rows.push(Diagnostic::new(code, Severity::Error, message).on(path));
    }

    pub(super) fn warning(&mut self, code: &'static str, path: String, message: String) {
        self.rows.push(Diagnostic::new(code, Severity::Warning, message).on(path));
    }

    /// The warnings, or the violations if there is one.
    pub(super) fn finish(self) -> Result<Vec<Diagnostic>, NotApplied> {
        let failed = self.rows.iter().any(|row| row.severity == Severity::Error);
        if !failed {
            return Ok(self.rows);
        }
        let violations = self.rows.into_iter().filter(|row| row.severity == Severity::Error);
        Err(NotApplied { violations: violations.collect() })
    }
}
