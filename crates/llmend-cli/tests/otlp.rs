//! Traces at a collector: the spans of a run, with the names of OpenTelemetry's conventions for models.

use std::fs;
use std::process::{Command, Output};

use llmend_model_server::{Answer, Form, ModelServer, Reply};
use serde_json::Value;

const SCHEMA: &str =
    r#"{"type": "object", "properties": {"days": {"type": "integer"}}, "required": ["days"]}"#;

fn collector() -> ModelServer {
    ModelServer::answering(|_| Reply::json(200, "{}").into())
}

/// Asks once, with these variables.
fn ask(server: &ModelServer, variables: &[(&str, &str)]) -> Output {
    let folder = std::env::temp_dir().join(format!("llmend-otlp-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let schema = folder.join("s.json");
    fs::write(&schema, SCHEMA).expect("a schema");
    let model = format!("openai+{}/v1:gpt-mine", server.url());
    let mut command = Command::new(env!("CARGO_BIN_EXE_llmend"));
    command.args(["ask", "--schema"]).arg(&schema).args(["--model", &model, "A secret question"]);
    command.env("XDG_CONFIG_HOME", folder.join("none"));
    for name in ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SERVICE_NAME", "OTEL_SDK_DISABLED"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied()).output().expect("it runs")
}

/// The attributes of a span or resource by name.
fn attributes(of: &Value) -> Value {
    let rows = of["attributes"].as_array().expect("attributes");
    let plain = |row: &Value| {
        let value = row["value"].as_object().and_then(|value| value.values().next()).cloned();
        (row["key"].as_str().expect("a key").to_owned(), value.unwrap_or_default())
    };
    Value::Object(rows.iter().map(plain).collect())
}

#[test]
fn the_spans_of_a_run_arrive_with_the_names_of_the_conventions() {
    let server = ModelServer::scripted([
        Answer::text(r#"{"days": "a few"}"#).usage(100, 20).into(),
        Answer::text(r#"{"days": 3}"#).usage(300, 10).into(),
    ]);
    let collector = collector();
    let endpoint = collector.url();
    let run = ask(
        &server,
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "x-team=seven"),
            ("OTEL_SERVICE_NAME", "planner"),
        ],
    );
    assert!(run.status.success(), "{run:?}");
    let requests = collector.requests();
    assert_eq!(requests[0].path, "/v1/traces");
    assert_eq!(requests[0].header("x-team"), Some("seven"));
    let mut spans = Vec::new();
    for seen in &requests {
        for resource in seen.json()["resourceSpans"].as_array().expect("resources") {
            assert_eq!(attributes(&resource["resource"])["service.name"], "planner");
            for scope in resource["scopeSpans"].as_array().expect("scopes") {
                spans.extend(scope["spans"].as_array().expect("spans").clone());
            }
        }
    }
    let named = |name: &str| spans.iter().filter(|span| span["name"] == name).collect::<Vec<_>>();
    let (whole, calls) = (named("llmend.ask"), named("chat gpt-mine"));
    assert_eq!((whole.len(), calls.len(), spans.len()), (1, 2, 3), "{spans:#?}");
    let whole_attributes = attributes(whole[0]);
    assert_eq!(whole_attributes["llmend.outcome"], "ok");
    let count = |of: &Value, name: &str| of[name].to_string().trim_matches('"').to_owned();
    assert_eq!(count(&whole_attributes, "gen_ai.usage.input_tokens"), "400");
    for (call, (input, strategy)) in
        calls.iter().zip([("100", Value::Null), ("300", "fields".into())])
    {
        assert_eq!(call["parentSpanId"], whole[0]["spanId"]);
        assert_eq!(call["traceId"], whole[0]["traceId"]);
        // A client's span.
        assert_eq!(call["kind"], 3);
        let found = attributes(call);
        assert_eq!(found["gen_ai.operation.name"], "chat");
        assert_eq!(found["gen_ai.provider.name"], "openai");
        assert_eq!(found["gen_ai.request.model"], "gpt-mine");
        assert_eq!(found["gen_ai.response.model"], "scripted");
        assert_eq!(found["gen_ai.output.type"], "json");
        assert_eq!(count(&found, "gen_ai.usage.input_tokens"), input);
        assert_eq!(found["llmend.strategy"], strategy);
    }
    // What failed is an event of its span; what was said is not exported.
    assert!(calls[0]["events"].to_string().contains("answer rejected"), "{}", calls[0]);
    let all = requests.iter().map(|seen| seen.body.clone()).collect::<String>();
    assert!(!all.contains("secret question") && !all.contains("a few"), "{all}");
}

#[test]
fn a_failed_run_is_an_error_at_the_collector() {
    let server = ModelServer::answering(|_| Form::OpenAi.error(401, "no").into());
    let collector = collector();
    let endpoint = format!("{}/custom", collector.url());
    // The endpoint of traces alone is taken as it is; protobuf is the default.
    let run = ask(&server, &[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", endpoint.as_str())]);
    assert_eq!(run.status.code(), Some(3), "{run:?}");
    let requests = collector.requests();
    assert_eq!(requests[0].path, "/custom");
    assert_eq!(requests[0].header("content-type"), Some("application/x-protobuf"));
    for part in ["gen_ai.request.model", "error.type", "model/authentication", "llmend"] {
        assert!(requests[0].body.contains(part), "{part}");
    }
}

#[test]
fn what_cannot_be_exported_changes_no_result() {
    let answers = || ModelServer::answering(|_| Answer::text(r#"{"days": 3}"#).into());
    // Nobody is there, or the URL is none.
    for (endpoint, warning) in
        [("http://127.0.0.1:9", "were not exported"), ("nowhere", "are not exported")]
    {
        let run = ask(&answers(), &[("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)]);
        assert_eq!(run.status.code(), Some(0), "{run:?}");
        let stderr = String::from_utf8_lossy(&run.stderr);
        assert!(stderr.contains(&format!("warning: traces {warning}")), "{stderr}");
    }
    let collector = collector();
    let endpoint = collector.url();
    let off = [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()), ("OTEL_SDK_DISABLED", "true")];
    assert_eq!(ask(&answers(), &off).status.code(), Some(0));
    assert!(collector.requests().is_empty());
}
