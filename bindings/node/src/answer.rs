//! Repairing texts.

use llmend_json::{ErrorRow, Options, Policy, decode, parse_with};

use crate::{
    UNIT,
    last::{self, Found},
    options,
    refusal::{self, Refusal},
    report::ReportRow,
};

/// Repairs a text to strict JSON. Returns nothing if the text is that already.
pub(crate) fn repair(text: String, options: &str) -> Result<Option<String>, Refusal> {
    last::begin();
    options::with(options, |options| repaired(text, options))
}

/// Repairs a text like [`repair`], from its bytes in UTF-8.
pub(crate) fn repair_bytes(bytes: Vec<u8>, options: &str) -> Result<Option<String>, Refusal> {
    last::begin();
    let text = text(bytes)?;
    options::with(options, |options| repaired(text, options))
}

fn repaired(text: String, options: &Options) -> Result<Option<String>, Refusal> {
    // Not `repair_with`: the parser is compiled once for each kind of result, and streams need this one anyway.
    let report =
        parse_with(&text, options).map_err(|error| refusal::of_text(&error, &text))?.report;
    let made = report.output(&text);
    let json = (made != text).then(|| made.into_owned());
    let (is_unsure, found) = (report.is_unsure(), Found::of(&report));
    last::keep((is_unsure, false), found, text, |text| {
        serde_json::to_string(&ReportRow::new(report, text)).unwrap_or_default()
    });
    Ok(json)
}

/// Returns the text of bytes in UTF-8.
pub(crate) fn text(bytes: Vec<u8>) -> Result<String, Refusal> {
    String::from_utf8(bytes).or_else(|error| {
        let bytes = error.into_bytes();
        decode(&bytes)
            .map(str::to_owned)
            .map_err(|error| refusal::thrown(ErrorRow::of_bytes(&error, &bytes, UNIT)))
    })
}

/// Returns the JSON of what is wrong with a value without a list at `pointer`; nothing if it has one.
pub(crate) fn missing_list(json: &str, pointer: &str) -> Option<String> {
    let limits =
        Options { max_depth: usize::MAX, max_bytes: usize::MAX, ..Options::policy(Policy::Strict) };
    let missing = parse_with(json, &limits).ok()?.value.root().missing_list(pointer)?;
    serde_json::to_string(&missing).ok()
}
