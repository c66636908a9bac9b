//! Error messages for invalid schemas.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value as Json;

use crate::Error;
use crate::compile::keywords::is_data;
use crate::compile::reference::Names;
use crate::compile::types::Types;
use crate::keyword_message::{of_validator, types};
use crate::pointer::join;
use crate::quote::clipped;
use crate::quote::one_of;

/// Describes why the validator rejected a schema.
pub(crate) fn schema_error(schema: &Json, error: &ValidationError<'_>) -> Error {
    if let Kind::Referencing(_) = error.kind()
        && let Some((path, reference)) = dangling(schema)
    {
        let message = if reference.starts_with('#') {
            format!("unresolved `$ref` to `{}`", clipped(reference))
        } else {
            format!(
                "unsupported `$ref` to `{}`: only references within the schema are followed",
                clipped(reference)
            )
        };
        return Error::Schema { message, path };
    }
    let path = error.instance_path().to_string();
    let message = message(schema, &path, error.kind()).unwrap_or_else(|| error.to_string());
    Error::Schema { message, path }
}

/// Describes the error in the part of the schema at `path`.
fn message(schema: &Json, path: &str, kind: &Kind) -> Option<String> {
    let part = schema.pointer(path)?;
    let found = clipped(part);
    let Some((above, last)) = path.rsplit_once('/') else {
        return Some(format!("expected object, `true` or `false`, found {found}"));
    };
    // In an array, the keyword is one level further out.
    let keyword = if last.bytes().all(|byte| byte.is_ascii_digit()) {
        above.rsplit('/').next().unwrap_or(last)
    } else {
        last
    };
    Some(match kind {
        _ if keyword == "type" => {
            let names = one_of(Types::NAMES.iter().map(|name| format!("`{name}`")));
            let is_none = |name: &&Json| !Types::NAMES.iter().any(|known| *name == known);
            let bad = part.as_array().and_then(|names| names.iter().find(is_none)).unwrap_or(part);
            let found =
                bad.as_str().map_or_else(|| clipped(bad), |name| format!("`{}`", clipped(name)));
            format!("unknown type {found}, expected {names}")
        }
        Kind::Type { kind } => format!("`{keyword}`: expected {}, found {found}", types(kind)),
        Kind::Format { .. } if matches!(keyword, "pattern" | "patternProperties") => {
            format!("`{keyword}`: {found} is not a valid regular expression")
        }
        Kind::AnyOf { .. } => format!("`{keyword}`: unexpected value {found}"),
        kind => format!("`{keyword}`: {}", of_validator(kind, &found).2),
    })
}

/// Returns the first unresolved reference with its location.
fn dangling(schema: &Json) -> Option<(String, &str)> {
    let names = Names::of(schema);
    let mut open = vec![(schema, String::new())];
    while let Some((part, pointer)) = open.pop() {
        match part {
            Json::Object(map) => {
                let reference = map.get("$ref").and_then(Json::as_str);
                let lost = reference.filter(|reference| {
                    let target = names.find(reference, &pointer);
                    !reference.contains("//json-schema.org/")
                        && target.is_none_or(|target| schema.pointer(&target).is_none())
                });
                if let Some(reference) = lost {
                    return Some((join(&pointer, "$ref"), reference));
                }
                let parts = map.iter().filter(|(key, _)| !is_data(key));
                open.extend(parts.map(|(key, part)| (part, join(&pointer, key))));
            }
            Json::Array(items) => {
                let items = items.iter().enumerate();
                open.extend(items.map(|(at, item)| (item, join(&pointer, &at.to_string()))));
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::Schema;

    #[test]
    fn invalid_schemas_are_described() {
        for (schema, expected) in [
            (
                r#"{"type":"int"}"#,
                "unknown type `int`, expected `null`, `boolean`, `integer`, `number`, `string`, `array` or `object` (at `/type`)",
            ),
            (
                r#"{"type":["string","nil"]}"#,
                "unknown type `nil`, expected `null`, `boolean`, `integer`, `number`, `string`, `array` or `object` (at `/type`)",
            ),
            (
                r#"{"properties":{"a":{"minimum":"1"}}}"#,
                "`minimum`: expected number, found \"1\" (at `/properties/a/minimum`)",
            ),
            (r#"{"required":"a"}"#, "`required`: expected array, found \"a\" (at `/required`)"),
            (r#"{"minLength":-1}"#, "`minLength`: expected at least 0, found -1 (at `/minLength`)"),
            (
                r#"{"pattern":"["}"#,
                "`pattern`: \"[\" is not a valid regular expression (at `/pattern`)",
            ),
            ("[1]", "expected object, `true` or `false`, found [1]"),
            (
                r#"{"properties":{"a":{"$ref":"file:///etc/passwd"}}}"#,
                "unsupported `$ref` to `file:///etc/passwd`: only references within the schema are followed (at `/properties/a/$ref`)",
            ),
            (
                r#"{"items":{"$ref":"other.json#/a"}}"#,
                "unsupported `$ref` to `other.json#/a`: only references within the schema are followed (at `/items/$ref`)",
            ),
            (
                r##"{"items":{"$ref":"#/$defs/none"}}"##,
                "unresolved `$ref` to `#/$defs/none` (at `/items/$ref`)",
            ),
        ] {
            let message = Schema::from_text(schema).unwrap_err().to_string();
            assert_eq!(message, format!("invalid schema: {expected}"), "{schema}");
        }
    }
}
