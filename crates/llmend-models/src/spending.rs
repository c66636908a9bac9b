//! What the requests of one call used.

use llmend_model::{ChatError, ChatErrorKind, Lost, Usage};

use crate::assemble::Assembler;

/// The requests of one call and their token counts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spending {
    /// The requests before the last one.
    pub(crate) lost: Lost,
    /// The token counts of the last request. `None` if it did not reach the server, and while it is
    /// answered.
    pub(crate) last: Option<Usage>,
    /// How many answers have begun, or may have, and did not arrive as a whole.
    pub(crate) broken: u32,
}

impl Spending {
    /// Counts the last request among the lost ones, since another one follows.
    pub(crate) fn begin(&mut self) {
        let Some(usage) = self.last.take() else { return };
        self.lost.requests += 1;
        self.lost.usage = self.lost.usage.plus(usage);
    }

    /// Records what was spent on the last request, which brought no answer. `None` if it did not reach
    /// the server.
    pub(crate) fn end(&mut self, spent: Option<Usage>) {
        self.last = spent;
        self.broken += u32::from(self.has_cost());
    }

    /// Returns whether the last request costs anything.
    pub(crate) fn has_cost(&self) -> bool {
        self.last.is_some_and(|usage| usage.total() > 0)
    }
}

/// What has arrived for one request.
#[derive(Debug, Default)]
pub(crate) struct Arrived {
    /// The answer so far.
    pub(crate) answer: Assembler,
    /// The number of bytes of the response.
    pub(crate) bytes: usize,
    /// Whether the bytes are those of one value, of which nothing is read before its end.
    pub(crate) is_whole: bool,
    /// Whether the server could not be reached.
    pub(crate) is_unreached: bool,
}

impl Arrived {
    /// Returns what was spent on a request that failed. `None` if it did not reach the server. A
    /// refused request costs nothing.
    pub(crate) fn spent(&self, error: &ChatError, question_bytes: usize) -> Option<Usage> {
        use ChatErrorKind::{Interrupted, Stalled, Timeout};
        if self.is_unreached {
            return None;
        }
        // The server could not read what the model wrote.
        if let Some(written) = &error.context.answer {
            return Some(Usage::estimate(question_bytes, written.len()));
        }
        // A server that was too slow has read the question.
        let is_late = matches!(error.kind, Interrupted | Stalled | Timeout);
        if !is_late && !self.answer.has_begun() {
            return Some(Usage::default());
        }
        let unread = if self.is_whole { self.bytes } else { 0 };
        Some(self.answer.spent(question_bytes, unread))
    }
}
