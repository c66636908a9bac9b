//! Streams of server-sent events: rewritten where the answer is inspected, passed through otherwise.

mod answer_in_error;
pub(crate) mod evaluation;
pub(crate) mod frame;
pub(crate) mod passthrough;
pub(crate) mod phase;
pub(crate) mod rewriter;
