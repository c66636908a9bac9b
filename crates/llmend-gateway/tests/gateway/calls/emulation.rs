//! Tools for models whose servers know none.

use llmend::calls::{CallToWrite, NOTATIONS, Notation};
use llmend_model_server::{Answer, ModelServer, Reply, Seen, Turn};
use serde_json::{Value, json};

use super::client::{Found, PROTOCOLS, Protocol, run};
use crate::rig::{Rig, rig_with};

/// A configuration that emulates tools in a notation.
fn emulating(notation: &str) -> String {
    format!("[gateway.policy]\nemulate_tools = \"{notation}\"")
}

/// What a model writes to run files twice.
fn written(notation: &Notation, paths: &[&str]) -> String {
    times(notation, paths, 2)
}

/// The example of a call in the prompt.
fn shown(notation: &Notation) -> String {
    times(notation, &["text"], 1)
}

fn times(notation: &Notation, paths: &[&str], times: u32) -> String {
    let texts: Vec<_> =
        paths.iter().map(|path| json!({"path": path, "times": times}).to_string()).collect();
    let values: Vec<_> =
        texts.iter().map(|text| llmend::json::parse(text).unwrap().value).collect();
    let calls: Vec<_> =
        values.iter().map(|value| CallToWrite { name: "run", arguments: value.root() }).collect();
    notation.write(&calls).unwrap()
}

/// Everything that a request says, in the order of its text.
fn said(body: &Value) -> String {
    match body {
        Value::String(text) => format!("{text}\n"),
        Value::Array(items) => items.iter().map(said).collect(),
        Value::Object(members) => members.values().map(said).collect(),
        _ => String::new(),
    }
}

/// A server that knows nothing of tools: it refuses every request that has any.
fn text_only(answer: impl Fn(&Seen) -> Answer + Send + 'static) -> ModelServer {
    ModelServer::answering(move |seen: &Seen| {
        let words = [
            "\"tools\"",
            "\"tool_choice\"",
            "\"tool_calls\"",
            "\"role\":\"tool\"",
            "\"tool_use\"",
            "\"tool_result\"",
            "\"function_call\"",
            "\"function_call_output\"",
        ];
        match words.into_iter().find(|word| seen.body.contains(word)) {
            Some(word) => {
                let error = json!({"error": {"message": format!("unknown member {word}")}});
                Turn::from(Reply::json(400, error.to_string()))
            }
            None => answer(seen).into(),
        }
    })
}

async fn ask(rig: &Rig, protocol: Protocol, request: &Value) -> Found {
    let stream = request["stream"] == json!(true);
    let got = rig.ask("POST", protocol.path(), "", &request.to_string()).await;
    assert_eq!(got.status, 200, "{}", got.body);
    protocol.read(&got, stream)
}

#[tokio::test]
async fn each_notation_serves_every_protocol_whole_and_streamed() {
    for notation in NOTATIONS.iter().filter(|row| row.is_writable()) {
        let text = written(notation, &["a.py", "b.py"]);
        for (protocol, size) in
            PROTOCOLS.into_iter().flat_map(|one| [None, Some(3), Some(20)].map(|size| (one, size)))
        {
            let answer = Answer::text(&text).pieces_of(size.unwrap_or(usize::MAX));
            let upstream = text_only(move |_| answer.clone());
            let rig = rig_with(&emulating(notation.name), upstream).await;
            let request = protocol.request(&[run()], size.is_some());
            let found = ask(&rig, protocol, &request).await;
            let call = |path: &str| ("run".to_owned(), json!({"path": path, "times": 2}));
            let case = format!("{} {protocol:?} {size:?}", notation.name);
            assert_eq!(found.calls, [call("a.py"), call("b.py")], "{case}: {found:?}");
            assert_eq!(found.text.trim(), "", "{case}");
            assert_ne!(found.ids[0], found.ids[1], "{case}");
            // The prompt offers the tool in this notation.
            let sent = said(&rig.seen().json());
            assert!(sent.contains("You can call tools."), "{case}: {sent}");
            assert!(sent.contains(&shown(notation)), "{case}: {sent}");
        }
    }
}

/// Adds a call, and its result, to a request.
fn continued(protocol: Protocol, request: &mut Value, found: &Found, result: &str) {
    let ((name, arguments), id) = (&found.calls[0], &found.ids[0]);
    let more = match protocol {
        Protocol::Chat => vec![
            json!({"role": "assistant", "content": found.text, "tool_calls": [{"id": id,
                "type": "function", "function": {"name": name, "arguments": arguments.to_string()}}]}),
            json!({"role": "tool", "tool_call_id": id, "content": result}),
        ],
        Protocol::Responses => vec![
            json!({"type": "message", "role": "assistant",
                "content": [{"type": "output_text", "text": found.text, "annotations": []}]}),
            json!({"type": "function_call", "call_id": id, "name": name,
                "arguments": arguments.to_string()}),
            json!({"type": "function_call_output", "call_id": id, "output": result}),
        ],
        Protocol::Messages => vec![
            json!({"role": "assistant", "content": [{"type": "text", "text": found.text},
                {"type": "tool_use", "id": id, "name": name, "input": arguments}]}),
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id,
                "content": result}]}),
        ],
    };
    let key = if protocol == Protocol::Responses { "input" } else { "messages" };
    if let Some(text) = request[key].as_str() {
        request[key] = json!([{"role": "user", "content": text}]);
    }
    request[key].as_array_mut().unwrap().extend(more);
}

/// The number of turns of an agent.
const TURNS: usize = 10;

#[tokio::test]
async fn an_agent_works_with_a_server_that_knows_no_tools() {
    for name in ["hermes", "qwen-coder", "glm", "pythonic", "react", "json", "deepseek"] {
        let notation = Notation::named(name).unwrap();
        for (protocol, stream) in PROTOCOLS.into_iter().flat_map(|one| [(one, false), (one, true)])
        {
            let case = format!("{name} {protocol:?} {stream}");
            // The model runs one file after the other, and sees each result.
            let upstream = text_only(move |seen| {
                let sent = said(&seen.json());
                let at = (0..TURNS).find(|at| !sent.contains(&format!("ran {at}")));
                Answer::text(&match at {
                    Some(at) => format!("Next.\n\n{}", written(notation, &[&format!("{at}.py")])),
                    None => "All ten ran.".to_owned(),
                })
            });
            let rig = rig_with(&emulating(name), upstream).await;
            let mut request = protocol.request(&[run()], stream);
            for at in 0..TURNS {
                let found = ask(&rig, protocol, &request).await;
                let call = ("run".to_owned(), json!({"path": format!("{at}.py"), "times": 2}));
                assert_eq!(found.calls, [call], "{case}: {found:?}");
                assert_eq!(found.text.trim(), "Next.", "{case}");
                continued(protocol, &mut request, &found, &format!("ran {at}"));
            }
            let last = ask(&rig, protocol, &request).await;
            assert_eq!((last.text.as_str(), last.calls.len()), ("All ten ran.", 0), "{case}");
            let sent = said(&rig.upstream.requests().last().unwrap().json());
            assert!(sent.contains(&written(notation, &["9.py"])), "{case}: {sent}");
            // Without emulation, the server refuses the first request.
            let plain = rig_with("", text_only(|_| Answer::text("Hi."))).await;
            let body = protocol.request(&[run()], stream).to_string();
            assert_eq!(plain.ask("POST", protocol.path(), "", &body).await.status, 400, "{case}");
        }
    }
}

/// Returns what the server was sent for a request.
async fn sent(notation: &str, protocol: Protocol, request: &Value) -> Value {
    let rig = rig_with(&emulating(notation), text_only(|_| Answer::text("Hi."))).await;
    let got = rig.ask("POST", protocol.path(), "", &request.to_string()).await;
    assert_eq!(got.status, 200, "{}", got.body);
    rig.seen().json()
}

/// A request with these messages and without tools.
fn chat(messages: &Value) -> Value {
    json!({"model": "m", "messages": messages})
}

fn call(id: &str, path: &str) -> Value {
    json!({"id": id, "type": "function",
        "function": {"name": "run", "arguments": json!({"path": path}).to_string()}})
}

#[tokio::test]
async fn calls_and_results_of_a_chat_become_text() {
    let run = |path: &str| {
        format!(
            "<tool_call>\n{{\"name\": \"run\", \"arguments\": {{\"path\": \"{path}\"}}}}\n</tool_call>"
        )
    };
    let result = |text: &str| format!("<tool_response>\n{text}\n</tool_response>");
    let user = |text: &str| json!({"role": "user", "content": text});
    let assistant = |content: Value| json!({"role": "assistant", "content": content});
    let calls = |content: Value, calls: Value| json!({"role": "assistant", "content": content, "tool_calls": calls});
    let tool =
        |id: &str, content: Value| json!({"role": "tool", "tool_call_id": id, "content": content});
    for (messages, expected) in [
        // Two calls, two results, and what the user says behind them.
        (
            json!([
                user("Go."),
                calls(Value::Null, json!([call("1", "a"), call("2", "b")])),
                tool("1", json!("ran a")),
                tool("2", json!([{"type": "text", "text": "ran b"}])),
                user("And?")
            ]),
            json!([
                user("Go."),
                assistant(json!(format!("{}\n{}", run("a"), run("b")))),
                user(&format!("{}\n\n{}\n\nAnd?", result("ran a"), result("ran b")))
            ]),
        ),
        // The text of the assistant stays, and results are a message of the user.
        (
            json!([
                user("Go."),
                calls(json!("I do."), json!([call("1", "a")])),
                tool("1", json!("ran")),
                assistant(json!("Done."))
            ]),
            json!([
                user("Go."),
                assistant(json!(format!("I do.\n\n{}", run("a")))),
                user(&result("ran")),
                assistant(json!("Done."))
            ]),
        ),
        // Parts stay parts.
        (
            json!([user("Go."), calls(json!([{"type": "text", "text": "I do."}]), json!([call("1", "a")])),
                tool("1", json!("ran")), {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]),
            json!([user("Go."), assistant(json!([{"type": "text", "text": "I do."}, {"type": "text", "text": run("a")}])),
                {"role": "user", "content": [{"type": "text", "text": result("ran")},
                    {"type": "image_url", "image_url": {"url": "x"}}]}]),
        ),
        // Older clients.
        (
            json!([user("Go."), {"role": "assistant", "content": null, "function_call": {"name": "run", "arguments": "{\"path\": \"a\"}"}},
                {"role": "function", "name": "run", "content": "ran"}]),
            json!([user("Go."), assistant(json!(run("a"))), user(&result("ran"))]),
        ),
        // Arguments that are no object are shown as they are.
        (
            json!([
                user("Go."),
                calls(
                    json!(""),
                    json!([{"id": "1", "type": "function",
                "function": {"name": "run", "arguments": "[1]"}}])
                ),
                tool("1", json!(""))
            ]),
            json!([
                user("Go."),
                assistant(json!("{\"name\": \"run\", \"arguments\": [1]}")),
                user(&result(""))
            ]),
        ),
    ] {
        let found = sent("hermes", Protocol::Chat, &chat(&messages)).await;
        assert_eq!(found["messages"], expected);
    }
}

#[tokio::test]
async fn results_name_their_tool_where_the_notation_has_no_form_for_them() {
    let messages = json!([{"role": "user", "content": "Go."},
        {"role": "assistant", "content": null, "tool_calls": [call("1", "a")]},
        {"role": "tool", "tool_call_id": "1", "content": "ran"}]);
    let found = sent("json", Protocol::Chat, &chat(&messages)).await;
    assert_eq!(found["messages"][2]["content"], "Result of run:\nran");
}

#[tokio::test]
async fn calls_and_results_of_responses_and_messages_become_text() {
    let items = json!([{"role": "user", "content": "Go."}, {"type": "reasoning", "id": "r", "summary": []},
        {"type": "function_call", "call_id": "1", "name": "run", "arguments": "{\"path\":\"a\"}"},
        {"type": "function_call", "call_id": "2", "name": "run", "arguments": "{\"path\":\"b\"}"},
        {"type": "function_call_output", "call_id": "1", "output": "ran a"},
        {"type": "function_call_output", "call_id": "2", "output": [{"type": "input_text", "text": "ran b"}]},
        {"role": "user", "content": [{"type": "input_text", "text": "And?"}]}]);
    let request = json!({"model": "m", "input": items, "instructions": "Be brief."});
    let found = sent("pythonic", Protocol::Responses, &request).await;
    let expected = json!([{"role": "user", "content": "Go."}, {"type": "reasoning", "id": "r", "summary": []},
        {"role": "assistant", "content": "[run(path=\"a\"), run(path=\"b\")]"},
        {"role": "user", "content": [{"type": "input_text", "text": "Result of run:\nran a"},
            {"type": "input_text", "text": "Result of run:\nran b"}, {"type": "input_text", "text": "And?"}]}]);
    assert_eq!((&found["input"], &found["instructions"]), (&expected, &json!("Be brief.")));

    let image = json!({"type": "image", "source": {"type": "url", "url": "x"}});
    let messages = json!([{"role": "user", "content": "Go."},
        {"role": "assistant", "content": [{"type": "text", "text": "I do."},
            {"type": "tool_use", "id": "1", "name": "run", "input": {"path": "a"}},
            {"type": "tool_use", "id": "2", "name": "run", "input": {"path": "b"}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "ran a"}, image]},
            {"type": "tool_result", "tool_use_id": "2", "is_error": true, "content": "no file"},
            {"type": "text", "text": "And?"}]}]);
    let request = json!({"model": "m", "max_tokens": 9, "messages": messages});
    let found = sent("pythonic", Protocol::Messages, &request).await;
    let text = |text: &str| json!({"type": "text", "text": text});
    let expected = json!([{"role": "user", "content": "Go."},
        {"role": "assistant", "content": [text("I do."), text("[run(path=\"a\"), run(path=\"b\")]")]},
        {"role": "user", "content": [text("Result of run:\nran a"), image,
            text("Result of run:\nError: no file"), text("And?")]}]);
    assert_eq!(found["messages"], expected);
}

#[tokio::test]
async fn the_prompt_joins_the_instructions() {
    let prompt = "You can call tools.";
    for (protocol, key, given, at) in [
        (
            Protocol::Chat,
            "messages",
            json!([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Go."}]),
            "/messages/0/content",
        ),
        (
            Protocol::Chat,
            "messages",
            json!([{"role": "developer", "content": [{"type": "text", "text": "Be brief."}]}]),
            "/messages/0/content/1/text",
        ),
        (
            Protocol::Chat,
            "messages",
            json!([{"role": "user", "content": "Go."}]),
            "/messages/0/content",
        ),
        (Protocol::Responses, "instructions", json!("Be brief."), "/instructions"),
        (Protocol::Responses, "instructions", Value::Null, "/instructions"),
        (Protocol::Messages, "system", json!("Be brief."), "/system"),
        (
            Protocol::Messages,
            "system",
            json!([{"type": "text", "text": "Be brief."}]),
            "/system/1/text",
        ),
        (Protocol::Messages, "system", Value::Null, "/system"),
    ] {
        let mut request = protocol.request(&[run()], false);
        request[key] = given.clone();
        let found = sent("hermes", protocol, &request).await;
        let text = found.pointer(at).and_then(Value::as_str).unwrap_or_else(|| panic!("{found}"));
        assert!(text.contains(prompt), "{protocol:?} {given}: {found}");
        let is_first = text.starts_with(prompt);
        assert!(
            is_first || text.starts_with("Be brief.\n\nYou can"),
            "{protocol:?} {given}: {found}"
        );
        assert_eq!(
            said(&found).matches("Be brief.").count(),
            said(&given).matches("Be brief.").count()
        );
        assert_eq!(said(&found).matches(prompt).count(), 1, "{found}");
    }
}

#[tokio::test]
async fn the_choice_is_said_in_words() {
    let word = |protocol: Protocol, word: &str| match (protocol, word) {
        (Protocol::Messages, "required") => json!({"type": "any"}),
        (Protocol::Messages, word) => json!({"type": word}),
        (_, word) => json!(word),
    };
    let named = |protocol: Protocol| match protocol {
        Protocol::Chat => json!({"type": "function", "function": {"name": "run"}}),
        Protocol::Responses => json!({"type": "function", "name": "run"}),
        Protocol::Messages => json!({"type": "tool", "name": "run"}),
    };
    for protocol in PROTOCOLS {
        for (choice, words, form) in [
            (word(protocol, "auto"), "Call a tool only if you need it.", true),
            (word(protocol, "none"), "Do not call a tool now.", false),
            (word(protocol, "required"), "Call a tool now", true),
            (named(protocol), "Call the tool `run` now.", true),
        ] {
            let mut request = protocol.request(&[run()], false);
            request["tool_choice"] = choice.clone();
            let upstream = text_only(|_| {
                Answer::text(
                    "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>",
                )
            });
            let rig = rig_with(&emulating("hermes"), upstream).await;
            let found = ask(&rig, protocol, &request).await;
            let sent = said(&rig.seen().json());
            assert!(sent.contains(words), "{protocol:?} {choice}: {sent}");
            assert_eq!(sent.contains("in exactly this form"), form, "{choice}: {sent}");
            // A call that is forbidden stays text.
            assert_eq!(found.calls.len(), usize::from(form), "{choice}: {found:?}");
        }
        let mut one = protocol.request(&[run()], false);
        match protocol {
            Protocol::Messages => {
                one["tool_choice"] = json!({"type": "auto", "disable_parallel_tool_use": true});
            }
            _ => one["parallel_tool_calls"] = json!(false),
        }
        assert!(!said(&sent("hermes", protocol, &one).await).contains("several"), "{protocol:?}");
    }
}

#[tokio::test]
async fn the_notation_follows_from_the_model() {
    let call = |notation: &str| shown(Notation::named(notation).unwrap());
    for (model, notation) in
        [("qwen3-coder:30b", "qwen-coder"), ("gemma3", "tool-code"), ("mine", "json")]
    {
        let upstream = text_only(|_| Answer::text("Hi."));
        let rig = rig_with("[gateway.policy]\nemulate_tools = true", upstream).await;
        let mut request = Protocol::Chat.request(&[run()], false);
        request["model"] = json!(model);
        ask(&rig, Protocol::Chat, &request).await;
        assert!(said(&rig.seen().json()).contains(&call(notation)), "{model}");
    }
    // Plain JSON writes names that the notation of the model cannot.
    let upstream = text_only(|_| Answer::text("Hi."));
    let rig = rig_with(&emulating("pythonic"), upstream).await;
    let schema = json!({"type": "object", "properties": {"file-path": {"type": "string"}}});
    let request = Protocol::Chat.request(&[("run".to_owned(), schema)], false);
    ask(&rig, Protocol::Chat, &request).await;
    let sent = said(&rig.seen().json());
    assert!(
        sent.contains("{\"name\": \"run\", \"arguments\": {\"file-path\": \"text\"}}"),
        "{sent}"
    );
}

#[tokio::test]
async fn what_holds_no_tools_passes_unchanged() {
    let body = "{\"model\": \"m\",  \"temperature\": 0.50, \"messages\": [{\"role\": \"user\", \"content\": \"Hi.\"}]}";
    let rig = rig_with(&emulating("hermes"), text_only(|_| Answer::text("Hi."))).await;
    assert_eq!(rig.ask("POST", Protocol::Chat.path(), "", body).await.status, 200);
    assert_eq!(rig.seen().body, body);
    // What is not inspected keeps its tools, and so do tools that only the provider knows.
    let upstream = ModelServer::answering(|_: &Seen| Answer::text("Hi.").into());
    let rig = rig_with(&emulating("hermes"), upstream).await;
    let mut request = Protocol::Responses.request(&[run()], false);
    request["tools"].as_array_mut().unwrap().push(json!({"type": "web_search"}));
    let path = Protocol::Responses.path();
    rig.ask("POST", path, "x-llmend-repair: no\r\n", &request.to_string()).await;
    rig.ask("POST", path, "", &request.to_string()).await;
    let seen: Vec<Value> = rig.upstream.requests().iter().map(Seen::json).collect();
    assert_eq!(seen[0], request);
    assert_eq!(seen[1]["tools"], json!([{"type": "web_search"}]));
}

#[tokio::test]
async fn a_demanded_call_is_asked_for_again() {
    let config = format!("{}\nreasks = 1", emulating("hermes"));
    let call = "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>";
    for protocol in PROTOCOLS {
        let upstream = text_only(move |seen| {
            let is_again = said(&seen.json()).contains("Your last answer cannot be used");
            Answer::text(if is_again { call } else { "Shall I?" })
        });
        let rig = rig_with(&config, upstream).await;
        let mut request = protocol.request(&[run()], false);
        request["tool_choice"] = match protocol {
            Protocol::Messages => json!({"type": "any"}),
            _ => json!("required"),
        };
        assert_eq!(ask(&rig, protocol, &request).await.calls.len(), 1, "{protocol:?}");
        assert_eq!(rig.upstream.requests().len(), 2);
    }
}
