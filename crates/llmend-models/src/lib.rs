//! Clients of language models over HTTP, recorded models, and decoders of their streams.
//!
//! A model is opened by its name ([`ModelSpec`]) and used through
//! [`ChatModel`](llmend_model::ChatModel), whatever its provider.
//!
//! ```
//! use llmend_model::{ChatModel, ChatRequest, Message};
//! use llmend_models::Replay;
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//! // In a program: llmend_models::open(&"ollama:llama3".parse()?, &Keys::from_env(), &options)?
//! let model = Replay::read("demo", r#"{"response": {"text": "{'city': 'Oslo',}"}}"#)?;
//! let request = ChatRequest::new([Message::user("Where is the Vigeland park? In JSON, please.")]);
//! let response = model.call(&request).await?;
//! let repaired = llmend::repair(response.answer())?;
//! assert_eq!(repaired.text, "{\"city\": \"Oslo\"}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to get | use |
//! |---|---|
//! | a model by its name | [`open()`], [`open_recorded`] |
//! | a model from its parts | [`HttpModel`] |
//! | the HTTP client, for other requests | [`http_client`] |
//! | recorded answers | [`Replay`] |
//! | pieces of an answer from the bytes of a stream | [`sse`] |

mod assemble;
mod attempt;
mod call;
mod client;
mod compatibility;
mod exchange;
mod failure;
mod http;
mod key;
mod open;
mod open_error;
mod pace;
mod page;
mod preview;
mod provider;
mod reason;
mod recorder;
mod refusals;
mod replay;
mod request_event;
mod retry;
mod salvage;
mod scrub;
mod shape;
mod spec;
mod spending;
pub mod sse;
mod subset;
mod waiting;
mod way;
mod wrapping;

pub use client::{HttpOptions, PromptCache, client as http_client, tls_config};
pub use exchange::Exchange;
pub use http::HttpModel;
pub use key::{KeyError, Keys};
pub use open::{open, open_beside, open_preview, open_recorded};
pub use open_error::OpenError;
pub use preview::WireRequest;
pub use provider::{PROVIDERS, Provider};
pub use recorder::Recorder;
pub use replay::{Replay, ReplayError};
pub use request_event::{OnRequest, RequestEvent};
pub use reqwest::Url;
pub use retry::{RetryPolicy, Sleep};
pub use scrub::{Scrubber, may_be_secret};
pub use secrecy::SecretString;
pub use spec::{ModelSpec, SpecError};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeCode;
