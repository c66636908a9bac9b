//! Repairing texts.

use llmend_json::{ErrorRow, Options, Policy, decode, parse_with};
use wasm_bindgen::prelude::*;

use crate::{
    UNIT,
    last::{self, Found},
    options, refusal,
    report::ReportRow,
};

/// Repairs a text to strict JSON. Returns nothing if the text is that already. `call` is a number by which the report
/// can be had.
#[wasm_bindgen]
pub fn repair(text: String, options: &str, call: u32) -> Result<Option<String>, JsValue> {
    last::clear();
    options::with(options, |options| repaired(text, options, call))
}

/// Repairs a text like [`repair`], from its bytes in UTF-8.
#[wasm_bindgen(js_name = repairBytes)]
pub fn repair_bytes(bytes: Vec<u8>, options: &str, call: u32) -> Result<Option<String>, JsValue> {
    last::clear();
    let text = text(bytes)?;
    options::with(options, |options| repaired(text, options, call))
}

fn repaired(text: String, options: &Options, call: u32) -> Result<Option<String>, JsValue> {
    // Not `repair_with`: the parser is compiled once for each kind of result, and streams need this one anyway.
    let report =
        parse_with(&text, options).map_err(|error| refusal::of_text(&error, &text))?.report;
    let made = report.output(&text);
    let json = (made != text).then(|| made.into_owned());
    let (is_unsure, found) = (report.is_unsure(), Found::of(&report));
    last::keep(call, (is_unsure, false), found, text, |text| {
        serde_json::to_string(&ReportRow::new(report, text)).unwrap_or_default()
    });
    Ok(json)
}

/// Returns the text of bytes in UTF-8.
pub(crate) fn text(bytes: Vec<u8>) -> Result<String, JsValue> {
    String::from_utf8(bytes).or_else(|error| {
        let bytes = error.into_bytes();
        decode(&bytes)
            .map(str::to_owned)
            .map_err(|error| refusal::thrown(ErrorRow::of_bytes(&error, &bytes, UNIT)))
    })
}

/// Returns the JSON of the report of a call; nothing if another call came since.
#[wasm_bindgen]
pub fn report(call: u32) -> Option<String> {
    last::take(call)
}

/// Returns what the last call found: 1 if its value may lack something, plus 2 if it does not fit its schema.
#[wasm_bindgen]
pub fn flags() -> u32 {
    last::flags()
}

/// Returns the start and the end of the text that the last call read as the value, 1 if it stands in other text without a
/// mark, and the number of the worst class of its repairs, from 1: what the drop-in for jsonrepair needs of a report.
#[wasm_bindgen]
pub fn found() -> Vec<u32> {
    last::found()
}

/// Returns the JSON of what is wrong with a value without a list at `pointer`; nothing if it has one.
#[wasm_bindgen(js_name = missingList)]
pub fn missing_list(json: &str, pointer: &str) -> Option<String> {
    let limits =
        Options { max_depth: usize::MAX, max_bytes: usize::MAX, ..Options::policy(Policy::Strict) };
    let missing = parse_with(json, &limits).ok()?.value.root().missing_list(pointer)?;
    serde_json::to_string(&missing).ok()
}
