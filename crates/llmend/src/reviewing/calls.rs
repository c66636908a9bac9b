//! The choice between a plan and the tool calls in an answer.
//!
//! A model that is asked for a plan may answer with calls, in its own notation. They are read where the
//! text is no plan, or only a list that quotes or describes what the calls say. A plan stays one.

use llmend_calls::{Accept, Reading, read};
use llmend_json::{ErrorKind, Options, Report, Span, Status};
use llmend_plan::{Catalog, Dialect, Document, ParsedDocument, Step, code, read_calls};

use super::{Read, as_it_stands};
use crate::planning_error::PlanningError;

/// Reads the calls in `answer`, of tools of the catalog. Without a catalog, only marked calls count.
pub(super) fn calls(
    answer: &str,
    text: &Options,
    plan: &llmend_plan::Options,
    accept: Accept,
) -> Calls {
    let offered = plan.catalog.as_ref().map(Catalog::offered).unwrap_or_default();
    let options =
        llmend_calls::Options { accept, json: text.clone(), ..llmend_calls::Options::default() };
    Calls(read(answer, &offered, &options))
}

/// The calls in an answer.
pub(super) struct Calls(Reading);

impl Calls {
    /// Returns whether a call was meant, whether or not it can be used.
    fn any(&self) -> bool {
        !self.0.calls.is_empty() || !self.0.refused.is_empty() || self.0.cut.is_some()
    }

    /// Returns whether all calls that were meant can be used, and there are some.
    fn usable(&self) -> bool {
        !self.0.calls.is_empty() && self.0.is_usable()
    }

    /// Returns the locations of what was meant as a call.
    fn spans(&self) -> impl Iterator<Item = Span> {
        let calls = self.0.calls.iter().map(|call| call.span);
        calls.chain(self.0.refused.iter().map(|refused| refused.span))
    }

    /// Returns the plan of the calls, with the report on their text.
    pub(super) fn plan(self, answer: &str, options: &llmend_plan::Options) -> Read {
        let mut report = as_it_stands(answer);
        let repairs = self.0.calls.iter().flat_map(|call| &call.repairs);
        report.repairs = repairs.cloned().collect();
        report.repairs.sort_by_key(|repair| repair.span);
        if !report.repairs.is_empty() {
            report.status = Status::Repaired;
        }
        let report = Report { class: self.0.class(), cut: self.0.cut, ..report };
        (read_calls(&self.0, answer, options), report)
    }
}

/// Returns the calls in `answer` in place of its `ordinary` reading, if they say more.
pub(super) fn instead(
    ordinary: Result<Read, PlanningError>,
    answer: &str,
    text: &Options,
    plan: &llmend_plan::Options,
) -> Result<Read, PlanningError> {
    let (content, read) = match &ordinary {
        Ok((read, _)) => (content(read), Some(read)),
        Err(error) if is_about_limits(error) => (Content::Plan, None),
        Err(_) => (Content::Nothing, None),
    };
    let accept = match content {
        Content::Plan => return ordinary,
        Content::Nothing | Content::Texts | Content::Faulty => Accept::Auto,
        Content::Calls | Content::List => Accept::Marked,
    };
    let found = calls(answer, text, plan, accept);
    let says_more = match content {
        Content::Faulty | Content::List => found.usable(),
        _ => found.any(),
    };
    if says_more && !read.is_some_and(|read| is_within(&found, read, answer)) {
        return Ok(found.plan(answer, plan));
    }
    ordinary
}

/// Returns whether the text exceeds a limit: then nothing else reads it.
fn is_about_limits(error: &PlanningError) -> bool {
    let limits = [ErrorKind::Bytes, ErrorKind::Depth, ErrorKind::Repairs, ErrorKind::Utf8];
    error.json_kind().is_some_and(|kind| limits.contains(&kind))
}

/// What the ordinary reading made of an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// No step.
    Nothing,
    /// A JSON list of texts, or only quoted calls.
    Texts,
    /// A JSON list of tools with inputs, as calls are.
    Calls,
    /// A Markdown list.
    List,
    /// Another plan, with errors.
    Faulty,
    /// Anything else.
    Plan,
}

fn content(read: &ParsedDocument<Option<Document>>) -> Content {
    let steps = match &read.value {
        None => return Content::Nothing,
        Some(Document::Plan(plan)) if plan.steps.is_empty() && read.has_errors() => {
            return Content::Nothing;
        }
        Some(Document::Plan(plan)) if plan.steps.is_empty() => return Content::Plan,
        Some(Document::Plan(plan)) => &plan.steps,
        Some(_) => return Content::Plan,
    };
    let numbered =
        || steps.iter().enumerate().all(|(at, step)| step.id == at.saturating_add(1).to_string());
    let quoted = read.diagnostics.iter().filter(|row| row.code == code::QUOTED_CALL).count();
    let faulty = read.has_errors();
    match read.dialect {
        _ if quoted > 0 && quoted == steps.len() => Content::Texts,
        Dialect::Canonical if numbered() && steps.iter().all(is_text) => Content::Texts,
        Dialect::Canonical if !faulty && steps.iter().all(is_call) => Content::Calls,
        Dialect::Markdown => Content::List,
        dialect if faulty && !dialect.is_text() => Content::Faulty,
        _ => Content::Plan,
    }
}

/// Returns whether a step is only a text.
fn is_text(step: &Step) -> bool {
    let alone =
        Step { id: step.id.clone(), description: step.description.clone(), ..Step::default() };
    *step == alone && step.description.is_some()
}

/// Returns whether a step is only a tool with inputs.
fn is_call(step: &Step) -> bool {
    let (id, tool, inputs) = (step.id.clone(), step.tool.clone(), step.inputs.clone());
    let metadata = step.metadata.clone();
    *step == Step { id, tool, inputs, metadata, ..Step::default() } && step.tool.is_some()
}

/// Returns whether a call is written in a string of a step of `read`, with other text: then it is
/// part of what the step says.
fn is_within(found: &Calls, read: &ParsedDocument<Option<Document>>, answer: &str) -> bool {
    let steps = read.locations.lists.get("steps").into_iter().flatten();
    let steps: Vec<Span> = steps.filter_map(|step| Some(step.whole.as_ref()?.span)).collect();
    found.spans().any(|call| {
        let around = |step: &&Span| {
            let is_alone = step.start + 1 == call.start && call.end + 1 == step.end;
            step.start < call.start && call.end < step.end && !is_alone
        };
        let before = |step: &Span| Span::new(step.start, call.start).of(answer);
        steps.iter().filter(around).any(|step| ends_in_string(before(step)))
    })
}

/// Returns whether a string of `json` is still open at its end.
fn ends_in_string(json: &str) -> bool {
    let (mut quote, mut escaped) = (None, false);
    for one in json.chars() {
        match (quote, one) {
            _ if std::mem::take(&mut escaped) => {}
            (Some(_), '\\') => escaped = true,
            (Some(close), _) if one == close => quote = None,
            (None, '"' | '\'') => quote = Some(one),
            (None, '“') => quote = Some('”'),
            _ => {}
        }
    }
    quote.is_some()
}
