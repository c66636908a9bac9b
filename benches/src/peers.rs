//! Adapters for other parsers and repair libraries.
//!
//! Each is called as its documentation shows, with default options unless noted otherwise.

use std::hint::black_box;

use jiter::{JsonValue, PartialMode};
use json_stream_parser::JsonStreamParser;
use serde_json::{Map, Value};

use crate::contestant::{Contestant, Output, contestant, strict};

contestant!(SerdeJson, "serde_json", Output::Serde, repairs: false, serde_json::from_str::<Value>, Ok);

contestant!(SonicRs, "sonic-rs", Output::Own, repairs: false, sonic_rs::from_str::<sonic_rs::Value>, |value| {
    strict(&sonic_rs::to_string(&value).map_err(|error| error.to_string())?)
});

// Partial mode is jiter's mode for truncated text; it takes the same time on complete text.
contestant!(Jiter, "jiter", Output::Own, repairs: true, jiter_partial, |value| jiter_to_serde(&value));

contestant!(JsonrepairRsText, "jsonrepair-rs", Output::Text, repairs: true, jsonrepair_rs::jsonrepair, |text: String| {
    strict(&text)
});

contestant!(JsonrepairRsValue, "jsonrepair-rs", Output::Serde, repairs: true, jsonrepair_rs::jsonrepair_value, Ok);

contestant!(LlmJsonText, "llm_json", Output::Text, repairs: true, llm_json_text, |text: String| strict(&text));

contestant!(LlmJsonValue, "llm_json", Output::Serde, repairs: true, llm_json_value, Ok);

/// Returns the peers, `serde_json` first.
pub(crate) fn all() -> Vec<Box<dyn Contestant>> {
    vec![
        Box::new(SerdeJson),
        Box::new(SonicRs),
        Box::new(Jiter),
        Box::new(JsonrepairRsValue),
        Box::new(JsonrepairRsText),
        Box::new(LlmJsonValue),
        Box::new(LlmJsonText),
    ]
}

fn jiter_partial(text: &str) -> Result<JsonValue<'_>, jiter::JsonError> {
    JsonValue::parse_with_config(text.as_bytes(), false, PartialMode::TrailingStrings)
}

/// Parses a whole text with jiter.
///
/// # Errors
///
/// Errors of jiter.
pub fn jiter_answer(text: &str) -> Result<Value, String> {
    jiter_to_serde(&jiter_partial(text).map_err(|error| error.to_string())?)
}

/// Follows a text with jiter's partial mode, which parses the whole prefix after each chunk of
/// `chunk` bytes. Only every `every`th of these is run.
pub fn reread_with_jiter(text: &str, chunk: usize, every: usize) {
    let first = chunk * every.div_ceil(2);
    let ends = (first..text.len()).step_by(chunk * every);
    for prefix in ends.filter_map(|end| text.as_bytes().get(..end)) {
        let partial = PartialMode::TrailingStrings;
        drop(black_box(JsonValue::parse_with_config(black_box(prefix), false, partial)));
    }
}

/// Feeds a text to json-stream-parser, and reads the value after each chunk of `chunk` bytes.
///
/// # Errors
///
/// Errors of the parser.
pub fn follow_with_json_stream_parser(
    text: &str,
    chunk: usize,
) -> Result<JsonStreamParser, String> {
    let mut parser = JsonStreamParser::new();
    let mut next = chunk;
    for (at, character) in text.char_indices() {
        if at >= next {
            black_box(parser.get_result());
            next += chunk;
        }
        parser.add_char(character)?;
    }
    Ok(parser)
}

fn jiter_to_serde(value: &JsonValue<'_>) -> Result<Value, String> {
    Ok(match value {
        JsonValue::Null => Value::Null,
        JsonValue::Bool(yes) => (*yes).into(),
        JsonValue::Int(number) => (*number).into(),
        JsonValue::BigInt(number) => return Err(format!("{number} has no serde_json form")),
        JsonValue::Float(number) => (*number).into(),
        JsonValue::Str(text) => text.as_ref().into(),
        JsonValue::Array(items) => items.iter().map(jiter_to_serde).collect::<Result<_, _>>()?,
        JsonValue::Object(members) => {
            let mut map = Map::new();
            for (key, value) in members.iter() {
                map.insert(key.to_string(), jiter_to_serde(value)?);
            }
            Value::Object(map)
        }
    })
}

fn llm_json_text(text: &str) -> Result<String, llm_json::JsonRepairError> {
    llm_json::repair_json(text, &llm_json_options())
}

fn llm_json_value(text: &str) -> Result<Value, llm_json::JsonRepairError> {
    llm_json::loads(text, &llm_json_options())
}

/// By default it escapes non-ASCII characters, and corrupts emoji, one of which would fail every
/// document.
fn llm_json_options() -> llm_json::RepairOptions {
    llm_json::RepairOptions { ensure_ascii: false, ..llm_json::RepairOptions::default() }
}
