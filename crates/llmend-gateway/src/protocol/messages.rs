//! What is done to a message? (Anthropic, `/v1/messages`.)
//!
//! Its content is a list of blocks: texts, and uses of tools whose input is an object. A stream tells of
//! each block as it begins, grows and ends, its input as pieces of JSON.

pub(crate) mod events;
pub(crate) mod request;
pub(crate) mod response;
pub(crate) mod stream;
