//! What is counted of answers that do not arrive: every request that reached a server, and its tokens.

mod rig;

use std::time::Duration;

use llmend::asking::{
    Ask, AskError, AskOptions, Budget, Callbacks, FailureKind, GiveUpReason, Ledger, LoopError,
    Models, Price, Retries,
};
use llmend_model::{ChatErrorKind, ChatModel, Usage};
use llmend_model_server::{Answer, Form, ModelServer, Reply, Step, Turn};
use rig::{FORMS, PIECES, Stopped, Waits, model, model_with, request, server, steps};

const SCHEMA: &str = r#"{"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city", "days"], "additionalProperties": false}"#;
const GOOD: &str = r#"{"city": "Oslo", "days": 3}"#;
const PRICE: Price = Price { input: 150_000, output: 600_000 };

/// An answer that is cut off in the middle of its stream.
fn cut(form: Form) -> Turn {
    let answer = Answer::text(GOOD).usage(1_000, 7);
    answer.stream(form).first_steps(steps(form)).then(Step::Cut).into()
}

async fn asked(
    server: &ModelServer,
    form: Form,
    options: AskOptions,
) -> Result<Ledger, Box<LoopError>> {
    let model = model(server, form);
    let ask = Ask::of_text(SCHEMA).unwrap().options(options);
    match ask.run(Models::of(&model).at(PRICE), "Where?", &mut Callbacks::new()).await {
        Ok(answered) => Ok(answered.ledger),
        Err(AskError::GaveUp(gave_up)) => Err(gave_up),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn an_answer_that_was_asked_for_twice_counts_twice() {
    for (form, ..) in FORMS {
        let answer = Answer::text(GOOD).usage(1_000, 7);
        let server = server([cut(form), answer.into()]);
        let ledger = asked(&server, form, AskOptions::default()).await.unwrap();
        assert_eq!((server.requests().len(), ledger.calls()), (2, 2), "{form:?}");
        let [attempt] = ledger.attempts.as_slice() else { panic!("{form:?}: {ledger:?}") };
        assert_eq!(attempt.usage, Usage { input: 1_000, output: 7, estimated: false }, "{form:?}");
        let lost = attempt.lost.usage;
        assert!(attempt.lost.requests == 1 && lost.output > 0 && lost.estimated, "{lost:?}");
        // What a server says before it breaks off is not estimated.
        let said = if form == Form::Anthropic { 1_000 } else { lost.input };
        assert!(lost.input == said && lost.input > 20, "{form:?}: {lost:?}");
        assert_eq!(ledger.usage.total(), 1_007 + lost.total(), "{form:?}");
        assert_eq!(ledger.cost, Some(PRICE.of(&attempt.usage) + PRICE.of(&lost)), "{form:?}");
    }
}

#[tokio::test]
async fn every_request_counts_whatever_became_of_it() {
    let refusal = |status| Turn::from(Form::OpenAi.error(status, "no"));
    let unsupported = "'response_format' of type 'json_schema' is not supported with this model.";
    let good = || Turn::from(Answer::text(GOOD).usage(100, 9));
    let silent = || Turn::from(Reply::cut());
    // The turns of the server, the requests, and whether one of those that were lost costs tokens.
    let overloaded = || {
        let event = "event: error\ndata: {\"error\": {\"type\": \"overloaded_error\", \"message\": \"Overloaded\"}}\n\n";
        Turn::from(Reply::events(event))
    };
    let half = Reply::json(200, "{\"choices\": [{\"message\": {\"content\": \"a long answer");
    let half = half.header("content-length", "5000").then(Step::Cut);
    let rows: [(&str, Vec<Turn>, usize, bool); 7] = [
        ("overloaded in its stream", vec![overloaded(), overloaded(), good()], 3, false),
        ("cut, as a whole", vec![half.into(), good()], 2, true),
        ("busy twice", vec![refusal(429), refusal(503), good()], 3, false),
        ("no schemas", vec![Form::OpenAi.error(400, unsupported).into(), good()], 2, false),
        ("closed at once", vec![silent(), good()], 2, false),
        ("cut and busy", vec![cut(Form::OpenAi), refusal(503), good()], 3, true),
        ("busy and cut", vec![refusal(503), cut(Form::OpenAi), good()], 3, true),
    ];
    for (what, turns, requests, costs) in rows {
        let server = server(turns);
        let ledger = asked(&server, Form::OpenAi, AskOptions::default()).await.unwrap();
        assert_eq!((server.requests().len(), ledger.calls()), (requests, requests), "{what}");
        let lost = ledger.attempts[0].lost.usage;
        assert_eq!((lost.total() > 0, ledger.usage.estimated), (costs, costs), "{what}");
        assert!(!what.contains("whole") || lost.output > 10, "{what}: {lost:?}");
    }
}

#[tokio::test]
async fn answers_that_always_break_off_end_soon_and_are_all_counted() {
    let server = ModelServer::answering(|_| cut(Form::OpenAi));
    let error = model(&server, Form::OpenAi).call(&request()).await.unwrap_err();
    assert_eq!((error.kind, server.requests().len()), (ChatErrorKind::Interrupted, 2));
    let context = &error.context;
    assert_eq!((context.lost.requests, context.usage), (1, Some(context.lost.usage)));
    assert!(context.lost.usage.total() > 0);

    let options = AskOptions { retries: Retries::of(0), ..AskOptions::default() };
    let gave_up = asked(&server, Form::OpenAi, options).await.unwrap_err();
    assert_eq!((server.requests().len(), gave_up.ledger.calls()), (4, 2));
    assert_eq!(gave_up.failure(), Some(FailureKind::Truncation));
    // The advice is that for an answer that broke off, and not for one that was too long.
    assert_eq!(gave_up.advice(), ChatErrorKind::Interrupted.advice());
    let text = gave_up.to_string();
    assert!(text.contains("the connection broke within the answer"), "{text}");
    let shown = serde_json::to_string(&gave_up.findings).unwrap();
    assert!(shown.contains("incomplete: the connection broke within the answer"), "{shown}");
    assert!(!shown.contains("token limit"), "{shown}");
}

#[tokio::test]
async fn a_budget_holds_over_the_retries_of_a_call() {
    for tokens in [300, 400, 600, 1_000] {
        let server = ModelServer::answering(|_| cut(Form::OpenAi));
        let budget = Budget { tokens: Some(tokens), answer_tokens: Some(100), ..Budget::default() };
        let options = AskOptions { budget, retries: Retries::of(9), ..AskOptions::default() };
        let gave_up = asked(&server, Form::OpenAi, options).await.unwrap_err();
        let ledger = &gave_up.ledger;
        assert_eq!(server.requests().len(), ledger.calls(), "{tokens}");
        assert!(ledger.usage.total() <= tokens && ledger.calls() > 0, "{tokens}: {ledger:?}");
        // Whoever cannot pay for two answers of the greatest length begins one.
        let first = &ledger.attempts[0];
        let one = Usage::estimate(first.question_bytes, 0).input + 100;
        assert_eq!(first.lost.requests, u32::from(tokens >= 2 * one), "{tokens}");
    }
}

/// A call to a server that says nothing more after `reply`, whose time passes by hand.
async fn stalled(reply: fn() -> Turn, requests: usize) -> (llmend_model::ChatError, usize) {
    let server = ModelServer::answering(move |_| reply());
    let model = model_with(&server, Form::OpenAi, None, Waits::default().options());
    let call = tokio::spawn(async move { model.call(&request()).await.unwrap_err() });
    server.arrived(1).await;
    let stopped = Stopped::new();
    for request in 1..=requests {
        server.arrived(request).await;
        tokio::time::advance(Duration::from_secs(61)).await;
    }
    let error = call.await.unwrap();
    drop(stopped);
    (error, server.requests().len())
}

#[tokio::test]
async fn a_stall_costs_one_wait_or_two() {
    // Nothing came: once more. It has read the question each time.
    let (error, requests) = stalled(|| Reply::hang().into(), 2).await;
    assert_eq!((error.kind, requests), (ChatErrorKind::Stalled, 2));
    let input = error.context.usage.unwrap().input;
    assert!(input > 0 && error.context.lost.usage.input == input, "{error:?}");
    assert_eq!(error.kind.advice(), "Raise the idle timeout, or choose a faster model.");
}

#[tokio::test]
async fn a_stalled_answer_is_read_and_continued() {
    let form = Form::OpenAi;
    let begun = Answer::text(GOOD).stream(form).first_steps(steps(form)).then(Step::Hang);
    let server = server([begun.into(), Answer::text(r#"Oslo", "days": 3}"#).into()]);
    let (send, mut arrived) = tokio::sync::mpsc::unbounded_channel();
    let model = model(&server, form);
    let asked = tokio::spawn(async move {
        let ask = Ask::of_text(SCHEMA).unwrap();
        let mut callbacks = Callbacks::new().on_event(move |event| {
            // Nobody listens any more when the rest of the answer comes.
            let _ = send.send(event);
        });
        ask.run(&model, "Where?", &mut callbacks).await
    });
    for _ in 0..PIECES {
        arrived.recv().await.expect("a piece");
    }
    let stopped = Stopped::new();
    tokio::time::advance(Duration::from_secs(61)).await;
    let answered = asked.await.unwrap();
    drop(stopped);
    let ledger = match &answered {
        Ok(answered) => &answered.ledger,
        Err(AskError::GaveUp(gave_up)) => &gave_up.ledger,
        Err(error) => panic!("{error}"),
    };
    let first = &ledger.attempts[0];
    assert_eq!(first.broke_off, Some(ChatErrorKind::Stalled));
    let reason = "the server stopped sending within the answer: nothing came for 60 s";
    assert_eq!(first.cause.as_deref(), Some(reason));
    assert_eq!((first.failure, first.lost.requests), (Some(FailureKind::Truncation), 0));
    assert_eq!(ledger.attempts[1].strategy, Some(llmend::asking::Strategy::Continue));
}

#[tokio::test]
async fn a_deadline_counts_what_is_under_way() {
    let server = ModelServer::answering(|_| Reply::hang().into());
    let model = model_with(&server, Form::OpenAi, None, Waits::default().options());
    let call = tokio::spawn(async move {
        let mut limited = request();
        limited.timeout = Some(Duration::from_secs(20));
        model.call(&limited).await.unwrap_err()
    });
    server.arrived(1).await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(21)).await;
    let error = call.await.unwrap();
    assert_eq!(error.kind, ChatErrorKind::Timeout);
    assert!(error.context.usage.is_some_and(|usage| usage.input > 0), "{error:?}");
}

#[tokio::test]
async fn each_failure_has_its_own_advice() {
    let rows: [(Turn, ChatErrorKind, &str); 6] = [
        (Reply::status(401).into(), ChatErrorKind::Authentication, "Check the provider's key."),
        (Reply::status(404).into(), ChatErrorKind::NotFound, "Check the name of the model."),
        (
            Reply::status(429).header("retry-after", "3600").into(),
            ChatErrorKind::RateLimited,
            "Ask again once the server allows it",
        ),
        (Reply::status(503).into(), ChatErrorKind::Server, "Ask again later"),
        (
            Reply::json(200, "<html>").into(),
            ChatErrorKind::Unreadable,
            "Check that the address is that of the API",
        ),
        (Reply::status(504).into(), ChatErrorKind::Timeout, "Allow more time"),
    ];
    for (turn, kind, advice) in rows {
        let server = server((0..4).map(|_| turn.clone()));
        let gave_up = asked(&server, Form::OpenAi, AskOptions::default()).await.unwrap_err();
        let GiveUpReason::Transport(error) = &gave_up.why else { panic!("{gave_up}") };
        assert_eq!(error.kind, kind, "{gave_up}");
        assert!(gave_up.advice().starts_with(advice), "{gave_up}");
    }
}
