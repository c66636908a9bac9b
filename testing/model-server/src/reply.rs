//! Replies, with the order and timing of their parts.

use std::sync::Arc;

use tokio::sync::watch;

/// A reply, step by step.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    pub(crate) before: Vec<Step>,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<Step>,
}

/// A step of a reply.
#[derive(Clone, Debug)]
pub enum Step {
    /// Send bytes as one chunk. Before the head of the reply, nothing is sent.
    Send(Vec<u8>),
    /// Wait until the gate is opened.
    Wait(Gate),
    /// Close the connection.
    Cut,
    /// Wait until the client leaves.
    Hang,
}

impl Reply {
    /// Creates a reply without a body.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    /// Creates a JSON reply.
    #[must_use]
    pub fn json(status: u16, body: impl Into<String>) -> Self {
        Self::status(status).header("content-type", "application/json").text(body)
    }

    /// Creates a stream of server-sent events with the status 200.
    #[must_use]
    pub fn events(body: impl Into<String>) -> Self {
        Self::status(200).header("content-type", "text/event-stream").text(body)
    }

    /// Closes the connection without a reply.
    #[must_use]
    pub fn cut() -> Self {
        Self::status(200).before(Step::Cut)
    }

    /// Waits without a reply until the client leaves.
    #[must_use]
    pub fn hang() -> Self {
        Self::status(200).before(Step::Hang)
    }

    /// Adds a header. Invalid values are ignored.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds a step before the head.
    #[must_use]
    pub fn before(mut self, step: Step) -> Self {
        self.before.push(step);
        self
    }

    /// Adds a chunk of the body.
    #[must_use]
    pub fn text(self, chunk: impl Into<String>) -> Self {
        self.then(Step::Send(chunk.into().into_bytes()))
    }

    /// Adds a step after the head.
    #[must_use]
    pub fn then(mut self, step: Step) -> Self {
        self.body.push(step);
        self
    }

    /// Truncates the steps after the head, for a stream that breaks off.
    #[must_use]
    pub fn first_steps(mut self, count: usize) -> Self {
        self.body.truncate(count);
        self
    }
}

/// A gate that holds up a reply until a test opens it.
#[derive(Clone, Debug)]
pub struct Gate(Arc<watch::Sender<bool>>);

impl Default for Gate {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Gate {
    /// Opens the gate for all current and later waiters.
    pub fn open(&self) {
        self.0.send_replace(true);
    }

    pub(crate) async fn opened(&self) {
        // The sender lives as long as `self`, so this cannot fail.
        let _ = self.0.subscribe().wait_for(|open| *open).await;
    }
}
