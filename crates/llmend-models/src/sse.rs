//! Which pieces of an answer has a model sent so far?
//!
//! ```text
//! bytes ─frame→ SseEvent ─dialect→ Delta
//! ```
//!
//! Each provider streams in a form of its own, and means the same few things by it. [`SseReader`] finds
//! the events in the bytes, a [`Dialect`] says what they mean, and [`Decoder`] is both: bytes in, cut
//! anywhere, [`Delta`]s out. Nothing in it waits or does input or output; [`deltas`] and
//! [`deltas_from_reader`] put it behind an asynchronous stream or reader of bytes.
//!
//! | dialect | endpoint | framing |
//! |---|---|---|
//! | [`Dialect::OpenAiChat`] | `/v1/chat/completions` of OpenAI and of whatever is compatible | server-sent events |
//! | [`Dialect::OpenAiResponses`] | `/v1/responses` | server-sent events |
//! | [`Dialect::Anthropic`] | `/v1/messages` | server-sent events |
//! | [`Dialect::Gemini`] | `…:streamGenerateContent`, with `alt=sse` and without | server-sent events, or one JSON array |
//! | [`Dialect::Ollama`] | `/api/chat`, `/api/generate` | one JSON object a line |
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
//! The framing is told by the first byte, so that an error which a server sends as a plain JSON object
//! in place of a stream is read as well.
//!
//! What a model wrote is never lost silently: an event that cannot be read is an [`Error`] with its
//! place, and reading goes on behind it; what is not known is skipped and counted ([`Counts`]); and a
//! stream that ends before the provider said that the answer is complete ends with
//! [`Error::UnexpectedEnd`].

mod adapter;
mod calls;
mod collector;
mod decoder;
mod delta;
mod dialect;
mod error;
mod finish;
mod framing;
mod lines;
mod reader;
mod values;

pub use adapter::{Chunks, Deltas, StreamError, deltas, deltas_from_reader};
pub use calls::{CallName, CallPiece, Calls};
pub use decoder::{Counts, Decoder, Options};
pub use delta::{Delta, ProviderError, Usage};
pub use dialect::Dialect;
pub use error::{Error, Place};
pub use finish::FinishReason;
pub use reader::{SseEvent, SseReader};
