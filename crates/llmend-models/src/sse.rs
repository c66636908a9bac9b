//! Decoders of the streams of all providers.
//!
//! ```text
//! bytes ─frame→ SseEvent ─dialect→ Delta
//! ```
//!
//! Each provider streams in its own form, with the same few meanings. [`SseReader`] finds the
//! events in the bytes, a [`Dialect`] interprets them, and [`Decoder`] does both: it takes bytes,
//! cut anywhere, and returns [`Delta`]s. It does no I/O; [`deltas`] and [`deltas_from_reader`]
//! apply it to an asynchronous stream or reader of bytes. [`SseFrames`] keeps the bytes of events.
//!
//! | dialect | endpoint | framing |
//! |---|---|---|
//! | [`Dialect::OpenAiChat`] | `/v1/chat/completions` of OpenAI and compatible servers | server-sent events |
//! | [`Dialect::OpenAiResponses`] | `/v1/responses` | server-sent events |
//! | [`Dialect::Anthropic`] | `/v1/messages` | server-sent events |
//! | [`Dialect::Gemini`] | `…:streamGenerateContent`, with and without `alt=sse` | server-sent events, or one JSON array |
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
//! The first byte determines the framing, so that an error sent as a plain JSON object instead of a
//! stream is read too.
//!
//! Nothing that a model wrote is lost silently: an unreadable event is an [`Error`] with its place,
//! and decoding continues after it; unknown events are skipped and counted ([`Counts`]); and a
//! stream that ends before the provider marked the answer as complete ends with
//! [`Error::UnexpectedEnd`].

mod adapter;
mod calls;
mod collector;
mod decoder;
mod delta;
mod dialect;
mod error;
mod finish;
mod frames;
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
pub use frames::{SseFrames, fields};
pub use reader::{SseEvent, SseReader};
