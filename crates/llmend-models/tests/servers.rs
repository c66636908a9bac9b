//! A table of what servers do and what comes of it: they refuse what the real ones refuse, in their words.
//!
//! `cargo test -p llmend-models --test servers -- --nocapture` prints the table.

mod rig;

use std::fmt::Write as _;
use std::time::Duration;

use llmend_model::{ChatError, ChatModel, ChatRequest, ChatResponse, Output, Shape};
use llmend_model_server::{Answer, Form, Gate, ModelServer, Reply, Seen, Step, Turn};
use rig::{FORMS, PIECES, Stopped, Waits, model_with, request, server, steps};
use serde_json::Value;

/// A schema that is closed, so that every server is asked for it as a strict one.
const CLOSED: &str = r#"{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}"#;
const LIST: &str = r#"{"type": "array", "items": {"type": "integer"}}"#;

/// A schema with keywords that servers do not enforce.
const RICH: &str = r#"{"type": "object", "properties": {"a": {"oneOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}, "uniqueItems": true}]}}, "required": ["a"], "additionalProperties": false}"#;

/// Seven pieces of a stream.
const LONG: &str = r#"{"city": "Oslo", "country": "Norway", "people": 717710}"#;

/// The token limit that is asked for.
const WANTED: u32 = 83_268;

fn asking(schema: &str) -> ChatRequest {
    let mut request = request();
    request.output = Output::Schema(Shape::new("answer", schema));
    request
}

/// The token limit of a request, in any form.
fn limit(body: &Value) -> Option<u64> {
    let places = [
        "/max_tokens",
        "/max_completion_tokens",
        "/max_output_tokens",
        "/generationConfig/maxOutputTokens",
        "/options/num_predict",
    ];
    places.iter().find_map(|place| body.pointer(place)?.as_u64())
}

/// Whether a request has a field for structured output.
fn is_structured(body: &Value) -> bool {
    let places = [
        "/response_format",
        "/text/format",
        "/output_config",
        "/tools",
        "/format",
        "/generationConfig/responseMimeType",
    ];
    places.iter().any(|place| body.pointer(place).is_some())
}

/// A server that refuses what `refuses` says, and answers everything else.
fn strict(
    form: Form,
    refuses: impl Fn(&Value) -> Option<(u16, String)> + Send + 'static,
) -> ModelServer {
    ModelServer::answering(move |seen: &Seen| -> Turn {
        let body = seen.json();
        match refuses(&body) {
            Some((status, message)) => form.error(status, &message).into(),
            None if body["tools"].is_array() => Answer::call("answer", r#"{"a": 1}"#).into(),
            None => Answer::text(r#"{"a": 1}"#).into(),
        }
    })
}

/// A server that refuses a token limit above `most`, in these words.
fn limited(form: Form, most: u64, words: &'static str) -> ModelServer {
    strict(form, move |body| {
        let is_too_much = limit(body).is_some_and(|limit| limit > most);
        is_too_much.then(|| (400, words.to_owned()))
    })
}

/// What came of a call, in a few words.
async fn outcome(server: &ModelServer, form: Form, request: &ChatRequest) -> String {
    let waits = Waits::default();
    let model = model_with(server, form, None, waits.options());
    let first = model.call(request).await;
    let mut words = told(&first, server, &waits);
    // What was learned is known to the next call.
    let before = server.requests().len();
    let waited = waits.seen().len();
    if first.is_ok() && model.call(request).await.is_ok() {
        write!(words, ", the next one after {}", server.requests().len() - before).unwrap();
        if let (0, [wait]) = (waited, &*waits.seen()) {
            write!(words, " and {} s", wait.as_secs_f64().ceil()).unwrap();
        }
    }
    words
}

fn told(result: &Result<ChatResponse, ChatError>, server: &ModelServer, waits: &Waits) -> String {
    let requests = server.requests();
    let (count, last) = (requests.len(), requests.last().map(Seen::json).unwrap_or_default());
    let mut words = match result {
        Ok(response) => {
            let how = response.output.map_or("text", llmend_model::OutputMode::as_str);
            let limit = limit(&last).map_or_else(String::new, |limit| format!(", limit {limit}"));
            format!("answer ({how}{limit}) after {count}")
        }
        Err(error) => {
            let partial = if error.context.partial.is_some() { ", part kept" } else { "" };
            format!("{}{partial} after {count}", error.kind.code())
        }
    };
    let waited: Vec<_> = waits.seen().iter().map(Duration::as_secs).collect();
    if waited.iter().any(|seconds| *seconds > 4) {
        write!(words, ", waited {waited:?} s").unwrap();
    }
    words
}

/// The token limits of servers, in their words.
const LIMITS: [(&str, Form, u64, &str); 15] = [
    (
        "OpenAI",
        Form::OpenAi,
        16_384,
        "max_tokens is too large: 83268. This model supports at most 16384 completion tokens, whereas you provided 83268.",
    ),
    (
        "OpenAI, responses",
        Form::Responses,
        16_384,
        "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 16384, but got 83268 instead.",
    ),
    (
        "Anthropic",
        Form::Anthropic,
        8_192,
        "max_tokens: 83268 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku-20241022",
    ),
    (
        "Gemini",
        Form::Gemini,
        65_536,
        "Unable to submit request because it has a maxOutputTokens value of 83268 but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.",
    ),
    (
        "Groq",
        Form::OpenAi,
        32_768,
        "`max_tokens` must be less than or equal to `32768`, the maximum value for `max_tokens` is less than the `context_window` for this model",
    ),
    (
        "DeepSeek",
        Form::OpenAi,
        8_192,
        "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
    ),
    (
        "vLLM (question and answer)",
        Form::OpenAi,
        32_648,
        "'max_tokens' or 'max_completion_tokens' is too large: 83268. This model's maximum context length is 32768 tokens and your request has 120 input tokens (83268 > 32768 - 120).",
    ),
    (
        "OpenRouter (question and answer)",
        Form::OpenAi,
        65_404,
        "This endpoint's maximum context length is 65536 tokens. However, you requested about 83400 tokens (132 of text input, 83268 in the output).",
    ),
    (
        "SGLang (question and answer)",
        Form::OpenAi,
        56_102,
        "Requested token count exceeds the model's maximum context length of 64000 tokens. You requested a total of 91165 tokens: 7897 tokens from the input messages and 83268 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.",
    ),
    (
        "Anthropic (question and answer)",
        Form::Anthropic,
        11_760,
        "input length and `max_tokens` exceed context limit: 188240 + 83268 > 200000, decrease input length or `max_tokens` and try again",
    ),
    (
        "Bedrock",
        Form::OpenAi,
        8_192,
        "Malformed input request: #/maxTokens: 83268 is not less or equal to 8192, please reformat your input and try again.",
    ),
    (
        "Moonshot",
        Form::OpenAi,
        8_192,
        "Invalid request: Your request exceeded model token limit: 8192",
    ),
    ("no number", Form::OpenAi, 4_096, "max_tokens is too large"),
    ("no reason", Form::OpenAi, 8_192, "Bad Request"),
    ("no number, and a small model", Form::OpenAi, 1_024, "max_tokens exceeds the model's limit"),
];

#[tokio::test]
async fn what_servers_do_and_what_comes_of_it() {
    let mut table = String::from("| server | outcome |\n|---|---|\n");
    let mut row = |what: &str, outcome: &str| writeln!(table, "| {what} | {outcome} |").unwrap();
    for (name, form, most, words) in LIMITS {
        let server = limited(form, most, words);
        let mut asked = request();
        asked.max_output_tokens = Some(WANTED);
        row(&format!("token limit {most}: {name}"), &outcome(&server, form, &asked).await);
    }
    formats(&mut row).await;
    parts(&mut row).await;
    begun(&mut row).await;
    busy(&mut row).await;
    row("slow trickle: 50 s before each piece, 350 s in all", &trickle().await);
    row("stall of 61 s within the answer", &stall().await);
    row("no byte for 61 s, each time", &silence().await);
    println!("{table}");
    insta::assert_snapshot!("servers", table);
}

/// Adds the rows of servers that refuse a format or a schema.
async fn formats(row: &mut impl FnMut(&str, &str)) {
    // Formats, named and not named.
    let named = [
        (
            Form::OpenAi,
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
        ),
        (Form::Anthropic, "output_config.format: Extra inputs are not permitted"),
        (Form::Gemini, "JSON mode is not enabled for models/gemma-3"),
    ];
    for (form, words) in named {
        let refused = |body: &Value| {
            let is_schema = body.pointer("/response_format/json_schema").is_some()
                || body.get("output_config").is_some()
                || body.pointer("/generationConfig/responseMimeType").is_some();
            is_schema.then_some(())
        };
        let server = strict(form, move |body| refused(body).map(|()| (400, words.to_owned())));
        row(
            &format!("schema refused by name: {form:?}"),
            &outcome(&server, form, &asking(CLOSED)).await,
        );
    }
    for (form, ..) in FORMS {
        let refuse = |body: &Value| is_structured(body).then(|| (400, "Bad Request".to_owned()));
        let server = strict(form, refuse);
        row(
            &format!("terse 400 to any format: {form:?}"),
            &outcome(&server, form, &asking(CLOSED)).await,
        );
    }
    for (form, words) in [
        (
            Form::OpenAi,
            "Invalid schema for response_format 'answer': In context=(), 'oneOf' is not permitted.",
        ),
        (
            Form::Anthropic,
            "The compiled grammar is too large, which would cause performance issues.",
        ),
    ] {
        let is_schema = |body: &Value| body.to_string().contains("json_schema");
        let server = strict(form, move |body| is_schema(body).then(|| (400, words.to_owned())));
        row(
            &format!("this schema refused: {form:?}"),
            &outcome(&server, form, &asking(CLOSED)).await,
        );
    }
    for (form, ..) in &FORMS[..3] {
        // As OpenAI and Anthropic do with schemas that they are to enforce.
        let refuse = |body: &Value| {
            let text = body.to_string();
            let is_enforced = text.contains("\"strict\":true") || text.contains("output_config");
            let is_refused =
                is_enforced && (text.contains("oneOf") || text.contains("\"uniqueItems\":true"));
            is_refused.then(|| (400, "Bad Request".to_owned()))
        };
        row(
            &format!("a schema with `oneOf` and `uniqueItems`: {form:?}"),
            &outcome(&strict(*form, refuse), *form, &asking(RICH)).await,
        );
    }
    let server = strict(Form::OpenAi, |_| Some((400, "Bad Request".to_owned())));
    row("terse 400 to everything", &outcome(&server, Form::OpenAi, &asking(CLOSED)).await);
    let objects = |body: &Value| {
        let schema = body.pointer("/response_format/json_schema/schema")?;
        let words = "Invalid schema for response_format 'answer': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"array\"'.";
        (schema["type"] != "object").then(|| (400, words.to_owned()))
    };
    row(
        "schemas of objects only, a list is wanted",
        &outcome(&strict(Form::OpenAi, objects), Form::OpenAi, &asking(LIST)).await,
    );
}

/// Adds the rows of servers that refuse another part of a request.
async fn parts(row: &mut impl FnMut(&str, &str)) {
    for (form, words) in [
        (Form::OpenAi, "System role not supported"),
        (Form::Gemini, "Developer instruction is not enabled for models/gemma-3-27b-it"),
    ] {
        let is_system = |body: &Value| {
            body.pointer("/messages/0/role").is_some_and(|role| role == "system")
                || body.get("systemInstruction").is_some()
        };
        let server = strict(form, move |body| is_system(body).then(|| (400, words.to_owned())));
        row(&format!("no instructions: {form:?}"), &outcome(&server, form, &request()).await);
    }
    let parts = [
        (
            "max_tokens",
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        ),
        (
            "temperature",
            "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
        ),
        ("stream", "streaming is not supported by this model"),
        ("stream_options", "stream_options: extra fields not permitted"),
    ];
    for (part, words) in parts {
        let server = strict(Form::OpenAi, move |body| {
            body.get(part).is_some().then(|| (400, words.to_owned()))
        });
        let mut asked = request();
        (asked.max_output_tokens, asked.temperature) = (Some(300), Some(0.5));
        row(&format!("`{part}` refused"), &outcome(&server, Form::OpenAi, &asked).await);
    }
}

/// Adds the rows of proxies that begin an answer before they know that there is none, and refuse in it.
async fn begun(row: &mut impl FnMut(&str, &str)) {
    type Refuses = fn(&Value) -> bool;
    let rows: [(&str, &str, Refuses); 4] = [
        ("a token limit", "max_tokens must be at most 8192", |body| limit(body) > Some(8_192)),
        ("a format, by name", "response_format is not supported", |body| {
            body.pointer("/response_format/json_schema").is_some()
        }),
        ("any format, tersely", "Bad Request", is_structured),
        ("the question", "The prompt is too long", |_| true),
    ];
    for (what, words, refuses) in rows {
        for is_stream in [true, false] {
            let error = serde_json::json!({"error": {"message": words, "code": "400"}}).to_string();
            let server = ModelServer::answering(move |seen| match refuses(&seen.json()) {
                true if is_stream => Reply::events(format!("data: {error}\n\n")).into(),
                true => Reply::json(200, &error).into(),
                false => Answer::text(r#"{"a": 1}"#).into(),
            });
            let mut asked = asking(CLOSED);
            asked.max_output_tokens = what.contains("limit").then_some(WANTED);
            let how = if is_stream { "in a stream" } else { "as a whole" };
            let came = outcome(&server, Form::OpenAi, &asked).await;
            row(&format!("{what} refused inside a 200, {how}"), &came);
        }
    }
    let busy =
        r#"{"error": {"message": "Rate limit reached. Please try again in 7s.", "code": 429}}"#;
    let server = rig::server([
        Reply::events(format!("data: {busy}\n\n")).into(),
        Answer::text("a").into(),
        Answer::text("a").into(),
    ]);
    row("429 inside a 200, a wait in words", &outcome(&server, Form::OpenAi, &request()).await);
}

/// An answer with headers.
fn answered_with(headers: &[(&str, &str)]) -> Turn {
    let reply = Answer::text("a").stream(Form::OpenAi);
    headers.iter().fold(reply, |reply, (name, value)| reply.header(name, value)).into()
}

/// Adds the rows of busy and broken servers.
async fn busy(row: &mut impl FnMut(&str, &str)) {
    let good = || Turn::from(Answer::text("a"));
    let cut = |form: Form| Answer::text(LONG).stream(form).first_steps(steps(form));
    let scripts: [(&str, Vec<Turn>); 11] = [
        (
            "429 with Retry-After: 7",
            vec![Reply::status(429).header("retry-after", "7").into(), good(), good()],
        ),
        (
            "429 with Retry-After: 3600",
            vec![Reply::status(429).header("retry-after", "3600").into()],
        ),
        (
            "429, quota used up",
            vec![Reply::json(429, r#"{"error":{"code":"insufficient_quota"}}"#).into()],
        ),
        (
            "overloaded twice (503, 529)",
            vec![Reply::status(503).into(), Reply::status(529).into(), good(), good()],
        ),
        ("overloaded for good", (0..8).map(|_| Reply::status(503).into()).collect()),
        ("connection closed at once", vec![Reply::cut().into(), good(), good()]),
        (
            "body cut off, whole answer",
            vec![
                Reply::json(200, "{\"half\":")
                    .header("content-length", "500")
                    .then(Step::Cut)
                    .into(),
                good(),
                good(),
            ],
        ),
        ("body cut off, stream", vec![cut(Form::OpenAi).then(Step::Cut).into(), good(), good()]),
        (
            "body cut off, stream, each time",
            (0..4).map(|_| cut(Form::OpenAi).then(Step::Cut).into()).collect(),
        ),
        (
            "no tokens left for 20 s",
            vec![
                answered_with(&[
                    ("x-ratelimit-remaining-tokens", "0"),
                    ("x-ratelimit-reset-tokens", "20s"),
                ]),
                good(),
            ],
        ),
        ("401", vec![Reply::json(401, "{}").into()]),
    ];
    for (what, turns) in scripts {
        row(what, &outcome(&rig::server(turns), Form::OpenAi, &request()).await);
    }
    let mut streamed = Vec::new();
    let broken = rig::server([cut(Form::OpenAi).then(Step::Cut).into()]);
    let model = model_with(&broken, Form::OpenAi, None, Waits::default().options());
    let result = model.stream(&request(), &mut |event| streamed.push(event)).await;
    row("body cut off, stream that was shown", &told(&result, &broken, &Waits::default()));
}

async fn trickle() -> String {
    let gates: Vec<Gate> = (0..7).map(|_| Gate::default()).collect();
    let reply = gates.iter().fold(Reply::events(""), |reply, gate| {
        let piece = "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n";
        reply.then(Step::Wait(gate.clone())).text(piece)
    });

    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let slow = server([reply.text(end).into()]);
    let waits = Waits::default();
    let model = model_with(&slow, Form::OpenAi, None, waits.options());
    let (send, mut arrived) = tokio::sync::mpsc::unbounded_channel();
    let call = tokio::spawn(async move {
        model.stream(&request(), &mut |event| send.send(event).unwrap()).await
    });
    slow.arrived(1).await;
    let stopped = Stopped::new();
    for gate in &gates {
        tokio::time::advance(Duration::from_secs(50)).await;
        gate.open();
        arrived.recv().await.expect("a piece");
    }
    let result = call.await.unwrap();
    drop(stopped);
    told(&result, &slow, &waits)
}

async fn stall() -> String {
    let whole = Answer::text(LONG);
    let form = Form::OpenAi;
    let stalled = server([whole.stream(form).first_steps(steps(form)).then(Step::Hang).into()]);
    let waits = Waits::default();
    let model = model_with(&stalled, form, None, waits.options());
    let (send, mut arrived) = tokio::sync::mpsc::unbounded_channel();
    let call = tokio::spawn(async move {
        model.stream(&request(), &mut |event| send.send(event).unwrap()).await
    });
    for _ in 0..PIECES {
        arrived.recv().await.expect("a piece");
    }
    let stopped = Stopped::new();
    tokio::time::advance(Duration::from_secs(61)).await;
    let result = call.await.unwrap();
    drop(stopped);
    told(&result, &stalled, &waits)
}

async fn silence() -> String {
    let silent = ModelServer::answering(|_| Reply::hang().into());
    let waits = Waits::default();
    let model = model_with(&silent, Form::OpenAi, None, waits.options());
    let call = tokio::spawn(async move { model.call(&request()).await });
    silent.arrived(1).await;
    let stopped = Stopped::new();
    tokio::time::advance(Duration::from_secs(61)).await;
    silent.arrived(2).await;
    tokio::time::advance(Duration::from_secs(61)).await;
    let result = call.await.unwrap();
    drop(stopped);
    told(&result, &silent, &waits)
}
