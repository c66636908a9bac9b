//! Serialized forms, error messages and the choice of the answer.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use llmend_model::{
    BoxFuture, Capabilities, ChatError, ChatErrorKind, ChatEvent, ChatModel, ChatRequest,
    ChatResponse, Finish, Message, Output, OutputMode, Shape, ToolCall, Usage,
};

/// A model that repeats the request.
struct Echo;

impl ChatModel for Echo {
    #[expect(clippy::unnecessary_literal_bound, reason = "the trait's own signature")]
    fn name(&self) -> &str {
        "echo"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::with_output(OutputMode::JsonObject)
    }

    fn call<'a>(
        &'a self,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
        let said = request.messages.iter().map(|message| message.content.as_str());
        let text = said.collect::<Vec<_>>().join("|");
        Box::pin(async move { Ok(ChatResponse::of_text(text)) })
    }
}

/// Polls a future that is ready at once.
fn now<T>(mut future: BoxFuture<'_, T>) -> T {
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("pending"),
    }
}

#[test]
fn pointers_to_a_model_are_models() {
    // S3-61: a caller takes any model, also one of a test.
    let request = ChatRequest::new([Message::system("a"), Message::user("b")]);
    let held: [Box<dyn ChatModel>; 4] = [
        Box::new(Echo),
        Box::new(Arc::new(Echo)),
        Box::new(&Echo),
        Box::new(Box::new(Echo) as Box<dyn ChatModel>),
    ];
    for model in held {
        assert_eq!(model.name(), "echo");
        assert_eq!(model.capabilities().output, OutputMode::JsonObject);
        assert_eq!(now(model.call(&request)).unwrap().text, "a|b");
        // A model without streaming reports its answer as one piece.
        let mut reported = Vec::new();
        let answer = now(model.stream(&request, &mut |event| reported.push(event))).unwrap();
        assert_eq!(reported, [ChatEvent::Text { text: answer.text }]);
    }
}

fn call(arguments: &str) -> ToolCall {
    ToolCall { id: None, name: "f".to_owned(), arguments: arguments.to_owned() }
}

#[test]
fn arguments_of_a_tool_call_are_the_answer() {
    // S0-40: the arguments of a tool call are text to be read.
    let rows: [(&str, &[&str], &str); 6] = [
        ("{}", &[], "{}"),
        ("I call f.", &["{'a': 1}"], "{'a': 1}"),
        ("{\"a\": 1}", &[""], "{\"a\": 1}"),
        ("I call f.", &[" ", "{\"b\": 2}", "{\"c\": 3}"], "{\"b\": 2}"),
        // An unrequested call gives way to a text that may be the answer.
        ("{\"a\": 1}", &["{\"b\": 2}"], "{\"a\": 1}"),
        ("", &[], ""),
    ];
    for (text, arguments, expected) in rows {
        let mut response = ChatResponse::of_text(text);
        response.tool_calls = arguments.iter().map(|arguments| call(arguments)).collect();
        assert_eq!(response.answer(), expected, "{text} {arguments:?}");
    }
    let mut forced = ChatResponse::of_text("{\"a\": 1}");
    forced.tool_calls = vec![call("{\"b\": 2}")];
    forced.output = Some(OutputMode::ForcedTool);
    assert_eq!(forced.answer(), "{\"b\": 2}");
}

#[test]
fn error_keeps_the_partial_answer() {
    let error = |answer: Option<&str>, partial: Option<&str>| {
        let mut error = ChatError::new(ChatErrorKind::Unreadable, "no");
        error.context.answer = answer.map(str::to_owned);
        error.context.partial = partial.map(ChatResponse::of_text);
        error
    };
    let rows = [
        (None, None, None),
        (Some("{'a'"), None, Some("{'a'")),
        (None, Some("{'a'"), Some("{'a'")),
        (Some("whole"), Some("part"), Some("whole")),
        (Some(" \n"), None, None),
        (None, Some(""), None),
    ];
    for (answer, partial, expected) in rows {
        assert_eq!(error(answer, partial).answer(), expected, "{answer:?} {partial:?}");
    }
}

#[test]
fn errors_name_model_status_and_retries() {
    let mut error = ChatError::new(ChatErrorKind::RateLimited, "slow down");
    assert_eq!(error.to_string(), "slow down");
    error.context.model = "openai:gpt-4o".to_owned();
    error.context.status = Some(429);
    assert_eq!(error.to_string(), "openai:gpt-4o: slow down (status 429)");
    error.context.transport_retries = 1;
    assert!(error.to_string().ends_with("(status 429), after 1 retry"));
    error.context.transport_retries = 2;
    assert!(error.to_string().ends_with("(status 429), after 2 retries"));
}

#[test]
fn results_are_small() {
    assert!(size_of::<ChatError>() <= 40);
}

#[test]
fn estimates_are_marked() {
    let rows = [(0, 0, 0, 0), (1, 4, 1, 1), (5, 8, 2, 2)];
    for (question, answer, input, output) in rows {
        let expected = Usage { input, output, estimated: true };
        assert_eq!(Usage::estimate(question, answer), expected);
    }
}

#[test]
fn serialization_round_trips_and_omits_defaults() {
    let mut request = ChatRequest::new([Message::user("b")]);
    let written = serde_json::to_string(&request).unwrap();
    assert_eq!(written, r#"{"messages":[{"role":"user","content":"b"}]}"#);
    request.output = Output::Schema(Shape::new("place", r#"{"b": 1, "a": 2}"#));
    request.max_output_tokens = Some(7);
    let written = serde_json::to_string(&request).unwrap();
    assert_eq!(serde_json::from_str::<ChatRequest>(&written).unwrap(), request);

    let mut response = ChatResponse::of_text("t");
    let written = serde_json::to_string(&response).unwrap();
    assert_eq!(written, r#"{"text":"t","finish":"stop"}"#);
    response.finish = Finish::Other("eos_odd".to_owned());
    response.tool_calls = vec![call("{")];
    response.usage = Some(Usage { input: 1, output: 2, estimated: false });
    let written = serde_json::to_string(&response).unwrap();
    assert_eq!(serde_json::from_str::<ChatResponse>(&written).unwrap(), response);
    // A handwritten record needs no more than this.
    assert_eq!(serde_json::from_str::<ChatResponse>(r#"{"text":"t"}"#).unwrap().text, "t");
}

#[test]
fn codes_are_distinct() {
    use ChatErrorKind::{
        Authentication, Canceled, Connection, ContentRefused, Interrupted, NotFound, Other, Quota,
        RateLimited, Replay, Request, Server, Timeout, Unreadable,
    };
    let transient = [Connection, Interrupted, Timeout, RateLimited, Server];
    let lasting = [
        Quota,
        Authentication,
        NotFound,
        Request,
        ContentRefused,
        Unreadable,
        Replay,
        Canceled,
        Other,
    ];
    assert!(transient.iter().all(|kind| kind.is_transient()));
    assert!(!lasting.iter().any(|kind| kind.is_transient()));
    let mut codes: Vec<_> = transient.iter().chain(&lasting).map(|kind| kind.code()).collect();
    assert!(codes.iter().all(|code| code.starts_with("model/")));
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), 14);
}
