//! Tool calls, for people and for programs.

use std::fmt::Write as _;

use annotate_snippets::{Group, Level};
use llmend::{
    calls::{Call, CallEvent, Reading},
    json::{Diagnostic, Severity, line_column},
};
use serde_json::json;

use crate::{
    outcome::Failure,
    render::{
        Color, Named,
        annotate::origin,
        counted, edits,
        explain::{alike, push},
        report::Problem,
        summary::names,
        visible,
    },
};

/// Characters of the names in a summary that are shown.
const SHOWN_NAMES: usize = 400;
/// Characters of a name that are shown.
const SHOWN_NAME: usize = 80;

/// Returns the calls and the text as a JSON object, without a line end. Numbers keep their digits.
pub(crate) fn object(reading: &Reading) -> String {
    let calls: Vec<String> = reading.calls.iter().map(call).collect();
    let mut out = format!("{{\"calls\":[{}],\"text\":{}", calls.join(","), json!(reading.text));
    if !reading.reasoning.is_empty() {
        let _ = write!(out, ",\"reasoning\":{}", json!(reading.reasoning));
    }
    if reading.truncated() {
        out.push_str(",\"truncated\":true");
    }
    out.push('}');
    out
}

fn call(call: &Call) -> String {
    let id = call.id.as_ref().map(|id| format!(",\"id\":{}", json!(id))).unwrap_or_default();
    // Who reads nothing else has to see which calls cannot be made.
    let violations = if call.violations.is_empty() {
        String::new()
    } else {
        format!(",\"violations\":{}", json!(call.violations))
    };
    format!("{{\"name\":{},\"arguments\":{}{id}{violations}}}", json!(call.name), call.arguments)
}

/// Returns the report, without a line end: the members of [`Reading::to_json`] between `status` and `error`.
pub(crate) fn report(reading: &Reading, line: Option<usize>) -> String {
    written(reading, line, status(reading), errors(reading).first())
}

/// Returns the report of a text that could not be read, without a line end.
pub(crate) fn report_failure(failure: &Failure, line: Option<usize>) -> String {
    let reading = Reading { diagnostics: failure.diagnostics.clone(), ..Reading::default() };
    written(&reading, line, "refused", failure.reason())
}

fn written(
    reading: &Reading,
    line: Option<usize>,
    status: &str,
    reason: Option<&Diagnostic>,
) -> String {
    let line = line.map(|line| format!("\"line\":{line},")).unwrap_or_default();
    let members = reading.to_json();
    let members = members.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    let error = serde_json::to_string(&reason.map(Problem::of)).unwrap_or_default();
    format!("{{{line}\"status\":\"{status}\",{},\"error\":{error}}}", members.unwrap_or_default())
}

/// Returns the errors in the order of the text.
pub(crate) fn errors(reading: &Reading) -> Vec<Diagnostic> {
    let is_error = |row: &Diagnostic| row.severity == Severity::Error;
    let mut errors: Vec<Diagnostic> = reading.findings().filter(is_error).collect();
    errors.sort_by_key(|row| row.span.map(|span| span.start));
    errors
}

/// Returns the line of an event of `llmend stream --as calls`.
pub(crate) fn event(event: &CallEvent) -> String {
    let members = match event {
        CallEvent::Text(text) => format!("\"text\",\"text\":{}", json!(text)),
        CallEvent::Reasoning(text) => format!("\"reasoning\",\"text\":{}", json!(text)),
        CallEvent::AllReasoning => "\"all-reasoning\"".to_owned(),
        CallEvent::Started { index, name, id } => {
            format!("\"started\",\"index\":{index},\"name\":{},\"id\":{}", json!(name), json!(id))
        }
        CallEvent::Arguments { index, delta } => {
            format!("\"arguments\",\"index\":{index},\"delta\":{}", json!(delta))
        }
        CallEvent::Done { index, call } => {
            format!("\"done\",\"index\":{index},\"call\":{}", call.to_json())
        }
        CallEvent::Abandoned { index } => format!("\"abandoned\",\"index\":{index}"),
        CallEvent::Refused(refused) => {
            let refused = serde_json::to_string(refused).unwrap_or_default();
            let members = refused.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
            format!("\"refused\",{}", members.unwrap_or_default())
        }
    };
    format!("{{\"event\":{members}}}\n")
}

/// Returns what happened to the calls, in a word.
pub(crate) fn status(reading: &Reading) -> &'static str {
    if !reading.is_usable() {
        "refused"
    } else if reading.calls.iter().any(|call| !call.coercions.is_empty()) {
        "coerced"
    } else if reading.calls.iter().any(|call| call.class.is_some()) {
        "repaired"
    } else if reading.calls.is_empty() {
        "unchanged"
    } else {
        "extracted"
    }
}

/// Renders each call with its repairs and coercions, and the findings below an error.
pub(crate) fn explain(source: Named<'_>, reading: &Reading, color: Color) -> String {
    let mut out = String::new();
    for call in &reading.calls {
        push(&mut out, &[heading(source, call)], color);
        push(&mut out, &edits::repairs(source, &call.repairs), color);
        push(&mut out, &edits::coercions(source, &call.coercions), color);
    }
    let findings: Vec<Diagnostic> = reading.findings().collect();
    alike(&mut out, source, findings.iter().filter(|row| row.severity < Severity::Error), color);
    out
}

fn heading<'a>(source: Named<'a>, call: &Call) -> Group<'a> {
    let (first, _) = line_column(source.text, call.span.start);
    let (last, _) = line_column(source.text, call.span.end);
    let lines =
        if first == last { format!("line {first}") } else { format!("lines {first} to {last}") };
    let mut title = format!(
        "call of `{}`, read as {}, {lines}",
        visible(&call.name, SHOWN_NAME),
        call.notation.name
    );
    if let Some(class) = call.class {
        let _ = write!(title, " (worst class: {})", class.as_str());
    }
    Group::with_title(Level::INFO.primary_title(title)).element(origin(source, call.span))
}

/// Returns the summary, without a line end.
pub(crate) fn summary(reading: &Reading) -> String {
    let Reading { calls, .. } = reading;
    let mut out = String::from("llmend: ");
    if calls.is_empty() {
        out.push_str("no call");
    } else {
        out.push_str(&counted(calls.len(), "call"));
    }
    if let Some(class) = reading.class() {
        let _ = write!(out, " ({})", class.as_str());
    }
    let mut parts = Vec::new();
    if !calls.is_empty() {
        let tools = names(calls.iter().map(|call| call.name.as_str()), "tool");
        let mut notations: Vec<&str> = calls.iter().map(|call| call.notation.name).collect();
        notations.sort_unstable();
        notations.dedup();
        parts.push(format!("{}, read as {}", visible(&tools, SHOWN_NAMES), notations.join(", ")));
    }
    let repairs = calls.iter().flat_map(|call| &call.repairs).map(|repair| repair.rule.name());
    let coercions = calls.iter().flat_map(|call| &call.coercions).map(|one| one.kind.name());
    let (repairs, coercions) = (names(repairs, "rule"), names(coercions, "coercion"));
    if !repairs.is_empty() {
        parts.push(format!("repaired by {repairs}"));
    }
    if !coercions.is_empty() {
        parts.push(format!("coerced by {coercions}"));
    }
    if !parts.is_empty() {
        let _ = write!(out, ": {}", parts.join("; "));
    }
    let warnings = reading.findings().filter(|row| row.severity == Severity::Warning).count();
    if warnings > 0 {
        let _ = write!(out, "; {}", counted(warnings, "warning"));
    }
    out
}
