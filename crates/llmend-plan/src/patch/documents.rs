//! The difference of two documents as a patch, with what no patch can represent.

use std::collections::HashSet;

use llmend_json::{Diagnostic, Severity};
use serde::Serialize;

use crate::{
    Document, Gaps, Patch, PatchError, Plan, PlanPatch, Workflow, apply, apply_to_plan,
    patch::{
        apply::without_graph,
        diff::diff,
        outcome::{NOT_CARRIED, UNFIT, no_change},
        plan_patch::diff_plans,
        rfc6902::check_unique,
    },
};

/// A patch of a document.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum DocumentPatch {
    /// A patch of a workflow.
    Workflow(Patch),
    /// A patch of a plan.
    Plan(PlanPatch),
}

/// The difference of two documents.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentDiff {
    /// The patch that turns the first document into the second.
    pub patch: DocumentPatch,
    /// Warnings about differences that a patch cannot represent, and an info if there is none at all.
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks that the steps or nodes of a document have unique ids, without which they cannot be compared.
///
/// # Errors
///
/// A violation for each repeated id.
pub fn check_ids(document: &Document) -> Result<(), PatchError> {
    match document {
        Document::Plan(plan) => check_steps(plan),
        Document::Workflow(workflow) => check_nodes(workflow),
        _ => Ok(()),
    }
}

fn check_steps(plan: &Plan) -> Result<(), PatchError> {
    check_unique(plan.steps.iter().map(|step| step.id.as_str()), "/steps")
}

fn check_nodes(workflow: &Workflow) -> Result<(), PatchError> {
    check_unique(workflow.nodes.iter().map(|node| node.id.as_str()), "/nodes")
}

/// Returns the patch that turns `before` into `after`. If only one of them is a plan, it is compared as
/// a workflow.
///
/// # Errors
///
/// A document is neither a plan nor a workflow, or has duplicate ids or references to unknown ones, so
/// that no patch describes the difference.
///
/// ```
/// use llmend_plan::{Document, Plan, Step, diff_documents};
///
/// let step = |id: &str| Step { id: id.to_owned(), ..Step::default() };
/// let before = Document::from(Plan { steps: vec![step("a")], ..Plan::default() });
/// let after = Document::from(Plan { steps: vec![step("a"), step("b")], ..Plan::default() });
/// let found = diff_documents(&before, &after)?;
/// assert_eq!(
///     serde_json::to_value(&found.patch)?,
///     serde_json::json!({"add_steps": [{"id": "b"}]}),
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn diff_documents(before: &Document, after: &Document) -> Result<DocumentDiff, PatchError> {
    if let (Document::Plan(before), Document::Plan(after)) = (before, after) {
        return of_plans(before, after);
    }
    let workflow = |document: &Document| {
        document.to_workflow().ok_or_else(|| {
            let message = format!("expected a plan or workflow, found {}", document.what());
            let row = Diagnostic::new(crate::code::ANOTHER_DOCUMENT, Severity::Error, message);
            PatchError { violations: vec![row.on("")] }
        })
    };
    of_workflows(&workflow(before)?, &workflow(after)?)
}

fn of_plans(before: &Plan, after: &Plan) -> Result<DocumentDiff, PatchError> {
    for plan in [before, after] {
        check_steps(plan)?;
    }
    let patch = diff_plans(before, after);
    let made = apply_to_plan(before, &patch, Gaps::Leave)?.or(before.clone());
    let mut steps: Vec<_> = made.steps.iter().collect();
    let mut wanted: Vec<_> = after.steps.iter().collect();
    let ordered = steps.iter().map(|it| &it.id).eq(wanted.iter().map(|it| &it.id));
    steps.sort_by(|one, other| one.id.cmp(&other.id));
    wanted.sort_by(|one, other| one.id.cmp(&other.id));
    let without_steps = |plan: &Plan| Plan { steps: Vec::new(), ..plan.clone() };
    let lost = Lost {
        content: steps != wanted,
        order: !ordered,
        beside: without_steps(before) != without_steps(after),
    };
    let is_empty = patch.is_empty();
    lost.diff(DocumentPatch::Plan(patch), is_empty, "steps")
}

fn of_workflows(before: &Workflow, after: &Workflow) -> Result<DocumentDiff, PatchError> {
    for workflow in [before, after] {
        check_nodes(workflow)?;
    }
    let patch = diff(before, after);
    let made = apply(before, &patch, Gaps::Leave)?.or(before.clone());
    let mut nodes: Vec<_> = made.nodes.iter().collect();
    let mut wanted: Vec<_> = after.nodes.iter().collect();
    nodes.sort_by(|one, other| one.id.cmp(&other.id));
    wanted.sort_by(|one, other| one.id.cmp(&other.id));
    let edges: HashSet<_> = made.edges.iter().collect();
    let lost = Lost {
        content: nodes != wanted || edges != after.edges.iter().collect(),
        // The flow is in the edges.
        order: false,
        beside: without_graph(before) != without_graph(after),
    };
    let is_empty = patch.is_empty();
    lost.diff(DocumentPatch::Workflow(patch), is_empty, "nodes and edges")
}

/// What a patch does not represent.
struct Lost {
    /// A part of the items themselves.
    content: bool,
    /// Their order.
    order: bool,
    /// Fields beside them.
    beside: bool,
}

impl Lost {
    fn diff(
        self,
        patch: DocumentPatch,
        is_empty: bool,
        items: &str,
    ) -> Result<DocumentDiff, PatchError> {
        if self.content {
            let message = format!("no patch describes the difference of the {items}");
            let row = Diagnostic::new(UNFIT, Severity::Error, message).on("");
            return Err(PatchError { violations: vec![row] });
        }
        let mut diagnostics = Vec::new();
        let mut lose = |message: String| {
            diagnostics.push(Diagnostic::new(NOT_CARRIED, Severity::Warning, message).on(""));
        };
        if self.beside {
            lose(format!(
                "the documents differ in more than {items}; a patch has no field for that"
            ));
        }
        if self.order {
            lose(format!("the order of the {items} differs; a patch has no field for that"));
        }
        if is_empty && diagnostics.is_empty() {
            diagnostics.push(no_change());
        }
        Ok(DocumentDiff { patch, diagnostics })
    }
}
