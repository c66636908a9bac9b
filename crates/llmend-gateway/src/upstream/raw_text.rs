//! What a model wrote, in an error of a server that could not read its tool calls.

use serde_json::Value;

/// What servers write before the text of the model, and behind it.
const FRAMES: [(&str, &str); 3] = [
    ("error parsing tool call: raw='", "', err="),
    ("Failed to parse input at pos ", ""),
    ("Failed to parse tool call", ""),
];

/// Returns the text of the model in the body of an error.
pub(crate) fn raw_text(body: &[u8]) -> Option<String> {
    let json: Value = serde_json::from_slice(body).ok()?;
    let error = json.get("error").unwrap_or(&json);
    let message = error.as_str().or_else(|| error.get("message")?.as_str())?;
    let (rest, end) = FRAMES.into_iter().find_map(|(start, end)| {
        let (_, rest) = message.split_once(start)?;
        Some((rest, end))
    })?;
    if !end.is_empty() {
        return rest.rsplit_once(end).map(|(text, _)| text.to_owned());
    }
    // The number of a byte, or nothing, precedes it.
    rest.split_once(": ").map(|(_, text)| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::raw_text;

    #[test]
    fn the_text_of_the_model_is_found() {
        for (body, expected) in [
            (
                r#"{"error":{"code":500,"message":"Failed to parse input at pos 12: <tool_call>{\"name\": \"f\"}","type":"server_error"}}"#,
                Some("<tool_call>{\"name\": \"f\"}"),
            ),
            (
                r#"{"error":"error parsing tool call: raw='{\"name\":\"f\", err=', err=invalid character"}"#,
                Some("{\"name\":\"f\", err="),
            ),
            (
                r#"{"error":{"message":"Failed to parse tool call arguments as JSON: {\"a\": 1"}}"#,
                Some("{\"a\": 1"),
            ),
            (r#"{"error":{"message":"out of memory: {}"}}"#, None),
            (r#"{"error":{"message":"Failed to parse input at pos 3"}}"#, None),
            ("Failed to parse input at pos 0: x", None),
        ] {
            assert_eq!(raw_text(body.as_bytes()).as_deref(), expected, "{body}");
        }
    }
}
