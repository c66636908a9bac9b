//! Read what language models send, while they are still sending it.
//!
//! This crate is the wire: it stands before llmend's straight line, and what it gives is the text that
//! the line begins with. It opens no connection and needs no runtime. Whatever gives bytes will do: an
//! HTTP client, a file, a test.
//!
//! ```
//! use llmend_models::sse::{Decoder, Delta, Dialect, Options};
//!
//! let mut decoder = Decoder::new(Dialect::OpenAiChat, Options::default());
//! let mut answer = String::new();
//! // The bytes may be cut anywhere.
//! for chunk in [
//!     "data: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"{'a\"}}]}\n\nda",
//!     "ta: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"': 1}\"}, \"finish_rea",
//!     "son\": \"stop\"}]}\n\ndata: [DONE]\n\n",
//! ] {
//!     decoder.push(chunk.as_bytes());
//!     while let Some(delta) = decoder.next_delta() {
//!         match delta? {
//!             Delta::Content { text, .. } => answer.push_str(&text),
//!             Delta::Finish { raw, .. } => assert_eq!(raw, "stop"),
//!             other => panic!("{other:?}"),
//!         }
//!     }
//! }
//! decoder.finish();
//! assert!(decoder.next_delta().is_none());
//! assert_eq!(answer, "{'a': 1}");
//! # Ok::<(), llmend_models::sse::Error>(())
//! ```
//!
//! [`sse::deltas`] does the same over an asynchronous stream of bytes.

pub mod sse;
