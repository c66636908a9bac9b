//! The web page: its files, security headers and access.

use std::collections::BTreeMap;
use std::path::Path;

use llmend_model_server::ModelServer;
use serde_json::{Value, json};

use crate::rig::{Got, Rig, rig, rig_with};

/// The hash of `secret`.
const KEYS: &str = "[gateway]\nkeys = [{ name = \"me\", sha256 = \"2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b\" }]";

/// The files of the page as they are in the repository, by name.
fn files() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
    let rows = std::fs::read_dir(folder).unwrap().map(|entry| {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        (name, std::fs::read_to_string(entry.path()).unwrap())
    });
    rows.collect()
}

fn directives(got: &Got) -> BTreeMap<String, String> {
    let policy = got.header("content-security-policy").unwrap_or_else(|| panic!("{got:?}"));
    let rows = policy.split(';').map(|row| row.trim().split_once(' ').unwrap());
    rows.map(|(name, sources)| (name.to_owned(), sources.to_owned())).collect()
}

#[tokio::test]
async fn every_file_is_served_with_a_strict_policy() {
    let rig = rig([]).await;
    for (name, text) in files() {
        let path = if name == "index.html" { "/".to_owned() } else { format!("/page/{name}") };
        let got = rig.get(&path).await;
        assert!(got.status == 200 && got.body == text, "{name}: {}", got.status);
        let kind = match name.rsplit_once('.').unwrap().1 {
            "html" => "text/html; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "svg" => "image/svg+xml",
            "js" => "text/javascript; charset=utf-8",
            other => panic!("{name}: {other}"),
        };
        assert_eq!(got.header("content-type"), Some(kind), "{name}");
        assert_eq!(got.header("x-content-type-options"), Some("nosniff"), "{name}");
        assert_eq!(got.header("referrer-policy"), Some("no-referrer"), "{name}");
        assert_eq!(got.header("access-control-allow-origin"), None, "{name}");
        let policy = directives(&got);
        for none in ["default-src", "base-uri", "form-action", "frame-ancestors"] {
            assert_eq!(policy[none], "'none'", "{name}: {none}");
        }
        assert_eq!(policy["require-trusted-types-for"], "'script'");
        for (directive, sources) in &policy {
            let known = ["'none'", "'self'", "'script'", "llmend"].contains(&sources.as_str());
            assert!(known, "{name}: {directive} {sources}");
        }
    }
    assert_eq!(rig.upstream.requests().len(), 0);
    for path in ["/page/none.js", "/page/../Cargo.toml", "/page/", "/page/%2e%2e%2fCargo.toml"] {
        assert_eq!(rig.get(path).await.status, 404, "{path}");
    }
    assert_eq!(rig.ask("POST", "/", "", "{}").await.status, 405);
}

#[test]
fn the_page_follows_its_policy() {
    for (name, text) in files() {
        for word in
            ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "srcdoc"]
        {
            assert!(!text.contains(word), "{name}: {word}");
        }
        // A namespace is a name, and the only address that there is.
        let rest = text.replace("http://www.w3.org/2000/svg", "");
        assert!(!rest.contains("http://") && !rest.contains("https://"), "{name}");
    }
    let html = &files()["index.html"];
    for mark in [" style=", "<style", " onclick", "javascript:"] {
        assert!(!html.contains(mark), "{mark}");
    }
    assert_eq!(html.matches("<script").count(), 1);
}

#[tokio::test]
async fn without_keys_the_page_is_local() {
    let rig = rig([]).await;
    for (host, status) in [("localhost:1", 200), ("evil.example", 403)] {
        let request = format!("GET / HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        assert_eq!(Got::read(rig.send(&request).await).await.status, status, "{host}");
    }
}

#[tokio::test]
async fn with_keys_the_page_opens_but_its_data_needs_one() {
    let rig = rig_with(KEYS, ModelServer::scripted([])).await;
    assert_eq!(rig.get("/").await.status, 200);
    assert_eq!(rig.get("/page/main.js").await.status, 200);
    let paths = ["/v1/repair", "/v1/stream", "/v1/calls"].map(|path| ("POST", path));
    for (method, path) in paths.into_iter().chain([("GET", "/v1/rules")]) {
        let got = rig.ask(method, path, "", "{\"text\": \"[1]\"}").await;
        assert_eq!(got.status, 401, "{path}");
        assert_eq!(got.json()["status"], 401, "in the form of our own endpoints");
        let key = "authorization: Bearer secret\r\n";
        let got = rig.ask(method, path, key, "{\"text\": \"[1]\"}").await;
        assert_eq!(got.status, 200, "{path}");
    }
    // A key in an address is none: histories and logs would contain it.
    for path in
        ["/v1/rules?key=secret", "/v1/rules?api_key=secret", "/v1/rules?access_token=secret"]
    {
        assert_eq!(rig.get(path).await.status, 401, "{path}");
    }
}

async fn ask(rig: &Rig, path: &str, body: &Value) -> Got {
    rig.ask("POST", path, "", &body.to_string()).await
}

#[tokio::test]
async fn rules_and_policies_are_listed() {
    let tables = rig([]).await.get("/v1/rules").await.json();
    let rules = tables["rules"].as_array().unwrap();
    let row = rules.iter().find(|row| row["name"] == "trailing-comma").unwrap();
    assert_eq!(
        (&row["class"], &row["before"], &row["after"]),
        (&json!("notation"), &json!("[1, 2,]"), &json!("[1, 2]"))
    );
    let policies = tables["policies"].as_array().unwrap();
    assert_eq!(policies.len(), 5);
    assert_eq!(policies[0]["rules"], json!([]));
    assert_eq!(policies[4]["rules"].as_array().unwrap().len(), rules.len());
    assert!(policies.iter().any(|policy| policy["name"] == tables["policy"]));
    assert!(
        tables["coercions"].as_array().unwrap().iter().any(|row| row["name"] == "number-from-text")
    );
    assert!(tables["dialects"].as_array().unwrap().contains(&json!("auto")));
}

/// Each part of the text with a position.
fn parts<'t>(text: &'t str, places: &Value) -> Vec<&'t str> {
    let offset = |place: &Value, at: usize| usize::try_from(place[at].as_u64().unwrap()).unwrap();
    let rows = places.as_array().unwrap().iter();
    rows.map(|place| &text[offset(place, 0)..offset(place, 1)]).collect()
}

#[tokio::test]
async fn every_part_of_a_value_has_its_position() {
    let rig = rig([]).await;
    let text = "Así: {'ä': [1, 'zwei',], b: {}}";
    let got = ask(&rig, "/v1/repair", &json!({"text": text, "places": true})).await.json();
    assert_eq!(
        parts(text, &got["places"]),
        ["{'ä': [1, 'zwei',], b: {}}", "'ä'", "[1, 'zwei',]", "1", "'zwei'", "b", "{}"]
    );
    assert_eq!(got["json"], "{\"ä\": [1, \"zwei\"], \"b\": {}}");
    // With a schema too, where the value is another than that of the text.
    let schema = json!({"properties": {"n": {"type": "integer"}, "m": {"type": "boolean"}}, "required": ["n"]});
    let text = "{'N': '3', 'm': 'yes'}";
    let request = json!({"text": text, "schema": schema, "places": true});
    let got = ask(&rig, "/v1/repair", &request).await.json();
    assert_eq!(got["json"], "{\"n\": 3, \"m\": true}");
    assert_eq!(parts(text, &got["places"]), [text, "'N'", "'3'", "'m'", "'yes'"]);
    // And only where they are asked for.
    for body in [json!({"text": text}), json!({"text": text, "places": false})] {
        assert_eq!(ask(&rig, "/v1/repair", &body).await.json()["places"], Value::Null);
    }
}

#[tokio::test]
async fn the_number_of_positions_is_limited() {
    let rig = rig([]).await;
    let text = format!("[{}1]", "1,".repeat(250_000));
    let got = ask(&rig, "/v1/repair", &json!({"text": text, "places": true})).await.json();
    assert_eq!(got["places"].as_array().unwrap().len(), 200_000);
    assert_eq!(got["value"].as_array().unwrap().len(), 250_001);
}

#[tokio::test]
async fn items_of_a_plan_have_positions() {
    let rig = rig([]).await;
    let text = "{steps: [{id: 'a', tool: 'x'}, {id: 'b', depends_on: ['z']}]}";
    let request = json!({"text": text, "places": true, "draw": "svg"});
    let got = ask(&rig, "/v1/plan", &request).await;
    assert_eq!(got.status, 422);
    let steps = ["{id: 'a', tool: 'x'}", "{id: 'b', depends_on: ['z']}"];
    assert_eq!(parts(text, &got.json()["places"]["steps"]), steps);
}

#[tokio::test]
async fn single_rules_are_enabled_and_disabled() {
    let rig = rig([]).await;
    let rows = [
        (json!({"text": "[1,]", "rules": {"trailing-comma": false}}), 422),
        (json!({"text": "[1,]", "policy": "extract"}), 422),
        (json!({"text": "[1,]", "policy": "extract", "rules": {"trailing-comma": true}}), 200),
        (json!({"text": "[1,]", "rules": {"trailing-coma": false}}), 400),
    ];
    for path in ["/v1/repair", "/v1/stream"] {
        for (body, expected) in &rows {
            let got = ask(&rig, path, body).await;
            let last: Value = serde_json::from_str(got.body.lines().last().unwrap()).unwrap();
            // A stream that has begun says at its end what became of it.
            let status = last["status"].as_u64().unwrap_or(got.status.into());
            assert_eq!(status, *expected, "{path} {body}: {last}");
        }
    }
    let got = ask(&rig, "/v1/repair", &rows[3].0).await.json();
    assert!(got["error"].as_str().unwrap().contains("did you mean `trailing-comma`?"), "{got}");
    let body = json!({"text": "{steps: [{id: 'a',}]}", "rules": {"trailing-comma": false}});
    assert_eq!(ask(&rig, "/v1/plan", &body).await.status, 422);
}

#[tokio::test]
async fn a_text_is_reported_chunk_by_chunk() {
    let rig = rig([]).await;
    let text = "Sure: {'name': 'Zoë', 'n': [1, 2,], 'rest': 'abc'}";
    for size in [1, 3, 16, 1000] {
        let got = ask(&rig, "/v1/stream", &json!({"text": text, "chunk_bytes": size})).await;
        assert_eq!(got.header("content-type"), Some("application/x-ndjson"));
        let mut lines: Vec<Value> =
            got.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let last = lines.pop().unwrap();
        assert_eq!(lines.len(), text.len().div_ceil(size));
        // What is certain only grows, and is part of what comes of the whole.
        let whole = ask(&rig, "/v1/repair", &json!({"text": text, "places": true})).await.json();
        for member in ["json", "places", "repairs", "class", "candidate"] {
            assert_eq!(last[member], whole[member], "{member} in chunks of {size}");
        }
        let parts: Vec<u64> = lines.iter().map(|line| line["parts"].as_u64().unwrap()).collect();
        assert!(parts.is_sorted() && parts.last() <= Some(&9), "{parts:?}");
        assert_eq!(last["places"].as_array().unwrap().len(), 9);
        assert_eq!(lines.last().unwrap()["end"], text.len());
        if size == 1 {
            assert!(lines.iter().any(|line| line["growing"] == 2), "{lines:?}");
        }
    }
}

#[tokio::test]
async fn the_number_of_chunks_is_limited() {
    let rig = rig([]).await;
    let long = "x".repeat(100_001);
    let rows = [
        (json!({"text": "[1]", "chunk_bytes": 0}), 400),
        (json!({"text": long, "chunk_bytes": 1}), 400),
    ];
    for (body, status) in rows {
        for path in ["/v1/stream", "/v1/calls"] {
            let got = ask(&rig, path, &body).await;
            let code = got.json()["details"][0]["code"].clone();
            assert_eq!((got.status, code.as_str()), (status, Some("limit/chunks")), "{path}");
        }
    }
}

/// A text with a call in a notation that has no braces around arguments.
const CALLS: &str = "<think>Zoë?</think>Looking.\n<tool_call>\n<function=find><parameter=name>Zoë</parameter>\
    <parameter=count>3</parameter></function>\n</tool_call> Done.";

fn find_tool() -> Value {
    json!([{"name": "find", "input_schema": {"type": "object", "properties":
        {"name": {"type": "string"}, "count": {"type": "integer"}}, "required": ["name"]}}])
}

#[tokio::test]
async fn calls_are_read_with_what_their_tool_declares() {
    let rig = rig([]).await;
    let body = json!({"text": CALLS, "tools": find_tool(), "places": true});
    let got = ask(&rig, "/v1/calls", &body).await;
    let reading = got.json();
    assert_eq!(got.status, 200, "{reading}");
    let call = &reading["calls"][0];
    assert_eq!((&call["name"], &call["notation"]), (&json!("find"), &json!("qwen-coder")));
    assert_eq!(call["json"], json!(r#"{"name":"Zoë","count":3}"#));
    let declared: Vec<Value> = ["count", "name"].map(|name| json!(name)).into();
    let rows = call["parameters"].as_array().unwrap();
    let mut names: Vec<Value> = rows.iter().map(|row| row["name"].clone()).collect();
    names.sort_by_key(Value::to_string);
    assert_eq!(names, declared);
    assert!(
        rows.contains(&json!({"name": "name", "required": true, "schema": {"type": "string"}}))
    );
    let of = |place: &Value| {
        let [start, end] = [0, 1].map(|at| usize::try_from(place[at].as_u64().unwrap()).unwrap());
        &CALLS[start..end]
    };
    let places: Vec<&str> = call["places"].as_array().unwrap().iter().map(of).collect();
    assert_eq!(places, ["", "<parameter=name>", "Zoë", "<parameter=count>", "3"]);
    assert_eq!((&reading["reasoning"], &reading["truncated"]), (&json!("Zoë?"), &json!(false)));
    assert!(reading["text"].as_str().unwrap().starts_with("Looking."), "{reading}");
}

#[tokio::test]
async fn positional_arguments_follow_the_order_of_the_schema() {
    let rig = rig([]).await;
    let tools = r#"{"add": {"properties": {"z": {"type": "integer"}, "b": {"type": "integer"}}}}"#;
    let body = format!("{{\"text\": \"[add(1, 2)]\", \"tools\": {tools}}}");
    let got = rig.ask("POST", "/v1/calls", "", &body).await.json();
    assert_eq!(got["calls"][0]["json"], json!(r#"{"z":1,"b":2}"#), "{got}");
    let names = [0, 1].map(|at| got["calls"][0]["parameters"][at]["name"].clone());
    assert_eq!(names, [json!("z"), json!("b")]);
}

#[tokio::test]
async fn calls_that_cannot_be_used_are_refused_with_what_was_read() {
    let rig = rig([]).await;
    let call = |arguments: &str| {
        format!("<tool_call>{{\"name\": \"find\", \"arguments\": {arguments}}}</tool_call>")
    };
    let rows = [
        (call(r#"{"count": 1}"#), find_tool(), 422, "missing required property `name`"),
        (call("{}").replace("find", "lose"), find_tool(), 422, "unknown tool `lose`"),
        (call(r#"{"name": "x"}"#).replace("}}</tool_call>", ""), find_tool(), 422, "cut off"),
        (call("{}"), json!([7]), 400, "invalid tools"),
        (
            call("{}"),
            json!([{"name": "a"}, {"name": "a", "parameters": {"required": ["b"]}}]),
            400,
            "`a`",
        ),
        ("No call.".to_owned(), find_tool(), 200, ""),
        (call("{}"), Value::Null, 200, ""),
    ];
    for (text, tools, status, error) in rows {
        let got = ask(&rig, "/v1/calls", &json!({"text": text, "tools": tools})).await;
        let body = got.json();
        assert_eq!(got.status, status, "{text}: {body}");
        let message = body["error"].as_str().unwrap_or_default();
        assert!(message.contains(error), "{text}: {message}");
        assert_eq!(body["calls"].is_array(), status != 400, "{text}: {body}");
    }
}

#[tokio::test]
async fn calls_are_reported_chunk_by_chunk() {
    let rig = rig([]).await;
    let body = json!({"text": CALLS, "tools": find_tool()});
    let whole = ask(&rig, "/v1/calls", &body).await.json();
    for size in [1, 2, 3, 16, 1000] {
        let mut body = body.clone();
        body["chunk_bytes"] = json!(size);
        let mut got = ask(&rig, "/v1/calls", &body).await.json();
        let chunks = got.as_object_mut().unwrap().remove("chunks").unwrap();
        assert_eq!(got, whole, "chunks of {size}");
        let chunks = chunks.as_array().unwrap();
        let ends: Vec<usize> = chunks
            .iter()
            .map(|row| usize::try_from(row["end"].as_u64().unwrap()).unwrap())
            .collect();
        assert!(
            ends.is_sorted() && ends.iter().all(|end| CALLS.is_char_boundary(*end)),
            "{ends:?}"
        );
        assert_eq!(ends.last(), Some(&CALLS.len()));
        let events = chunks.iter().flat_map(|row| row["events"].as_array().unwrap());
        let joined = |kind: &str, member: &str| -> String {
            let of = events.clone().filter(|event| event["type"] == kind);
            of.map(|event| event[member].as_str().unwrap()).collect()
        };
        assert_eq!(joined("started", "name"), "find", "chunks of {size}");
        assert_eq!(joined("arguments", "delta"), whole["calls"][0]["json"], "chunks of {size}");
        assert_eq!(joined("reasoning", "text"), "Zoë?", "chunks of {size}");
        assert!(!joined("text", "text").contains('<'), "chunks of {size}");
        let dones = events.clone().filter(|event| event["type"] == "done").count();
        assert_eq!(dones, 1, "chunks of {size}");
    }
}

#[tokio::test]
async fn the_endpoints_of_the_page_are_documented() {
    let document = rig([]).await.get("/openapi.json").await.json();
    assert!(document["paths"]["/v1/rules"]["get"]["responses"]["200"].is_object());
    assert!(document["paths"]["/v1/calls"]["post"]["responses"]["422"].is_object());
    let stream = &document["paths"]["/v1/stream"]["post"]["responses"];
    assert!(stream["200"]["content"]["application/x-ndjson"].is_object(), "{stream}");
    assert!(stream["400"].is_object(), "{stream}");
}
