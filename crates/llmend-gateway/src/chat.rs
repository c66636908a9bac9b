//! What is done to a chat completion?
//!
//! All of it is pure: [`request`] reads what is asked, [`answer`] a whole answer, [`stream`] one that
//! arrives in pieces; [`chunk`] writes what the gateway says itself.

pub(crate) mod answer;
pub(crate) mod chunk;
pub(crate) mod request;
pub(crate) mod settle;
pub(crate) mod stream;
pub(crate) mod stream_event;
