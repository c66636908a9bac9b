//! What does the server send, and when?

use std::sync::Arc;

use tokio::sync::watch;

/// What the server does with one request, step by step.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    pub(crate) before: Vec<Step>,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<Step>,
}

/// One thing that the server does.
#[derive(Clone, Debug)]
pub enum Step {
    /// It sends bytes, as a chunk of their own. Before the head of the reply it sends nothing.
    Send(Vec<u8>),
    /// It pauses until the gate is opened.
    Wait(Gate),
    /// It closes the connection.
    Cut,
    /// It pauses until the client leaves.
    Hang,
}

impl Reply {
    /// A reply without a body.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    /// A reply of JSON.
    #[must_use]
    pub fn json(status: u16, body: impl Into<String>) -> Self {
        Self::status(status).header("content-type", "application/json").text(body)
    }

    /// A stream of server-sent events, status 200.
    #[must_use]
    pub fn events(body: impl Into<String>) -> Self {
        Self::status(200).header("content-type", "text/event-stream").text(body)
    }

    /// The connection is closed without a reply.
    #[must_use]
    pub fn cut() -> Self {
        Self::status(200).before(Step::Cut)
    }

    /// There is no reply until the client leaves.
    #[must_use]
    pub fn hang() -> Self {
        Self::status(200).before(Step::Hang)
    }

    /// With a header. Values that cannot stand in one are left out.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With a step before the head of the reply is sent.
    #[must_use]
    pub fn before(mut self, step: Step) -> Self {
        self.before.push(step);
        self
    }

    /// With one more chunk of the body.
    #[must_use]
    pub fn text(self, chunk: impl Into<String>) -> Self {
        self.then(Step::Send(chunk.into().into_bytes()))
    }

    /// With one more step, after the head of the reply.
    #[must_use]
    pub fn then(mut self, step: Step) -> Self {
        self.body.push(step);
        self
    }

    /// With no more than this many steps after the head: a stream that breaks off.
    #[must_use]
    pub fn first_steps(mut self, count: usize) -> Self {
        self.body.truncate(count);
        self
    }
}

/// What holds a reply up until a test opens it.
#[derive(Clone, Debug)]
pub struct Gate(Arc<watch::Sender<bool>>);

impl Default for Gate {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Gate {
    /// Lets everybody through who waits now or later.
    pub fn open(&self) {
        self.0.send_replace(true);
    }

    pub(crate) async fn opened(&self) {
        // The sender lives as long as `self`, so that this does not fail.
        let _ = self.0.subscribe().wait_for(|open| *open).await;
    }
}
