//! The calls as a message of an API: of OpenAI, Anthropic, MCP or Gemini.

use std::collections::HashSet;

use llmend_json::choice;
use serde_json::json;

use crate::{Call, Reading};

choice! {
    /// The API whose message is written.
    MessageForm {
        /// An assistant message of OpenAI's chat interface, with `tool_calls`.
        OpenAi = "openai",
        /// An assistant message of Anthropic's interface, with `tool_use` blocks.
        Anthropic = "anthropic",
        /// A list of MCP requests of the method `tools/call`. The text is omitted.
        Mcp = "mcp",
        /// A content of Gemini's interface, with `functionCall` parts.
        Gemini = "gemini",
    }
}

impl MessageForm {
    /// Returns a description in one sentence.
    #[must_use]
    pub const fn doc(self) -> &'static str {
        match self {
            Self::OpenAi => "An assistant message with tool_calls, as in OpenAI's chat interface",
            Self::Anthropic => {
                "An assistant message with tool_use blocks, as in Anthropic's interface"
            }
            Self::Mcp => "A list of tools/call requests of MCP, without the text",
            Self::Gemini => "A content with functionCall parts, as in Gemini's interface",
        }
    }
}

impl Reading {
    /// Writes the text and the calls as a message of an API. Numbers in arguments keep their digits.
    ///
    /// A call without an id gets `call_1`, `call_2` and so on, except for Gemini, where ids are
    /// optional. So does a call whose id an earlier call has, or that Anthropic would reject.
    /// Reasoning is omitted: the APIs accept only their own.
    ///
    /// ```
    /// use llmend_calls::{MessageForm, Options, Tools, read};
    ///
    /// let tools = Tools::from_text(r#"{"add": {"properties": {"a": {"type": "integer"}}}}"#)?;
    /// let reading = read("[add(a=1)]", &tools, &Options::default());
    /// assert_eq!(
    ///     reading.to_message(MessageForm::Mcp),
    ///     r#"[{"jsonrpc":"2.0","id":"call_1","method":"tools/call","params":{"name":"add","arguments":{"a":1}}}]"#,
    /// );
    /// # Ok::<(), llmend_calls::ToolsError>(())
    /// ```
    #[must_use]
    pub fn to_message(&self, form: MessageForm) -> String {
        let calls = self.calls.iter().zip(ids(&self.calls, form));
        match form {
            MessageForm::OpenAi => {
                let calls = list(calls.map(|(call, id)| open_ai(call, &id)));
                let text = (!self.text.is_empty()).then_some(&self.text);
                let text = json!(text);
                if self.calls.is_empty() {
                    return format!(r#"{{"role":"assistant","content":{text}}}"#);
                }
                format!(r#"{{"role":"assistant","content":{text},"tool_calls":[{calls}]}}"#)
            }
            MessageForm::Anthropic => {
                let text = self.text_part(|text| format!(r#"{{"type":"text","text":{text}}}"#));
                let calls = calls.map(|(call, id)| anthropic(call, &id));
                format!(
                    r#"{{"role":"assistant","content":[{}]}}"#,
                    list(text.into_iter().chain(calls))
                )
            }
            MessageForm::Mcp => format!("[{}]", list(calls.map(|(call, id)| mcp(call, &id)))),
            MessageForm::Gemini => {
                let text = self.text_part(|text| format!(r#"{{"text":{text}}}"#));
                let calls = self.calls.iter().map(gemini);
                format!(r#"{{"role":"model","parts":[{}]}}"#, list(text.into_iter().chain(calls)))
            }
        }
    }

    /// Writes the text as a part, if there is any.
    fn text_part(&self, part: impl FnOnce(serde_json::Value) -> String) -> Option<String> {
        (!self.text.is_empty()).then(|| part(json!(self.text)))
    }
}

fn open_ai(call: &Call, id: &str) -> String {
    let (id, name) = (json!(id), json!(call.name));
    // The arguments are JSON as a text.
    let arguments = json!(call.arguments.to_string());
    format!(
        r#"{{"id":{id},"type":"function","function":{{"name":{name},"arguments":{arguments}}}}}"#
    )
}

fn anthropic(call: &Call, id: &str) -> String {
    let (id, name) = (json!(id), json!(call.name));
    format!(r#"{{"type":"tool_use","id":{id},"name":{name},"input":{}}}"#, call.arguments)
}

fn mcp(call: &Call, id: &str) -> String {
    let (id, name) = (json!(id), json!(call.name));
    let params = format!(r#"{{"name":{name},"arguments":{}}}"#, call.arguments);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#)
}

fn gemini(call: &Call) -> String {
    let id = call.id.as_ref().map(|id| format!(r#""id":{},"#, json!(id))).unwrap_or_default();
    format!(r#"{{"functionCall":{{{id}"name":{},"args":{}}}}}"#, json!(call.name), call.arguments)
}

/// Returns an id for each call, no two alike: its own, or else a new one.
fn ids(calls: &[Call], form: MessageForm) -> Vec<String> {
    let own: HashSet<&str> = calls.iter().filter_map(|call| call.id.as_deref()).collect();
    let mut used = HashSet::new();
    let mut count = 0;
    let mut next = || loop {
        count += 1;
        let id = format!("call_{count}");
        if !own.contains(id.as_str()) {
            return id;
        }
    };
    calls
        .iter()
        .map(|call| match call.id.as_deref() {
            Some(id) if is_id(id, form) && used.insert(id) => id.to_owned(),
            _ => next(),
        })
        .collect()
}

/// Returns whether the API accepts `id`.
fn is_id(id: &str, form: MessageForm) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    !id.is_empty() && (form != MessageForm::Anthropic || id.bytes().all(is_plain))
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::MessageForm;
    use crate::{Options, Reading, Tools, read};

    fn reading(text: &str) -> Reading {
        let tools = r#"{"add": {"properties": {"a": {"type": "number"}}}}"#;
        read(text, &Tools::from_text(tools).unwrap(), &Options::default())
    }

    const TWO: &str = "Let me add \"two\" numbers.\n<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 1.50}}\n</tool_call>\n\
        <tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 12345678901234567890123}}\n</tool_call>";

    #[test]
    fn messages_of_each_form() {
        for (form, expected) in [
            (
                MessageForm::OpenAi,
                concat!(
                    r#"{"role":"assistant","content":"Let me add \"two\" numbers.","tool_calls":["#,
                    r#"{"id":"call_1","type":"function","function":{"name":"add","arguments":"{\"a\":1.50}"}},"#,
                    r#"{"id":"call_2","type":"function","function":{"name":"add","arguments":"{\"a\":12345678901234567890123}"}}]}"#,
                ),
            ),
            (
                MessageForm::Anthropic,
                concat!(
                    r#"{"role":"assistant","content":[{"type":"text","text":"Let me add \"two\" numbers."},"#,
                    r#"{"type":"tool_use","id":"call_1","name":"add","input":{"a":1.50}},"#,
                    r#"{"type":"tool_use","id":"call_2","name":"add","input":{"a":12345678901234567890123}}]}"#,
                ),
            ),
            (
                MessageForm::Mcp,
                concat!(
                    r#"[{"jsonrpc":"2.0","id":"call_1","method":"tools/call","params":{"name":"add","arguments":{"a":1.50}}},"#,
                    r#"{"jsonrpc":"2.0","id":"call_2","method":"tools/call","params":{"name":"add","arguments":{"a":12345678901234567890123}}}]"#,
                ),
            ),
            (
                MessageForm::Gemini,
                concat!(
                    r#"{"role":"model","parts":[{"text":"Let me add \"two\" numbers."},"#,
                    r#"{"functionCall":{"name":"add","args":{"a":1.50}}},"#,
                    r#"{"functionCall":{"name":"add","args":{"a":12345678901234567890123}}}]}"#,
                ),
            ),
        ] {
            assert_eq!(reading(TWO).to_message(form), expected);
        }
    }

    #[test]
    fn messages_without_calls() {
        for (form, text, expected) in [
            (MessageForm::OpenAi, "Hello.", r#"{"role":"assistant","content":"Hello."}"#),
            (MessageForm::OpenAi, "", r#"{"role":"assistant","content":null}"#),
            (
                MessageForm::Anthropic,
                "Hello.",
                r#"{"role":"assistant","content":[{"type":"text","text":"Hello."}]}"#,
            ),
            (MessageForm::Anthropic, "", r#"{"role":"assistant","content":[]}"#),
            (MessageForm::Mcp, "Hello.", "[]"),
            (MessageForm::Gemini, "Hello.", r#"{"role":"model","parts":[{"text":"Hello."}]}"#),
        ] {
            assert_eq!(reading(text).to_message(form), expected);
        }
    }

    #[test]
    fn ids_are_unique() {
        for (form, written, expected) in [
            (MessageForm::OpenAi, [None, None, None], ["call_1", "call_2", "call_3"]),
            (MessageForm::OpenAi, [Some("x"), None, None], ["x", "call_1", "call_2"]),
            (MessageForm::OpenAi, [None, Some("call_1"), None], ["call_2", "call_1", "call_3"]),
            (MessageForm::OpenAi, [Some("0"), Some("0"), Some("")], ["0", "call_1", "call_2"]),
            (
                MessageForm::OpenAi,
                [Some("functions.add:0"), None, None],
                ["functions.add:0", "call_1", "call_2"],
            ),
            (
                MessageForm::Anthropic,
                [Some("functions.add:0"), None, None],
                ["call_1", "call_2", "call_3"],
            ),
        ] {
            let mut reading = reading("[add(a=1), add(a=2), add(a=3)]");
            assert_eq!(reading.calls.len(), 3);
            for (call, id) in reading.calls.iter_mut().zip(written) {
                call.id = id.map(ToOwned::to_owned);
            }
            let message: Value = serde_json::from_str(&reading.to_message(form)).unwrap();
            let list = match form {
                MessageForm::Anthropic => &message["content"],
                _ => &message["tool_calls"],
            };
            let found: Vec<&Value> =
                list.as_array().unwrap().iter().map(|row| &row["id"]).collect();
            assert_eq!(json!(found), json!(expected));
        }
    }

    #[test]
    fn a_message_reads_back_as_the_same_calls() {
        let first = reading(TWO);
        // What is copied of Gemini's interface is a part, not a whole content.
        for form in [MessageForm::OpenAi, MessageForm::Anthropic, MessageForm::Mcp] {
            let again = reading(&first.to_message(form));
            let calls = |reading: &Reading| -> Vec<_> {
                reading
                    .calls
                    .iter()
                    .map(|call| (call.name.clone(), call.arguments.to_string()))
                    .collect()
            };
            assert_eq!(calls(&again), calls(&first), "{form}: {again:?}");
        }
    }
}
