//! The requests of retries.
//!
//! A retry is the client's own request with feedback added, and without what would change the kind
//! of the answer. Tools stay known, since earlier messages may name them, but may not be called.

use llmend::json::{Kind, Node};
use llmend::model::Output;
use serde_json::{Value, json};

use crate::protocol::Protocol;
use crate::protocol::request::RequestedFormat;
use crate::splice::{Splice, quoted, strict};

/// What a retry asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RetryPrompt<'a> {
    /// The feedback on the last answer.
    pub(crate) feedback: &'a str,
    /// The requested output.
    pub(crate) output: &'a Output,
    /// Most tokens of the answer.
    pub(crate) limit: Option<u32>,
}

/// Writes the request of a retry. `body` is the request that was sent before.
pub(crate) fn request(
    protocol: Protocol,
    body: &str,
    prompt: RetryPrompt<'_>,
    depth: usize,
) -> Option<String> {
    let value = strict(body, depth).ok()?;
    let root = value.root();
    let fields = &protocol.profile().retry;
    let form = form(protocol, root, prompt.output);
    let mut splice = Splice::new(body);
    add_feedback(root.get(fields.messages)?, &feedback(prompt, form.is_none()), &mut splice);
    let mut with: Vec<(&str, String)> = form.into_iter().collect();
    if root.get("tools").is_some_and(|tools| !tools.is_empty()) {
        with.push(("tool_choice", fields.no_tools.to_owned()));
    }
    if root.get("functions").is_some_and(|functions| !functions.is_empty()) {
        with.push(("function_call", quoted("none")));
    }
    if let Some(limit) = prompt.limit {
        let present = fields.limits.iter().find_map(|name| Some((*name, root.get(name)?)));
        match present {
            Some((_, node)) => {
                let known = node.number().and_then(|number| number.parse().ok()).unwrap_or(limit);
                splice.replace(node, known.min(limit).to_string());
            }
            None => with.extend(fields.limits.last().map(|name| (*name, limit.to_string()))),
        }
    }
    splice.members(root, fields.omitted, &with);
    Some(splice.finish().into_owned())
}

/// Writes a request for another whole answer. `body` is the request that was sent before.
pub(crate) fn another(protocol: Protocol, body: &str, words: &str, depth: usize) -> Option<String> {
    let value = strict(body, depth).ok()?;
    let root = value.root();
    let mut splice = Splice::new(body);
    add_feedback(root.get(protocol.profile().retry.messages)?, words, &mut splice);
    splice.members(root, &["stream", "stream_options"], &[]);
    Some(splice.finish().into_owned())
}

/// Adds feedback to the last message of the user, since some models reject two messages of one
/// role.
fn add_feedback(messages: Node<'_>, words: &str, splice: &mut Splice<'_>) {
    if let Some(text) = messages.str() {
        return splice.replace(messages, quoted(&format!("{text}\n\n{words}")));
    }
    let last = messages.items().last();
    let user = last.filter(|last| last.get("role").and_then(Node::str) == Some("user"));
    match user.and_then(|user| user.get("content")) {
        Some(content) if content.kind() == Kind::String => {
            let text = content.str().unwrap_or_default();
            splice.replace(content, quoted(&format!("{text}\n\n{words}")));
        }
        _ => splice.append(messages, json!({"role": "user", "content": words}).to_string()),
    }
}

/// Returns the feedback, with the schema unless a member of the request contains it.
fn feedback(prompt: RetryPrompt<'_>, needs_schema: bool) -> String {
    let schema = prompt.output.shape().map(|shape| shape.schema.as_str());
    match schema {
        Some(schema) if needs_schema && !prompt.feedback.contains(schema) => {
            format!("{}\n\nThe JSON has to fit this schema:\n{schema}", prompt.feedback)
        }
        _ => prompt.feedback.to_owned(),
    }
}

/// Returns the member that asks for the schema, if the client's request shows that the server
/// supports it.
fn form(protocol: Protocol, root: Node<'_>, output: &Output) -> Option<(&'static str, String)> {
    let shape = output.shape()?;
    if !matches!(protocol.adapter().request(root).content, RequestedFormat::Schema(_)) {
        return None;
    }
    let schema: Value = serde_json::from_str(&shape.schema).ok()?;
    Some(protocol.adapter().schema_format(shape, &schema))
}

#[cfg(test)]
mod tests {
    use llmend::model::{Output, Shape};
    use serde_json::{Value, json};

    use super::{RetryPrompt, request};
    use crate::protocol::Protocol;

    fn written(protocol: Protocol, body: &Value, limit: Option<u32>) -> Value {
        let output = Output::Schema(Shape::new("part", "{\"type\":\"object\"}"));
        let prompt = RetryPrompt { feedback: "Repair it.", output: &output, limit };
        let text = request(protocol, &body.to_string(), prompt, 50).unwrap();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    #[test]
    fn a_retry_is_the_request_of_the_client_with_feedback() {
        let body = json!({"model": "m", "stream": true, "temperature": 0.5, "max_tokens": 100,
            "messages": [{"role": "user", "content": "A city?"}],
            "tools": [{"function": {"name": "f"}}], "tool_choice": "required"});
        let out = written(Protocol::Chat, &body, Some(50));
        assert_eq!((&out["temperature"], &out["max_tokens"]), (&json!(0.5), &json!(50)));
        assert_eq!((&out["tool_choice"], out.get("stream")), (&json!("none"), None));
        assert_eq!(out["messages"].as_array().unwrap().len(), 1);
        let words = out["messages"][0]["content"].as_str().unwrap();
        assert_eq!(
            words,
            "A city?\n\nRepair it.\n\nThe JSON has to fit this schema:\n{\"type\":\"object\"}"
        );
        // Never more than the client wanted.
        assert_eq!(written(Protocol::Chat, &body, Some(500))["max_tokens"], 100);
    }

    #[test]
    fn a_schema_is_sent_if_the_client_sent_one() {
        let format = json!({"type": "json_schema", "json_schema": {"name": "x", "strict": true, "schema": {}}});
        let body = json!({"model": "m", "messages": [], "response_format": format});
        let out = written(Protocol::Chat, &body, None);
        assert_eq!(
            out["response_format"]["json_schema"],
            json!({"name": "part", "schema": {"type": "object"}})
        );
        assert_eq!(out["messages"], json!([{"role": "user", "content": "Repair it."}]));

        let body = json!({"model": "m", "input": "Hi.", "text": {"format": {"type": "json_schema", "schema": {}}}});
        let out = written(Protocol::Responses, &body, Some(7));
        assert_eq!(
            (&out["input"], &out["max_output_tokens"]),
            (&json!("Hi.\n\nRepair it."), &json!(7))
        );
        assert_eq!(out["text"]["format"]["schema"], json!({"type": "object"}));

        let body = json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi."}]}],
            "tools": [{"name": "f"}], "output_format": {"type": "json_schema", "schema": {}}});
        let out = written(Protocol::Messages, &body, None);
        assert_eq!(out["tool_choice"], json!({"type": "none"}));
        assert_eq!(out["messages"].as_array().unwrap().len(), 2);
        assert_eq!(out["output_format"]["schema"], json!({"type": "object"}));
    }
}
