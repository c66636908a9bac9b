//! Tool calls in the notation of any model.
//!
//! Each call is a step with a tool and inputs. The steps are numbered from 1, since few notations have
//! ids, and depend on those to which their inputs refer. The text around the calls becomes notes.

use llmend_calls::{Call, Reading, Refused};
use llmend_json::{Diagnostic, Kind, Relocate, Severity, Span};
use serde_json::Value;

use crate::{
    Catalog, Map, NodeType, Plan, Step, arguments, code,
    dialect::calls,
    findings::Findings,
    locations::below,
    object::Part,
    read::{
        context::{Context, ListItem},
        steps,
    },
};

/// The finding that a name was read as a similar one.
const GUESSED_NAME: &str = "calls/name";

/// Reads the calls in `text` as a plan.
pub(super) fn read(text: &str, context: &mut Context<'_>) -> Plan {
    let offered = context.options.catalog.as_ref().map(Catalog::offered).unwrap_or_default();
    let reading = llmend_calls::read(text, &offered, &llmend_calls::Options::default());
    of_reading(&reading, text, context)
}

/// What is meant as a call.
enum Meant<'r> {
    Call(&'r Call),
    Refused(&'r Refused),
}

impl Meant<'_> {
    const fn span(&self) -> Span {
        match self {
            Self::Call(call) => call.span,
            Self::Refused(refused) => refused.span,
        }
    }
}

/// Converts the calls of `reading`, read from `text`, to a plan.
pub(crate) fn of_reading(reading: &Reading, text: &str, context: &mut Context<'_>) -> Plan {
    let whole = Span::new(0, text.len());
    context.findings.note_text("", whole);
    for row in &reading.diagnostics {
        context.findings.push(row.clone());
    }
    let calls = reading.calls.iter().map(Meant::Call);
    let mut meant: Vec<Meant<'_>> =
        calls.chain(reading.refused.iter().map(Meant::Refused)).collect();
    meant.sort_by_key(|meant| meant.span().start);
    let most = context.options.max_items;
    if meant.len() > most {
        let message = format!("too many calls (limit {most})");
        context.findings.push(Diagnostic::new(code::TOO_MANY, Severity::Error, message).at(whole));
        return Plan::default();
    }
    let items: Vec<ListItem<Step>> = meant
        .iter()
        .enumerate()
        .map(|(at, meant)| {
            let path = format!("/steps/{at}");
            context.item(
                |step: &Step| steps::label(&path, &step.id),
                |context, findings| step(meant, at, &path, context, findings),
            )
        })
        .collect();
    let given = items.len();
    let (mut steps, locations) = steps::keep_valid(items, context);
    if given == 0 && reading.cut.is_none() {
        let row = Diagnostic::new(code::EMPTY, Severity::Error, "no tool call found").at(whole);
        context.findings.push(match context.options.catalog {
            None => row
                .help("Give a catalog of the tools: without one, only calls between marks count."),
            Some(_) => row,
        });
    } else if steps.is_empty() && given > 0 {
        context.report_no_steps(whole, "", given);
    }
    context.lists.insert("steps".to_owned(), locations);
    calls::add_dependencies(&mut steps, context);
    if steps::may_count_from_zero(&steps) {
        let message = "calls are numbered from 1; references by number may count from 0";
        context
            .findings
            .push(Diagnostic::new(code::NUMBERED, Severity::Warning, message).at(whole));
    }
    let notes = Some(reading.text.clone()).filter(|text| !text.trim().is_empty());
    Plan { steps, notes, ..Plan::default() }
}

fn step(
    meant: &Meant<'_>,
    at: usize,
    path: &str,
    context: &Context<'_>,
    findings: &mut Findings,
) -> Step {
    let id = at.saturating_add(1).to_string();
    findings.note_text("", meant.span());
    if context.options.disabled.contains(&NodeType::Tool) {
        let message = format!("steps of type `{}` are disabled", NodeType::Tool);
        findings.error(code::DISABLED_TYPE, path, meant.span(), message);
    }
    match meant {
        Meant::Call(call) => {
            let inputs = inputs(call, path, findings);
            let tool = tool(call, path, context, findings);
            for row in call.diagnostics.iter().filter(|row| row.code != GUESSED_NAME) {
                findings.push(row.clone().on(path));
            }
            Step { id, tool: Some(tool), inputs, ..Step::default() }
        }
        Meant::Refused(refused) => {
            findings.push(refused.diagnostic.clone().on(path));
            Step { id, tool: refused.name.clone(), ..Step::default() }
        }
    }
}

/// Returns the tool of a call. The options of plans tell what becomes of a name that is a near miss.
fn tool(call: &Call, path: &str, context: &Context<'_>, findings: &mut Findings) -> String {
    let guessed = call.diagnostics.iter().any(|row| row.code == GUESSED_NAME);
    let Some(written) = call.written_name.as_ref().filter(|_| guessed) else {
        return call.name.clone();
    };
    let mut tool = written.clone();
    context.admit_tool(&mut tool, &format!("{path}/tool"), call.span, findings);
    tool
}

/// Returns the arguments of a call, and reports how they were made to fit the schema.
fn inputs(call: &Call, path: &str, findings: &mut Findings) -> Map {
    let (span, root) = (call.arguments_span, call.arguments.root());
    let path = format!("{path}/inputs");
    findings.note_text("/inputs", span);
    for (key, value) in root.members() {
        // Added values have no place.
        let mut place = value.span();
        place.relocate(&mut |at| at.saturating_add(span.start));
        if value.span() != Span::at(0) && place.end <= span.end {
            findings.note_text(below("/inputs", key.str().unwrap_or_default()), place);
        }
    }
    for coercion in &call.coercions {
        let path = format!("{path}{}", coercion.path);
        findings.push(arguments::row(coercion).at(coercion.span.unwrap_or(span)).on(path));
    }
    if root.kind() != Kind::Object {
        let message = format!("expected object as arguments, found {}", root.kind().as_str());
        findings.error(code::WRONG_TYPE, &path, span, message);
        return Map::new();
    }
    // Spans count from the start of the arguments.
    let mut within = Findings::default();
    let value = Part { node: root, path, canonical: "/inputs".to_owned() }.carried(&mut within);
    findings.take_at(within, span);
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
