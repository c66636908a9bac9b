//! Applying the patch in an answer to a plan or a workflow.

use llmend_json::{Diagnostic, Node, SerdeLoss, SerdeLossKind, Severity};
use llmend_plan::{
    Dialect, Document, Error, Gaps, KeyOrders, Locations, OnBadStep, ParsedDocument, Patch,
    PatchOutcome, Plan, PlanPatch, Workflow, apply, apply_to_plan, patch::no_change, read_patch,
    review_document,
};

use crate::{
    PlanningError, Review, ReviewOptions, metrics::parse_counted, planning::counted_as,
    planning_error::Cause, reviewing::hinted,
};

/// Keys of patches that are unlikely to occur elsewhere in an answer.
pub(crate) const FIELDS: [&str; 14] = [
    "remove_nodes",
    "remove_node_ids",
    "update_nodes",
    "add_nodes",
    "append_nodes",
    "remove_edges",
    "add_edges",
    "insert_before",
    "remove_steps",
    "update_steps",
    "add_steps",
    "remove_dependencies",
    "add_dependencies",
    "op",
];

/// Applies the patch in `answer` to `document`: all of it, or nothing with every reason why not.
/// The result is checked as a whole, since a patch cannot be checked alone; the findings have paths
/// in the canonical form of the result, and no places.
///
/// For a workflow the patch may be llmend's own or Clickweave's, for a plan a patch of steps and
/// dependencies (`remove_steps`, `update_steps`, `add_steps`, `remove_dependencies`,
/// `add_dependencies`), and for both the operations of RFC 6902 on the canonical form.
///
/// ```
/// use llmend::{ReviewOptions, plan::{Document, Gaps}};
///
/// let plan = llmend::review_plan("{steps: [{id: 'a'}, {id: 'b', depends_on: ['a']}]}")?.into_whole()?;
/// let answer = "Leave out the first one: {'remove_steps': ['a']}";
/// let review = llmend::review_patch_with(&plan, answer, Gaps::Leave, &ReviewOptions::default())?;
/// let Document::Plan(changed) = review.reviewed.value else { panic!("a plan") };
/// assert_eq!(changed.steps.len(), 1);
///
/// let refused = llmend::review_patch_with(&plan, "{'remove_steps': ['c']}", Gaps::Leave, &ReviewOptions::default());
/// assert_eq!(refused.unwrap_err().diagnostics()[0].code, "patch/unknown");
/// # Ok::<(), llmend::PlanningError>(())
/// ```
pub fn review_patch_with(
    document: &Document,
    answer: &str,
    gaps: Gaps,
    options: &ReviewOptions,
) -> Result<Review, PlanningError> {
    counted_as(
        || {
            let parsed = parse_counted(answer, &hinted(&options.text, &FIELDS))
                .map_err(|error| Cause::json(error, &options.text))?;
            match patched(document, &parsed.value, gaps, &options.plan) {
                Ok(made) => {
                    let mut reviewed = reviewed(made, options);
                    let mut orders = KeyOrders::default();
                    orders.read(parsed.value.root());
                    orders.locate(&mut reviewed);
                    Ok(Review { reviewed, report: parsed.report })
                }
                Err(error) => Err(Cause::Schema { error, report: parsed.report }.into()),
            }
        },
        |review| !review.reviewed.has_errors(),
    )
}

/// A document, and the findings in the patch that made it.
struct Made {
    document: Document,
    /// The dialect of the patch.
    dialect: Dialect,
    diagnostics: Vec<Diagnostic>,
}

impl Made {
    fn new<T: Clone + Into<Document>>(
        before: &T,
        patched: PatchOutcome<T>,
        dialect: Dialect,
        place: impl Fn(Diagnostic) -> Diagnostic,
    ) -> Self {
        let (document, diagnostics) = match patched {
            PatchOutcome::NoChange => (before.clone().into(), vec![no_change()]),
            PatchOutcome::Changed(changed) => {
                let edges: Vec<Diagnostic> = changed.removed_edge_diagnostics().collect();
                let rows = changed.diagnostics.into_iter().map(place).chain(edges).collect();
                (changed.value.into(), rows)
            }
        };
        Self { document, dialect, diagnostics }
    }
}

/// Checks the result as a whole. Locations in the patch do not apply to it.
fn reviewed(made: Made, options: &ReviewOptions) -> llmend_plan::Reviewed<Document> {
    let Made { document: value, dialect, mut diagnostics } = made;
    let read =
        ParsedDocument { value, dialect, diagnostics: Vec::new(), locations: Locations::default() };
    let reviewed = review_document(read, "", &options.plan);
    let mut reviewed = options.fixes.of(reviewed, &options.plan);
    diagnostics.append(&mut reviewed.diagnostics);
    reviewed.diagnostics = diagnostics;
    reviewed
}

fn patched(
    document: &Document,
    value: &llmend_json::Value<'_>,
    gaps: Gaps,
    options: &llmend_plan::Options,
) -> Result<Made, Error> {
    let root = value.root();
    match document {
        Document::Workflow(workflow) if is_operations(root) => {
            let operations = carried(root)?;
            let patch = Patch::from_json_patch(workflow, &operations)
                .map_err(|error| refused(error.violations, |row| placed(root, row)))?;
            let after =
                apply(workflow, &patch, gaps).map_err(|error| refused(error.violations, |row| row));
            Ok(Made::new(workflow, after?, Dialect::Patch, |row| row))
        }
        Document::Workflow(workflow) => of_workflow(workflow, value, gaps, options),
        // A patch of nodes and edges is one of the workflow that the plan is, as in a comparison.
        Document::Plan(plan) if is_of_nodes(root) => {
            of_workflow(&plan.to_workflow().workflow, value, gaps, options)
        }
        Document::Plan(plan) => of_plan(plan, root, gaps),
        other => {
            let what = other.what();
            let message = format!("expected a plan or workflow to patch, found {what}");
            let code = llmend_plan::code::ANOTHER_DOCUMENT;
            let row = Diagnostic::new(code, Severity::Error, message).on("");
            Err(refused(vec![row], |row| row))
        }
    }
}

/// Returns the error of a patch in an unnamed form, with these reasons.
fn refused(reasons: Vec<Diagnostic>, place: impl Fn(Diagnostic) -> Diagnostic) -> Error {
    let diagnostics = reasons.into_iter().map(place).collect();
    Error::Unreadable { dialect: Dialect::Patch, diagnostics }
}

fn of_workflow(
    workflow: &Workflow,
    value: &llmend_json::Value<'_>,
    gaps: Gaps,
    options: &llmend_plan::Options,
) -> Result<Made, Error> {
    // A patch is applied as a whole: an unusable entry is omitted only if the options ask for that.
    let options = llmend_plan::Options {
        dialect: match options.dialect {
            named @ (Dialect::Patch | Dialect::ClickweavePatch) => named,
            _ => Dialect::Auto,
        },
        on_bad_step: options.on_bad_step.or(Some(OnBadStep::Fail)),
        ..options.clone()
    };
    let ParsedDocument { value: patch, dialect, mut diagnostics, locations } =
        read_patch(value, &options)?;
    match apply(workflow, &patch, gaps) {
        Ok(after) => {
            let made = Made::new(workflow, after, dialect, |row| locations.locate(row));
            diagnostics.extend(made.diagnostics);
            Ok(Made { diagnostics, ..made })
        }
        Err(error) => {
            let reasons = error.violations.into_iter().map(|row| locations.locate(row));
            Err(Error::Unreadable {
                dialect,
                diagnostics: diagnostics.into_iter().chain(reasons).collect(),
            })
        }
    }
}

fn of_plan(plan: &Plan, root: Node<'_>, gaps: Gaps) -> Result<Made, Error> {
    let all = |rows: Vec<Diagnostic>| refused(rows, |row| placed(root, row));
    let carried = carried(root)?;
    let patch = if is_operations(root) {
        PlanPatch::from_json_patch(plan, &carried).map_err(|error| all(error.violations))?
    } else {
        root.deserialize::<PlanPatch>()
            .map_err(|error| refused(vec![Diagnostic::from(&error)], |row| row))?
    };
    let after = apply_to_plan(plan, &patch, gaps).map_err(|error| all(error.violations))?;
    Ok(Made::new(plan, after, Dialect::Patch, |row| placed(root, row)))
}

/// Returns the patch in the types of a plan, or the reasons why a plan cannot represent it.
fn carried(root: Node<'_>) -> Result<serde_json::Value, Error> {
    let converted = root.to_serde();
    let mut rows: Vec<_> = converted.lost.iter().filter_map(not_carried).collect();
    if converted.unlisted > 0 {
        let message = "too many values of this patch cannot be represented in a plan";
        let row = Diagnostic::new(llmend_plan::code::NOT_CARRIED, Severity::Error, message);
        rows.push(row.at(root.span()).on(""));
    }
    let value = match converted.value {
        operation @ serde_json::Value::Object(_) if is_operations(root) => {
            serde_json::Value::Array(vec![operation])
        }
        value => value,
    };
    if rows.is_empty() { Ok(value) } else { Err(refused(rows, |row| row)) }
}

fn not_carried(lost: &SerdeLoss) -> Option<Diagnostic> {
    let message = match lost.what {
        SerdeLossKind::Number => "number exceeds 64 bits; write it as a string",
        SerdeLossKind::Depth => "value is nested too deeply for a plan",
        _ => return None,
    };
    let row = Diagnostic::new(llmend_plan::code::NOT_CARRIED, Severity::Error, message);
    Some(row.at(lost.span).on(&*lost.path))
}

/// Returns whether the node is a list of RFC 6902 operations, or one of them.
fn is_operations(root: Node<'_>) -> bool {
    root.items().next().unwrap_or(root).get("op").is_some()
}

/// Returns whether the node is a patch of nodes and edges, and not of steps.
fn is_of_nodes(root: Node<'_>) -> bool {
    let mut keys = root.members().filter_map(|(key, _)| key.str()).peekable();
    keys.peek().is_some() && keys.all(|key| FIELDS.contains(&key) && is_node_field(key))
}

fn is_node_field(key: &str) -> bool {
    key.contains("_node") || key.contains("_edge") || key == "insert_before"
}

/// Locations a finding at its path in the patch, or at the innermost part around it.
fn placed(root: Node<'_>, row: Diagnostic) -> Diagnostic {
    let Some(path) = row.path.as_deref() else { return row };
    let mut head = path;
    loop {
        if let Some(node) = root.pointer(head) {
            let span = node.span();
            return row.at(span);
        }
        head = head.rfind('/').and_then(|at| head.get(..at)).unwrap_or_default();
    }
}
