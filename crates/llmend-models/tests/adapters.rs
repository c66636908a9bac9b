//! Deltas over what is read asynchronously: in which order things come, and where it ends.

use std::collections::VecDeque;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use futures::{AsyncRead, Stream};
use llmend_models::sse::{Delta, Deltas, Dialect, Error, Options, StreamError};
use llmend_models::sse::{deltas, deltas_from_reader};

/// What a body does when it is polled.
#[derive(Clone, Copy, Debug)]
enum Step {
    Bytes(&'static str),
    Wait,
    Fail,
}

/// A body that does one step after another, and then ends. It counts how often it was polled.
#[derive(Debug)]
struct Script {
    steps: VecDeque<Step>,
    polled: usize,
}

impl Script {
    fn new(steps: &[Step]) -> Self {
        Self { steps: steps.iter().copied().collect(), polled: 0 }
    }

    fn step(&mut self, context: &Context<'_>) -> Poll<Option<Result<&'static str, &'static str>>> {
        self.polled += 1;
        match self.steps.pop_front() {
            Some(Step::Bytes(bytes)) => Poll::Ready(Some(Ok(bytes))),
            Some(Step::Fail) => Poll::Ready(Some(Err("reset"))),
            Some(Step::Wait) => {
                context.waker().wake_by_ref();
                Poll::Pending
            }
            None => Poll::Ready(None),
        }
    }
}

impl Stream for Script {
    type Item = Result<&'static str, &'static str>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.step(context)
    }
}

impl AsyncRead for Script {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<std::io::Result<usize>> {
        self.step(context).map(|step| match step {
            None => Ok(0),
            Some(Err(message)) => Err(std::io::Error::other(message)),
            Some(Ok(bytes)) => {
                buffer[..bytes.len()].copy_from_slice(bytes.as_bytes());
                Ok(bytes.len())
            }
        })
    }
}

/// A word for each thing that comes, in order; `…` for each turn that was given away.
fn words<S, E>(stream: S) -> Vec<String>
where
    S: Stream<Item = Result<Delta, StreamError<E>>>,
    E: std::fmt::Display,
{
    let mut stream = pin!(stream);
    let mut context = Context::from_waker(Waker::noop());
    let mut found = Vec::new();
    loop {
        found.push(match stream.as_mut().poll_next(&mut context) {
            Poll::Pending => "…".to_owned(),
            Poll::Ready(None) => break,
            Poll::Ready(Some(Ok(Delta::Content { text, .. }))) => text,
            Poll::Ready(Some(Ok(Delta::Finish { raw, .. }))) => format!("finish {raw}"),
            Poll::Ready(Some(Ok(other))) => format!("{other:?}"),
            Poll::Ready(Some(Err(StreamError::Decode(error)))) => error.code().to_owned(),
            Poll::Ready(Some(Err(StreamError::Transport(error)))) => format!("transport {error}"),
            Poll::Ready(Some(Err(_))) => "unknown".to_owned(),
        });
    }
    // What has ended stays so.
    assert!(stream.as_mut().poll_next(&mut context).is_ready());
    found
}

const A: Step = Step::Bytes("{\"message\": {\"content\": \"a\"}, \"done\": false}\n");
const HALF: Step = Step::Bytes("{\"message\": {\"con");
const OTHER_HALF: Step = Step::Bytes("tent\": \"b\"}}\n{\"message\": {\"content\": \"c\"}}\n");
const BAD: Step = Step::Bytes("{\"mess\n");
const DONE: Step = Step::Bytes("{\"done\": true, \"done_reason\": \"stop\"}\n");

#[test]
fn deltas_come_as_soon_as_their_bytes() {
    let rows: [(&[Step], &[&str]); 8] = [
        (&[A, DONE], &["a", "finish stop"]),
        (&[Step::Wait, A, Step::Wait, DONE], &["…", "a", "…", "finish stop"]),
        (&[HALF, Step::Wait, OTHER_HALF, DONE], &["…", "b", "c", "finish stop"]),
        (&[A, BAD, A, DONE], &["a", "stream/malformed", "a", "finish stop"]),
        (&[A, HALF], &["a", "stream/unexpected-end"]),
        // The error of the transport is the last word, and what it cut off gives no second one.
        (&[A, HALF, Step::Fail, A, DONE], &["a", "transport reset"]),
        (&[Step::Fail], &["transport reset"]),
        (&[], &["stream/no-event"]),
    ];
    for (steps, expected) in rows {
        let stream = deltas(Script::new(steps), Dialect::Ollama, Options::default());
        assert_eq!(words(stream), expected, "{steps:?}");
        let reader = deltas_from_reader(Script::new(steps), Dialect::Ollama, Options::default());
        assert_eq!(words(reader), expected, "{steps:?}, read");
    }
}

#[test]
fn comments_without_end_let_others_run() {
    let steps = [Step::Bytes(": keep-alive\n\n"); 100];
    let stream = deltas(Script::new(&steps), Dialect::OpenAiChat, Options::default());
    assert_eq!(words(stream), ["…", "…", "…", "stream/no-event"]);
}

#[test]
fn what_is_too_large_ends_the_stream_and_asks_for_no_more() {
    let steps = [A, Step::Bytes("{\"message\": {\"content\": \"a long one"), A, A, A];
    let options = Options { max_event_bytes: 50 };
    let mut script = Script::new(&steps);
    let mut body = Pin::new(&mut script);
    let found = words(deltas(body.as_mut(), Dialect::Ollama, options));
    assert_eq!(found, ["a", "stream/too-large"]);
    assert_eq!(script.polled, 3);
}

#[test]
fn the_counts_can_be_read_on_the_way() {
    let mut stream = deltas(Script::new(&[A, BAD, DONE]), Dialect::Ollama, Options::default());
    assert_eq!(words(Pin::new(&mut stream)).len(), 3);
    assert_eq!((stream.counts().events, stream.counts().malformed), (3, 1));
}

#[test]
fn errors_say_what_happened() {
    let error: StreamError<&str> = Error::NoEvent { preview: "<html>".to_owned() }.into();
    assert_eq!(error.to_string(), "no event in the stream (starts with \"<html>\")");
    assert_eq!(StreamError::Transport("reset").to_string(), "reset");
}

/// A server spawns tasks that hold these.
#[test]
fn streams_can_be_sent() {
    fn check<T: Send + Sync + Unpin>(_: &T) {}
    let stream: Deltas<Script> = deltas(Script::new(&[]), Dialect::Gemini, Options::default());
    check(&stream);
}
