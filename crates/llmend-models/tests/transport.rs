//! The connection: what is tried again, for how long, and what is closed when nobody waits any more.

mod rig;

use std::time::Duration;

use llmend_model::{ChatError, ChatErrorKind, ChatEvent, ChatModel, ChatRequest};
use llmend_model_server::{Answer, Form, ModelServer, Reply, Step};
use llmend_models::RetryPolicy;
use rig::{FORMS, Waits, model, model_with, request, server, steps, told};

/// Seven pieces of a stream.
const LONG: &str = "{\"city\": \"Oslo\", \"country\": \"Norway\", \"people\": 717710}";

#[tokio::test]
async fn busy_servers_are_asked_again() {
    let turns = [Reply::status(429), Reply::status(503), Reply::cut()];
    for (form, ..) in FORMS {
        let waits = Waits::default();
        let mut script: Vec<_> = turns.iter().cloned().map(Into::into).collect();
        script.push(Answer::text("a").into());
        let server = server(script);
        let mut events = Vec::new();
        let response = model_with(&server, form, None, waits.options())
            .stream(&request(), &mut |event| events.push(event))
            .await
            .unwrap();
        assert_eq!((response.text.as_str(), response.transport_retries), ("a", 3), "{form:?}");
        let kinds: Vec<_> = events
            .iter()
            .filter_map(|event| match event {
                ChatEvent::TransportRetry { kind, .. } => Some(*kind),
                _ => None,
            })
            .collect();
        let expected =
            [ChatErrorKind::RateLimited, ChatErrorKind::Server, ChatErrorKind::Connection];
        assert_eq!(kinds, expected, "{form:?}");

        // Each wait is twice the one before, and up to as much again by chance.
        let least = [500, 1000, 2000].map(Duration::from_millis);
        let seen = waits.seen();
        assert_eq!(seen.len(), 3, "{form:?}");
        for (wait, least) in seen.iter().zip(least) {
            assert!(*wait >= least && *wait <= 2 * least, "{form:?}: {seen:?}");
        }
        // Every attempt asks the same.
        let requests = server.requests();
        assert!(requests.iter().all(|seen| seen.body == requests[0].body), "{form:?}");
    }
}

#[tokio::test]
async fn a_server_that_stays_busy_is_given_up_on() {
    let server = ModelServer::answering(|_| Form::OpenAi.error(503, "overloaded").into());
    let error = model(&server, Form::OpenAi).call(&request()).await.unwrap_err();
    assert_eq!((error.kind, server.requests().len()), (ChatErrorKind::Server, 4));
    assert_eq!(error.context.transport_retries, 3);
    assert!(error.to_string().ends_with("overloaded (status 503), after 3 retries"));

    let waits = Waits::default();
    let mut options = waits.options();
    options.retry = RetryPolicy { max_retries: 0, ..RetryPolicy::default() };
    model_with(&server, Form::OpenAi, None, options).call(&request()).await.unwrap_err();
    assert_eq!((server.requests().len(), waits.seen().len()), (5, 0));
}

#[tokio::test]
async fn a_server_is_left_alone_for_as_long_as_it_asks() {
    let rows = [
        (("retry-after", "7"), Duration::from_secs(7)),
        (("retry-after", "Wed, 21 Oct 2026 07:28:09 GMT"), Duration::from_secs(9)),
    ];
    for ((name, value), expected) in rows {
        let waits = Waits::default();
        let busy =
            Reply::status(429).header("date", "Wed, 21 Oct 2026 07:28:00 GMT").header(name, value);
        let server = server([busy.into(), Answer::text("a").into()]);
        let model = model_with(&server, Form::OpenAi, None, waits.options());
        model.call(&request()).await.unwrap();
        assert_eq!(waits.seen(), [expected], "{value}");
    }
}

#[tokio::test]
async fn a_server_that_asks_for_more_than_the_budget_is_not_asked_again() {
    let waits = Waits::default();
    let server = server([Reply::status(429).header("retry-after", "3600").into()]);
    let model = model_with(&server, Form::OpenAi, None, waits.options());
    let error = model.call(&request()).await.unwrap_err();
    assert_eq!(error.kind, ChatErrorKind::RateLimited);
    assert_eq!(error.context.retry_after, Some(Duration::from_hours(1)));
    assert_eq!((waits.seen().len(), server.requests().len()), (0, 1));
}

#[tokio::test]
async fn nothing_is_waited_for_that_comes_after_the_end_of_the_call() {
    let waits = Waits::default();
    let server = server([Reply::status(429).header("retry-after", "30").into()]);
    let mut request = request();
    request.timeout = Some(Duration::from_secs(30));
    let model = model_with(&server, Form::OpenAi, None, waits.options());
    let error = model.call(&request).await.unwrap_err();
    assert_eq!((error.kind, waits.seen().len()), (ChatErrorKind::RateLimited, 0));
}

#[tokio::test]
async fn what_would_fail_again_is_not_tried_again() {
    let rows = [
        (Reply::json(401, "{}"), ChatErrorKind::Authentication),
        (Reply::json(403, "{}"), ChatErrorKind::Authentication),
        (Reply::json(404, "{}"), ChatErrorKind::NotFound),
        (Reply::json(413, "{}"), ChatErrorKind::Request),
        (Reply::json(429, r#"{"error":{"code":"insufficient_quota"}}"#), ChatErrorKind::Quota),
        (Reply::json(501, "{}"), ChatErrorKind::Request),
    ];
    for (reply, expected) in rows {
        let server = server([reply.into()]);
        let error = model(&server, Form::OpenAi).call(&request()).await.unwrap_err();
        assert_eq!((error.kind, server.requests().len()), (expected, 1), "{error}");
    }
}

#[tokio::test]
async fn redirections_are_not_followed() {
    let other = server([Answer::text("stolen").into()]);
    let to = format!("{}/v1/chat/completions", other.url());
    let server = server([Reply::status(307).header("location", &to).into()]);
    let model = model_with(&server, Form::OpenAi, Some("planted"), Waits::default().options());
    let error = model.call(&request()).await.unwrap_err();
    assert_eq!(error.kind, ChatErrorKind::Request);
    assert!(error.message.contains("redirects are not followed"), "{error}");
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn an_answer_that_breaks_off_keeps_what_had_come() {
    for (form, ..) in FORMS {
        let whole = Answer::text(LONG).stream(form);
        // The connection is cut after a few pieces of the stream.
        let reply = whole.first_steps(steps(form)).then(Step::Cut);
        let server = server([reply.into()]);
        let mut events = Vec::new();
        let error = model(&server, form)
            .stream(&request(), &mut |event| events.push(event))
            .await
            .unwrap_err();
        assert_eq!(error.kind, ChatErrorKind::Interrupted, "{form:?}: {error}");
        let partial = error.answer().unwrap_or_default();
        assert!(partial.starts_with("{\"city\":"), "{form:?}: {partial:?}");
        assert_eq!(told(&events), partial, "{form:?}");
        // What was told cannot be taken back, and so it is not asked again.
        assert_eq!(server.requests().len(), 1, "{form:?}");
    }
}

#[tokio::test]
async fn a_whole_answer_that_breaks_off_is_asked_for_again() {
    for (form, ..) in FORMS {
        let broken = Reply::json(200, "{\"half\":").header("content-length", "500");
        let server = server([broken.then(Step::Cut).into(), Answer::text("a").into()]);
        let response = model(&server, form).call(&request()).await.unwrap();
        assert_eq!((response.text.as_str(), response.transport_retries), ("a", 1), "{form:?}");
    }
}

#[tokio::test]
async fn a_stream_that_ends_without_its_end_is_not_complete() {
    for (form, ..) in FORMS {
        let reply = Answer::text(LONG).stream(form).first_steps(steps(form));
        let server = server([reply.into()]);
        let error = model(&server, form).stream(&request(), &mut |_| {}).await.unwrap_err();
        assert_eq!(error.kind, ChatErrorKind::Interrupted, "{form:?}: {error}");
        assert!(error.context.partial.is_some(), "{form:?}");
    }
}

#[tokio::test]
async fn a_cut_behind_the_end_of_an_answer_costs_nothing() {
    let answer = Answer::text("{\"city\": \"Oslo\"}");
    for (form, ..) in FORMS {
        let server = server([answer.stream(form).then(Step::Cut).into()]);
        let response = model(&server, form).stream(&request(), &mut |_| {}).await.unwrap();
        assert_eq!(response.text, "{\"city\": \"Oslo\"}", "{form:?}");
    }
}

#[tokio::test]
async fn a_dropped_call_closes_its_connection() {
    for (form, ..) in FORMS {
        let stall = Answer::text(LONG).stream(form).first_steps(steps(form)).then(Step::Hang);
        let server = server([Reply::hang().into(), stall.into()]);
        let model = model(&server, form);
        // Before an answer has begun.
        let request = request();
        let mut call = model.call(&request);
        tokio::select! {
            biased;
            () = server.arrived(1) => {}
            result = &mut call => panic!("{form:?}: {result:?}"),
        }
        assert!(!server.has_left(0), "{form:?}");
        drop(call);
        server.left(0).await;

        // And within one.
        let begun = tokio::sync::Notify::new();
        let mut on_event = |_| begun.notify_one();
        let streamed = model.stream(&request, &mut on_event);
        tokio::select! {
            biased;
            () = begun.notified() => {}
            result = streamed => panic!("{form:?}: {result:?}"),
        }
        server.left(1).await;
    }
}

/// A call to a server that never answers. The clock of the test is stopped once the server has the
/// request, and moved by hand.
async fn ask_in_vain(request: ChatRequest, wait: Duration) -> ChatError {
    let server = server([Reply::hang().into()]);
    let mut options = Waits::default().options();
    options.retry.max_retries = 0;
    let model = model_with(&server, Form::OpenAi, None, options);
    let call = tokio::spawn(async move { model.call(&request).await.unwrap_err() });
    server.arrived(1).await;
    tokio::time::pause();
    tokio::time::advance(wait).await;
    let error = call.await.unwrap();
    server.left(0).await;
    error
}

#[tokio::test]
async fn a_server_that_says_nothing_is_not_waited_for_without_end() {
    let error = ask_in_vain(request(), Duration::from_secs(301)).await;
    assert_eq!(error.kind, ChatErrorKind::Stalled);
    assert!(error.message.contains("did not answer in time"), "{error}");
}

#[tokio::test]
async fn a_call_ends_with_its_time() {
    let mut limited = request();
    limited.timeout = Some(Duration::from_secs(20));
    let error = ask_in_vain(limited, Duration::from_secs(21)).await;
    assert_eq!(error.kind, ChatErrorKind::Timeout);
    assert!(error.message.contains("the call timed out"), "{error}");
}

#[tokio::test]
async fn the_end_of_the_time_keeps_what_had_come() {
    let reply = Answer::text("hello, world").stream(Form::OpenAi);
    let server = server([reply.first_steps(2).then(Step::Hang).into()]);
    let model = model(&server, Form::OpenAi);
    let (begun, mut has_begun) = tokio::sync::mpsc::unbounded_channel();
    let call = tokio::spawn(async move {
        let mut limited = request();
        limited.timeout = Some(Duration::from_secs(20));
        model.stream(&limited, &mut |event| begun.send(event).unwrap()).await.unwrap_err()
    });
    has_begun.recv().await.unwrap();
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(21)).await;
    let error = call.await.unwrap();
    assert_eq!((error.kind, error.answer()), (ChatErrorKind::Timeout, Some("hello, w")));
}

#[tokio::test]
async fn an_unreachable_server_is_reported_with_its_address() {
    let gone = server([]);
    let model = model(&gone, Form::OpenAi);
    let host = gone.url().replace("http://", "");
    drop(gone);
    let error = model.call(&request()).await.unwrap_err();
    // The server's thread may still take the connection before it ends.
    assert_eq!(error.kind, ChatErrorKind::Connection);
    assert!(error.message.contains(&host), "{error}");
    assert_eq!(error.context.transport_retries, 3);
}

#[tokio::test]
async fn a_response_without_end_is_not_read_to_it() {
    let flood = Reply::events("").text(format!(": {}\n\n", "x".repeat(5000)));
    let server = server([flood.then(Step::Hang).into()]);
    let mut options = Waits::default().options();
    options.max_response_bytes = 4096;
    let model = model_with(&server, Form::OpenAi, None, options);
    let error = model.stream(&request(), &mut |_| {}).await.unwrap_err();
    assert_eq!(error.kind, ChatErrorKind::Unreadable);
    assert!(error.message.contains("too large"), "{error}");
    server.left(0).await;
}
