//! Outcome of applying a patch.

use llmend_json::{Diagnostic, Severity, choice};

use crate::{Edge, graph::names::shown};

choice! {
    /// How to handle the gap that a removed node leaves.
    #[derive(Default)]
    Gaps {
        /// Leave it: remove the edges of the node.
        #[default]
        Leave = "leave",
        /// Connect the predecessors of the node to its successor, unless it branches.
        Bridge = "bridge",
    }
}

/// The outcome of a patch that could be applied.
#[derive(Clone, Debug, PartialEq)]
pub enum PatchOutcome<T> {
    /// The patch changes nothing.
    NoChange,
    /// The patch changes the value.
    Changed(Box<AppliedPatch<T>>),
}

/// The result of a patch that changes a plan or workflow.
#[derive(Clone, Debug, PartialEq)]
pub struct AppliedPatch<T> {
    /// The value after the patch.
    pub value: T,
    /// Edges, or dependencies, that were removed together with their nodes.
    pub removed_edges: Vec<Edge>,
    /// Warnings and infos about the patch, with paths into its canonical form; no errors.
    pub diagnostics: Vec<Diagnostic>,
}

impl<T> AppliedPatch<T> {
    /// Returns an info for each edge in `removed_edges`.
    pub fn removed_edge_diagnostics(&self) -> impl Iterator<Item = Diagnostic> {
        self.removed_edges.iter().map(|edge| {
            let (from, to) = (shown(&edge.from), shown(&edge.to));
            let message = format!("edge `{from}` → `{to}` is removed together with its node");
            Diagnostic::new(EDGE_REMOVED, Severity::Info, message)
        })
    }
}

impl<T> PatchOutcome<T> {
    /// Returns the change, if there is one.
    #[must_use]
    pub fn changed(self) -> Option<AppliedPatch<T>> {
        match self {
            Self::NoChange => None,
            Self::Changed(changed) => Some(*changed),
        }
    }

    /// Returns the value after the patch, given the value before.
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
        Self::Changed(Box::new(AppliedPatch { value, removed_edges, diagnostics }))
    }
}

/// The error of a patch that cannot be applied. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("patch cannot be applied: {}", .violations.first().map(|row| row.message.as_str()).unwrap_or_default())]
pub struct PatchError {
    /// Every invalid entry, at least one. Paths point into the canonical patch or the JSON Patch.
    pub violations: Vec<Diagnostic>,
}

/// An entry refers to an unknown node, step or edge.
pub(crate) const UNKNOWN: &str = "patch/unknown";
/// An entry adds something that exists, or repeats another entry.
pub(crate) const TWICE: &str = "patch/twice";
/// An entry cannot be applied to its target.
pub(crate) const UNFIT: &str = "patch/unfit";
/// An edge to add exists.
pub(crate) const THERE: &str = "patch/there-already";
/// A gap could not be bridged.
pub(crate) const BRIDGED: &str = "patch/bridged";
/// A JSON Patch (RFC 6902) cannot be applied, or does not result in a workflow or plan.
pub(crate) const JSON_PATCH: &str = "patch/json-patch";
/// A JSON Patch changes something for which a patch has no field.
pub(crate) const NOT_CARRIED: &str = "patch/not-carried";
/// An edge is removed together with its node.
pub(crate) const EDGE_REMOVED: &str = "patch/edge-removed";
/// The patch is empty.
pub(crate) const NO_CHANGE: &str = "patch/no-change";

/// Every finding about patches: its code and its meaning.
pub(crate) const FINDINGS: [(&str, &str); 9] = [
    (UNKNOWN, "a patch refers to an unknown node, step or edge"),
    (TWICE, "a patch adds something that exists, or repeats an entry"),
    (UNFIT, "an entry of a patch cannot be applied to its target"),
    (THERE, "an edge or dependency to add already exists"),
    (BRIDGED, "the gap that a removed node leaves cannot be bridged"),
    (JSON_PATCH, "a JSON Patch (RFC 6902) cannot be applied"),
    (NOT_CARRIED, "a JSON Patch changes something for which a patch has no field"),
    (NO_CHANGE, "the patch is empty and changes nothing"),
    (EDGE_REMOVED, "an edge or dependency is removed together with its node or step"),
];

/// Returns the info that a patch is empty.
#[must_use]
pub fn no_change() -> Diagnostic {
    Diagnostic::new(NO_CHANGE, Severity::Info, "the patch is empty and changes nothing")
}

/// The findings about a patch.
#[derive(Default)]
pub(super) struct PatchFindings {
    rows: Vec<Diagnostic>,
}

impl PatchFindings {
    pub(super) fn violation(&mut self, code: &'static str, path: String, message: String) {
        self.rows.push(Diagnostic::new(code, Severity::Error, message).on(path));
    }

    pub(super) fn warning(&mut self, code: &'static str, path: String, message: String) {
        self.rows.push(Diagnostic::new(code, Severity::Warning, message).on(path));
    }

    /// Returns the warnings, or the violations if there are any.
    pub(super) fn finish(self) -> Result<Vec<Diagnostic>, PatchError> {
        let failed = self.rows.iter().any(|row| row.severity == Severity::Error);
        if !failed {
            return Ok(self.rows);
        }
        let violations = self.rows.into_iter().filter(|row| row.severity == Severity::Error);
        Err(PatchError { violations: violations.collect() })
    }
}
