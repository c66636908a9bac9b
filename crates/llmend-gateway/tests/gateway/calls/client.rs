//! What clients of each protocol ask and make of an answer.

use llmend_model_server::{Answer, ModelServer, Seen};
use serde_json::{Value, json};

use crate::rig::{CHAT, Got, Rig, rig_with};

/// The protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    Chat,
    Responses,
    Messages,
}

pub(super) const PROTOCOLS: [Protocol; 3] =
    [Protocol::Chat, Protocol::Responses, Protocol::Messages];

/// What a client assembles of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Found {
    pub(super) text: String,
    pub(super) reasoning: String,
    /// Name and arguments.
    pub(super) calls: Vec<(String, Value)>,
    pub(super) ids: Vec<String>,
    pub(super) refusal: String,
    /// Why it ends, in the words of the protocol.
    pub(super) end: String,
    pub(super) is_error: bool,
}

impl Protocol {
    pub(super) const fn path(self) -> &'static str {
        match self {
            Self::Chat => CHAT,
            Self::Responses => "/v1/responses",
            Self::Messages => "/v1/messages",
        }
    }

    /// A request with these tools, each with a name and a schema.
    pub(super) fn request(self, tools: &[(String, Value)], stream: bool) -> Value {
        let form = |(name, schema): &(String, Value)| match self {
            Self::Chat => {
                json!({"type": "function", "function": {"name": name, "parameters": schema}})
            }
            Self::Responses => json!({"type": "function", "name": name, "parameters": schema}),
            Self::Messages => json!({"name": name, "input_schema": schema}),
        };
        let tools: Vec<Value> = tools.iter().map(form).collect();
        let user = json!([{"role": "user", "content": "Run it."}]);
        match self {
            Self::Chat => {
                json!({"model": "m", "stream": stream, "messages": user, "tools": tools})
            }
            Self::Responses => {
                json!({"model": "m", "stream": stream, "input": "Run it.", "tools": tools})
            }
            Self::Messages => json!({"model": "m", "stream": stream, "max_tokens": 99,
                "messages": user, "tools": tools}),
        }
    }

    /// A tool that takes a text.
    pub(super) fn custom_tool(self, name: &str, format: &Value) -> Value {
        let tool = json!({"name": name, "description": "Runs a query.", "format": format});
        match self {
            Self::Chat => json!({"type": "custom", "custom": tool}),
            Self::Responses => {
                let mut tool = tool;
                tool["type"] = json!("custom");
                tool
            }
            Self::Messages => panic!("it has none"),
        }
    }

    /// A choice that demands a call of a tool that takes a text.
    pub(super) fn custom_choice(self, name: &str) -> Value {
        match self {
            Self::Chat => json!({"type": "custom", "custom": {"name": name}}),
            Self::Responses => json!({"type": "custom", "name": name}),
            Self::Messages => panic!("it has none"),
        }
    }

    /// A choice that allows this function.
    pub(super) fn allowing(self, mode: &str, name: &str) -> Value {
        match self {
            Self::Chat => json!({"type": "allowed_tools", "allowed_tools": {"mode": mode,
                "tools": [{"type": "function", "function": {"name": name}}]}}),
            Self::Responses => json!({"type": "allowed_tools", "mode": mode,
                "tools": [{"type": "function", "name": name}]}),
            Self::Messages => panic!("it has none"),
        }
    }

    /// What the protocol says of an answer that ends with calls, or without.
    pub(super) const fn end(self, has_calls: bool) -> &'static str {
        match (self, has_calls) {
            (Self::Chat, true) => "tool_calls",
            (Self::Chat, false) => "stop",
            (Self::Responses, _) => "completed",
            (Self::Messages, true) => "tool_use",
            (Self::Messages, false) => "end_turn",
        }
    }

    /// Reads an answer as its client does.
    pub(super) fn read(self, got: &Got, stream: bool) -> Found {
        match (self, stream) {
            _ if got.status != 200 => Found { is_error: true, ..Found::default() },
            (_, true) => self.assembled(&events(got)),
            (Self::Chat, false) => chat(&got.json()["choices"][0]),
            (Self::Responses, false) => response(&got.json()),
            (Self::Messages, false) => message(&got.json()),
        }
    }

    fn assembled(self, events: &[Value]) -> Found {
        if events.iter().any(|event| event["error"].is_object()) {
            return Found { is_error: true, ..Found::default() };
        }
        match self {
            Self::Chat => assembled_chat(events),
            Self::Responses => assembled_response(events),
            Self::Messages => message(&assembled_message(events)),
        }
    }
}

/// The data of each event but `[DONE]`.
fn events(got: &Got) -> Vec<Value> {
    let lines = got.body.lines().filter_map(|line| line.strip_prefix("data: "));
    let json = lines.filter(|data| *data != "[DONE]");
    json.map(|data| serde_json::from_str(data).unwrap()).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn arguments(value: &Value) -> Value {
    serde_json::from_str(value.as_str().unwrap()).unwrap_or_else(|_| panic!("{value}"))
}

fn chat(choice: &Value) -> Found {
    let message = &choice["message"];
    let mut found = Found {
        text: text(&message["content"]),
        reasoning: text(&message["reasoning_content"]),
        end: text(&choice["finish_reason"]),
        ..Found::default()
    };
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        let called = &call[call["type"].as_str().unwrap()];
        let passed = match call["type"].as_str().unwrap() {
            "function" => arguments(&called["arguments"]),
            "custom" => json!(called["input"].as_str().unwrap()),
            other => panic!("{other}"),
        };
        found.calls.push((text(&called["name"]), passed));
        found.ids.push(text(&call["id"]));
    }
    found
}

fn assembled_chat(events: &[Value]) -> Found {
    let mut message = json!({"content": "", "reasoning_content": "", "tool_calls": []});
    let mut finish = Value::Null;
    let grow = |place: &mut Value, more: &Value| *place = json!(text(place) + &text(more));
    for choice in events.iter().map(|event| &event["choices"][0]) {
        let delta = &choice["delta"];
        grow(&mut message["content"], &delta["content"]);
        grow(&mut message["reasoning_content"], &delta["reasoning_content"]);
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            let at = usize::try_from(call["index"].as_u64().unwrap()).unwrap();
            let calls = message["tool_calls"].as_array_mut().unwrap();
            if calls.len() == at {
                let kind = call["type"].as_str().unwrap();
                let key = if kind == "function" { "arguments" } else { "input" };
                calls.push(json!({"id": "", "type": kind, kind: {"name": "", key: ""}}));
            }
            grow(&mut calls[at]["id"], &call["id"]);
            let kind = text(&calls[at]["type"]);
            let known = calls[at][&kind].as_object_mut().unwrap();
            for (key, known) in known {
                grow(known, &call[&kind][key]);
            }
        }
        if !choice["finish_reason"].is_null() {
            assert!(finish.is_null(), "two reasons to stop");
            finish = choice["finish_reason"].clone();
        }
    }
    chat(&json!({"message": message, "finish_reason": finish}))
}

fn response(response: &Value) -> Found {
    let mut found = Found { end: text(&response["status"]), ..Found::default() };
    for item in response["output"].as_array().unwrap() {
        let parts = || item["content"].as_array().into_iter().flatten();
        let words = || parts().map(|part| text(&part["text"])).collect::<String>();
        match item["type"].as_str().unwrap() {
            "message" => {
                found.text += &words();
                found.refusal += &parts().map(|part| text(&part["refusal"])).collect::<String>();
            }
            "reasoning" => found.reasoning += &words(),
            "function_call" => {
                found.calls.push((text(&item["name"]), arguments(&item["arguments"])));
                found.ids.push(text(&item["call_id"]));
            }
            "custom_tool_call" => {
                assert!(item["input"].is_string(), "{item}");
                found.calls.push((text(&item["name"]), item["input"].clone()));
                found.ids.push(text(&item["call_id"]));
            }
            other => panic!("{other}"),
        }
    }
    found
}

/// The part that an event is about. It has been added.
fn part<'o>(output: &'o mut [Value], event: &Value) -> &'o mut Value {
    let number = |key: &str| usize::try_from(event[key].as_u64().unwrap()).unwrap();
    let content = output[number("output_index")]["content"].as_array_mut().unwrap();
    &mut content[number("content_index")]
}

/// The member with the words of a part, by the name of an event about it.
fn words_key(event: &str) -> &'static str {
    if event.contains("refusal") { "refusal" } else { "text" }
}

/// Assembles the items of a response, and checks that every event agrees with what came before and
/// that the last one repeats all of it.
fn assembled_response(events: &[Value]) -> Found {
    let mut output: Vec<Value> = Vec::new();
    let mut last = Value::Null;
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["sequence_number"], json!(number), "{event}");
        let at = event["output_index"].as_u64().map(|at| usize::try_from(at).unwrap());
        let kind = event["type"].as_str().unwrap();
        match kind {
            "response.output_item.added" => {
                assert_eq!(at, Some(output.len()), "{event}");
                output.push(event["item"].clone());
            }
            "response.content_part.added" => {
                let content = output[at.unwrap()]["content"].as_array_mut().unwrap();
                assert_eq!(event["content_index"], json!(content.len()), "{event}");
                content.push(event["part"].clone());
            }
            "response.output_text.delta"
            | "response.reasoning_text.delta"
            | "response.refusal.delta" => {
                // Clients refuse a piece of a part that was not added.
                let part = part(&mut output, event);
                part[words_key(kind)] =
                    json!(text(&part[words_key(kind)]) + &text(&event["delta"]));
            }
            "response.function_call_arguments.delta" => {
                let item = &mut output[at.unwrap()];
                item["arguments"] = json!(text(&item["arguments"]) + &text(&event["delta"]));
            }
            "response.custom_tool_call_input.delta" => {
                let item = &mut output[at.unwrap()];
                item["input"] = json!(text(&item["input"]) + &text(&event["delta"]));
            }
            "response.custom_tool_call_input.done" => {
                assert_eq!(output[at.unwrap()]["input"], event["input"], "{event}");
            }
            "response.output_text.done"
            | "response.reasoning_text.done"
            | "response.refusal.done" => {
                let key = words_key(kind);
                assert_eq!(part(&mut output, event)[key], event[key], "{event}");
            }
            "response.function_call_arguments.done" => {
                assert_eq!(output[at.unwrap()]["arguments"], event["arguments"], "{event}");
            }
            "response.content_part.done" => {
                let known = part(&mut output, event);
                for key in ["text", "refusal"] {
                    assert_eq!(known[key], event["part"][key], "{event}");
                }
            }
            "response.output_item.done" => {
                let known = &output[at.unwrap()];
                assert_eq!(known["id"], event["item"]["id"], "{event}");
                output[at.unwrap()] = event["item"].clone();
            }
            "response.completed" | "response.incomplete" => last = event["response"].clone(),
            _ => {}
        }
    }
    assert_eq!(last["output"], json!(output));
    response(&last)
}

fn message(message: &Value) -> Found {
    let mut found = Found { end: text(&message["stop_reason"]), ..Found::default() };
    for block in message["content"].as_array().unwrap() {
        match block["type"].as_str().unwrap() {
            "text" => found.text += &text(&block["text"]),
            "thinking" => found.reasoning += &text(&block["thinking"]),
            "tool_use" => {
                found.calls.push((text(&block["name"]), block["input"].clone()));
                found.ids.push(text(&block["id"]));
            }
            other => panic!("{other}"),
        }
    }
    found
}

fn assembled_message(events: &[Value]) -> Value {
    let mut message = json!({"content": []});
    let mut open = None;
    let mut pieces = String::new();
    for event in events {
        let at = event["index"].as_u64().map(|at| usize::try_from(at).unwrap());
        match event["type"].as_str().unwrap() {
            "content_block_start" => {
                assert_eq!((open, at), (None, Some(message["content"].as_array().unwrap().len())));
                message["content"].as_array_mut().unwrap().push(event["content_block"].clone());
                (open, pieces) = (at, String::new());
            }
            "content_block_delta" => {
                assert_eq!(open, at, "{event}");
                let delta = &event["delta"];
                for key in ["text", "thinking", "partial_json"] {
                    pieces += &text(&delta[key]);
                }
            }
            "content_block_stop" => {
                assert_eq!(open.take(), at, "{event}");
                let block = &mut message["content"][at.unwrap()];
                match block["type"].as_str().unwrap() {
                    "tool_use" => block["input"] = serde_json::from_str(&pieces).unwrap(),
                    kind => {
                        let key = if kind == "text" { "text" } else { "thinking" };
                        block[key] = json!(pieces);
                    }
                }
            }
            "message_delta" => message["stop_reason"] = event["delta"]["stop_reason"].clone(),
            _ => {}
        }
    }
    message
}

/// A tool that runs a file.
pub(super) fn run() -> (String, Value) {
    let schema = json!({"type": "object", "required": ["path"],
        "properties": {"path": {"type": "string"}, "times": {"type": "integer"}}});
    ("run".to_owned(), schema)
}

pub(super) async fn asked(
    protocol: Protocol,
    config: &str,
    answer: Answer,
    request: &Value,
) -> (Rig, Got) {
    let rig = rig_with(config, ModelServer::answering(move |_: &Seen| answer.clone().into())).await;
    let got = rig.ask("POST", protocol.path(), "", &request.to_string()).await;
    (rig, got)
}

/// A choice that demands a call.
pub(super) fn any(protocol: Protocol) -> Value {
    match protocol {
        Protocol::Messages => json!({"type": "any"}),
        Protocol::Chat | Protocol::Responses => json!("required"),
    }
}

/// A choice that demands a call of this tool.
pub(super) fn named(protocol: Protocol, tool: &str) -> Value {
    match protocol {
        Protocol::Chat => json!({"type": "function", "function": {"name": tool}}),
        Protocol::Responses => json!({"type": "function", "name": tool}),
        Protocol::Messages => json!({"type": "tool", "name": tool}),
    }
}
