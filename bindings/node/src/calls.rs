//! Reading tool calls.

use std::sync::Arc;

use llmend::{
    calls::{
        Accept, CallEvent, CallStream as CallReader, NOTATIONS, Notation, Options, Reading, read,
    },
    json::{OffsetWalker, Relocate as _},
};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use crate::{
    UNIT,
    fit::{fitting, named_or, of_calls},
    options::{self, one_of},
    refusal::{self, Refusal},
};

/// Options of reading calls, beside those of the text.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct CallOptions {
    marked: bool,
    notation: Option<String>,
    in_reasoning: Option<String>,
}

fn reading(text: &str, calls: &str) -> Result<Options, Refusal> {
    let fitting = fitting(&options::given(text)?)?;
    let given: CallOptions = options::read(calls)?;
    let accept = if given.marked { Accept::Marked } else { Accept::Auto };
    let rows: Vec<&Notation> = NOTATIONS.iter().collect();
    let notation = given.notation.as_deref();
    let notation = notation.map(|name| one_of("notation", name, &rows, |row| row.name));
    let (notation, schema) = (notation.transpose()?, of_calls(&fitting));
    let in_reasoning = named_or("inReasoning", given.in_reasoning.as_deref())?;
    Ok(Options { accept, notation, in_reasoning, json: fitting.text, schema })
}

/// The tools that a model was offered, compiled.
pub(crate) struct Tools {
    offered: Arc<llmend::calls::Tools>,
}

impl Tools {
    /// Compiles the tools in a JSON text; the empty text stands for none.
    pub(crate) fn new(text: &str) -> Result<Self, Refusal> {
        if text.is_empty() {
            return Ok(Self { offered: Arc::default() });
        }
        let offered = llmend::calls::Tools::from_text(text);
        let offered = offered.map_err(|error| refusal::of_tools(&error))?;
        Ok(Self { offered: Arc::new(offered) })
    }

    /// Returns the JSON of the unknown types in the schemas, each behind the name of its tool.
    pub(crate) fn unknown_types(&self) -> String {
        let of_tool = |tool: &llmend::calls::Tool| {
            let name = tool.name.clone();
            tool.unknown_types.clone().into_iter().map(move |unknown| [name.clone(), unknown])
        };
        let rows: Vec<[String; 2]> = self.offered.iter().flat_map(of_tool).collect();
        serde_json::to_string(&rows).unwrap_or_default()
    }

    /// Reads the calls in a text. Returns the JSON of the reading.
    pub(crate) fn read(&self, text: &str, options: &str, calls: &str) -> Result<String, Refusal> {
        let options = reading(options, calls)?;
        Ok(reading_row(read(text, &self.offered, &options), text))
    }

    /// Begins to read the calls in a text that arrives.
    pub(crate) fn stream(&self, options: &str, calls: &str) -> Result<CallStream, Refusal> {
        let reader = CallReader::new(Arc::clone(&self.offered), reading(options, calls)?);
        Ok(CallStream {
            reader: Some(reader),
            text: String::new(),
            walker: OffsetWalker::new(UNIT),
        })
    }
}

/// Returns the JSON of a reading, with offsets in UTF-16 units.
fn reading_row(mut found: Reading, text: &str) -> String {
    let written: Vec<&str> = found.refused.iter().map(|refused| refused.span.of(text)).collect();
    found.convert_offsets(text, UNIT);
    let rest = json!({"usable": found.is_usable(), "cut": found.cut, "refusedTexts": written});
    let rest = rest.to_string();
    // Numbers in arguments keep their digits, so the JSON is joined as text.
    let row = found.to_json();
    let open = row.strip_suffix('}').unwrap_or(&row);
    format!("{open},{}", rest.strip_prefix('{').unwrap_or(&rest))
}

/// The text so far and the reader of its calls.
pub(crate) struct CallStream {
    /// `None` once the text is complete.
    reader: Option<CallReader>,
    text: String,
    walker: OffsetWalker,
}

impl CallStream {
    /// Reads the next piece of text. Returns the JSON of its events; nothing if there are none.
    pub(crate) fn push(&mut self, piece: &str) -> Option<String> {
        let reader = self.reader.as_mut()?;
        self.text.push_str(piece);
        let events = reader.push(piece);
        self.written(events)
    }

    /// Ends the text. Returns the JSON of the last events and of the reading.
    pub(crate) fn finish(&mut self) -> Option<String> {
        let (events, found) = self.reader.take()?.finish();
        let events = self.written(events).unwrap_or_else(|| "[]".to_owned());
        Some(format!("{{\"events\":{events},\"reading\":{}}}", reading_row(found, &self.text)))
    }

    /// Frees the text and its parser.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn free(&mut self) {
        (self.reader, self.text) = (None, String::new());
    }

    fn written(&mut self, events: Vec<CallEvent>) -> Option<String> {
        if events.is_empty() {
            return None;
        }
        let rows: Vec<_> = events.into_iter().map(|event| self.event(event)).collect();
        serde_json::to_string(&rows).ok()
    }

    fn event(&mut self, event: CallEvent) -> Box<RawValue> {
        let Self { text, walker, .. } = self;
        let row = match event {
            CallEvent::Text(text) => json!({"type": "text", "text": text}),
            CallEvent::Reasoning(text) => json!({"type": "reasoning", "text": text}),
            CallEvent::AllReasoning => json!({"type": "all-reasoning"}),
            CallEvent::Started { index, name, id } => {
                json!({"type": "started", "index": index, "name": name, "id": id})
            }
            CallEvent::Arguments { index, delta } => {
                json!({"type": "arguments", "index": index, "delta": delta})
            }
            CallEvent::Done { index, mut call } => {
                call.relocate(&mut |at| walker.at(at, text.as_bytes()));
                let row =
                    format!("{{\"type\":\"done\",\"index\":{index},\"call\":{}}}", call.to_json());
                return RawValue::from_string(row).unwrap_or_else(|_| RawValue::NULL.to_owned());
            }
            CallEvent::Abandoned { index } => json!({"type": "abandoned", "index": index}),
            CallEvent::Refused(mut refused) => {
                let written = refused.span.of(text).to_owned();
                refused.relocate(&mut |at| walker.at(at, text.as_bytes()));
                json!({"type": "refused", "refused": refused, "text": written})
            }
        };
        raw(&row)
    }
}

fn raw(row: &Value) -> Box<RawValue> {
    RawValue::from_string(row.to_string()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
