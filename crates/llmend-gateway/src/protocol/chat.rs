//! What is done to a chat completion?
//!
//! All of it is pure: [`request`] finds what is asked, [`response`] reads a whole answer, [`stream`] one that
//! arrives in pieces, both with [`choice`]; [`rewrite`] tells either with what was repaired, and [`chunk`]
//! what the gateway says itself.

pub(crate) mod choice;
pub(crate) mod chunk;
pub(crate) mod request;
pub(crate) mod response;
mod rewrite;
pub(crate) mod stream;
