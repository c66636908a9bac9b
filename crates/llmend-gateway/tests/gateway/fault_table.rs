//! Faults of servers and clients, and what the gateway makes of each, as a table.
//!
//! `cargo test -p llmend-gateway --test gateway fault_table -- --nocapture` prints it. The tests of
//! `faults.rs` say more of the older ones.

use llmend_gateway::Config;
use llmend_model_server::{Answer, ModelServer, Reply, Turn};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use crate::calls::{CALL, completion};
use crate::rig::{CHAT, DONE, Got, chunk, offers_tool, rig_with, wants_city, wants_words};

/// A fault of an upstream.
struct Row {
    fault: &'static str,
    config: &'static str,
    request: fn(bool) -> Value,
    reply: fn() -> Turn,
    /// What the client gets of a whole answer and of a stream.
    whole: &'static str,
    stream: &'static str,
}

const FAILED: &str = "{\"error\": {\"code\": 500, \"message\": \"Failed to parse input at pos 0: <tool_call>\\n{\\\"name\\\": \\\"run\\\", \\\"arguments\\\": {\\\"path\\\": \\\"a\\\"}}\"}}";
const READ: &str = "[gateway.policy]\nfailed_calls = \"read\"";
const SHORT: &str = "[gateway.timers]\nfirst_byte_ms = 60";

fn page() -> Turn {
    let page = "<html><title>502 Bad Gateway</title></html>";
    Reply::status(502).header("content-type", "text/html").text(page).into()
}

fn cut_off() -> Turn {
    Reply::events(chunk(&json!({"content": "{\"city\": "}), None)).into()
}

fn without_mark() -> Turn {
    let pieces = [chunk(&json!({"content": "Words."}), None), chunk(&json!({}), Some("stop"))];
    Reply::events(pieces.concat()).into()
}

fn with_own_call() -> Turn {
    let own = json!({"role": "assistant", "content": CALL, "tool_calls": [{"index": 0, "id": "x",
        "type": "function", "function": {"name": "run", "arguments": "{\"path\": \"b\"}"}}]});
    Reply::events([chunk(&own, None), chunk(&json!({}), Some("tool_calls"))].concat()).into()
}

fn reasoned() -> Turn {
    let thought = json!({"role": "assistant", "content": "", "reasoning_content": CALL});
    Reply::events([chunk(&thought, None), chunk(&json!({}), Some("stop"))].concat()).into()
}

fn told_of() -> Turn {
    let words = json!({"content": "It writes [TOOL_CALLS]."});
    Reply::events([chunk(&words, None), chunk(&json!({}), Some("stop"))].concat()).into()
}

/// A stream with a call as text.
fn as_text() -> String {
    let said = json!({"role": "assistant", "content": CALL});
    [chunk(&said, None), chunk(&json!({}), Some("stop")), DONE.to_owned()].concat()
}

/// A request that offers a tool, with another member.
fn with(stream: bool, key: &str, value: Value) -> Value {
    let mut request = offers_tool(stream);
    request[key] = value;
    request
}

/// The rows. `-` is what is not asked.
const ROWS: [Row; 29] = [
    Row {
        fault: "a head that does not come",
        config: SHORT,
        request: wants_city,
        reply: || Reply::hang().into(),
        whole: "504 timeout",
        stream: "504 timeout",
    },
    Row {
        fault: "a busy server",
        config: "",
        request: wants_city,
        reply: || Reply::json(429, "{\"error\": {\"message\": \"slow\"}}").into(),
        whole: "429 ",
        stream: "429 ",
    },
    Row {
        fault: "an error as a page",
        config: "",
        request: wants_city,
        reply: page,
        whole: "502 upstream_error",
        stream: "502 upstream_error",
    },
    Row {
        fault: "an error with status 200",
        config: "",
        request: wants_city,
        reply: || Reply::json(200, "{\"error\": {\"message\": \"quota\", \"code\": 402}}").into(),
        whole: "402 402",
        stream: "402 402",
    },
    Row {
        fault: "a redirect",
        config: "",
        request: wants_words,
        reply: || Reply::status(307).header("location", "http://127.0.0.1:1/").into(),
        whole: "502 redirect",
        stream: "502 redirect",
    },
    Row {
        fault: "an unrequested compression",
        config: "",
        request: wants_city,
        reply: || Reply::json(200, "garbage").header("content-encoding", "gzip").into(),
        whole: "502 encoded",
        stream: "502 encoded",
    },
    Row {
        fault: "a stream that breaks off",
        config: "",
        request: wants_city,
        reply: cut_off,
        whole: "-",
        stream: "200 error stream/unexpected-end",
    },
    Row {
        fault: "a stream without [DONE]",
        config: "",
        request: wants_words,
        reply: without_mark,
        whole: "-",
        stream: "200 text [DONE]",
    },
    Row {
        fault: "an error about calls",
        config: "",
        request: offers_tool,
        reply: || Reply::json(500, FAILED).into(),
        whole: "500 ",
        stream: "500 ",
    },
    Row {
        fault: "the same, with failed_calls",
        config: READ,
        request: offers_tool,
        reply: || Reply::json(500, FAILED).into(),
        whole: "200 1 calls",
        stream: "200 1 calls [DONE]",
    },
    Row {
        fault: "a call found, another as text",
        config: "",
        request: offers_tool,
        reply: with_own_call,
        whole: "-",
        stream: "200 2 calls [DONE]",
    },
    Row {
        fault: "a call in the reasoning",
        config: "",
        request: offers_tool,
        reply: reasoned,
        whole: "-",
        stream: "200 1 calls [DONE]",
    },
    Row {
        fault: "a sentence about a mark",
        config: "",
        request: offers_tool,
        reply: told_of,
        whole: "-",
        stream: "200 text [DONE]",
    },
    Row {
        fault: "no call where one is demanded",
        config: "",
        request: |stream| with(stream, "tool_choice", json!("required")),
        reply: || Answer::text("No.").into(),
        whole: "422 calls/missing",
        stream: "200 error 422",
    },
    Row {
        fault: "a call where JSON alone was asked for",
        config: "",
        request: wants_city,
        reply: || Answer::call("run", "{\"path\": \"a\"}").into(),
        whole: "422 calls/unexpected",
        stream: "200 error 422",
    },
    Row {
        fault: "another tool beside the demanded one",
        config: "",
        request: |stream| {
            let run = json!({"type": "function", "function": {"name": "run"}});
            with(stream, "tool_choice", run)
        },
        reply: || Answer::call("run", "{\"path\": \"a\"}").and_call("stop", "{}").into(),
        whole: "422 calls/unexpected",
        stream: "200 error 422",
    },
    Row {
        fault: "a call of another tool than demanded",
        config: "",
        request: |stream| {
            with(stream, "tool_choice", json!({"type": "function", "function": {"name": "stop"}}))
        },
        reply: || Answer::text(CALL).into(),
        whole: "422 calls/missing",
        stream: "200 error 422",
    },
    Row {
        fault: "a call of a tool that is not allowed now",
        config: "",
        request: |stream| {
            let allowed = json!({"mode": "auto", "tools": []});
            let choice = json!({"type": "allowed_tools", "allowed_tools": allowed});
            with(stream, "tool_choice", choice)
        },
        reply: || Answer::text(CALL).into(),
        whole: "422 calls/missing",
        stream: "200 error 422",
    },
    Row {
        fault: "a call of a custom tool",
        config: "",
        request: |stream| {
            with(stream, "tools", json!([{"type": "custom", "custom": {"name": "run"}}]))
        },
        reply: || Answer::text("<function=run>a.py</function>").into(),
        whole: "200 1 calls",
        stream: "200 1 calls [DONE]",
    },
    Row {
        fault: "two calls where one is allowed",
        config: "",
        request: |stream| with(stream, "parallel_tool_calls", json!(false)),
        reply: || Answer::text(&format!("{CALL}\n{CALL}")).into(),
        whole: "200 1 calls",
        stream: "200 1 calls [DONE]",
    },
    Row {
        fault: "a call in the first of two choices",
        config: "",
        request: |stream| with(stream, "n", json!(2)),
        reply: || completion(&[CALL, "No."], "stop"),
        whole: "200 1 calls",
        stream: "-",
    },
    Row {
        fault: "a server without tools",
        config: "[gateway.policy]\nemulate_tools = \"hermes\"",
        request: offers_tool,
        reply: || Answer::text(CALL).into(),
        whole: "200 1 calls",
        stream: "200 1 calls [DONE]",
    },
    Row {
        fault: "an earlier call as text",
        config: "[gateway.policy]\npast_calls = \"read\"",
        request: |stream| {
            let said = json!({"role": "assistant", "content": CALL});
            let ran = json!({"role": "tool", "tool_call_id": "x", "content": "ran"});
            with(stream, "messages", json!([{"role": "user", "content": "Go."}, said, ran]))
        },
        reply: || Answer::text("Done.").into(),
        whole: "200 text",
        stream: "200 text [DONE]",
    },
    Row {
        fault: "a call where JSON was asked for as well",
        config: "",
        request: |stream| with(stream, "response_format", json!({"type": "json_object"})),
        reply: || Answer::text(CALL).into(),
        whole: "200 1 calls",
        stream: "200 1 calls [DONE]",
    },
    Row {
        fault: "a call that is only shown",
        config: "",
        request: offers_tool,
        reply: || Answer::text(&format!("Do not run this: {CALL}")).into(),
        whole: "200 text",
        stream: "200 text [DONE]",
    },
    Row {
        fault: "lines that end with CRLF",
        config: "",
        request: offers_tool,
        reply: || Reply::events(as_text().replace('\n', "\r\n")).into(),
        whole: "-",
        stream: "200 1 calls [DONE]",
    },
    Row {
        fault: "a byte order mark",
        config: "",
        request: offers_tool,
        reply: || Reply::events(format!("\u{feff}: hi\n\n{}", as_text())).into(),
        whole: "-",
        stream: "200 1 calls [DONE]",
    },
    Row {
        fault: "a call without index and id",
        config: "",
        request: offers_tool,
        reply: || {
            let function = json!({"name": "run", "arguments": "{\"path\": \"a\"}"});
            let own = json!({"role": "assistant", "tool_calls": [{ "function": function }]});
            Reply::events([chunk(&own, None), chunk(&json!({}), Some("stop"))].concat()).into()
        },
        whole: "-",
        stream: "200 1 calls [DONE]",
    },
    Row {
        fault: "a line of a megabyte",
        config: "",
        request: offers_tool,
        reply: || {
            let text = format!("{}\n\n{CALL}", "word ".repeat(200_000));
            Answer::text(&text).pieces_of(usize::MAX).into()
        },
        whole: "200 1 calls",
        stream: "200 1 calls [DONE]",
    },
];

/// What a client gets, in a few words.
fn outcome(got: &Got) -> String {
    let got = Got { body: got.body.replace("\r\n", "\n"), ..got.clone() };
    if got.status != 200 {
        let code = got.json()["error"]["code"].as_str().unwrap_or_default().to_owned();
        return format!("{} {code}", got.status);
    }
    let events = if got.body.starts_with('{') { vec![got.json()] } else { got.events() };
    let mut ids = Vec::new();
    for event in &events {
        if let Some(code) = event["error"]["code"].as_str() {
            return format!("200 error {code}");
        }
        let choice = &event["choices"][0];
        let calls = ["delta", "message"].map(|key| choice[key]["tool_calls"].as_array());
        let calls = calls.into_iter().flatten().flatten();
        ids.extend(calls.filter_map(|call| call["id"].as_str()).filter(|id| !id.is_empty()));
    }
    let end = if got.body.ends_with("data: [DONE]\n\n") { " [DONE]" } else { "" };
    match ids.len() {
        0 => format!("200 text{end}"),
        calls => format!("200 {calls} calls{end}"),
    }
}

async fn of_upstream(row: &Row, stream: bool) -> String {
    let rig = rig_with(row.config, ModelServer::scripted([(row.reply)()])).await;
    outcome(&rig.chat(&(row.request)(stream)).await)
}

/// What becomes of a request of which only the head is sent.
async fn of_head(config: &str, reply: Reply, head: &str) -> String {
    let rig = rig_with(config, ModelServer::scripted([reply.into()])).await;
    let head = head.replace("HOST", &rig.address.to_string());
    let mut stream = rig.send(&head).await;
    let mut piece = [0; 64];
    let count = stream.read(&mut piece).await.unwrap();
    let answer = String::from_utf8_lossy(&piece[..count]).into_owned();
    answer.split(' ').nth(1).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn fault_table() {
    let mut table = vec![("fault".to_owned(), "whole".to_owned(), "stream".to_owned())];
    let mut wrong = Vec::new();
    for row in &ROWS {
        let mut found = [row.whole.to_owned(), row.stream.to_owned()];
        for (stream, found) in [false, true].into_iter().zip(&mut found) {
            if *found != "-" {
                *found = of_upstream(row, stream).await;
            }
        }
        let [whole, stream] = found;
        if (whole.as_str(), stream.as_str()) != (row.whole, row.stream) {
            wrong.push(format!("{}: {whole}, {stream}", row.fault));
        }
        table.push((row.fault.to_owned(), whole, stream));
    }
    let lines = |more: &str| {
        format!("HTTP/1.1\r\nhost: HOST\r\ncontent-type: application/json\r\n{more}\r\n")
    };
    let large = format!("POST {CHAT} {}", lines("content-length: 1001\r\n"));
    let expecting =
        format!("POST {CHAT} {}", lines("content-length: 1001\r\nexpect: 100-continue\r\n"));
    let limit = "[gateway.limits]\nbody_bytes = 1000";
    let deployment = "[[gateway.routes]]\npath = \"/openai/deployments/*/chat/completions\"\n\
        protocol = \"chat\"\nupstream = \"main\"";
    let path = "/openai/deployments/m-1/chat/completions";
    let rig = rig_with(deployment, ModelServer::answering(|_| completion(&[CALL], "stop"))).await;
    let deployed = rig.ask("POST", path, "", &offers_tool(false).to_string()).await;
    let deleted = Reply::json(200, "{}");
    let others = [
        (
            "a request without a body",
            of_head("", deleted, "DELETE /v1/files/x HTTP/1.1\r\nhost: HOST\r\n\r\n").await,
            "200",
        ),
        ("a body announced as too large", of_head(limit, Reply::hang(), &large).await, "413"),
        ("the same, with Expect", of_head(limit, Reply::hang(), &expecting).await, "413"),
        ("the path of a deployment", outcome(&deployed), "200 1 calls"),
        (
            "an unknown table of the configuration",
            Config::from_toml("[gatway]\nlisten = 1").unwrap_err().to_string(),
            "unknown section `[gatway]`, expected one of `[gateway]`, `[headers]`, `[models]`; did you mean `gateway`?",
        ),
    ];
    for (fault, found, expected) in others {
        if found != expected {
            wrong.push(format!("{fault}: {found}"));
        }
        table.push((fault.to_owned(), found, "-".to_owned()));
    }
    for (fault, whole, stream) in table {
        println!("{fault:<38} {whole:<24} {stream}");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
