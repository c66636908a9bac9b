//! Refusals as whole bodies: codes beside the words, limits of accounts, waits, and answers that the server
//! could not read.

mod rig;

use std::time::Duration;

use llmend_model::{ChatErrorKind, ChatModel, ChatRequest, Message, Output, Shape};
use llmend_model_server::{Answer, Form, ModelServer, Reply, Seen, Turn};
use rig::{Waits, model_with, request, server};

const SCHEMA: &str = r#"{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}"#;

/// The output tokens that a request asks for.
fn wanted(seen: &Seen) -> u64 {
    seen.json()["max_tokens"]
        .as_u64()
        .or_else(|| seen.json()["max_completion_tokens"].as_u64())
        .expect("a limit")
}

#[tokio::test]
async fn a_limit_is_read_from_the_words_and_not_from_a_code() {
    // The limit of the server, its status, and its body, where N is what was asked for and T a hundred more.
    let rows = [
        (
            32_637,
            400,
            r#"{"object":"error","message":"Prompt contains 131 tokens and 0 draft tokens, too large for model with 32768 maximum context length with max_tokens N","type":"invalid_request_prompt","param":null,"code":"3051"}"#,
        ),
        (
            4_096,
            400,
            r#"{"object":"error","message":"max_tokens is too large for this model","type":"BadRequestError","param":null,"code":400}"#,
        ),
        (
            40_960,
            400,
            r#"{"error":{"message":"max_completion_tokens N greater than 40960","type":"invalid_request_error","code":400}}"#,
        ),
        (
            2_100,
            402,
            r#"{"error":{"message":"This request requires more credits, or fewer max_tokens. You requested up to N tokens, but can only afford 2100. To increase, visit https://openrouter.ai/settings/credits","code":402}}"#,
        ),
        (
            5_900,
            413,
            r#"{"error":{"message":"Request too large for model `m` in organization `org_01` on tokens per minute (TPM): Limit 6000, Requested T, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}"#,
        ),
        (
            29_900,
            429,
            r#"{"error":{"message":"Request too large for m in organization org-x on tokens per min (TPM): Limit 30000, Requested T. The input or output tokens must be reduced.","type":"tokens","code":"rate_limit_exceeded"}}"#,
        ),
    ];
    for (most, status, body) in rows {
        let server = ModelServer::answering(move |seen| match wanted(seen) {
            wanted if wanted > most => {
                let body = body.replace('N', &wanted.to_string());
                let body = body.replace("Requested T", &format!("Requested {}", wanted + 100));
                Reply::json(status, &body).into()
            }
            _ => Answer::text("a").into(),
        });
        let waits = Waits::default();
        let model = model_with(&server, Form::OpenAi, None, waits.options());
        let mut asked = request();
        asked.max_output_tokens = Some(83_268);
        model.call(&asked).await.expect(body);
        let seen: Vec<u64> = server.requests().iter().map(wanted).collect();
        assert_eq!(seen, [83_268, most], "{body}");
        assert!(waits.seen().is_empty(), "{body}");
    }
}

#[tokio::test]
async fn an_answer_that_the_server_could_not_read_is_asked_for_without_a_format() {
    let mut asked = ChatRequest::new([Message::user("An object, please.")]);
    asked.output = Output::Schema(Shape::new("answer", SCHEMA));
    for code in ["json_validate_failed", "tool_use_failed"] {
        let body = format!(
            r#"{{"error":{{"message":"Failed to generate JSON.","type":"invalid_request_error","code":"{code}","failed_generation":""}}}}"#
        );
        let is_structured = |seen: &Seen| {
            seen.json().get("response_format").is_some() || seen.json().get("tools").is_some()
        };
        let failed = body.clone();
        let server = ModelServer::answering(move |seen| -> Turn {
            if is_structured(seen) {
                Reply::json(400, &failed).into()
            } else {
                Answer::text("{\"a\": 1}").into()
            }
        });
        let model = model_with(&server, Form::OpenAi, None, Waits::default().options());
        assert_eq!(model.call(&asked).await.expect("an answer").text, "{\"a\": 1}", "{code}");
        let formats: Vec<bool> = server.requests().iter().map(is_structured).collect();
        assert_eq!(formats, [true, false], "{code}");
        // The next question may well be answered in the format.
        model.call(&asked).await.expect("an answer");
        assert!(is_structured(&server.requests()[2]), "{code}");
        // Whoever always fails is told of the model, and not of the address.
        let server = ModelServer::answering(move |_| Reply::json(400, &body).into());
        let model = model_with(&server, Form::OpenAi, None, Waits::default().options());
        let error = model.call(&asked).await.unwrap_err();
        assert_eq!((error.kind, server.requests().len()), (ChatErrorKind::Unreadable, 2));
        assert!(
            error.advice().contains("could not read what this one wrote"),
            "{}",
            error.advice()
        );
    }
}

#[tokio::test]
async fn a_wait_may_be_in_the_body() {
    let rows = [
        (
            429,
            r#"{"error":{"code":429,"message":"You exceeded your current quota. Please retry in 2.5s.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2s"}]}}"#,
            Some(2_500),
        ),
        (503, r#"{"error":{"message":"Busy. Please try again in 9s."}}"#, Some(9_000)),
        // An error of the server is not about the rate.
        (500, r#"{"error":{"message":"Failed. Please try again in 9s."}}"#, None),
    ];
    for (status, body, expected) in rows {
        let server = server([Reply::json(status, body).into(), Answer::text("a").into()]);
        let waits = Waits::default();
        let model = model_with(&server, Form::OpenAi, None, waits.options());
        model.call(&request()).await.expect(body);
        let [wait] = *waits.seen() else { panic!("{waits:?}") };
        match expected {
            Some(expected) => assert_eq!(wait, Duration::from_millis(expected), "{body}"),
            None => assert!(wait <= Duration::from_secs(1), "{body}: {wait:?}"),
        }
    }
}

#[tokio::test]
async fn errors_of_proxies_and_routers_are_told_in_a_few_words() {
    let page = "<html><head><title>502 Bad Gateway</title></head><body><h1>502</h1></body></html>";
    let server_of = |status: u16, body: &'static str| {
        ModelServer::answering(move |_| Reply::json(status, body).into())
    };
    let server = server_of(502, page);
    let model = model_with(&server, Form::OpenAi, None, Waits::default().options());
    let error = model.call(&request()).await.unwrap_err();
    assert_eq!(error.message, "502 Bad Gateway");
    let server = server_of(404, "404 page not found");
    let model = model_with(&server, Form::OpenAi, None, Waits::default().options());
    let error = model.call(&request()).await.unwrap_err();
    assert_eq!(error.advice(), "Check the URL: for most servers it ends in /v1.");
}
