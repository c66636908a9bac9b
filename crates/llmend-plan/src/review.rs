//! What does an answer say, once it is read, its control flow inferred, and all of it checked?

use std::collections::HashSet;

use llmend_json::{Diagnostic, Severity};

use crate::{
    Dialect, Document, Error, Finding, Fix, Gaps, Inference, Options, ParsedDocument, Patch,
    PatchError, PatchOutcome, Places, Workflow, apply, check_workflow, code, edit, infer,
    partly::review_partly, patch::no_change, read_text_partial,
};

/// An answer that was read, inferred and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Reviewed<T> {
    /// What it says.
    pub value: T,
    /// How much of the answer that is.
    pub extent: Extent,
    /// How it was read; never [`Dialect::Auto`].
    pub dialect: Dialect,
    /// Every finding: first those of the reading, then what was inferred, then those of the checks.
    /// Paths are those of the model's own value, where the place is known.
    pub diagnostics: Vec<Diagnostic>,
    /// What puts right what can safely be put right, in the canonical form.
    pub fixes: Vec<Fix>,
    /// How many of the findings were put right: see [`put_right`](crate::put_right).
    pub put_right: usize,
    /// Where its parts stand in the text.
    pub places: Places,
}

/// How much of an answer could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// All of it.
    Whole,
    /// Not all: what could not be read is left out or has its fields empty, and errors say so. It is to
    /// be shown, and not to be used.
    Part,
}

impl<T> Reviewed<T> {
    /// Whether a finding is an error, so that the value is not to be used.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|row| row.severity == Severity::Error)
    }

    /// What it says, if all of the answer could be read. What a check finds in it may be what a change
    /// is to mend; what is left out of it nobody can change.
    pub fn into_whole(self) -> Result<T, Error> {
        match self.extent {
            Extent::Whole => Ok(self.value),
            Extent::Part => {
                let Self { dialect, diagnostics, .. } = self;
                Err(Error::Unreadable { dialect, diagnostics })
            }
        }
    }
}

/// Reads what `text` says, infers its control flow, and checks it. An error means that nothing of it
/// could be read.
///
/// ```
/// use llmend_plan::{Options, review};
///
/// let answer = r#"{"steps": [{"id": "a", "tool": "x"}, {"id": "b", "tool": "y", "depends_on": ["b"], "inputs": {"q": "{{a.response.id}}"}}]}"#;
/// let reviewed = review(answer, &Options::default())?;
/// let codes: Vec<_> = reviewed.diagnostics.iter().map(|row| &*row.code).collect();
/// assert_eq!(codes, ["plan/undeclared-dependency", "plan/self-dependency"]);
/// // Of two edits of one list, one is offered at a time.
/// let edit = reviewed.diagnostics[0].edit.as_ref().expect("a safe edit");
/// assert_eq!(edit.replacement, r#", "a""#);
/// assert_eq!(reviewed.fixes.len(), 2);
/// # Ok::<(), llmend_plan::Error>(())
/// ```
pub fn review(text: &str, options: &Options) -> Result<Reviewed<Document>, Error> {
    review_partly(read_text_partial(text, options)?, text, options)
}

/// Infers the control flow of what was read from `text`, and checks it. A patch and the report of a
/// task stay as they are: whether a patch fits is seen when it is applied.
#[must_use]
pub fn review_document(
    read: ParsedDocument<Document>,
    text: &str,
    options: &Options,
) -> Reviewed<Document> {
    let ParsedDocument { value, dialect, mut diagnostics, places } = read;
    let (value, places, found) = match value {
        Document::Workflow(workflow) => {
            let (workflow, places, found) = flow(workflow, places, options, &mut diagnostics);
            (Document::Workflow(workflow), places, found)
        }
        other => {
            let found = check(&other, dialect, options);
            (other, places, found)
        }
    };
    finish(value, dialect, diagnostics, (places, found), text)
}

/// Applies `patch` to `workflow`, infers the control flow of what comes of it, and checks that: the
/// whole workflow, since a patch alone cannot be judged. Paths are those of the canonical form.
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
    let (value, places, found) = flow(value, Places::default(), options, &mut diagnostics);
    Ok(finish(value, Dialect::Workflow, diagnostics, (places, found), ""))
}

/// Everything that is wrong with a document that was written in `dialect`.
pub(crate) fn check(document: &Document, dialect: Dialect, options: &Options) -> Vec<Finding> {
    let mut found = document.check(options);
    // A plan without steps is one where its dialect says so.
    let is_plan = matches!(document, Document::Plan(_));
    found.retain(|it| !is_plan || dialect.needs_steps() || it.diagnostic.code != code::EMPTY);
    found
}

fn flow(
    workflow: Workflow,
    places: Places,
    options: &Options,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Workflow, Places, Vec<Finding>) {
    let inferred = infer(workflow, places);
    let Inference { workflow, places, diagnostics: rows } = inferred;
    diagnostics.extend(rows);
    let found = check_workflow(&workflow, options);
    (workflow, places, found)
}

/// Everything that was found, in its place in the text.
pub(crate) fn finish<T>(
    value: T,
    dialect: Dialect,
    mut diagnostics: Vec<Diagnostic>,
    (places, found): (Places, Vec<Finding>),
    text: &str,
) -> Reviewed<T> {
    // Of two edits of one list, the second would be of a text that the first has changed; and what is
    // not declared may be, once a name is spelt right.
    let mut edited: HashSet<usize> = HashSet::new();
    let renamed = found.iter().filter_map(|it| match it.fix {
        Some(Fix::RenameDependency { step, .. }) => Some(step),
        _ => None,
    });
    let renamed: HashSet<usize> = renamed.collect();
    let mut fixes = Vec::new();
    for Finding { diagnostic, fix } in found {
        let mut row = places.locate(diagnostic);
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
            row.edit = Some(&fix).filter(|_| first).and_then(|fix| edit::edit(fix, &places, text));
            fixes.push(fix);
        }
        diagnostics.push(row);
    }
    Reviewed { value, extent: Extent::Whole, dialect, diagnostics, fixes, put_right: 0, places }
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
    fn edits_do_in_the_text_what_fixes_do() {
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
            // A null stands there already, under one of its names.
            (
                r#"{"steps": [{"id": "a"}, {"id": "b", "dependsOn": null, "inputs": {"x": "{{a.y}}"}}]}"#,
                r#"{"steps": [{"id": "a"}, {"id": "b", "dependsOn": null, "inputs": {"x": "{{a.y}}"}}]}"#,
            ),
            // A call has no field for what comes first.
            (
                r#"[{"type": "tool_use", "id": "a", "name": "x", "input": {}}, {"type": "tool_use", "id": "b", "name": "x", "input": {"q": "{{a.y}}"}}]"#,
                r#"[{"type": "tool_use", "id": "a", "name": "x", "input": {}}, {"type": "tool_use", "id": "b", "name": "x", "input": {"q": "{{a.y}}"}}]"#,
            ),
            (
                r#"{"tool_calls": [{"id": "a", "function": {"name": "x", "arguments": "{}"}}, {"id": "b", "function": {"name": "x", "arguments": "{\"q\": \"{{a.y}}\"}"}}]}"#,
                r#"{"tool_calls": [{"id": "a", "function": {"name": "x", "arguments": "{}"}}, {"id": "b", "function": {"name": "x", "arguments": "{\"q\": \"{{a.y}}\"}"}}]}"#,
            ),
            // No strict JSON: what would be put there is not certain.
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
    fn a_patch_is_judged_by_what_comes_of_it() {
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
