//! Calls as text in each protocol, whole and streamed.

use llmend::calls::NOTATIONS;
use llmend_model_server::{Answer, ModelServer, Seen};
use serde_json::{Value, json};

use super::{BARE, CALL};
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
        let function = &call["function"];
        found.calls.push((text(&function["name"]), arguments(&function["arguments"])));
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
                calls.push(json!({"id": "", "function": {"name": "", "arguments": ""}}));
            }
            grow(&mut calls[at]["id"], &call["id"]);
            for key in ["name", "arguments"] {
                grow(&mut calls[at]["function"][key], &call["function"][key]);
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
            "message" => found.text += &words(),
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
                output[at.unwrap()]["content"] = json!([event["part"]]);
            }
            "response.output_text.delta" | "response.reasoning_text.delta" => {
                // Clients refuse a piece of a part that was not added.
                let item = &mut output[at.unwrap()];
                let known = text(&item["content"][0]["text"]);
                item["content"][0]["text"] = json!(known + &text(&event["delta"]));
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
            "response.output_text.done" | "response.reasoning_text.done" => {
                let known = &output[at.unwrap()]["content"][0]["text"];
                assert_eq!(*known, event["text"], "{event}");
            }
            "response.function_call_arguments.done" => {
                assert_eq!(output[at.unwrap()]["arguments"], event["arguments"], "{event}");
            }
            "response.content_part.done" => {
                let known = &output[at.unwrap()]["content"][0]["text"];
                assert_eq!(*known, event["part"]["text"], "{event}");
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

/// How answers are asked for.
const CONFIGS: [&str; 2] = ["", "[gateway.policy]\nreasks = 1"];

#[tokio::test]
async fn a_call_in_a_text_becomes_a_call_of_the_protocol() {
    let words = "<think>\nThe file.\n</think>\n\nI run it.\n\n".to_owned();
    let text = format!("{words}{CALL}\n{CALL}\nDone.");
    for (protocol, config) in PROTOCOLS.into_iter().flat_map(|one| CONFIGS.map(|two| (one, two))) {
        for (stream, size) in [(false, 9), (true, 1), (true, 3), (true, 20), (true, 1000)] {
            let case = format!("{protocol:?} {config} {stream} {size}");
            let request = protocol.request(&[run()], stream);
            let answer = Answer::text(&text).pieces_of(size);
            let (_rig, got) = asked(protocol, config, answer, &request).await;
            let found = protocol.read(&got, stream);
            let call = ("run".to_owned(), json!({"path": "a.py", "times": 2}));
            assert_eq!(found.calls, [call.clone(), call], "{case}: {}", got.body);
            assert_eq!(
                found.text.split_whitespace().collect::<Vec<_>>().join(" "),
                "I run it. Done.",
                "{case}: {}",
                got.body
            );
            assert_eq!(found.reasoning, "The file.", "{case}");
            assert_eq!(found.end, protocol.end(true), "{case}: {}", got.body);
            assert_ne!(found.ids[0], found.ids[1], "{case}");
            assert!(!got.body.contains("tool_call>"), "{case}: {}", got.body);
        }
    }
}

#[tokio::test]
async fn text_without_a_call_passes_byte_for_byte() {
    let text = "Use `run(path=\"a.py\")`, or <b>wait</b>.\n\nThen 1 < 2.\n";
    for protocol in PROTOCOLS {
        for (stream, size) in [(false, 9), (true, 1), (true, 3), (true, 20)] {
            let answer = || Answer::text(text).pieces_of(size);
            let request = protocol.request(&[run()], stream);
            let (rig, got) = asked(protocol, "", answer(), &request).await;
            let found = protocol.read(&got, stream);
            assert_eq!((found.text.as_str(), found.calls.len()), (text, 0), "{protocol:?} {size}");
            assert_eq!(found.end, protocol.end(false));
            let never = "[gateway.policy]\nrepair = \"never\"";
            let (_other, direct) = asked(protocol, never, answer(), &request).await;
            // The usage of chat completions is only passed on if it was asked for.
            if size != 20 && protocol != Protocol::Chat {
                assert_eq!(got.body, direct.body, "{protocol:?} {stream} {size}");
            }
            drop(rig);
        }
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_an_error_of_the_protocol() {
    let cut = "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a.";
    for protocol in PROTOCOLS {
        for (text, stream) in [(cut, false), (cut, true)] {
            let request = protocol.request(&[run()], stream);
            let (_rig, got) = asked(protocol, "", Answer::text(text), &request).await;
            assert!(protocol.read(&got, stream).is_error, "{protocol:?} {stream}: {}", got.body);
        }
    }
}

// In Apertus' notation the name is a key, so that other names are no calls.
#[tokio::test]
async fn a_call_of_a_tool_that_is_not_offered_becomes_a_call() {
    for row in NOTATIONS.iter().filter(|row| !row.openers.is_empty() && row.name != "apertus") {
        let text = row.example.replace("get_time", "erase");
        for (protocol, config) in
            PROTOCOLS.into_iter().flat_map(|one| CONFIGS.map(|two| (one, two)))
        {
            for (stream, size) in [(false, 9), (true, 3), (true, 1000)] {
                let case = format!("{} {protocol:?} {config} {stream} {size}", row.name);
                let request = protocol.request(&[run()], stream);
                let answer = Answer::text(&text).pieces_of(size);
                let (_rig, got) = asked(protocol, config, answer, &request).await;
                let found = protocol.read(&got, stream);
                // Without marks it may be something else.
                if row.name == "pythonic" {
                    assert_eq!((found.calls.len(), &found.text), (0, &text), "{case}");
                    continue;
                }
                let call = ("erase".to_owned(), json!({"zone": "UTC"}));
                assert_eq!(found.calls, [call], "{case}: {}", got.body);
                assert_eq!(found.end, protocol.end(true), "{case}: {}", got.body);
                assert_eq!(found.text, "", "{case}");
            }
        }
    }
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

#[tokio::test]
async fn a_stream_without_the_demanded_call_is_asked_for_again() {
    // (answers, status or number of calls, requests)
    let rows: [(&[&str], Option<usize>, usize); 4] = [
        (&["Shall I?", CALL], Some(1), 2),
        (&["Shall I?", "Really?", CALL], Some(1), 3),
        (&["Shall I?", "Really?", "No."], None, 3),
        (&[CALL], Some(1), 1),
    ];
    for (protocol, stream) in PROTOCOLS.into_iter().flat_map(|one| [(one, false), (one, true)]) {
        for (answers, expected, count) in rows {
            let turns = answers.iter().map(|text| Answer::text(text).usage(10, 5).into());
            let config = "[gateway.policy]\nreasks = 2";
            let rig = rig_with(config, ModelServer::scripted(turns)).await;
            let mut request = protocol.request(&[run()], stream);
            request["tool_choice"] = any(protocol);
            let got = rig.ask("POST", protocol.path(), "", &request.to_string()).await;
            let found = protocol.read(&got, stream);
            let case = format!("{protocol:?} {stream} {answers:?}: {}", got.body);
            assert_eq!((!found.is_error).then_some(found.calls.len()), expected, "{case}");
            assert_eq!(rig.upstream.requests().len(), count, "{case}");
            // Nothing of the other answers is left.
            assert!(expected.is_none() || !got.body.contains("Shall I?"), "{case}");
        }
    }
}

#[tokio::test]
async fn a_tool_may_be_forbidden_demanded_or_the_only_one() {
    let choices = |protocol: Protocol| match protocol {
        Protocol::Messages => (json!({"type": "none"}), json!({"type": "any"})),
        Protocol::Chat | Protocol::Responses => (json!("none"), json!("required")),
    };
    for (protocol, stream) in PROTOCOLS.into_iter().flat_map(|one| [(one, false), (one, true)]) {
        let (none, any) = choices(protocol);
        let case = format!("{protocol:?} {stream}");
        let with = |choice: Value| {
            let mut request = protocol.request(&[run()], stream);
            request["tool_choice"] = choice;
            request
        };
        let (_rig, got) = asked(protocol, "", Answer::text(CALL), &with(none)).await;
        assert_eq!(protocol.read(&got, stream).text, CALL, "{case}");
        let (_rig, got) = asked(protocol, "", Answer::text("No."), &with(any.clone())).await;
        assert!(protocol.read(&got, stream).is_error, "{case}: {}", got.body);
        let (_rig, got) = asked(protocol, "", Answer::text(CALL), &with(any)).await;
        assert_eq!(protocol.read(&got, stream).calls.len(), 1, "{case}: {}", got.body);
        let mut one = protocol.request(&[run()], stream);
        match protocol {
            Protocol::Messages => {
                one["tool_choice"] = json!({"type": "auto", "disable_parallel_tool_use": true});
            }
            _ => one["parallel_tool_calls"] = json!(false),
        }
        let twice = Answer::text(&format!("{CALL}\n{CALL}"));
        let (_rig, got) = asked(protocol, "", twice, &one).await;
        assert_eq!(protocol.read(&got, stream).calls.len(), 1, "{case}: {}", got.body);
    }
}

#[tokio::test]
async fn json_that_was_asked_for_is_no_call() {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}},
        "required": ["city"], "additionalProperties": false});
    for (protocol, stream) in PROTOCOLS.into_iter().flat_map(|one| [(one, false), (one, true)]) {
        let mut request = protocol.request(&[run()], stream);
        let format = json!({"type": "json_schema", "name": "city", "schema": schema});
        match protocol {
            Protocol::Chat => {
                request["response_format"] = json!({"type": "json_schema", "json_schema": format});
            }
            Protocol::Responses => request["text"] = json!({ "format": format }),
            Protocol::Messages => request["output_format"] = format,
        }
        for (text, calls, expected) in
            [("{'city': 'Oslo'}", 0, "{\"city\": \"Oslo\"}"), (CALL, 1, ""), (BARE, 1, "")]
        {
            let (_rig, got) = asked(protocol, "", Answer::text(text), &request).await;
            let found = protocol.read(&got, stream);
            let said = (found.calls.len(), found.text.as_str());
            assert_eq!(said, (calls, expected), "{protocol:?} {stream} {text}: {}", got.body);
        }
    }
}
