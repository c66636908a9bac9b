//! Schemas made of references into another one, which they contain as a definition.

use std::fmt::Write;

use serde_json::{Map, Value as Json, json};

use crate::pointer::join;
use crate::{Error, Schema};

/// Key of the other schema in the definitions.
const WHOLE: &str = "whole";

impl Schema {
    /// Compiles the schema of a list whose items fit this one.
    ///
    /// ```
    /// use llmend_schema::{Schema, validate};
    ///
    /// let days = Schema::from_text(r##"{"$ref": "#/$defs/day", "$defs": {"day": {"type": "integer"}}}"##)?.list()?;
    /// assert!(validate(&llmend_json::parse("[1, 2]")?.value, &days).is_empty());
    /// assert_eq!(validate(&llmend_json::parse("[1, null]")?.value, &days)[0].path, "/1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn list(&self) -> Result<Self, Error> {
        let list = |items: Json| {
            Map::from_iter([("type".to_owned(), "array".into()), ("items".to_owned(), items)])
        };
        match self.as_json() {
            Json::Object(item) => around(item, |reference| list(reference(""))),
            item => Self::new(&Json::Object(list(item.clone()))),
        }
    }
}

/// Compiles what `outer` makes of a function that returns a reference to the part of `whole` at a JSON
/// Pointer. Schema paths refer to `whole`.
pub(crate) fn around(
    whole: &Map<String, Json>,
    outer: impl FnOnce(&dyn Fn(&str) -> Json) -> Map<String, Json>,
) -> Result<Schema, Error> {
    let draft = whole.get("$schema").and_then(Json::as_str).unwrap_or_default();
    let id = if draft.contains("draft-04") { "id" } else { "$id" };
    let name = whole.get(id).and_then(Json::as_str).unwrap_or("llmend:whole").trim_end_matches('#');
    let mut outer =
        outer(&|pointer| json!({"$ref": format!("{name}#{}", percent_encoded(pointer))}));
    let mut whole = whole.clone();
    whole.insert(id.to_owned(), name.into());
    if !draft.is_empty() {
        outer.insert("$schema".to_owned(), draft.into());
    }
    outer.insert("definitions".to_owned(), json!({WHOLE: whole}));
    let within = join(&join("", "definitions"), WHOLE);
    Schema::within(&Json::Object(outer), &within)
}

/// Encodes a JSON Pointer as a URI fragment.
fn percent_encoded(pointer: &str) -> String {
    let mut out = String::with_capacity(pointer.len());
    for byte in pointer.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' | b'$' => {
                out.push(char::from(byte));
            }
            // Writing to a string cannot fail.
            other => {
                let _ = write!(out, "%{other:02X}");
            }
        }
    }
    out
}
