//! Reading of the tool calls in a text.

use llmend::calls::{Call, CallEvent, CallStream, Options, Reading, Tools, read};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::chunks::check_size;
use crate::members::places;
use crate::options::Rules;
use crate::{Refusal, Settings};

/// A text that may hold tool calls.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CallsRequest {
    /// Text written by a model.
    text: String,
    /// Tools that the model was offered, in the form of any API. Without them any tool may be called, between
    /// marks only.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Value>))]
    tools: Option<Box<RawValue>>,
    /// Repair policy: strict, extract, conservative, standard, lenient.
    #[serde(default)]
    policy: Option<String>,
    /// Rules to enable or disable in addition to the policy.
    #[serde(default)]
    rules: Option<Rules>,
    /// Whether to return the position of each part of the arguments in the text.
    #[serde(default)]
    places: Option<bool>,
    /// Returns what each chunk of this many bytes adds if the text arrives in them.
    #[serde(default)]
    chunk_bytes: Option<usize>,
}

/// Reads the tool calls in a text: `POST /v1/calls`.
pub fn calls(request: &CallsRequest, settings: &Settings) -> Result<Map<String, Value>, Refusal> {
    let json = settings.text(request.policy.as_deref(), request.rules.as_ref())?;
    let options = Options { json, schema: settings.schema(), ..Options::default() };
    let tools = match &request.tools {
        Some(tools) => Tools::from_text(tools.get())
            .map_err(|error| Refusal::request("bad_tools", error.to_string()).about("tools"))?,
        None => Tools::default(),
    };
    let mut members = Map::new();
    let reading = if let Some(size) = request.chunk_bytes {
        check_size(&request.text, size)?;
        let stream = CallStream::new(tools.clone(), options);
        let (chunks, reading) = in_chunks(&request.text, size, stream);
        members.insert("chunks".to_owned(), chunks);
        reading
    } else {
        read(&request.text, &tools, &options)
    };
    let rows: Vec<_> = reading.findings().collect();
    let all = reading.calls.iter();
    let all = all.map(|call| call_json(call, &tools, request.places == Some(true)));
    members.insert("calls".to_owned(), all.collect());
    members.insert("text".to_owned(), json!(reading.text));
    members.insert("reasoning".to_owned(), json!(reading.reasoning));
    members.insert("truncated".to_owned(), json!(reading.truncated()));
    members.insert("class".to_owned(), json!(reading.class()));
    members.insert("refused".to_owned(), json!(reading.refused));
    members.insert("diagnostics".to_owned(), json!(rows));
    if reading.is_usable() {
        return Ok(members);
    }
    let mut refusal = Refusal::text("a call cannot be used", rows);
    refusal.more = members;
    Err(refusal)
}

/// Reads the text chunk by chunk. A chunk ends where a character does, and the last one ends the text.
fn in_chunks(text: &str, size: usize, mut stream: CallStream) -> (Value, Reading) {
    let mut ends = Vec::new();
    let mut events = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(rest.ceil_char_boundary(size));
        rest = after;
        ends.push(text.len() - rest.len());
        events.push(stream.push(chunk));
    }
    let (last, reading) = stream.finish();
    if let Some(events) = events.last_mut() {
        events.extend(last);
    }
    let rows = ends.into_iter().zip(events).map(
        |(end, events)| json!({"end": end, "events": events.iter().map(event).collect::<Vec<_>>()}),
    );
    (rows.collect(), reading)
}

fn event(event: &CallEvent) -> Value {
    match event {
        CallEvent::Text(text) => json!({"type": "text", "text": text}),
        CallEvent::Reasoning(text) => json!({"type": "reasoning", "text": text}),
        CallEvent::AllReasoning => json!({"type": "all_reasoning"}),
        CallEvent::Started { index, name, .. } => {
            json!({"type": "started", "index": index, "name": name})
        }
        CallEvent::Arguments { index, delta } => {
            json!({"type": "arguments", "index": index, "delta": delta})
        }
        CallEvent::Done { index, .. } => json!({"type": "done", "index": index}),
        CallEvent::Abandoned { index } => json!({"type": "abandoned", "index": index}),
        CallEvent::Refused(refused) => json!({"type": "refused", "refused": refused}),
    }
}

/// Converts a call to JSON, with what its tool declares.
fn call_json(call: &Call, tools: &Tools, is_placed: bool) -> Value {
    let mut row: Value = serde_json::from_str(&call.to_json()).unwrap_or_default();
    row["json"] = json!(call.arguments.to_string());
    row["parameters"] = parameters(&call.name, tools);
    if is_placed {
        row["places"] = places(&call.arguments, call.arguments_span.start);
    }
    row
}

/// Returns the parameters of a tool, in the order of its schema.
fn parameters(name: &str, tools: &Tools) -> Value {
    let Some(tool) = tools.iter().find(|tool| tool.name == name) else { return Value::Null };
    let schemas = &tool.schema.as_json()["properties"];
    let rows = tool.parameters.iter().map(
        |one| json!({"name": one.name, "required": one.required, "schema": schemas[&one.name]}),
    );
    rows.collect()
}
