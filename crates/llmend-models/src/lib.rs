//! Language models behind servers, recorded ones, and what they send while they are still sending it.
//!
//! This crate is the wire: it stands before llmend's straight line, and what it gives is the text that
//! the line begins with. A model is opened by its name ([`ModelSpec`]), asked through
//! [`ChatModel`](llmend_model::ChatModel), and told apart from others by nothing else.
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
//! | you want | use |
//! |---|---|
//! | a model by its name | [`open()`], [`open_recorded`] |
//! | a model by its parts | [`HttpModel`] |
//! | the client beneath it, for requests of another kind | [`http_client`] |
//! | answers without a model | [`Replay`] |
//! | bytes of a stream as pieces of an answer, without a connection | [`sse`] |

mod assemble;
mod attempt;
mod call;
mod client;
mod exchange;
mod failure;
mod http;
mod key;
mod learnt;
mod open;
mod provider;
mod recorder;
mod replay;
mod retry;
mod salvage;
mod scrub;
mod shape;
mod spec;
pub mod sse;

pub use client::{HttpOptions, client as http_client};
pub use exchange::Exchange;
pub use http::HttpModel;
pub use key::{KeyError, Keys};
pub use open::{OpenError, open, open_beside, open_recorded};
pub use provider::{PROVIDERS, Provider};
pub use recorder::Recorder;
pub use replay::{Replay, ReplayError};
pub use reqwest::Url;
pub use retry::{RetryPolicy, Sleep};
pub use secrecy::SecretString;
pub use spec::{ModelSpec, SpecError};
