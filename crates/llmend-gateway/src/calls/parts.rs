//! The parts of an answer that were read in its texts.

use llmend::json::Class;
use llmend::{Diagnostic, Severity};

use crate::answer::from_text::{FromText, TextCall, UnreadCall};
use crate::answer::part::{
    Cut, Edits, Fault, FaultKind, Location, PartKind, Repaired, ResponsePart,
};
use crate::calls::ToolChoice;
use crate::protocol::request::OutputRequest;

/// The names by which reports list what was done, beside those of the rules.
const FROM_TEXT: &str = "call-from-text";
const DROPPED: &str = "dropped-call";

/// Returns the parts of the calls that were read.
pub(crate) fn read_parts(
    found: &FromText,
    choice: u32,
    request: &OutputRequest,
) -> Vec<ResponsePart> {
    let first = found.first;
    let numbered = found.calls.iter().zip(first..);
    let mut parts: Vec<ResponsePart> =
        numbered.map(|(call, index)| call_part(call, choice, index, request)).collect();
    if let Some(Ok(last)) = parts.last_mut().map(|part| part.outcome.as_mut()) {
        last.done.extend((0..found.dropped).map(|_| (DROPPED, Class::Loss)));
        if found.dropped > 0 {
            last.class = Some(Class::Loss);
        }
    }
    let unread = found.unread.iter().zip(first + found.calls.len()..);
    parts.extend(unread.map(|(unread, index)| unread_part(unread, choice, index, request)));
    parts
}

fn location(name: &str, choice: u32, index: usize, request: &OutputRequest) -> Location {
    let kind = PartKind::Call { index, name: name.to_owned() };
    let path = request.protocol.adapter().path(choice, &kind);
    Location { choice, kind, path }
}

/// Returns the part of a call that was read.
fn call_part(read: &TextCall, choice: u32, index: usize, request: &OutputRequest) -> ResponsePart {
    let TextCall { source, call, .. } = read;
    let place = location(&call.name, choice, index, request);
    let arguments = call.arguments.to_string();
    if !call.violations.is_empty() {
        let diagnostics = call.violations.iter().map(Diagnostic::from).collect();
        let fault = Fault { kind: FaultKind::Schema, diagnostics };
        return ResponsePart { place, text: arguments, outcome: Err(fault) };
    }
    let own = |diagnostic: &Diagnostic| diagnostic.severity != Severity::Error;
    let rules = call.repairs.iter().map(|repair| (repair.rule.name(), repair.class()));
    let kinds = call.coercions.iter().map(|coercion| (coercion.kind.name(), coercion.class));
    let class = call.class.unwrap_or(Class::Notation);
    let read_as = [(FROM_TEXT, class), (call.notation.name, Class::Notation)].into_iter();
    let repaired = Repaired {
        json: Some(arguments),
        class: call.class.or(Some(Class::Notation)),
        cut: Cut::Whole,
        done: read_as.chain(rules).chain(kinds).collect(),
        edits: Edits {
            candidate: None,
            notation: Some(call.notation.name),
            repairs: call.repairs.clone(),
            coercions: call.coercions.clone(),
            diagnostics: call.diagnostics.iter().filter(|row| own(row)).cloned().collect(),
        },
    };
    ResponsePart { place, text: source.clone(), outcome: Ok(repaired) }
}

/// Returns the part of something that was meant as a call and is none.
fn unread_part(
    unread: &UnreadCall,
    choice: u32,
    index: usize,
    request: &OutputRequest,
) -> ResponsePart {
    let UnreadCall { name, source, fault, .. } = unread;
    let place = location(name, choice, index, request);
    ResponsePart { place, text: source.clone(), outcome: Err(fault.clone()) }
}

/// Returns the part of a call that the request demands and the answer lacks. `names` are those of
/// its calls.
pub(crate) fn missing_part<'n>(
    mut names: impl Iterator<Item = &'n str>,
    choice: u32,
    request: &OutputRequest,
) -> Option<ResponsePart> {
    let (name, message) = match &request.choice {
        ToolChoice::Auto | ToolChoice::None => return None,
        ToolChoice::Required => {
            ("", "`tool_choice` demands a call, and the model made none".to_owned())
        }
        ToolChoice::Named(name) => {
            let message =
                format!("`tool_choice` demands a call of `{name}`, and the model made none");
            (name.as_str(), message)
        }
    };
    if names.any(|known| name.is_empty() || known == name) {
        return None;
    }
    let row = Diagnostic::new("calls/missing", Severity::Error, message);
    let fault = Fault { kind: FaultKind::NoCall, diagnostics: vec![row] };
    let place = location(name, choice, 0, request);
    Some(ResponsePart { place, text: String::new(), outcome: Err(fault) })
}
