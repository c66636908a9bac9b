//! What is learned from refusals, for how long, and for which requests.

mod rig;

use llmend_model::{ChatErrorKind, ChatModel, Output, OutputMode, Shape};
use llmend_model_server::{Answer, Form, ModelServer, Seen, Turn};
use llmend_models::{HttpModel, HttpOptions, Provider, Url};
use rig::{SCHEMA, Waits, model, model_with, request, server, shaped};
use serde_json::{Value, json};

/// A schema that is closed, so that every server is asked for it as a strict one.
const CLOSED: &str = r#"{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}"#;

fn asking(schema: &str) -> llmend_model::ChatRequest {
    let mut request = request();
    request.output = Output::Schema(Shape::new("answer", schema));
    request
}

#[tokio::test]
async fn refusals_lead_to_the_next_way_and_are_remembered() {
    let refuse = |text: &str| Form::OpenAi.error(400, text).into();
    let server = server([
        refuse("'response_format' of type 'json_schema' is not supported with this model"),
        refuse("'response_format' of type 'json_object' is not supported with this model"),
        refuse("this model does not support tools"),
        Answer::text("{}").into(),
        Answer::text("{}").into(),
    ]);
    let model = model(&server, Form::OpenAi);
    assert_eq!(model.capabilities().output, OutputMode::JsonSchema);
    let response = model.call(&shaped()).await.unwrap();
    assert_eq!(response.output, Some(OutputMode::Prompt));
    // A refusal is no failure of the connection.
    assert_eq!(response.transport_retries, 0);
    assert_eq!(model.capabilities().output, OutputMode::Prompt);
    model.call(&shaped()).await.unwrap();

    let bodies: Vec<_> = server.requests().iter().map(Seen::json).collect();
    let kinds: Vec<_> = bodies.iter().map(|body| body["response_format"]["type"].clone()).collect();
    assert_eq!(
        kinds,
        [json!("json_schema"), json!("json_object"), Value::Null, Value::Null, Value::Null]
    );
    let tools: Vec<_> = bodies.iter().map(|body| body.get("tools").is_some()).collect();
    assert_eq!(tools, [false, false, true, false, false]);
    // The schema stands in the prompt where the request has no place for it.
    let prompts: Vec<_> = bodies
        .iter()
        .map(|body| body["messages"].to_string().contains("fit this JSON Schema"))
        .collect();
    assert_eq!(prompts, [false, true, false, true, true]);
}

#[tokio::test]
async fn a_rejected_schema_does_not_affect_the_next_one() {
    let refusal = Form::OpenAi.error(400, "Invalid schema for response_format 'city'");
    let answers = (0..3).map(|_| Answer::text("{}").into());
    let server = server(std::iter::once(refusal.into()).chain(answers));
    let model = model(&server, Form::OpenAi);
    assert_eq!(model.call(&shaped()).await.unwrap().output, Some(OutputMode::JsonObject));
    assert_eq!(model.call(&asking(CLOSED)).await.unwrap().output, Some(OutputMode::JsonSchema));
    // The same one is not sent again.
    assert_eq!(model.call(&shaped()).await.unwrap().output, Some(OutputMode::JsonObject));
}

#[tokio::test]
async fn a_refusal_with_the_status_of_a_failure_is_not_waited_for() {
    let refusal = Form::OpenAi.error(500, "tools param requires --jinja flag");
    let server = server([refusal.into(), Answer::text("{}").into()]);
    let mut request = shaped();
    request.output = Output::Tool(Shape::new("city", SCHEMA));
    let response = model(&server, Form::OpenAi).call(&request).await.unwrap();
    assert_eq!(response.output, Some(OutputMode::JsonSchema));
    assert_eq!(response.transport_retries, 0);
}

#[tokio::test]
async fn unsupported_parts_are_omitted_and_reported() {
    let refuse = |text: &str| Form::OpenAi.error(400, text).into();
    let server = server([
        refuse("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        refuse("'temperature' does not support 0.5. Only the default (1) value is supported."),
        refuse("stream_options is not known"),
        Answer::text("{}").into(),
    ]);
    let mut request = request();
    request.max_output_tokens = Some(300);
    request.temperature = Some(0.5);
    let response = model(&server, Form::OpenAi).stream(&request, &mut |_| {}).await.unwrap();
    assert_eq!(response.omitted, ["temperature"]);
    let last = server.requests()[3].json();
    // The limit of tokens is a budget, and never left out.
    assert_eq!(last["max_completion_tokens"], 300);
    for gone in ["max_tokens", "temperature", "stream_options"] {
        assert!(last.get(gone).is_none(), "{gone}");
    }
}

#[tokio::test]
async fn a_token_limit_is_learnt_and_kept() {
    let refuse = |text: &str| Form::OpenAi.error(400, text).into();
    let server = server([
        refuse(
            "max_tokens is too large: 83268. This model supports at most 16384 completion tokens, whereas you provided 83268.",
        ),
        Answer::text("{}").into(),
        Answer::text("{}").into(),
        refuse(
            "This model's maximum context length is 4097 tokens. However, you requested 16484 tokens (100 in the messages, 16384 in the completion).",
        ),
        Answer::text("{}").into(),
        Answer::text("{}").into(),
    ]);
    let model = model(&server, Form::OpenAi);
    let mut request = request();
    request.max_output_tokens = Some(83_268);
    for _ in 0..4 {
        model.call(&request).await.unwrap();
    }
    let limits: Vec<_> =
        server.requests().iter().map(|seen| seen.json()["max_tokens"].clone()).collect();
    assert_eq!(limits, [83_268, 16_384, 16_384, 16_384, 3_997, 16_384]);
}

#[tokio::test]
async fn a_refusal_that_names_nothing_is_tried_once_without_a_format() {
    let refuse = |text: &str| Form::OpenAi.error(400, text).into();
    let terse =
        server([refuse("Bad Request"), Answer::text("{}").into(), Answer::text("{}").into()]);
    let known = model(&terse, Form::OpenAi);
    assert_eq!(known.call(&shaped()).await.unwrap().output, Some(OutputMode::Prompt));
    // The next call sends no format.
    assert_eq!(known.call(&shaped()).await.unwrap().output, Some(OutputMode::Prompt));

    let long = server([refuse("the prompt is too long"), refuse("still too long")]);
    let error = model(&long, Form::OpenAi).call(&shaped()).await.unwrap_err();
    assert_eq!((error.kind, long.requests().len()), (ChatErrorKind::Request, 2));
    assert!(error.message.contains("the prompt is too long"), "{error}");
    let plain = server([refuse("the prompt is too long")]);
    model(&plain, Form::OpenAi).call(&request()).await.unwrap_err();
    assert_eq!(plain.requests().len(), 1);

    let server = ModelServer::answering(|_| {
        Form::OpenAi.error(400, "json_schema response_format tool temperature unknown").into()
    });
    model(&server, Form::OpenAi).call(&shaped()).await.unwrap_err();
    assert_eq!(server.requests().len(), 4);
}

#[tokio::test]
async fn an_unexplained_refusal_is_paid_for_at_most_twice() {
    let has_format =
        |body: &Value| body.get("response_format").is_some() || body.get("tools").is_some();
    let server = ModelServer::answering(move |seen| -> Turn {
        if has_format(&seen.json()) {
            return Form::OpenAi.error(400, "Bad Request").into();
        }
        Answer::text("{}").into()
    });
    let model = model(&server, Form::OpenAi);
    let schema = |name: &str| CLOSED.replace("\"a\"", &format!("\"{name}\""));
    let mut requests = Vec::new();
    for name in ["a", "a", "b", "b", "c", "d"] {
        let before = server.requests().len();
        let response = model.call(&asking(&schema(name))).await.unwrap();
        assert_eq!(response.output, Some(OutputMode::Prompt), "{name}");
        assert_eq!(response.lost.requests as usize, server.requests().len() - before - 1);
        requests.push(server.requests().len() - before);
    }
    // It may be that one schema; it is not if a second one is refused.
    assert_eq!(requests, [2, 1, 2, 1, 1, 1]);
    assert_eq!(model.capabilities().output, OutputMode::Prompt);
}

/// What OpenAI and Anthropic say about a schema.
fn refused_as_strict(schema: &Value, keywords: &[&str]) -> Option<String> {
    match schema {
        Value::Object(members) => members
            .keys()
            .find(|name| keywords.contains(&name.as_str()))
            .cloned()
            .or_else(|| members.values().find_map(|part| refused_as_strict(part, keywords))),
        Value::Array(items) => items.iter().find_map(|part| refused_as_strict(part, keywords)),
        _ => None,
    }
}

/// Keywords that OpenAI refuses in schemas that it is to enforce.
const OPENAI: [&str; 14] = [
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "uniqueItems",
    "default",
    "prefixItems",
    "contains",
    "minLength",
];

/// Keywords that Anthropic refuses.
const ANTHROPIC: [&str; 12] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "maxItems",
    "uniqueItems",
    "oneOf",
    "allOf",
    "patternProperties",
];

#[tokio::test]
async fn no_schema_is_sent_that_is_known_to_be_refused() {
    let server = ModelServer::answering(|seen| -> Turn {
        let body = seen.json();
        let strict = [("/response_format/json_schema", &OPENAI[..]), ("/text/format", &OPENAI[..])];
        for (place, keywords) in strict {
            let Some(format) = body.pointer(place).filter(|format| format["strict"] == true) else {
                continue;
            };
            if let Some(keyword) = refused_as_strict(&format["schema"], keywords) {
                let words = format!(
                    "Invalid schema for response_format 'answer': In context=('properties', 'a'), '{keyword}' is not permitted."
                );
                return Form::of_path(&seen.path).error(400, &words).into();
            }
        }
        let schema = body.pointer("/output_config/format/schema");
        if let Some(keyword) = schema.and_then(|schema| refused_as_strict(schema, &ANTHROPIC)) {
            let words = format!(
                "output_config.format.schema: For 'integer' type, property '{keyword}' is not supported"
            );
            return Form::Anthropic.error(400, &words).into();
        }
        if body["tools"].is_array() {
            return Answer::call("answer", r#"{"a": 1}"#).into();
        }
        Answer::text(r#"{"a": 1}"#).into()
    });
    let tool = OutputMode::ForcedTool;
    let schema = OutputMode::JsonSchema;
    // The schema of a member, whether OpenAI is asked to enforce it, and how Anthropic is asked.
    let rows = [
        (r#"{"type": "integer", "minimum": 1, "maximum": 5}"#, true, schema),
        (r#"{"type": "integer", "multipleOf": 2, "default": 4}"#, true, schema),
        (r#"{"type": "string", "minLength": 1, "maxLength": 9}"#, true, schema),
        (
            r#"{"type": "array", "items": {"type": "string"}, "maxItems": 3, "uniqueItems": true}"#,
            true,
            schema,
        ),
        (r#"{"oneOf": [{"type": "integer"}, {"type": "null"}]}"#, true, schema),
        (r#"{"type": "integer", "not": {"const": 0}}"#, true, schema),
        (r#"{"type": "integer", "if": {"minimum": 5}, "then": {"multipleOf": 5}}"#, true, schema),
        (r#"{"allOf": [{"type": "integer"}]}"#, false, tool),
        (
            r#"{"type": "object", "patternProperties": {"^x": {}}, "additionalProperties": false}"#,
            false,
            tool,
        ),
        (r#"{"type": "array", "prefixItems": [{"type": "integer"}]}"#, false, tool),
    ];
    for (member, is_strict, anthropic) in rows {
        let whole = CLOSED.replace(r#"{"type": "integer"}"#, member);
        for (form, mode) in
            [(Form::OpenAi, schema), (Form::Responses, schema), (Form::Anthropic, anthropic)]
        {
            let before = server.requests().len();
            let response = model(&server, form).call(&asking(&whole)).await.unwrap();
            assert_eq!(response.output, Some(mode), "{form:?} {member}");
            let requests = server.requests();
            assert_eq!(requests.len() - before, 1, "{form:?} {member}");
            let body = requests[before].json();
            let strict = [
                &body["response_format"]["json_schema"]["strict"],
                &body["text"]["format"]["strict"],
            ];
            if form != Form::Anthropic {
                assert!(strict.contains(&&json!(is_strict)), "{form:?} {member}: {body}");
            }
            // What the server does not enforce is told to the model.
            let limit = member.contains("maxLength");
            assert!(!limit || requests[before].body.contains("It has to fit"), "{form:?}");
        }
    }
}

#[tokio::test]
async fn a_refusal_costs_the_mode_only_if_the_model_lacks_it() {
    let lacking = OutputMode::JsonSchema;
    let rows = [
        (
            Form::OpenAi,
            "Invalid schema for response_format 'answer': In context=(), 'x' is not permitted.",
            true,
        ),
        (
            Form::OpenAi,
            "'response_format' of type 'json_schema' is not supported with this model.",
            false,
        ),
        (
            Form::OpenAi,
            "The provided JSON schema contains features not supported by xgrammar.",
            true,
        ),
        (
            Form::Anthropic,
            "The compiled grammar is too large, which would cause performance issues.",
            true,
        ),
        (Form::Anthropic, "Circular reference detected in schema definitions: A -> A.", true),
        (Form::Anthropic, "output_config.format: Extra inputs are not permitted", false),
        (Form::Anthropic, "Schema is too complex for compilation.", true),
        (Form::Gemini, "JSON mode is not enabled for models/gemma-3", false),
        (
            Form::Gemini,
            "The specified schema produces a constraint that has too many states for serving.",
            true,
        ),
    ];
    for (form, words, takes_others) in rows {
        let count = std::sync::atomic::AtomicU32::new(0);
        let server = ModelServer::answering(move |_| -> Turn {
            match count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
                0 => form.error(400, words).into(),
                _ => Answer::text("{}").into(),
            }
        });
        let model = model(&server, form);
        let first = model.call(&asking(CLOSED)).await.unwrap();
        assert_ne!(first.output, Some(lacking), "{words}");
        let other = CLOSED.replace("\"a\"", "\"b\"");
        let second = model.call(&asking(&other)).await.unwrap();
        assert_eq!(second.output == Some(lacking), takes_others, "{words}");
        // The refused one is not sent again.
        let third = model.call(&asking(CLOSED)).await.unwrap();
        assert_eq!((third.output, third.lost.requests), (first.output, 0), "{words}");
    }
}

#[tokio::test]
async fn a_file_that_is_not_llmends_keeps_its_contents() {
    let file = std::env::temp_dir().join(format!("llmend-notes-{}", std::process::id()));
    std::fs::write(&file, "my only notes").unwrap();
    let mut options: HttpOptions = Waits::default().options();
    options.refusals = Some(file.clone());
    let provider = Provider::named("openai").unwrap();
    let url = Url::parse("http://127.0.0.1:1/v1").unwrap();
    let error = HttpModel::new("m", provider, url, "m", None, options.clone()).unwrap_err();
    let expected =
        "expected a file of refusals written by this version of llmend, found another file";
    assert!(error.to_string().contains(expected), "{error}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "my only notes");
    // Not even one that came while the model was open.
    std::fs::remove_file(&file).unwrap();
    let refusal = Form::OpenAi.error(400, "stream_options is not known");
    let server = server([refusal.into(), Answer::text("a").into()]);
    let model = model_with(&server, Form::OpenAi, None, options);
    std::fs::write(&file, "my other notes").unwrap();
    model.call(&request()).await.unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "my other notes");
    std::fs::remove_file(&file).unwrap();
}
