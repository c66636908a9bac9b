//! Rate limits: which waits are waited for, which are not, and what is said of them.

mod rig;

use std::time::Duration;

use llmend_model::{ChatErrorKind, ChatEvent, ChatModel, ChatRequest};
use llmend_model_server::{Answer, Form, Reply, Turn};
use rig::{Waits, model_with, request, server};

fn good(headers: &[(&str, &str)]) -> Turn {
    let reply = Answer::text("a").stream(Form::OpenAi);
    headers.iter().fold(reply, |reply, (name, value)| reply.header(name, value)).into()
}

/// What is left of which limit, the time of the call, and the seconds that are waited for.
type Row<'r> = (&'r [(&'r str, &'r str)], Option<u64>, Option<f64>);

fn limited(timeout: Option<u64>) -> ChatRequest {
    let mut request = request();
    request.timeout = timeout.map(Duration::from_secs);
    request.max_output_tokens = Some(500);
    request
}

#[tokio::test]
async fn a_wait_that_is_too_long_is_reported_with_the_limit_that_it_exceeds() {
    // What the server asks for, the time of the call, and what is said.
    let rows = [
        (
            "3600",
            None,
            "the server asks for a wait of 3600 s, but a call waits for at most 60 s in all",
        ),
        (
            "30",
            Some(20),
            "the server asks for a wait of 30 s, but the time limit of the call ends in",
        ),
    ];
    for (asked, timeout, said) in rows {
        let server = server([Reply::json(429, r#"{"error": {"message": "slow down"}}"#)
            .header("retry-after", asked)
            .into()]);
        let waits = Waits::default();
        let model = model_with(&server, Form::OpenAi, None, waits.options());
        let error = model.call(&limited(timeout)).await.unwrap_err();
        assert_eq!((error.kind, waits.seen().len()), (ChatErrorKind::RateLimited, 0));
        assert!(
            error.message.starts_with("slow down; ") && error.message.contains(said),
            "{error}"
        );
        // The next call knows, and sends nothing.
        let error = model.call(&limited(timeout)).await.unwrap_err();
        assert_eq!((error.kind, server.requests().len()), (ChatErrorKind::RateLimited, 1));
        assert!(error.message.starts_with("no request was sent: the server asks"), "{error}");
        assert!(error.context.retry_after.is_some_and(|wait| wait > Duration::from_secs(20)));
        assert_eq!((error.context.usage, error.context.lost.requests), (None, 0));
    }
}

#[tokio::test]
async fn a_wait_before_a_request_is_reported_like_one_after_it() {
    let left = [
        ("x-ratelimit-limit-tokens", "10000"),
        ("x-ratelimit-remaining-tokens", "100"),
        ("x-ratelimit-reset-tokens", "40s"),
    ];
    let rows: [Row<'_>; 6] = [
        (&[], None, None),
        (
            &[("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "9s")],
            None,
            Some(9.0),
        ),
        // 500 tokens and the question are there after a part of the 40 s.
        (&left, None, Some(2.0)),
        (&left[1..], None, Some(40.0)),
        // A request that cannot wait that long is sent: more may be there than is known.
        (&left[1..], Some(30), None),
        (
            &[("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "1h")],
            None,
            None,
        ),
    ];
    for (headers, timeout, expected) in rows {
        let server = server([good(headers), good(&[])]);
        let waits = Waits::default();
        let model = model_with(&server, Form::OpenAi, None, waits.options());
        model.call(&limited(None)).await.unwrap();
        let mut told = Vec::new();
        let mut tell = |event: ChatEvent| {
            if let ChatEvent::RateLimit { wait } = event {
                told.push(wait);
            }
        };
        model.stream(&limited(timeout), &mut tell).await.unwrap();
        assert_eq!(told, waits.seen(), "{headers:?}");
        let about = told.first().map(|wait| (wait.as_secs_f64() - expected.unwrap()).abs());
        assert!(about.is_none_or(|about| about < 1.0), "{headers:?}: {told:?}");
        assert_eq!(told.len(), usize::from(expected.is_some()), "{headers:?}");
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn a_retry_waits_until_there_is_room() {
    let busy = Reply::status(429)
        .header("x-ratelimit-remaining-tokens", "0")
        .header("x-ratelimit-reset-tokens", "12s");
    let server = server([busy.into(), good(&[])]);
    let waits = Waits::default();
    let model = model_with(&server, Form::OpenAi, None, waits.options());
    model.call(&limited(None)).await.unwrap();
    let [wait] = *waits.seen() else { panic!("{waits:?}") };
    assert!(wait > Duration::from_secs(11) && wait <= Duration::from_secs(12), "{wait:?}");
}
