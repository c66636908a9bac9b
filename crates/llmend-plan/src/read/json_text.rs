//! Objects that are written as JSON text, as in the API's own tool calls.

use llmend_json::{Diagnostic, Kind, Options, Search, Severity};
use serde_json::Value;

use crate::{
    Map, Strictness, code,
    findings::Findings,
    object::{Names, Object, Part, Presence::Nullable},
};

/// Reads the members of the object in the field, which in lenient mode may be the text of one.
pub(crate) fn map(object: &Object<'_>, names: Names, findings: &mut Findings) -> Map {
    let is_text = |it: &Part<'_>| it.node.str().is_some_and(|text| text.trim().starts_with('{'));
    let lenient = object.strictness == Strictness::Lenient;
    match object.find(names).filter(|it| lenient && is_text(it)) {
        Some(it) => members(&it.noted(findings), Search::Off, findings),
        None => object.map(names, Nullable, findings),
    }
}

/// Reads the members of the object in the text `it`.
pub(crate) fn members(it: &Part<'_>, search: Search, findings: &mut Findings) -> Map {
    debug_assert_eq!(it.node.kind(), Kind::String);
    let text = it.node.str().unwrap_or_default();
    if text.trim().is_empty() {
        return Map::new();
    }
    match llmend_json::parse_with(text, &Options { search, ..Options::default() }) {
        Ok(parsed) => {
            if !parsed.report.repairs.is_empty() {
                let count = parsed.report.repairs.len();
                let class = parsed.report.class;
                let message = format!("the text of the arguments was repaired (repairs: {count})");
                let row = Diagnostic::new(code::MENDED_ARGUMENTS, Severity::Warning, message);
                findings.push(Diagnostic { class, ..row.at(it.span()).on(it.path.as_str()) });
            }
            // Spans within the text are not spans of the answer, so findings get the span of the text.
            let mut within = Findings::default();
            let root = Part { node: parsed.value.root(), ..it.clone() };
            let value = root.carried(&mut within);
            findings.take_at(within, it.span());
            if let Value::Object(map) = value {
                return map;
            }
            let message = "expected object in the text of the arguments";
            findings.error(code::WRONG_TYPE, &it.path, it.span(), message);
            Map::new()
        }
        Err(error) => {
            let message = format!("the text of the arguments is not JSON: {}", error.message());
            findings.error(error.code(), &it.path, it.span(), message);
            Map::new()
        }
    }
}
