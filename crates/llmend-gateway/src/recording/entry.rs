//! Recorded exchanges.

use llmend::json::Repair;
use llmend::{Class, Severity};
use serde::Serialize;
use serde_json::{Value, json};

use super::draft::Notes;
use super::{Outcome, moment};
use crate::answer::expectation::Expectation;
use crate::answer::part::{FaultKind, Origin, PartKind, ResponsePart};
use crate::calls::parts::LEFT;
use crate::config::Recording;
use crate::protocol::request::OutputRequest;

/// A recorded exchange.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) summary: Summary,
    /// Repairs, coercions, errors and what was kept back as no call, each name once.
    pub(crate) findings: Vec<Finding>,
    /// The parts as a JSON array, as returned by `GET /v1/exchanges/{id}`.
    pub(crate) parts: String,
}

/// Summary of an exchange. Only the name of the model comes from the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Summary {
    /// Number in its journal, from 1, in the order of completion.
    pub id: u64,
    /// Start, in milliseconds since 1970.
    pub at_ms: u64,
    /// Value of the response header `x-request-id`, unless the upstream set its own.
    pub request_id: String,
    /// Protocol: `chat`, `responses` or `messages`.
    pub endpoint: String,
    /// The requested model, at most 200 bytes of its name.
    pub model: String,
    /// HTTP status sent to the client; `None` if it disconnected before.
    pub status: Option<u16>,
    /// Outcome.
    pub outcome: Outcome,
    /// Error code, if there is no answer.
    pub code: Option<String>,
    /// Worst class of the repairs.
    pub class: Option<Class>,
    /// Number of requests to the upstream; 0 if there were none.
    pub attempts: u32,
    /// Number of repairs and coercions.
    pub repairs: u32,
    /// The calls of the answer.
    pub calls: CallCounts,
    /// Input tokens of all requests, as reported by the upstream.
    pub tokens_in: Option<u64>,
    /// Output tokens of all answers, as reported by the upstream.
    pub tokens_out: Option<u64>,
    /// Duration in milliseconds.
    pub duration_ms: u64,
}

/// Numbers of calls in an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallCounts {
    /// All of them, also those that could not be used.
    pub all: u32,
    /// Those that the model wrote as text.
    pub from_text: u32,
    /// Those of them that could not be read.
    pub unread: u32,
}

impl CallCounts {
    fn of(parts: &[ResponsePart]) -> Self {
        let mut counts = Self::default();
        for part in parts.iter().filter(|part| part.place.kind != PartKind::Content) {
            let fault = part.outcome.as_ref().err().map(|fault| fault.kind);
            // What is not allowed has a part of its own, but for a call that is not inspected.
            let is_named_twice = fault == Some(FaultKind::UnexpectedCall)
                && matches!(part.place.kind, PartKind::Call { .. });
            let is_missing = fault == Some(FaultKind::NoCall) || is_named_twice;
            let is_text = part.origin != Origin::Protocol;
            // Arguments that do not fit were read.
            let is_unread = is_text && fault.is_some_and(|kind| kind != FaultKind::Schema);
            counts.all += u32::from(!is_missing);
            counts.from_text += u32::from(is_text);
            counts.unread += u32::from(is_unread);
        }
        counts
    }
}

/// A repair, a coercion, an error or something kept back as no call, with its number of occurrences.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// Name of the rule or the coercion, or the code of the error.
    pub name: String,
    /// Class of the repair or coercion; `None` for an error and for what was kept back.
    pub class: Option<Class>,
    /// Occurrences in this exchange.
    pub count: u32,
}

/// Maximum length of names from requests, in bytes.
const MAX_NAME: usize = 200;

/// Total size of all texts of an exchange, as a multiple of the maximum for one.
const TEXTS: usize = 4;

impl Entry {
    /// Builds the record of an exchange. Returns `None` for a request without a model.
    pub(crate) fn of(notes: &Notes, recording: &Recording, duration_ms: u64) -> Option<Self> {
        let parts = &notes.parts;
        let findings = findings(parts, &notes.before);
        let done = parts.iter().filter_map(|part| part.outcome.as_ref().ok());
        let sum = |first: Option<u64>, more: u64| {
            first.map(|first| first.saturating_add(more)).or((more > 0).then_some(more))
        };
        let summary = Summary {
            id: 0,
            at_ms: moment::millis(notes.at),
            request_id: notes.request_id.clone(),
            endpoint: notes.protocol.profile().endpoint.to_owned(),
            model: clipped(notes.model.as_deref()?, MAX_NAME).to_owned(),
            status: notes.status,
            outcome: notes.outcome,
            code: notes.code.as_deref().map(|code| clipped(code, MAX_NAME).to_owned()),
            class: done.clone().filter_map(|repaired| repaired.class).max(),
            attempts: notes.attempts,
            repairs: done
                .map(|repaired| u32::try_from(repaired.done.len()).unwrap_or(u32::MAX))
                .sum(),
            calls: CallCounts::of(parts),
            tokens_in: sum(notes.first_usage.input, notes.more_usage.input),
            tokens_out: sum(notes.first_usage.output, notes.more_usage.output),
            duration_ms,
        };
        Some(Self { summary, findings, parts: parts_json(notes, recording) })
    }
}

/// Collects repairs, coercions, errors and what was kept back as no call, each name once.
fn findings(parts: &[ResponsePart], before: &[ResponsePart]) -> Vec<Finding> {
    let mut rows: Vec<Finding> = Vec::new();
    let mut add = |name: &str, class: Option<Class>| match rows
        .iter_mut()
        .find(|row| row.name == name && row.class == class)
    {
        Some(row) => row.count = row.count.saturating_add(1),
        None => rows.push(Finding { name: name.to_owned(), class, count: 1 }),
    };
    // A part that a retry did not change counts once.
    let replaced = before.iter().filter(|part| !parts.contains(part));
    for part in parts.iter().chain(replaced) {
        match &part.outcome {
            Ok(repaired) => {
                repaired.done.iter().for_each(|(name, class)| add(name, Some(*class)));
                let rows = repaired.edits.diagnostics.iter();
                let kept = rows.filter(|row| LEFT.contains(&&*row.code));
                kept.for_each(|row| add(row.code.as_ref(), None));
            }
            Err(fault) => {
                let errors = fault.diagnostics.iter();
                let errors = errors.filter(|row| row.severity == Severity::Error);
                errors.for_each(|row| add(row.code.as_ref(), None));
            }
        }
    }
    rows
}

/// Remaining space for texts, in bytes.
struct Allowance {
    /// Maximum for one text.
    each: usize,
    /// Remaining total.
    left: usize,
    /// Whether something was truncated or omitted.
    is_clipped: bool,
}

impl Allowance {
    /// Returns as much of a text as there is space for.
    fn text<'t>(&mut self, text: &'t str) -> &'t str {
        let kept = clipped(text, self.each.min(self.left));
        self.left -= kept.len();
        self.is_clipped |= kept.len() < text.len();
        kept
    }

    /// Returns the whole text, or `None` if there is not enough space.
    fn whole<'t>(&mut self, text: &'t str) -> Option<&'t str> {
        let fits = text.len() <= self.each.min(self.left);
        self.is_clipped |= !fits;
        fits.then(|| self.text(text))
    }

    /// Returns as many rows as there is space for.
    fn rows<T: Serialize>(&mut self, rows: &[T]) -> Vec<Value> {
        let mut fitting = Vec::new();
        for row in rows {
            let row = serde_json::to_value(row).unwrap_or_default();
            let size = row.to_string();
            if self.whole(&size).is_none() {
                break;
            }
            fitting.push(row);
        }
        fitting
    }
}

/// Returns the parts as JSON text.
fn parts_json(notes: &Notes, recording: &Recording) -> String {
    let Some((request, level)) = &notes.inspected else { return "[]".to_owned() };
    let each = recording.text_bytes;
    let mut allowance = Allowance { each, left: each.saturating_mul(TEXTS), is_clipped: false };
    let parts: Vec<Value> = notes
        .parts
        .iter()
        .map(|part| {
            allowance.is_clipped = false;
            let mut json = part_json(part, notes, request, &mut allowance);
            if let Some(json) = json.as_object_mut() {
                json.insert("policy".to_owned(), json!(level.as_str()));
                json.insert("clipped".to_owned(), json!(allowance.is_clipped));
            }
            json
        })
        .collect();
    Value::from(parts).to_string()
}

fn part_json(
    part: &ResponsePart,
    notes: &Notes,
    request: &OutputRequest,
    allowance: &mut Allowance,
) -> Value {
    let (kind, tool) = match &part.place.kind {
        PartKind::Content => ("content", None),
        PartKind::Call { name, .. } | PartKind::Input { name, .. } => {
            ("call", Some(clipped(name, MAX_NAME)))
        }
    };
    let notation = match part.origin {
        Origin::Text(notation) => notation,
        Origin::Protocol => None,
    };
    let text = allowance.text(&part.text);
    let repaired = part.outcome.as_ref().ok();
    let sent_on = repaired.filter(|_| notes.outcome.is_delivered());
    let sent_on = sent_on.map(|repaired| repaired.json.as_deref().unwrap_or(&part.text));
    let json = sent_on.and_then(|json| allowance.whole(json));
    let schema = schema(part, request).map(|schema| schema.as_json().to_string());
    let schema = schema.as_deref().and_then(|schema| allowance.whole(schema));
    let edits = repaired.map(|repaired| &repaired.edits);
    let repairs = edits.map_or(&[][..], |edits| &edits.repairs);
    let coercions = edits.map_or(&[][..], |edits| &edits.coercions);
    let diagnostics = match &part.outcome {
        Ok(repaired) => &repaired.edits.diagnostics,
        Err(fault) => &fault.diagnostics,
    };
    let first = notes.before.iter().find(|before| before.place == part.place && *before != part);
    let first = first.map(|first| {
        let diagnostics = first.outcome.as_ref().err().map(|fault| &fault.diagnostics);
        let diagnostics = diagnostics.map_or(&[][..], Vec::as_slice);
        let text = allowance.text(&first.text);
        json!({"text": text, "diagnostics": allowance.rows(diagnostics)})
    });
    json!({
        "path": part.place.path,
        "kind": kind,
        "tool": tool,
        "text": text,
        "json": json,
        "schema": schema.and_then(|schema| serde_json::from_str::<Value>(schema).ok()),
        "notation": notation,
        "class": repaired.and_then(|repaired| repaired.class),
        "repairs": allowance.rows::<Repair>(repairs),
        "coercions": allowance.rows(coercions),
        "diagnostics": allowance.rows(diagnostics),
        "first": first,
    })
}

/// Returns the schema that a part is validated against.
fn schema<'a>(part: &ResponsePart, request: &'a OutputRequest) -> Option<&'a llmend::Schema> {
    let wanted = match &part.place.kind {
        PartKind::Content => request.content.as_ref()?,
        PartKind::Call { name, .. } | PartKind::Input { name, .. } => {
            request.calls.as_ref()?.of(name)
        }
    };
    match wanted {
        Expectation::Schema(schema) => Some(schema),
        Expectation::Json => None,
    }
}

/// Truncates a text at a character boundary.
fn clipped(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Allowance, CallCounts, clipped};
    use crate::answer::part::{
        Fault, FaultKind, Location, Origin, PartKind, Repaired, ResponsePart,
    };

    #[test]
    fn a_call_is_counted_once() {
        use FaultKind::{NoCall, UnexpectedCall};
        type Part<'a> = (&'a PartKind, Origin, Option<FaultKind>);
        let (index, name) = (0, "run".to_owned());
        let call = PartKind::Call { index, name: name.clone() };
        let input = PartKind::Input { index, name };
        let protocol = Origin::Protocol;
        let text = Origin::Text(Some("hermes"));
        // (kind, origin and fault of each part, the number of calls, and of those from texts)
        let rows: [(&[Part<'_>], u32, u32); 6] = [
            (&[(&call, protocol, None)], 1, 0),
            (&[(&call, protocol, Some(NoCall))], 0, 0),
            (&[(&call, protocol, Some(UnexpectedCall)), (&call, protocol, None)], 1, 0),
            (&[(&call, protocol, Some(UnexpectedCall)), (&call, text, None)], 1, 1),
            // It has no part of its own.
            (&[(&input, protocol, Some(UnexpectedCall)), (&call, text, None)], 2, 1),
            (&[(&PartKind::Content, protocol, None)], 0, 0),
        ];
        for (parts, all, from_text) in rows {
            let part = |(kind, origin, fault): &Part<'_>| ResponsePart {
                place: Location { choice: 0, kind: (*kind).clone(), path: String::new() },
                origin: *origin,
                text: String::new(),
                outcome: fault.map_or_else(
                    || Ok(Repaired::unchanged()),
                    |kind| Err(Fault { kind, diagnostics: Vec::new() }),
                ),
            };
            let counts = CallCounts::of(&parts.iter().map(part).collect::<Vec<_>>());
            assert_eq!(counts, CallCounts { all, from_text, unread: 0 }, "{parts:?}");
        }
    }

    #[test]
    fn texts_are_truncated_at_character_boundaries() {
        let rows = [
            ("abc", 3, "abc"),
            ("abc", 2, "ab"),
            ("aø", 2, "a"),
            ("aø", 9, "aø"),
            ("ø", 0, ""),
            ("", 5, ""),
        ];
        for (text, most, expected) in rows {
            assert_eq!(clipped(text, most), expected, "{text} {most}");
        }
    }

    #[test]
    fn the_total_size_is_limited() {
        let mut allowance = Allowance { each: 4, left: 6, is_clipped: false };
        assert_eq!(allowance.text("abcd"), "abcd");
        assert!(!allowance.is_clipped);
        // Truncated JSON would be of no use.
        assert_eq!(allowance.whole("[1]"), None);
        assert!(allowance.is_clipped);
        assert_eq!(allowance.rows(&[1, 22, 3]), [1]);
        assert_eq!(allowance.text("xyz"), "x");
        assert_eq!((allowance.text("z"), allowance.left), ("", 0));
    }
}
