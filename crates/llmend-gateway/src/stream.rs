//! Streams of server-sent events: rewritten where the answer is inspected, passed through otherwise.

pub(crate) mod evaluation;
mod failed_calls;
pub(crate) mod frame;
pub(crate) mod passthrough;
pub(crate) mod phase;
pub(crate) mod rewriter;
