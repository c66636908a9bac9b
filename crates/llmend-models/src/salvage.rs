//! Recovery of an answer from a server's error.
//!
//! Some servers parse what a model writes, and answer with an error if they cannot. What the model
//! wrote is often easily repaired, and some servers include it:
//!
//! - Groq: `{"error": {"code": "json_validate_failed", "failed_generation": "…"}}`.
//! - Ollama: `{"error": "error parsing tool call: raw='…', err=…"}`.
//! - llama.cpp: `{"error": {"message": "Failed to parse input at pos 12: …"}}`. Its message for
//!   unreadable arguments, `Failed to parse tool call arguments as JSON`, does not include the model's text.

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Body {
    error: Option<Value>,
    message: Option<Value>,
}

/// Returns the model's text in the body of an error. `None` if there is none.
pub(crate) fn salvage(body: &str) -> Option<String> {
    let body: Body = serde_json::from_str(body).ok()?;
    let error = body.error.or(body.message)?;
    if let Some(written) = error.get("failed_generation").and_then(Value::as_str) {
        return some_text(written);
    }
    let message = error.as_str().or_else(|| error.get("message")?.as_str())?;
    between_quotes(message).or_else(|| behind_position(message)).and_then(some_text)
}

fn some_text(text: &str) -> Option<String> {
    (!text.trim().is_empty()).then(|| text.to_owned())
}

/// Ollama quotes the text without escaping it, so that the last closing quote ends it.
fn between_quotes(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("error parsing tool call: raw='")?;
    rest.rsplit_once("', err=").map(|(written, _)| written)
}

fn behind_position(message: &str) -> Option<&str> {
    const MARK: &str = "failed to parse input at pos ";
    // Case is ignored; lower-casing ASCII keeps the length.
    let at = message.to_ascii_lowercase().find(MARK)? + MARK.len();
    let (position, written) = message.get(at..)?.split_once(": ")?;
    position.bytes().all(|byte| byte.is_ascii_digit()).then_some(written)
}

#[cfg(test)]
mod tests {
    use super::salvage;

    #[test]
    fn what_the_model_wrote_is_found_in_a_server_error() {
        let rows = [
            (
                r#"{"error":{"message":"Failed to generate JSON.","code":"json_validate_failed","failed_generation":"{\"a\": 1,}"}}"#,
                Some("{\"a\": 1,}"),
            ),
            (
                r#"{"error":"error parsing tool call: raw='{'a': 1, }', err=invalid character '\\''"}"#,
                Some("{'a': 1, }"),
            ),
            (
                r#"{"error":{"message":"error parsing tool call: raw='{', err=unexpected end of JSON input"}}"#,
                Some("{"),
            ),
            (
                r#"{"error":{"code":500,"message":"Failed to parse input at pos 7: {\"a\": 1: 2}","type":"server_error"}}"#,
                Some("{\"a\": 1: 2}"),
            ),
            (
                r#"{"error":{"message":"Failed to parse tool call arguments as JSON: parse error at line 1"}}"#,
                None,
            ),
            (r#"{"error":{"failed_generation":""}}"#, None),
            (r#"{"error":{"message":"Failed to parse input at pos x: y"}}"#, None),
            (r#"{"error":{"code":429}}"#, None),
            ("{\"a\": 1}", None),
            ("<html>", None),
            ("", None),
        ];
        for (body, expected) in rows {
            assert_eq!(salvage(body).as_deref(), expected, "{body}");
        }
    }
}
