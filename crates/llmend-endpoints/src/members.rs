//! Members that several answers have.

use llmend::draw::{Format, draw_reviewed};
use llmend::json::{Candidate, Report};
use llmend::{Class, PlanningError, Review, Value as Parsed};
use serde_json::{Map, Value, json};

use crate::Refusal;

/// Maximum number of parts with positions, because those of a long list would be many times its size.
const MAX_PLACES: usize = 200_000;

/// Returns the byte range `[start, end]` of each part of a value in the caller's text, in document order: a
/// container before its contents, a key before its value. Limited to the first [`MAX_PLACES`] parts. The spans of
/// the value count from `start`.
pub(crate) fn places(value: &Parsed<'_>, start: usize) -> Value {
    let nodes = (0..value.parts().min(MAX_PLACES)).filter_map(|at| value.node(at));
    nodes.map(|node| json!([start + node.span().start, start + node.span().end])).collect()
}

/// Converts the report on a text to JSON.
pub(crate) fn report(report: &Report, class: Option<Class>) -> Map<String, Value> {
    let Candidate { span, origin } = report.candidate;
    let mut members = Map::new();
    members.insert("status".to_owned(), json!(report.status.as_str()));
    members.insert("class".to_owned(), json!(class));
    members.insert("truncated".to_owned(), json!(report.truncated()));
    members.insert(
        "candidate".to_owned(),
        json!({"start": span.start, "end": span.end, "origin": origin.as_str()}),
    );
    members.insert("repairs".to_owned(), json!(report.repairs));
    members
}

/// Converts a review to JSON.
pub(crate) fn reviewed(review: &Review, drawn: Option<Format>) -> Map<String, Value> {
    let Review { reviewed, report: of_text } = review;
    let mut members = report(of_text, of_text.class);
    let mut diagnostics = of_text.diagnostics.clone();
    diagnostics.extend(reviewed.diagnostics.iter().cloned());
    members.insert("valid".to_owned(), json!(!reviewed.has_errors()));
    members.insert("dialect".to_owned(), json!(reviewed.dialect.as_str()));
    members.insert("document".to_owned(), json!(reviewed.value));
    members.insert("diagnostics".to_owned(), json!(diagnostics));
    if let Some(format) = drawn {
        // Null for a patch or a task report, which are not graphs.
        members.insert("drawing".to_owned(), json!(draw_reviewed(reviewed, format)));
    }
    members
}

/// Converts a valid review to JSON. Fails if it has errors.
pub(crate) fn usable(
    review: &Review,
    drawn: Option<Format>,
) -> Result<Map<String, Value>, Refusal> {
    let members = reviewed(review, drawn);
    if !review.reviewed.has_errors() {
        return Ok(members);
    }
    let rows = review.reviewed.diagnostics.clone();
    let mut refusal = Refusal::text("invalid plan", rows);
    refusal.more = members;
    Err(refusal)
}

/// Returns the refusal of an unreadable text; `what` begins its message.
pub(crate) fn unread(what: &str, error: &PlanningError) -> Refusal {
    let mut refusal = Refusal::text(what, error.diagnostics());
    error.code().clone_into(&mut refusal.code);
    refusal.more = error.report().map(|of_text| report(of_text, of_text.class)).unwrap_or_default();
    refusal
}
