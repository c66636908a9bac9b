//! Lenient deserialization for servers with inexact types.

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::sse::delta::ProviderError;

/// Reads a value that should be text: text as is, `null` as nothing, anything else as its JSON.
///
/// Some servers send tool arguments as an object, and codes as numbers.
pub(super) fn text(raw: Option<&RawValue>) -> Result<Option<String>, String> {
    match raw.map(RawValue::get) {
        None | Some("null") => Ok(None),
        Some(json) if json.starts_with('"') => parse(json).map(Some),
        Some(json) => Ok(Some(json.to_owned())),
    }
}

/// Reads text like [`text`], with empty text as nothing.
pub(super) fn word(raw: Option<&RawValue>) -> Result<Option<String>, String> {
    Ok(text(raw)?.filter(|text| !text.is_empty()))
}

/// Reads a count, which should be a whole number: `12`, `12.0` and `"12"` are accepted. Anything
/// else is ignored, since the answer matters more than its counts.
pub(super) fn count(value: &Value) -> Option<u64> {
    let whole = |text: &str| {
        let digits = text.trim().trim_end_matches('0').strip_suffix('.').unwrap_or(text.trim());
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
    };
    match value {
        Value::Number(number) => number.as_u64().or_else(|| whole(&number.to_string())),
        Value::String(text) => whole(text),
        _ => None,
    }
}

/// Reads an index like a count. An invalid one is an error, since its piece cannot be assigned.
pub(super) fn index<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    if value.is_null() {
        return Ok(None);
    }
    let index = count(&value).and_then(|index| u32::try_from(index).ok());
    let no_index = || D::Error::custom(format!("invalid value: {value}, expected an index"));
    index.map(Some).ok_or_else(no_index)
}

/// The usage counts of an object and its nested objects.
pub(super) struct UsageCounts(Value);

impl UsageCounts {
    pub(super) fn of(usage: &RawValue) -> Self {
        Self(parse(usage.get()).unwrap_or_default())
    }

    /// Returns the count at this JSON Pointer, if valid.
    pub(super) fn at(&self, pointer: &str) -> Option<u64> {
        self.0.pointer(pointer).and_then(count)
    }
}

/// Parses JSON into a type.
pub(super) fn parse<'t, T: Deserialize<'t>>(json: &'t str) -> Result<T, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

/// Returns whether a value is present and not empty.
pub(super) fn is_set(raw: Option<&RawValue>) -> bool {
    raw.is_some_and(|raw| !matches!(raw.get(), "null" | "\"\"" | "{}"))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Shape<'t> {
    #[serde(borrow)]
    error: Option<&'t RawValue>,
    #[serde(borrow)]
    message: Option<&'t RawValue>,
    #[serde(borrow)]
    r#type: Option<&'t RawValue>,
    #[serde(borrow)]
    code: Option<&'t RawValue>,
    #[serde(borrow)]
    status: Option<&'t RawValue>,
}

/// Reads an error as providers write it: `{"error": {"message", "type", "code", "status"}}`, the
/// inner object alone, `{"error": "message"}`, or plain text.
pub(super) fn provider_error(data: &str) -> ProviderError {
    let Ok(outer) = parse::<Shape<'_>>(data) else {
        return ProviderError {
            message: data.trim().to_owned(),
            raw: data.to_owned(),
            ..ProviderError::default()
        };
    };
    let inner = outer.error.map(RawValue::get);
    let shape = match inner {
        Some(json) if json.starts_with('{') => parse(json).unwrap_or_default(),
        Some(_) if is_set(outer.error) => Shape { message: outer.error, ..outer },
        _ => outer,
    };
    let get = |raw| word(raw).ok().flatten();
    ProviderError {
        message: get(shape.message).unwrap_or_default(),
        kind: get(shape.r#type).filter(|kind| kind != "error").or_else(|| get(shape.status)),
        code: get(shape.code),
        raw: data.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{count, provider_error};

    #[test]
    fn a_count_is_read_in_every_form_and_is_never_worth_an_error() {
        let rows = [
            ("12", Some(12)),
            ("12.0", Some(12)),
            ("\" 12 \"", Some(12)),
            ("0", Some(0)),
            ("0.0", Some(0)),
            ("100", Some(100)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("1e30", None),
            ("1.5", None),
            ("-5", None),
            ("\"many\"", None),
            ("\"\"", None),
            ("[]", None),
            ("null", None),
        ];
        for (json, expected) in rows {
            assert_eq!(count(&serde_json::from_str(json).unwrap()), expected, "{json}");
        }
    }

    #[test]
    fn errors_are_read_in_every_form() {
        // (data, message, kind, code)
        type Row = (&'static str, &'static str, Option<&'static str>, Option<&'static str>);
        let rows: [Row; 9] = [
            (
                r#"{"error": {"message": "m", "type": "t", "param": null, "code": "c"}}"#,
                "m",
                Some("t"),
                Some("c"),
            ),
            (
                r#"{"error": {"code": 503, "message": "m", "status": "UNAVAILABLE"}}"#,
                "m",
                Some("UNAVAILABLE"),
                Some("503"),
            ),
            (
                r#"{"type": "error", "error": {"type": "overloaded_error", "message": "m"}}"#,
                "m",
                Some("overloaded_error"),
                None,
            ),
            (
                r#"{"type": "error", "code": "c", "message": "m", "param": null}"#,
                "m",
                None,
                Some("c"),
            ),
            (r#"{"error": "m"}"#, "m", None, None),
            (
                r#"{"object": "error", "message": "m", "type": "BadRequest", "code": 400}"#,
                "m",
                Some("BadRequest"),
                Some("400"),
            ),
            (r#"{"error": {"message": {"deep": 1}}}"#, r#"{"deep": 1}"#, None, None),
            ("upstream timed out", "upstream timed out", None, None),
            (r#"{"error": null}"#, "", None, None),
        ];
        for (data, message, kind, code) in rows {
            let error = provider_error(data);
            let found = (error.message.as_str(), error.kind.as_deref(), error.code.as_deref());
            assert_eq!(found, (message, kind, code), "{data}");
            assert_eq!(error.raw, data);
        }
    }
}
