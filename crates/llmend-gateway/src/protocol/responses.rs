//! What is done to a response? (`OpenAI`, `/v1/responses`.)
//!
//! Its output is a list of items: messages with parts of text, and calls. A stream tells of each item and
//! each part as it begins, grows and ends, under numbers without a gap, and has all of it once more in its
//! last event.

pub(crate) mod events;
pub(crate) mod request;
pub(crate) mod response;
pub(crate) mod stream;
