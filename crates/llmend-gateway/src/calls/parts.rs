//! The parts of an answer that were read in its texts.

use llmend::json::Class;
use llmend::{Diagnostic, Severity};

use crate::answer::from_text::{FromText, TextCall, UnreadCall};
use crate::answer::part::{
    Cut, Edits, Fault, FaultKind, Location, Origin, PartKind, Repaired, ResponsePart,
};
use crate::calls::tool_input::ToolInput;
use crate::calls::{ToolChoice, ToolUse};
use crate::protocol::request::OutputRequest;

/// The names by which reports list what was done, beside those of the rules.
pub(crate) const FROM_TEXT: &str = "call-from-text";
const UNKNOWN_TOOL: &str = "unknown-tool";
const DROPPED: &str = "dropped-call";
const DOUBLED: &str = "doubled-call";
const CLOSED: &str = "closed-call";
const IN_REASONING: &str = "call-in-reasoning";
const IGNORED: &str = "ignored-text";
const REASONING: &str = "reasoning-from-text";
const MARKS: &str = "marks-in-text";

/// What is said of a call that is not taken for one: that stays text, or was a draft.
pub(crate) const LEFT: [&str; 2] = ["calls/mention", DRAFT];

/// What is said of calls that were drafts.
const DRAFT: &str = "calls/draft";

/// Returns the parts of the calls that were read.
pub(crate) fn read_parts(
    found: &FromText,
    choice: u32,
    request: &OutputRequest,
) -> Vec<ResponsePart> {
    let (indices, mut numbers) = found.numbers(request.protocol.profile().numbering);
    let read = found.calls.iter().zip(indices);
    let mut parts: Vec<ResponsePart> =
        read.map(|(call, index)| call_part(call, choice, index, request)).collect();
    if parts.is_empty() && found.unread.is_empty() && !found.is_sent {
        parts.extend(text_part(found, choice, request));
    }
    if let Some(Ok(last)) = parts.last_mut().map(|part| part.outcome.as_mut()) {
        last.done.extend((0..found.doubled).map(|_| (DOUBLED, Class::Notation)));
        last.done.extend((0..found.dropped).map(|_| (DROPPED, Class::Loss)));
        last.done.extend(found.ignored.iter().map(|_| (IGNORED, Class::Loss)));
        last.edits.diagnostics.extend(found.ignored.clone());
        let draft = found.uncertain.iter().filter(|row| row.code == DRAFT);
        last.edits.diagnostics.extend(draft.cloned());
        if found.dropped > 0 || found.ignored.is_some() {
            last.class = Some(Class::Loss);
        }
    }
    parts.extend(found.unread.iter().map(|unread| {
        let index = numbers.next(input_of(&unread.name, request));
        unread_part(unread, choice, index, request)
    }));
    parts
}

/// Returns what a tool takes.
fn input_of(name: &str, request: &OutputRequest) -> ToolInput {
    request.reading.as_ref().map_or(ToolInput::Arguments, |reading| reading.input_of(name))
}

/// Returns the location of a call with this index.
fn location(name: &str, choice: u32, index: usize, request: &OutputRequest) -> Location {
    let input = input_of(name, request);
    let name = name.to_owned();
    let kind = match input {
        ToolInput::Arguments => PartKind::Call { index, name },
        ToolInput::Text => PartKind::Input { index, name },
    };
    located(kind, choice, request)
}

fn located(kind: PartKind, choice: u32, request: &OutputRequest) -> Location {
    let path = request.protocol.adapter().path(choice, &kind);
    Location { choice, kind, path }
}

/// Returns the part of a text without calls, of which reasoning or marks were split off, or that holds
/// something like a call. A text that is inspected has a part of its own.
fn text_part(found: &FromText, choice: u32, request: &OutputRequest) -> Option<ResponsePart> {
    let is_left = |row: &&Diagnostic| {
        row.severity == Severity::Warning && LEFT.contains(&&*row.code) && request.content.is_none()
    };
    let left = found.uncertain.iter().find(is_left);
    let mut repaired = Repaired::unchanged();
    repaired.edits.diagnostics.extend(left.cloned());
    if found.is_marked {
        let what = if found.has_reasoning { REASONING } else { MARKS };
        (repaired.class, repaired.done) = (Some(Class::Notation), vec![(what, Class::Notation)]);
    } else if left.is_none() {
        return None;
    }
    Some(ResponsePart {
        place: located(PartKind::Content, choice, request),
        origin: Origin::Text(None),
        text: String::new(),
        outcome: Ok(repaired),
    })
}

/// Returns the part of a call that was read.
fn call_part(read: &TextCall, choice: u32, index: usize, request: &OutputRequest) -> ResponsePart {
    let TextCall { source, call, input, unknown, is_cut, in_reasoning, .. } = read;
    let name = call.name.clone();
    let kind = match input {
        ToolInput::Arguments => PartKind::Call { index, name },
        ToolInput::Text => PartKind::Input { index, name },
    };
    let place = located(kind, choice, request);
    let origin = Origin::Text(Some(call.notation.name));
    let arguments = call.arguments.to_string();
    if !call.violations.is_empty() {
        let diagnostics = call.violations.iter().map(Diagnostic::from).collect();
        let fault = Fault { kind: FaultKind::Schema, diagnostics };
        return ResponsePart { place, origin, text: arguments, outcome: Err(fault) };
    }
    let is_minor = |diagnostic: &Diagnostic| diagnostic.severity != Severity::Error;
    let rules = call.repairs.iter().map(|repair| (repair.rule.name(), repair.class()));
    let kinds = call.coercions.iter().map(|coercion| (coercion.kind.name(), coercion.class));
    let class = call.class.unwrap_or(Class::Notation);
    let unknown = unknown.as_ref();
    let read_as = [(FROM_TEXT, class), (call.notation.name, Class::Notation)].into_iter();
    let read_as = read_as.chain(unknown.map(|_| (UNKNOWN_TOOL, Class::Guess)));
    let read_as = read_as.chain(is_cut.then_some((CLOSED, Class::Completion)));
    let read_as = read_as.chain(in_reasoning.then_some((IN_REASONING, Class::Guess)));
    let class = if unknown.is_some() || *in_reasoning {
        Class::Guess
    } else if *is_cut {
        class.max(Class::Completion)
    } else {
        class
    };
    let repaired = Repaired {
        json: Some(arguments),
        class: Some(class),
        cut: if *is_cut { Cut::Inside } else { Cut::Whole },
        done: read_as.chain(rules).chain(kinds).collect(),
        edits: Edits {
            candidate: None,
            repairs: call.repairs.clone(),
            coercions: call.coercions.clone(),
            diagnostics: call
                .diagnostics
                .iter()
                .filter(|row| is_minor(row))
                .chain(unknown)
                .cloned()
                .collect(),
        },
    };
    ResponsePart { place, origin, text: source.clone(), outcome: Ok(repaired) }
}

/// Returns the part of something that was meant as a call and is none.
fn unread_part(
    unread: &UnreadCall,
    choice: u32,
    index: usize,
    request: &OutputRequest,
) -> ResponsePart {
    let UnreadCall { name, source, notation, fault } = unread;
    let place = location(name, choice, index, request);
    let origin = Origin::Text(*notation);
    ResponsePart { place, origin, text: source.clone(), outcome: Err(fault.clone()) }
}

/// Returns the part of a call that the request does not allow, among the `calls` of an answer.
pub(crate) fn unexpected_part(
    calls: &[PartKind],
    choice: u32,
    request: &OutputRequest,
) -> Option<ResponsePart> {
    let (call, expected) = unexpected(calls, request)?;
    let diagnostics = vec![Diagnostic::new("calls/unexpected", Severity::Error, expected)];
    let fault = Fault { kind: FaultKind::UnexpectedCall, diagnostics };
    let (origin, text) = (Origin::Protocol, String::new());
    let place = located(call.clone(), choice, request);
    Some(ResponsePart { place, origin, text, outcome: Err(fault) })
}

/// Returns the first call that the request does not allow, and what it asks for: JSON where no tool may
/// be called, or calls of one tool or of some.
fn unexpected<'c>(
    calls: &'c [PartKind],
    request: &OutputRequest,
) -> Option<(&'c PartKind, String)> {
    if request.takes_json_alone() {
        let why = match request.tool_use {
            ToolUse::NotOffered => "no tools were offered",
            ToolUse::Forbidden | ToolUse::Allowed => "`tool_choice` allows no call",
        };
        return calls.first().map(|call| (call, format!("expected JSON; {why}")));
    }
    let is_withheld = |call: &&PartKind| call.tool().is_some_and(|name| request.withholds(name));
    if let Some(call) = calls.iter().find(is_withheld) {
        return Some((call, "`tool_choice` does not allow this tool".to_owned()));
    }
    // Where the demanded call is missing, that is the error.
    let ToolChoice::Named(demanded) = &request.choice else { return None };
    let mut names = calls.iter().filter_map(PartKind::tool);
    let is_made = names.any(|name| name == demanded);
    let is_other = |name: &str| !name.is_empty() && name != demanded;
    let other = calls.iter().find(|call| call.tool().is_some_and(is_other)).filter(|_| is_made)?;
    Some((other, format!("expected only calls of `{demanded}` (`tool_choice`)")))
}

/// Returns the part of a call that the request demands and that is not among the `calls` of an answer.
pub(crate) fn missing_part(
    calls: &[PartKind],
    found: &FromText,
    choice: u32,
    request: &OutputRequest,
) -> Option<ResponsePart> {
    let (name, expected) = match &request.choice {
        ToolChoice::None => return None,
        // All of its calls were of tools that may not be called now.
        ToolChoice::Auto if found.others.is_empty() => return None,
        ToolChoice::Auto => ("", "a call of an allowed tool".to_owned()),
        ToolChoice::Required => ("", "a call".to_owned()),
        ToolChoice::Named(name) => (name.as_str(), format!("a call of `{name}`")),
    };
    let mut others: Vec<&str> = calls.iter().filter_map(PartKind::tool).collect();
    if others.iter().any(|known| name.is_empty() || *known == name) {
        return None;
    }
    others.extend(found.others.iter().map(String::as_str));
    others.sort_unstable();
    others.dedup();
    let uncertain = found.uncertain.as_ref();
    let found = match uncertain {
        _ if !others.is_empty() => format!("found a call of `{}`", others.join("`, `")),
        Some(row) => format!("found none that is certain: {}", row.message),
        None => "found none".to_owned(),
    };
    let message = format!("expected {expected} (`tool_choice`), {found}");
    let row = Diagnostic::new("calls/missing", Severity::Error, message);
    let diagnostics = std::iter::once(row).chain(uncertain.cloned()).collect();
    let fault = Fault { kind: FaultKind::NoCall, diagnostics };
    let place = location(name, choice, 0, request);
    let (origin, text) = (Origin::Protocol, String::new());
    Some(ResponsePart { place, origin, text, outcome: Err(fault) })
}
