//! What is done to a chat completion?
//!
//! All of it is pure: [`wanted`] finds what is asked, [`answer`] reads a whole answer, [`stream`] one that
//! arrives in pieces; [`chunk`] writes what the gateway says itself.

pub(crate) mod answer;
pub(crate) mod chunk;
pub(crate) mod stream;
pub(crate) mod wanted;
