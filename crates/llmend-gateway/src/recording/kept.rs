//! What is kept of an exchange, and how much of its texts?

use llmend::json::Repair;
use llmend::{Class, Severity};
use serde::Serialize;
use serde_json::{Value, json};

use super::draft::Notes;
use super::{Outcome, moment};
use crate::config::Recording;
use crate::protocol::request::Asked;
use crate::repair::decide::{Part, PlaceKind};
use crate::repair::expectation::Expectation;

/// An exchange as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Kept {
    pub(crate) summary: Summary,
    /// What was done to its parts and found in them.
    pub(crate) findings: Vec<Finding>,
    /// The parts: an array, as `GET /v1/exchanges/{id}` has it.
    pub(crate) parts: String,
}

/// An exchange in numbers and words of ours; only the model is named by whoever asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Which one it is in its journal, from 1, in the order of their ends.
    pub id: u64,
    /// When it began, in milliseconds since 1970.
    pub at_ms: u64,
    /// What the header `x-request-id` of the answer says, if the upstream's had none of its own.
    pub request_id: String,
    /// The protocol: chat, responses or messages.
    pub endpoint: String,
    /// The model that was asked for. At most 200 bytes of its name are kept.
    pub model: String,
    /// The status that the client was told; nothing if it left before.
    pub status: Option<u16>,
    /// What came of it.
    pub outcome: Outcome,
    /// Why there is no answer, as a stable code.
    pub code: Option<String>,
    /// How sure the gravest repair is.
    pub class: Option<Class>,
    /// How often the model was asked; 0 if the request went no further than here.
    pub attempts: u32,
    /// How many repairs and coercions were made.
    pub repairs: u32,
    /// Tokens of all questions, as far as the upstream told.
    pub tokens_in: Option<u64>,
    /// Tokens of all answers, likewise.
    pub tokens_out: Option<u64>,
    /// Milliseconds from its first byte to its last.
    pub duration_ms: u64,
}

/// What was done to a part of an answer, or found in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The rule or the coercion; of what was found, its code.
    pub name: String,
    /// How sure what was done is; nothing of what was only found.
    pub class: Option<Class>,
    /// How often in this exchange.
    pub count: u32,
}

/// Most bytes of the names that a request gives.
const MOST_NAME: usize = 200;

/// How many texts of the largest size all parts of one exchange may have together.
const TEXTS: usize = 4;

impl Kept {
    /// What is kept of an exchange. A request that names no model asked nobody, and nothing is.
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
            endpoint: notes.protocol.endpoint().to_owned(),
            model: clipped(notes.model.as_deref()?, MOST_NAME).to_owned(),
            status: notes.status,
            outcome: notes.outcome,
            code: notes.code.as_deref().map(|code| clipped(code, MOST_NAME).to_owned()),
            class: done.clone().filter_map(|mended| mended.class).max(),
            attempts: notes.attempts,
            repairs: done.map(|mended| u32::try_from(mended.done.len()).unwrap_or(u32::MAX)).sum(),
            tokens_in: sum(notes.first_usage.input, notes.more_usage.input),
            tokens_out: sum(notes.first_usage.output, notes.more_usage.output),
            duration_ms,
        };
        Some(Self { summary, findings, parts: told(notes, recording) })
    }
}

/// What was done and found, each name once.
fn findings(parts: &[Part], before: &[Part]) -> Vec<Finding> {
    let mut rows: Vec<Finding> = Vec::new();
    let mut add = |name: &str, class: Option<Class>| match rows
        .iter_mut()
        .find(|row| row.name == name && row.class == class)
    {
        Some(row) => row.count = row.count.saturating_add(1),
        None => rows.push(Finding { name: name.to_owned(), class, count: 1 }),
    };
    // A part that is as it was before has been asked for again in vain, and counts once.
    let again = before.iter().filter(|part| !parts.contains(part));
    for part in parts.iter().chain(again) {
        match &part.outcome {
            Ok(mended) => {
                mended.done.iter().for_each(|(name, class)| add(name, Some(*class)));
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

/// How many bytes may still be kept.
struct Allowance {
    /// Of one text.
    each: usize,
    /// Of all together.
    left: usize,
    /// Whether something was left out.
    is_short: bool,
}

impl Allowance {
    /// As much of a text as may be kept.
    fn text<'t>(&mut self, text: &'t str) -> &'t str {
        let kept = clipped(text, self.each.min(self.left));
        self.left -= kept.len();
        self.is_short |= kept.len() < text.len();
        kept
    }

    /// A text of which a part would be of no use.
    fn whole<'t>(&mut self, text: &'t str) -> Option<&'t str> {
        let fits = text.len() <= self.each.min(self.left);
        self.is_short |= !fits;
        fits.then(|| self.text(text))
    }

    /// As many rows as may be kept.
    fn rows<T: Serialize>(&mut self, rows: &[T]) -> Vec<Value> {
        let mut kept = Vec::new();
        for row in rows {
            let row = serde_json::to_value(row).unwrap_or_default();
            let size = row.to_string();
            if self.whole(&size).is_none() {
                break;
            }
            kept.push(row);
        }
        kept
    }
}

/// The parts as they are told.
fn told(notes: &Notes, recording: &Recording) -> String {
    let Some((asked, level)) = &notes.held else { return "[]".to_owned() };
    let each = recording.text_bytes;
    let mut allowance = Allowance { each, left: each.saturating_mul(TEXTS), is_short: false };
    let parts: Vec<Value> = notes
        .parts
        .iter()
        .map(|part| {
            allowance.is_short = false;
            let mut told = part_told(part, notes, asked, &mut allowance);
            if let Some(told) = told.as_object_mut() {
                told.insert("policy".to_owned(), json!(level.as_str()));
                told.insert("clipped".to_owned(), json!(allowance.is_short));
            }
            told
        })
        .collect();
    Value::from(parts).to_string()
}

fn part_told(part: &Part, notes: &Notes, asked: &Asked, allowance: &mut Allowance) -> Value {
    let (kind, tool) = match &part.place.kind {
        PlaceKind::Content => ("content", None),
        PlaceKind::Call { name, .. } => ("call", Some(clipped(name, MOST_NAME))),
    };
    let text = allowance.text(&part.text);
    let mended = part.outcome.as_ref().ok();
    let sent_on = mended.filter(|_| notes.outcome.is_given());
    let sent_on = sent_on.map(|mended| mended.json.as_deref().unwrap_or(&part.text));
    let json = sent_on.and_then(|json| allowance.whole(json));
    let schema = schema(part, asked).map(|schema| schema.as_json().to_string());
    let schema = schema.as_deref().and_then(|schema| allowance.whole(schema));
    let edits = mended.map(|mended| &mended.edits);
    let repairs = edits.map_or(&[][..], |edits| &edits.repairs);
    let coercions = edits.map_or(&[][..], |edits| &edits.coercions);
    let diagnostics = match &part.outcome {
        Ok(mended) => &mended.edits.diagnostics,
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
        "class": mended.and_then(|mended| mended.class),
        "repairs": allowance.rows::<Repair>(repairs),
        "coercions": allowance.rows(coercions),
        "diagnostics": allowance.rows(diagnostics),
        "first": first,
    })
}

/// The schema that a part is held against, if it is.
fn schema<'a>(part: &Part, asked: &'a Asked) -> Option<&'a llmend::Schema> {
    let wanted = match &part.place.kind {
        PlaceKind::Content => asked.content.as_ref()?,
        PlaceKind::Call { name, .. } => asked.calls.as_ref()?.of(name),
    };
    match wanted {
        Expectation::Schema(schema) => Some(schema),
        Expectation::Json => None,
    }
}

/// The beginning of a text, cut between two characters.
fn clipped(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Allowance, clipped};

    #[test]
    fn texts_are_cut_between_characters() {
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
    fn all_texts_together_are_bounded() {
        let mut allowance = Allowance { each: 4, left: 6, is_short: false };
        assert_eq!(allowance.text("abcd"), "abcd");
        assert!(!allowance.is_short);
        // JSON that is cut is none.
        assert_eq!(allowance.whole("[1]"), None);
        assert!(allowance.is_short);
        assert_eq!(allowance.rows(&[1, 22, 3]), [1]);
        assert_eq!(allowance.text("xyz"), "x");
        assert_eq!((allowance.text("z"), allowance.left), ("", 0));
    }
}
