//! What does llmend ask of a language model?
//!
//! Messages go in, an answer comes out, at once or piece by piece: [`ChatModel`]. This module is plain
//! data and one trait. It opens no connection, needs no runtime and knows no provider; the crate
//! `llmend-models` has models over HTTP, recorded ones and recorders, and a program may bring its own.
//!
//! ```
//! use llmend::model::{BoxFuture, Capabilities, ChatError, ChatModel, ChatRequest, ChatResponse, Message};
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
mod request;
mod response;

use std::{future::Future, ops::Deref, pin::Pin};

pub use capabilities::{Capabilities, OutputMode};
pub use error::{ChatError, ChatErrorKind, ErrorContext};
pub use request::{ChatRequest, Message, Output, Role, Shape};
pub use response::{ChatEvent, ChatResponse, Finish, ToolCall, Usage};

/// A future on the heap that can be sent to another thread, so that [`ChatModel`] can be `dyn`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Who is told of the events of a call, as they happen.
pub type OnEvent<'a> = &'a mut (dyn FnMut(ChatEvent) + Send);

/// A language model that can be asked.
///
/// A call is cancelled by dropping its future; a model over a connection closes it then. A model may ask
/// its provider more than once for one call, where the connection failed or the provider was busy; it
/// says how often ([`ChatResponse::transport_retries`], [`ErrorContext::transport_retries`]), and stays
/// within [`ChatRequest::timeout`] with all of it. It never asks again because of what an answer says:
/// that is the business of whoever reads it.
///
/// No error, no event and no name holds a key.
pub trait ChatModel: Send + Sync {
    /// What users call the model, as a rule the text by which it was chosen: `openai:gpt-4o`. It stands
    /// in errors, ledgers and records, and never holds a secret.
    fn name(&self) -> &str;

    /// What the model is known to be able to do. The answer may change after a call: that a server does
    /// not know a way of asking for structured output is learnt from its refusal.
    fn capabilities(&self) -> Capabilities;

    /// Asks, and waits for the whole answer.
    fn call<'a>(
        &'a self,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatResponse, ChatError>>;

    /// Asks, tells of each piece of the answer as it comes, and gives the whole answer at the end.
    ///
    /// The texts that were told, joined, are the texts of the whole answer, and nothing that was told is
    /// taken back. Where the answer breaks off, the error holds what had come
    /// ([`ErrorContext::partial`]).
    ///
    /// A model that cannot stream tells the whole answer as one piece, as this implementation does.
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

/// What points to a model is one: `Box<dyn ChatModel>`, `Arc<M>`, `&M`.
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
