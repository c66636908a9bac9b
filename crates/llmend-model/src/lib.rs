//! Data types of a chat model, and the trait that a model implements.
//!
//! A [`ChatRequest`] goes in, a [`ChatResponse`] comes out, at once or piece by piece: [`ChatModel`].
//! This crate opens no connection, needs no runtime and knows no provider. The crate `llmend-models`
//! implements the trait over HTTP and for recorded answers; a program may bring its own model.
//!
//! ```
//! use llmend_model::{BoxFuture, Capabilities, ChatError, ChatModel, ChatRequest, ChatResponse, Message};
//!
//! /// A model that knows one answer.
//! struct Fixed(&'static str);
//!
//! impl ChatModel for Fixed {
//!     fn name(&self) -> &str {
//!         "fixed"
//!     }
//!
//!     fn capabilities(&self) -> Capabilities {
//!         Capabilities::default()
//!     }
//!
//!     fn call<'a>(
//!         &'a self,
//!         _request: &'a ChatRequest,
//!     ) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
//!         Box::pin(async { Ok(ChatResponse::of_text(self.0)) })
//!     }
//! }
//!
//! let model: Box<dyn ChatModel> = Box::new(Fixed("{'a': 1}"));
//! let request = ChatRequest::new([Message::user("An object, please.")]);
//! # let mut future = model.call(&request);
//! # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
//! # let std::task::Poll::Ready(answer) = future.as_mut().poll(&mut context) else { unreachable!() };
//! // In an asynchronous function: let answer = model.call(&request).await;
//! assert_eq!(answer?.answer(), "{'a': 1}");
//! # Ok::<(), ChatError>(())
//! ```

mod capabilities;
mod error;
mod error_kind;
mod event;
mod hash;
mod mask;
mod request;
mod response;

use std::{future::Future, ops::Deref, pin::Pin};

pub use capabilities::{Capabilities, OutputMode};
pub use error::{BUSY, ChatError, ErrorContext};
pub use error_kind::ChatErrorKind;
pub use event::ChatEvent;
pub use hash::stable_hash;
pub use mask::{REDACTED, masked, starred};
pub use request::{ANSWER_MEMBER, ChatRequest, Message, Output, Rewording, Role, Shape};
pub use response::{ChatResponse, Finish, Lost, ToolCall, Usage};

/// A boxed future that is `Send`, which keeps [`ChatModel`] usable as `dyn`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A callback that receives the events of a call as they happen.
pub type OnEvent<'a> = &'a mut (dyn FnMut(ChatEvent) + Send);

/// A chat model.
///
/// Dropping the future of a call cancels it; a model over a connection closes that connection. A model
/// may retry one call at its provider after a connection failure or an overload. It reports how often
/// ([`ChatResponse::transport_retries`], [`ErrorContext::transport_retries`]) and what that used
/// ([`ChatResponse::lost`], [`ErrorContext::lost`]), and stays within [`ChatRequest::timeout`] and
/// [`ChatRequest::max_answers`] with all attempts. It never retries because of what an answer says: that is up
/// to the caller.
///
/// No error, event or name contains a key.
pub trait ChatModel: Send + Sync {
    /// Returns the name that users know the model by, usually the text that selected it:
    /// `openai:gpt-4o`. Errors, ledgers and records show it; it never contains a secret.
    fn name(&self) -> &str;

    /// Returns what the model is known to support. The result may change after a call, since a server's
    /// refusal shows that it does not support a way of asking for structured output.
    fn capabilities(&self) -> Capabilities;

    /// Sends the request and returns the complete answer.
    fn call<'a>(
        &'a self,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatResponse, ChatError>>;

    /// Sends the request, reports each piece of the answer as it arrives, and returns the complete answer.
    ///
    /// The reported texts, joined, are the texts of the complete answer; nothing reported is taken back.
    /// If the answer breaks off, the error holds what had arrived ([`ErrorContext::partial`]).
    ///
    /// The default implementation, for models that cannot stream, reports the complete answer as one
    /// piece.
    fn stream<'a>(
        &'a self,
        request: &'a ChatRequest,
        on_event: OnEvent<'a>,
    ) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
        let call = self.call(request);
        Box::pin(async move {
            let response = call.await?;
            response.events().for_each(on_event);
            Ok(response)
        })
    }
}

/// Pointers to a model are models: `Box<dyn ChatModel>`, `Arc<M>`, `&M`.
impl<P> ChatModel for P
where
    P: Deref + Send + Sync,
    P::Target: ChatModel,
{
    fn name(&self) -> &str {
        (**self).name()
    }

    fn capabilities(&self) -> Capabilities {
        (**self).capabilities()
    }

    fn call<'a>(
        &'a self,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
        (**self).call(request)
    }

    fn stream<'a>(
        &'a self,
        request: &'a ChatRequest,
        on_event: OnEvent<'a>,
    ) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
        (**self).stream(request, on_event)
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeCode;
