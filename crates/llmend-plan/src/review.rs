//! Reading, control flow inference and checks in one call.

use std::collections::HashSet;

use llmend_json::{Diagnostic, Severity};

use crate::{
    Dialect, Document, Error, Finding, Fix, Gaps, Inference, Locations, Options, ParsedDocument,
    Patch, PatchError, PatchOutcome, Workflow, apply,
    check::entry,
    check_workflow,
    code::{self, Elsewhere},
    findings,
    fix::edit,
    infer, listing,
    patch::no_change,
    read_text_partial,
};

mod fixes;
mod partial;

pub use fixes::apply_fixes;
pub use partial::review_partial;

/// A reviewed answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Reviewed<T> {
    /// The content of the answer.
    pub value: T,
    /// Whether all of the answer could be read.
    pub extent: Extent,
    /// The dialect of the answer; never [`Dialect::Auto`].
    pub dialect: Dialect,
    /// All findings: of reading, of inference, then of the checks. Paths point into the model's own value
    /// if the location is known.
    pub diagnostics: Vec<Diagnostic>,
    /// The safe fixes, for the canonical form.
    pub fixes: Vec<Fix>,
    /// The number of findings fixed by [`apply_fixes`].
    pub fixed: usize,
    /// The locations of its parts in the text.
    pub locations: Locations,
}

/// Whether all of an answer could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// All of it.
    Whole,
    /// Some of it: unreadable parts are omitted or empty, and reported as errors. The value may be shown,
    /// but not used.
    Partial,
}

impl<T> Reviewed<T> {
    /// Returns whether a finding is an error. Then the value must not be used.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        findings::has_errors(&self.diagnostics)
    }

    /// Returns the value if all of the answer could be read, whatever the checks found.
    ///
    /// # Errors
    ///
    /// [`Error::Unreadable`] if the review is partial.
    pub fn into_whole(self) -> Result<T, Error> {
        match self.extent {
            Extent::Whole => Ok(self.value),
            Extent::Partial => {
                let Self { dialect, diagnostics, .. } = self;
                Err(Error::Unreadable { dialect, diagnostics })
            }
        }
    }
}

/// Reads `text`, infers its control flow, and checks it. Returns an error if nothing could be read.
///
/// ```
/// use llmend_plan::{Options, review};
///
/// let answer = r#"{"steps": [{"id": "a", "tool": "x"}, {"id": "b", "tool": "y", "depends_on": ["b"], "inputs": {"q": "{{a.response.id}}"}}]}"#;
/// let reviewed = review(answer, &Options::default())?;
/// let codes: Vec<_> = reviewed.diagnostics.iter().map(|row| &*row.code).collect();
/// assert_eq!(codes, ["plan/undeclared-dependency", "plan/self-dependency"]);
/// // Of two edits of the same list, only the first is offered.
/// let edit = reviewed.diagnostics[0].edit.as_ref().expect("a safe edit");
/// assert_eq!(edit.replacement, r#", "a""#);
/// assert_eq!(reviewed.fixes.len(), 2);
/// # Ok::<(), llmend_plan::Error>(())
/// ```
pub fn review(text: &str, options: &Options) -> Result<Reviewed<Document>, Error> {
    review_partial(read_text_partial(text, options)?, text, options)
}

/// Infers the control flow of a document read from `text`, and checks it. A patch is not checked until
/// it is applied, and a task result not at all.
#[must_use]
pub fn review_document(
    read: ParsedDocument<Document>,
    text: &str,
    options: &Options,
) -> Reviewed<Document> {
    let ParsedDocument { value, dialect, mut diagnostics, locations } = read;
    let (value, locations, found) = match value {
        Document::Workflow(workflow) => {
            let (workflow, locations, found) =
                review_flow(workflow, locations, options, &mut diagnostics);
            let found = found.into_iter().filter_map(|it| adapted(it, dialect)).collect();
            (Document::Workflow(workflow), locations, found)
        }
        other => {
            let found = check(&other, dialect, options);
            (other, locations, found)
        }
    };
    finish(value, dialect, diagnostics, (locations, found), text)
}

/// Applies `patch` to `workflow`, infers the control flow of the result, and checks the whole result.
/// Paths point into the canonical form.
pub fn review_patch(
    workflow: &Workflow,
    patch: &Patch,
    gaps: Gaps,
    options: &Options,
) -> Result<Reviewed<Workflow>, PatchError> {
    let (value, mut diagnostics) = match apply(workflow, patch, gaps)? {
        PatchOutcome::NoChange => (workflow.clone(), vec![no_change()]),
        PatchOutcome::Changed(mut changed) => {
            let edges: Vec<Diagnostic> = changed.removed_edge_diagnostics().collect();
            changed.diagnostics.extend(edges);
            (changed.value, changed.diagnostics)
        }
    };
    let (value, locations, found) =
        review_flow(value, Locations::default(), options, &mut diagnostics);
    Ok(finish(value, Dialect::Workflow, diagnostics, (locations, found), ""))
}

/// Checks a document written in `dialect`.
pub(crate) fn check(document: &Document, dialect: Dialect, options: &Options) -> Vec<Finding> {
    let mut found = document.check(options);
    // Some dialects allow plans without steps.
    let is_plan = matches!(document, Document::Plan(_));
    found.retain(|it| !is_plan || dialect.needs_steps() || it.diagnostic.code != code::EMPTY);
    found.into_iter().filter_map(|it| adapted(it, dialect)).collect()
}

/// Returns a finding as it is reported of a document in `dialect`.
fn adapted(mut found: Finding, dialect: Dialect) -> Option<Finding> {
    if dialect.is_foreign() {
        let row = &mut found.diagnostic;
        match listing::elsewhere(&row.code) {
            Elsewhere::Same => {}
            Elsewhere::Warning => row.severity = row.severity.min(Severity::Warning),
            Elsewhere::Unreported => return None,
        }
    }
    Some(found)
}

/// Infers the control flow of a workflow and checks it.
fn review_flow(
    workflow: Workflow,
    locations: Locations,
    options: &Options,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Workflow, Locations, Vec<Finding>) {
    let inferred = infer(workflow, locations);
    let Inference { workflow, locations, diagnostics: rows } = inferred;
    diagnostics.extend(rows);
    let found = check_workflow(&workflow, options);
    let found = found.into_iter().filter_map(|it| entry::of_stated(it, &locations)).collect();
    (workflow, locations, found)
}

/// Locates the findings of the checks in the text and adds their fixes.
pub(crate) fn finish<T>(
    value: T,
    dialect: Dialect,
    mut diagnostics: Vec<Diagnostic>,
    (locations, found): (Locations, Vec<Finding>),
    text: &str,
) -> Reviewed<T> {
    // The second of two edits of the same list would apply to a text that the first has changed; and a
    // missing dependency may be declared once another one is renamed.
    let mut edited: HashSet<usize> = HashSet::new();
    let renamed = found.iter().filter_map(|it| match it.fix {
        Some(Fix::RenameDependency { step, .. }) => Some(step),
        _ => None,
    });
    let renamed: HashSet<usize> = renamed.collect();
    let mut fixes = Vec::new();
    for Finding { diagnostic, fix } in found {
        let mut row = locations.locate(diagnostic);
        if let Some(fix) = fix {
            let first = match fix {
                Fix::AddDependency { step, .. } => {
                    dialect.declares_dependencies()
                        && !renamed.contains(&step)
                        && edited.insert(step)
                }
                Fix::RemoveDependency { step, .. } => edited.insert(step),
                Fix::RenameDependency { .. } | Fix::RenameEnd { .. } => true,
            };
            row.edit =
                Some(&fix).filter(|_| first).and_then(|fix| edit::edit(fix, &locations, text));
            fixes.push(fix);
        }
        diagnostics.push(row);
    }
    Reviewed { value, extent: Extent::Whole, dialect, diagnostics, fixes, fixed: 0, locations }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Output, check_plan, fix_plan};

    fn edited(text: &str) -> String {
        let reviewed = review(text, &Options::default()).unwrap();
        let mut edits: Vec<_> =
            reviewed.diagnostics.into_iter().filter_map(|row| row.edit).collect();
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.start));
        let mut text = text.to_owned();
        for edit in edits {
            text.replace_range(edit.start..edit.end, &edit.replacement);
        }
        text
    }

    #[test]
    fn edits_match_fixes() {
        let rows = [
            (
                r#"Sure: {"steps": [{"id": "a"}, {"id": "b", "depends_on": ["A"]}]}"#,
                r#"Sure: {"steps": [{"id": "a"}, {"id": "b", "depends_on": ["a"]}]}"#,
            ),
            (
                r#"{"steps": [{"id": "a"}, {"id": "b", "depends_on": ["b", "a"]}]}"#,
                r#"{"steps": [{"id": "a"}, {"id": "b", "depends_on": ["a"]}]}"#,
            ),
            (
                r#"{"steps": [{"id": "a"}, {"id": "b", "depends_on": [], "inputs": {"x": "{{a.y}}"}}]}"#,
                r#"{"steps": [{"id": "a"}, {"id": "b", "depends_on": ["a"], "inputs": {"x": "{{a.y}}"}}]}"#,
            ),
            (
                r#"{"steps": [{"id": "a"}, {"id": "b", "inputs": {"x": "{{a.y}}"}}]}"#,
                r#"{"steps": [{"id": "a"}, {"depends_on": ["a"], "id": "b", "inputs": {"x": "{{a.y}}"}}]}"#,
            ),
            // The field is already there under another name, with a null.
            (
                r#"{"steps": [{"id": "a"}, {"id": "b", "dependsOn": null, "inputs": {"x": "{{a.y}}"}}]}"#,
                r#"{"steps": [{"id": "a"}, {"id": "b", "dependsOn": null, "inputs": {"x": "{{a.y}}"}}]}"#,
            ),
            // A call has no field for dependencies.
            (
                r#"[{"type": "tool_use", "id": "a", "name": "x", "input": {}}, {"type": "tool_use", "id": "b", "name": "x", "input": {"q": "{{a.y}}"}}]"#,
                r#"[{"type": "tool_use", "id": "a", "name": "x", "input": {}}, {"type": "tool_use", "id": "b", "name": "x", "input": {"q": "{{a.y}}"}}]"#,
            ),
            (
                r#"{"tool_calls": [{"id": "a", "function": {"name": "x", "arguments": "{}"}}, {"id": "b", "function": {"name": "x", "arguments": "{\"q\": \"{{a.y}}\"}"}}]}"#,
                r#"{"tool_calls": [{"id": "a", "function": {"name": "x", "arguments": "{}"}}, {"id": "b", "function": {"name": "x", "arguments": "{\"q\": \"{{a.y}}\"}"}}]}"#,
            ),
            // Not strict JSON: the edit would be uncertain.
            (
                "{steps: [{id: 'a'}, {id: 'b', depends_on: ['A']}]}",
                "{steps: [{id: 'a'}, {id: 'b', depends_on: ['A']}]}",
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(edited(text), expected);
            let Document::Plan(mut plan) = review(text, &Options::default()).unwrap().value else {
                panic!("a plan")
            };
            let fixes = review(text, &Options::default()).unwrap().fixes;
            fix_plan(&mut plan, &fixes);
            assert_eq!(check_plan(&plan, &Options::default()), [], "{text}");
        }
    }

    #[test]
    fn all_edits_together_leave_what_can_be_reviewed_again() {
        let mut text = r#"{"steps": [{"id": "a"}, {"id": "c"}, {"id": "b", "depends_on": ["b", "A", "b"], "inputs": {"x": "{{a.y}} {{c.z}}"}}]}"#.to_owned();
        for _ in 0..4 {
            text = edited(&text);
            assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{text}");
        }
        assert_eq!(
            text,
            r#"{"steps": [{"id": "a"}, {"id": "c"}, {"id": "b", "depends_on": ["a", "c"], "inputs": {"x": "{{a.y}} {{c.z}}"}}]}"#
        );
    }

    #[test]
    fn a_flat_plan_becomes_a_checked_workflow() {
        // S3-47, S3-50, S3-64: read, inferred, checked, in this order.
        let answer = r#"{"steps": [
            {"step_type": "Loop", "exit_condition": {"left": {"type": "Literal", "value": {"type": "Bool", "value": true}}, "operator": "Equals", "right": {"type": "Literal", "value": {"type": "Bool", "value": true}}}},
            {"step_type": "Tool", "tool_name": "click", "arguments": {}},
            {"step_type": "EndLoop", "loop_id": "n1"},
            {"step_type": "Tool", "tool_name": "type", "arguments": {}}
        ]}"#;
        let reviewed = review(answer, &Options::default()).unwrap();
        assert!(!reviewed.has_errors(), "{:?}", reviewed.diagnostics);
        let Document::Workflow(workflow) = reviewed.value else { panic!("a workflow") };
        let labels: Vec<_> = workflow.edges.iter().map(|edge| edge.output.clone()).collect();
        assert_eq!(labels, [Some(Output::LoopBody), None, Some(Output::LoopDone), None]);
        assert!(reviewed.diagnostics.iter().all(|row| row.span.is_some()));
    }

    #[test]
    fn a_patch_is_judged_by_its_result() {
        // S3-14, S3-15
        let workflow = crate::sketch::workflow("a b", "a>b");
        let patch: Patch = serde_json::from_str(
            r#"{"add_nodes": [{"id": "c", "type": "tool", "tool": "x"}], "add_edges": [{"from": "a", "to": "c"}]}"#,
        )
        .unwrap();
        let reviewed = review_patch(&workflow, &patch, Gaps::Leave, &Options::default()).unwrap();
        let codes: Vec<_> = reviewed.diagnostics.iter().map(|row| &*row.code).collect();
        assert_eq!(codes, ["workflow/several-successors"]);
    }
}
