//! Reading, checking and writing plans.

use std::{error::Error as _, path::Path};

use llmend::{
    Dialect, PlanningError, Review, ReviewOptions,
    draw::{Format, draw_reviewed},
    json::{self, Diagnostic, Severity},
    plan::{self, Catalog, Document, KeyOrders, Ordered, Reviewed, write_reviewed},
    review_plan_with,
};

use crate::{
    engine::Engine,
    exit::Exit,
    files::{Unusable, load},
    input::{Source, decode, lossy},
    outcome::{Answer, Failure, Layout, ReadPlan},
    render::Color,
};

/// The output format of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A dialect.
    Dialect(Dialect),
    /// A picture.
    Picture(Format),
}

/// Loads the tool catalog in the file at `path`.
pub(crate) fn load_catalog(path: &Path, color: Color) -> Result<Catalog, Box<Unusable>> {
    let read = |node: json::Node<'_>| {
        Catalog::from_node(node).map_err(|error| {
            let mut row = Diagnostic::new(error.code(), Severity::Error, error.to_string());
            if let Some(path) = error.path() {
                row.span = node.pointer(path).map(json::Node::span);
            }
            Box::new(row)
        })
    };
    load(path, "catalog", color, read)
}

/// Reads, checks and writes the plan in `text`.
pub(crate) fn planned<'t>(
    text: &'t str,
    options: &ReviewOptions,
    target: Option<Target>,
    layout: Layout,
) -> Result<Answer<'t>, Failure> {
    let review = review_plan_with(text, options).map_err(|error| failure(&error))?;
    presented(review, target, layout)
}

/// Writes a reviewed plan. Fails with every error of the review.
pub(crate) fn presented(
    review: Review,
    target: Option<Target>,
    layout: Layout,
) -> Result<Answer<'static>, Failure> {
    let Review { reviewed, mut report } = review;
    let written = written(&reviewed, target, layout);
    let Reviewed { value: document, dialect, mut diagnostics, fixed, locations, .. } = reviewed;
    let (text, rows) = match written {
        Ok((text, lost)) => (Some(text), lost),
        Err(reasons) => (None, reasons),
    };
    diagnostics.extend(rows.into_iter().map(|row| locations.locate(row)));
    let read = ReadPlan { dialect, document, fixed };
    let (errors, others): (Vec<_>, Vec<_>) =
        diagnostics.into_iter().partition(|row| row.severity == Severity::Error);
    report.diagnostics.extend(others);
    match text {
        Some(text) if errors.is_empty() => {
            Ok(Answer { json: text.into(), report, fit: None, plan: Some(read) })
        }
        text => Err(Failure {
            report: Some(Box::new(report)),
            plan: Some(Box::new(read)),
            picture: text.filter(|_| matches!(target, Some(Target::Picture(_)))),
            ..Failure::new(Exit::Refused, errors)
        }),
    }
}

/// Writes a document in the target format, by default a plan as a plan and a workflow as a workflow.
/// Returns the text and what the format cannot express, or the errors.
fn written(
    reviewed: &Reviewed<Document>,
    target: Option<Target>,
    layout: Layout,
) -> Result<(String, Vec<Diagnostic>), Vec<Diagnostic>> {
    const PLAN: Target = Target::Dialect(Dialect::Canonical);
    let document = &reviewed.value;
    let dialect = match (target, document) {
        // Written as it was read, whatever the dialect accepts: a plan may have no steps.
        (None | Some(PLAN), Document::Plan(_)) => return Ok(canonical(reviewed, layout)),
        (Some(Target::Picture(format)), _) => match draw_reviewed(reviewed, format) {
            Some(text) => return Ok((text, Vec::new())),
            None => return Err(vec![another(document)]),
        },
        (Some(Target::Dialect(dialect)), _) => dialect,
        (None, Document::Workflow(_)) => Dialect::Workflow,
        (None, other) => return Err(vec![another(other)]),
    };
    let layout = match layout {
        Layout::Kept => plan::Layout::Compact,
        Layout::Indented => plan::Layout::Indented,
    };
    write_reviewed(reviewed, dialect, layout)
        .map(|written| {
            let mut rows = written.lost;
            rows.extend(unsound(reviewed, dialect));
            (written.text, rows)
        })
        .map_err(|error| error.reasons)
}

/// Returns why the workflow written from a plan would be rejected. A flat list of steps has no edges:
/// each step follows the one before.
fn unsound(reviewed: &Reviewed<Document>, dialect: Dialect) -> Vec<Diagnostic> {
    match (&reviewed.value, dialect) {
        (Document::Plan(plan), Dialect::Workflow | Dialect::ClickweaveGraph)
            if !reviewed.has_errors() =>
        {
            plan::check_plan_as_workflow(plan, &reviewed.locations)
        }
        _ => Vec::new(),
    }
}

/// Returns the error for a document that is neither a plan nor a workflow.
fn another(document: &Document) -> Diagnostic {
    let message = format!("expected a plan, found {}", document.what());
    let row = Diagnostic::new(plan::code::ANOTHER_DOCUMENT, Severity::Error, message).on("");
    row.help(match document {
        Document::Patch(_) => "Apply it with `llmend patch`.",
        _ => "Write it with `--to anton-result`.",
    })
}

/// Writes the canonical form. Its keys are all strings, so serialization cannot fail.
fn canonical(reviewed: &Reviewed<Document>, layout: Layout) -> (String, Vec<Diagnostic>) {
    let document = Ordered { document: &reviewed.value, locations: &reviewed.locations };
    let text = match layout {
        Layout::Kept => serde_json::to_string(&document),
        Layout::Indented => serde_json::to_string_pretty(&document),
    };
    (text.unwrap_or_default(), Vec::new())
}

/// Reads the workflow or plan to change. Findings are allowed, since the patch may fix them; a step that
/// cannot be read is an error. Also returns the order of the keys of its arguments.
pub(crate) fn document(
    source: &Source,
    options: &ReviewOptions,
    engine: &Engine,
) -> Result<(Document, KeyOrders), Box<Unusable>> {
    let unusable = |failure, text: &str| {
        Box::new(Unusable { name: source.name(), text: text.to_owned(), failure })
    };
    let bytes = source.read(engine.options.max_bytes).map_err(|failure| unusable(failure, ""))?;
    let text = decode(&bytes).map_err(|failure| {
        let text = lossy(&bytes, &failure);
        unusable(failure, &text)
    })?;
    let review =
        review_plan_with(text, options).map_err(|error| unusable(failure(&error), text))?;
    let mut orders = KeyOrders::default();
    orders.add(&review.reviewed.value, &review.reviewed.locations);
    let document = review.into_whole().map_err(|error| unusable(failure(&error), text))?;
    Ok((document, orders))
}

/// Converts an error of reading a plan.
pub(crate) fn failure(error: &PlanningError) -> Failure {
    match error.source().and_then(|source| source.downcast_ref::<json::Error>()) {
        Some(error) => Failure::from(error),
        None => Failure {
            report: error.report().cloned().map(Box::new),
            ..Failure::new(Exit::Refused, error.diagnostics())
        },
    }
}
