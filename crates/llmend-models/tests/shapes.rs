//! What is asked for where servers differ in the schemas and settings that they accept.

mod rig;

use llmend_model::{ChatModel, Output, OutputMode, Shape};
use llmend_model_server::{Answer, Form, ModelServer, Reply};
use llmend_models::{HttpModel, HttpOptions, PromptCache, Provider, SecretString, Url};
use rig::{FORMS, Waits, model, model_with, request, server, shaped};
use serde_json::{Value, json};

const LIST: &str = r#"{"type": "array", "items": {"type": "integer"}}"#;

/// A schema that OpenAI takes as a strict one, and Anthropic takes at all.
const CLOSED: &str = r#"{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}"#;

fn asking(schema: &str) -> llmend_model::ChatRequest {
    let mut request = request();
    request.output = Output::Schema(Shape::new("list", schema));
    request
}

/// A server that accepts the schema of an object alone, as OpenAI, Anthropic and the tools of all
/// do.
fn strict_server() -> ModelServer {
    ModelServer::answering(|seen| {
        let body = seen.json();
        let places = [
            "/response_format/json_schema/schema",
            "/text/format/schema",
            "/output_config/format/schema",
            "/tools/0/input_schema",
            "/tools/0/parameters",
        ];
        let schema = places.iter().find_map(|place| body.pointer(place));
        match schema {
            Some(schema) if schema["type"] != "object" => Form::of_path(&seen.path)
                .error(400, "Invalid schema for response_format 'list': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"array\"'.")
                .into(),
            Some(_) if body["tools"].is_array() => Answer::call("list", r#"{"answer": [1, 2]}"#).into(),
            Some(_) => Answer::text(r#"{"answer": [1, 2]}"#).into(),
            None => Answer::text("[1, 2]").into(),
        }
    })
}

#[tokio::test]
async fn a_list_is_wrapped_where_only_objects_are_accepted() {
    for (form, ..) in FORMS {
        let server = strict_server();
        let response = model(&server, form).call(&asking(LIST)).await.unwrap();
        assert_eq!(response.answer(), "[1, 2]", "{form:?}");
        let requests = server.requests();
        assert_eq!(requests.len(), 1, "{form:?}: refused");
        let body = requests[0].json();
        let wrapped = json!({"type": "object", "properties": {"answer": serde_json::from_str::<Value>(LIST).unwrap()},
            "required": ["answer"], "additionalProperties": false});
        let place = match form {
            Form::OpenAi => "/response_format/json_schema/schema",
            Form::Responses => "/text/format/schema",
            // Anthropic and Gemini: see below.
            Form::Anthropic => "/output_config/format/schema",
            Form::Gemini => "/generationConfig/responseJsonSchema",
            Form::Ollama => "/format",
        };
        let takes_any = matches!(form, Form::Gemini | Form::Ollama);
        let plain = serde_json::from_str(LIST).unwrap();
        let expected = if takes_any { &plain } else { &wrapped };
        assert_eq!(body.pointer(place), Some(expected), "{form:?}");
        // The model is told where its answer goes.
        let says = requests[0].body.contains("in the member `answer`");
        assert_eq!(says, !takes_any, "{form:?}");
    }
}

#[tokio::test]
async fn a_server_that_answers_bare_is_read_all_the_same() {
    let server = server([Answer::text("[1, 2]").into()]);
    let response = model(&server, Form::OpenAi).call(&asking(LIST)).await.unwrap();
    assert_eq!(response.answer(), "[1, 2]");
}

#[tokio::test]
async fn a_schema_is_strict_where_it_is_closed() {
    for (schema, strict) in [(CLOSED, true), (LIST, true), (r#"{"type": "object"}"#, false)] {
        let server = server([Answer::text("{}").into(), Answer::text("{}").into()]);
        let chat = model(&server, Form::OpenAi);
        chat.call(&asking(schema)).await.unwrap();
        let responses = model(&server, Form::Responses);
        responses.call(&asking(schema)).await.unwrap();
        let requests = server.requests();
        assert_eq!(requests[0].json()["response_format"]["json_schema"]["strict"], strict);
        assert_eq!(requests[1].json()["text"]["format"]["strict"], strict);
    }
}

#[tokio::test]
async fn anthropic_is_asked_for_structured_outputs_and_for_a_tool_where_it_has_none() {
    // A closed schema: structured outputs.
    let server_of = |turns: Vec<Reply>| {
        let turns = turns.into_iter().map(Into::into);
        server(turns.chain([Answer::text("{\"a\": 1}").into()]))
    };
    let server = server_of(Vec::new());
    let response = model(&server, Form::Anthropic).call(&asking(CLOSED)).await.unwrap();
    assert_eq!(response.output, Some(OutputMode::JsonSchema));
    let body = server.requests()[0].json();
    assert_eq!(body["output_config"]["format"]["type"], "json_schema");
    assert_eq!(body["tools"], Value::Null);
    // A model without them says so, and is asked for a tool from then on.
    let refusal = "output_config.format: Extra inputs are not permitted";
    let server = server_of(vec![Form::Anthropic.error(400, refusal)]);
    let model = model(&server, Form::Anthropic);
    let response = model.call(&asking(CLOSED)).await.unwrap();
    assert_eq!(response.output, Some(OutputMode::ForcedTool));
    assert_eq!(model.capabilities().output, OutputMode::ForcedTool);
    // An open schema is refused by all of them, and is not tried.
    let server = server_of(Vec::new());
    let response = rig::model(&server, Form::Anthropic).call(&shaped()).await.unwrap();
    assert_eq!(response.output, Some(OutputMode::ForcedTool));
    assert_eq!(server.requests()[0].json()["output_config"], Value::Null);
}

fn options() -> HttpOptions {
    Waits::default().options()
}

#[tokio::test]
async fn instructions_are_marked_for_the_cache_where_that_is_asked_for() {
    let server = ModelServer::answering(|_| Answer::text("a").into());
    let mut marked = options();
    marked.prompt_cache = PromptCache::Marked;
    model_with(&server, Form::Anthropic, None, marked).call(&request()).await.unwrap();
    let system =
        json!([{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]);
    assert_eq!(server.requests()[0].json()["system"], system);
}

#[tokio::test]
async fn headers_and_the_length_of_the_context_are_sent() {
    let server = ModelServer::answering(|_| Answer::text("a").into());
    let mut more = options();
    more.headers = vec![("x-team".to_owned(), SecretString::from("7"))];
    more.context_tokens = Some(8192);
    model_with(&server, Form::Ollama, None, more).call(&request()).await.unwrap();
    let seen = &server.requests()[0];
    assert_eq!(seen.header("x-team"), Some("7"));
    assert_eq!(seen.json()["options"], json!({"num_ctx": 8192}));

    let mut bad = options();
    bad.headers = vec![("x team".to_owned(), SecretString::from("planted"))];
    let url = Url::parse(&server.url()).unwrap();
    let error = HttpModel::new("m", Provider::named("ollama").unwrap(), url, "m", None, bad)
        .expect_err("no header");
    assert_eq!(error.to_string(), "the header \"x team\" has an invalid name or value");
}

#[tokio::test]
async fn what_a_server_refuses_is_kept_for_the_next_run() {
    let file = std::env::temp_dir().join(format!("llmend-shapes-{}.json", std::process::id()));
    let kept = || {
        let mut kept = options();
        kept.refusals = Some(file.clone());
        kept
    };
    let server = server([
        Form::OpenAi
            .error(400, "'response_format' of type 'json_schema' is not supported with this model.")
            .into(),
        Form::OpenAi
            .error(
                400,
                "max_tokens is too large: 5000. This model supports at most 4096 completion tokens",
            )
            .into(),
        Answer::text("{}").into(),
        Answer::text("{}").into(),
    ]);
    let mut asked = shaped();
    asked.max_output_tokens = Some(5000);
    model_with(&server, Form::OpenAi, None, kept()).call(&asked).await.unwrap();
    assert_eq!(server.requests().len(), 3);
    // Another run asks at once in a way that is accepted.
    model_with(&server, Form::OpenAi, None, kept()).call(&asked).await.unwrap();
    let requests = server.requests();
    assert_eq!(requests.len(), 4);
    let body = requests[3].json();
    assert_eq!(
        (&body["response_format"]["type"], &body["max_tokens"]),
        (&json!("json_object"), &json!(4096))
    );
    std::fs::remove_file(&file).unwrap();
}

#[tokio::test]
async fn a_known_limit_is_not_exceeded() {
    let server = ModelServer::answering(|_| Answer::text("a").into());
    let mut limited = options();
    limited.max_output_tokens = Some(100);
    let mut asked = request();
    asked.max_output_tokens = Some(5000);
    model_with(&server, Form::OpenAi, None, limited).call(&asked).await.unwrap();
    assert_eq!(server.requests()[0].json()["max_tokens"], 100);
}
