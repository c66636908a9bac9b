//! Why can a schema not be used, in words for who wrote it?

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value as Json;

use crate::Error;
use crate::clip::clipped;
use crate::compile::join;
use crate::compile::locate::{DATA, Names};
use crate::compile::types::Types;
use crate::wording::{of_validator, one_of, types};

/// What the validator could not make sense of.
pub(crate) fn told(schema: &Json, error: &ValidationError<'_>) -> Error {
    if let Kind::Referencing(_) = error.kind()
        && let Some((path, reference)) = dangling(schema)
    {
        let message = if reference.starts_with('#') {
            format!("`$ref` to `{}`: there is nothing at that place", clipped(reference))
        } else {
            format!("`$ref` to `{}`: only references within it are followed", clipped(reference))
        };
        return Error::Schema { message, path };
    }
    let path = error.instance_path().to_string();
    let message = words(schema, &path, error.kind()).unwrap_or_else(|| error.to_string());
    Error::Schema { message, path }
}

/// What is wrong with the part of the schema at `path`.
fn words(schema: &Json, path: &str, kind: &Kind) -> Option<String> {
    let part = schema.pointer(path)?;
    let found = clipped(part);
    let Some((above, last)) = path.rsplit_once('/') else {
        return Some(format!("it is {found}, and a schema is an object, `true` or `false`"));
    };
    // Within a list the keyword stands one level further out.
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
            format!("{found} is no type: write {names}")
        }
        Kind::Type { kind } => format!("`{keyword}` is {found}, and {} is wanted", types(kind)),
        Kind::Format { .. } if matches!(keyword, "pattern" | "patternProperties") => {
            format!("`{keyword}` is {found}, which is no regular expression")
        }
        Kind::AnyOf { .. } => format!("`{keyword}` may not be {found}"),
        kind => format!("`{keyword}`: {}", of_validator(kind, &found).2),
    })
}

/// The first reference that leads nowhere, and where it stands.
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
                let parts = map.iter().filter(|(key, _)| !DATA.contains(&key.as_str()));
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
    fn who_wrote_the_schema_learns_what_to_write() {
        for (schema, expected) in [
            (
                r#"{"type":"int"}"#,
                "`int` is no type: write `null`, `boolean`, `integer`, `number`, `string`, `array` or `object` (at `/type`)",
            ),
            (
                r#"{"type":["string","nil"]}"#,
                "`nil` is no type: write `null`, `boolean`, `integer`, `number`, `string`, `array` or `object` (at `/type`)",
            ),
            (
                r#"{"properties":{"a":{"minimum":"1"}}}"#,
                "`minimum` is \"1\", and number is wanted (at `/properties/a/minimum`)",
            ),
            (r#"{"required":"a"}"#, "`required` is \"a\", and array is wanted (at `/required`)"),
            (r#"{"minLength":-1}"#, "`minLength`: -1 is less than 0 (at `/minLength`)"),
            (
                r#"{"pattern":"["}"#,
                "`pattern` is \"[\", which is no regular expression (at `/pattern`)",
            ),
            ("[1]", "it is [1], and a schema is an object, `true` or `false`"),
            (
                r#"{"properties":{"a":{"$ref":"file:///etc/passwd"}}}"#,
                "`$ref` to `file:///etc/passwd`: only references within it are followed (at `/properties/a/$ref`)",
            ),
            (
                r#"{"items":{"$ref":"other.json#/a"}}"#,
                "`$ref` to `other.json#/a`: only references within it are followed (at `/items/$ref`)",
            ),
            (
                r##"{"items":{"$ref":"#/$defs/none"}}"##,
                "`$ref` to `#/$defs/none`: there is nothing at that place (at `/items/$ref`)",
            ),
        ] {
            let message = Schema::from_text(schema).unwrap_err().to_string();
            assert_eq!(message, format!("the schema cannot be used: {expected}"), "{schema}");
        }
    }
}
