//! Events of a streamed response as data, and the trait by which a protocol reads and rewrites them.

use crate::answer::completion::Completion;
use std::borrow::Cow;
use std::fmt::Debug;

use llmend::json::Node;
use serde_json::Value;

use crate::answer::final_answer::FinalAnswer;
use crate::answer::from_text::FromText;
use crate::answer::usage::UsageCounts;
use crate::error::Failure;

/// One event of a stream, as it arrived.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventData<'e> {
    /// Its bytes.
    pub(crate) raw: &'e [u8],
    /// The joined `data` fields.
    pub(crate) data: &'e str,
    /// The same, parsed.
    pub(crate) root: Node<'e>,
    /// The `event` field.
    pub(crate) name: Option<&'e str>,
    /// Whether a byte order mark precedes it.
    pub(crate) has_mark: bool,
    /// Whether it is a part of a call that needs no inspection.
    pub(crate) is_checked: bool,
}

/// What an event is. The rewriter decides from this whether the event is sent, held back or refused.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    /// It is not sent.
    Ignored,
    /// It ends the stream with this failure.
    Failed(Failure),
    /// It is an error of the upstream in a form that clients read.
    Error,
    /// It is sent at once.
    Passed(Piece),
    /// It is not inspected, but keeps its place behind events that are held back.
    Ordered,
    /// It belongs behind the answer: held back until the answer is sent.
    Trailing(Piece),
    /// It is inspected, and so held back until the answer is evaluated.
    Held {
        /// What is held back of it.
        held: Piece,
        /// What of it is sent at once.
        passed: Option<String>,
        /// Whether the answer is complete with it.
        ends: bool,
    },
    /// It marks the end of the answer and says nothing else.
    End,
}

/// The bytes of an event, or of a part of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    /// As they arrived.
    Raw,
    /// Written anew.
    Text(String),
}

/// An event that was held back.
#[derive(Clone, Debug)]
pub(crate) struct HeldEvent<'e> {
    /// Its bytes.
    pub(crate) raw: &'e [u8],
    /// Its data, if it has any.
    pub(crate) data: Option<Cow<'e, str>>,
    /// Whether it belongs behind the answer.
    pub(crate) is_trailing: bool,
}

/// What events are rewritten with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamRewrite<'a> {
    pub(crate) answer: &'a FinalAnswer,
    /// The report, if it goes into the response.
    pub(crate) report: Option<&'a Value>,
    /// The usage that the events reported.
    pub(crate) used: UsageCounts,
}

/// Reads and rewrites the events of one response in the form of a protocol.
pub(crate) trait StreamAdapter: Debug + Send + Sync {
    /// Reads an event.
    fn event(&mut self, event: &EventData<'_>) -> Event;

    /// Whether an event begins the answer and says nothing yet.
    fn is_head(&self, root: Node<'_>) -> bool;

    /// Reads `[DONE]`.
    fn done(&mut self) -> Event {
        Event::Ignored
    }

    /// Whether anything but JSON counts at the end of a stream without a blank line behind it.
    fn keeps_fragments(&self) -> bool {
        false
    }

    /// Notes that the stream ended within an event.
    fn lose_fragment(&mut self) {}

    /// Whether the answer is complete but for the mark of its end.
    fn is_finished(&self) -> bool;

    /// Notes that the answer is complete, or returns why it cannot be.
    fn complete(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// What the model wrote.
    fn completions(&self) -> Result<Vec<Completion>, Failure>;

    /// Whether the events have to be rewritten although no part was repaired.
    fn needs_rewrite(&self, answer: &FinalAnswer) -> bool;

    /// Notes that the answer is about to be sent.
    fn send(&mut self, _answer: &FinalAnswer) {}

    /// Writes the events that were held back with what was made of the answer.
    fn rewrite(&self, held: &[HeldEvent<'_>], rewrite: StreamRewrite<'_>) -> Vec<u8>;
}

/// Reads the calls in the texts of one streamed response, and writes them as events of the protocol.
pub(crate) trait CallEvents: Debug + Send + Sync {
    /// Reads an event. Returns the events in its place.
    fn event(&mut self, event: &EventData<'_>) -> Vec<ConvertedEvent>;

    /// Reads the end of the response. Returns the events that were held back.
    fn end(&mut self) -> Vec<ConvertedEvent>;

    /// Whether every choice that began has ended.
    fn is_finished(&self) -> bool;

    /// What was found, by choice.
    fn found(&self) -> Vec<(u32, FromText)>;

    /// The number of bytes that are kept.
    fn kept(&self) -> usize;
}

/// An event in the place of one that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ConvertedEvent {
    /// As it arrived.
    Raw,
    /// As another one arrived.
    Earlier(Vec<u8>),
    /// Written anew.
    Written(String),
    /// A part of a call that needs no inspection.
    Checked(String),
    /// The last thing found in this choice is no call, and cannot be taken back.
    Unread(u32),
}

/// The mark of the end, for which clients of chat completions wait.
pub(crate) const DONE: &str = "data: [DONE]\n\n";

/// An event without a name. Its data is JSON.
pub(crate) fn event(data: &str) -> String {
    ["data: ", &on_one_line(data), "\n\n"].concat()
}

/// An event with a name. Its data is JSON.
pub(crate) fn named(name: &str, data: &str) -> String {
    ["event: ", name, "\n", &event(data)].concat()
}

/// JSON without line breaks, which are white space between its tokens.
fn on_one_line(json: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'\n', b'\r', json.as_bytes()).is_none() {
        return json.into();
    }
    json.replace(['\r', '\n'], " ").into()
}

/// What says more of an answer than was evaluated cannot be sent.
pub(crate) fn behind_the_end() -> Failure {
    Failure::malformed("it adds to the response after its end")
}
