//! What is done to a chat completion?
//!
//! All of it is pure: [`wanted`] finds what is asked, [`answer`] reads a whole answer, [`stream`] one that
//! arrives in pieces, both with [`choice`]; [`retold`] tells either with what was repaired, and [`chunk`]
//! what the gateway says itself.

pub(crate) mod answer;
pub(crate) mod choice;
pub(crate) mod chunk;
mod retold;
pub(crate) mod stream;
pub(crate) mod wanted;
