//! Callbacks that observe the loop.

use std::fmt;

use super::{AttemptRequest, LoopError, RetryNotice};
use crate::model::ChatEvent;

type Callback<'a, T> = Option<Box<dyn FnMut(T) + Send + 'a>>;
type OnBorrowed<'a, T> = Option<Box<dyn FnMut(&T) + Send + 'a>>;

/// One of several answers that are asked for to one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Its number, from 1.
    pub number: u32,
    /// How many are asked for.
    pub of: u32,
}

/// Functions that observe the loop. None of them can change it.
///
/// ```
/// use llmend::asking::Callbacks;
///
/// let mut lines = Vec::new();
/// let callbacks = Callbacks::new().on_attempt(|asking| {
///     let last = if asking.is_last { ", the last one" } else { "" };
///     lines.push(format!("attempt {} of {}{last}", asking.number, asking.of));
/// });
/// # drop(callbacks);
/// ```
#[derive(Default)]
pub struct Callbacks<'a> {
    sample: Callback<'a, Sample>,
    attempt: OnBorrowed<'a, AttemptRequest>,
    repair: OnBorrowed<'a, RetryNotice>,
    give_up: OnBorrowed<'a, LoopError>,
    event: Callback<'a, ChatEvent>,
}

impl<'a> Callbacks<'a> {
    /// Creates an empty set of callbacks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a callback before each request, which says whether it is the last one.
    ///
    /// ```
    /// use llmend::asking::{Ask, Callbacks};
    /// # use llmend::model::{BoxFuture, Capabilities, ChatError, ChatModel, ChatRequest, ChatResponse};
    /// # struct Model(&'static str);
    /// # impl ChatModel for Model {
    /// #     fn name(&self) -> &str { "demo" }
    /// #     fn capabilities(&self) -> Capabilities { Capabilities::default() }
    /// #     fn call<'a>(&'a self, _: &'a ChatRequest) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
    /// #         Box::pin(async move { Ok(ChatResponse::of_text(self.0)) })
    /// #     }
    /// # }
    /// # let model = Model("3");
    ///
    /// let ask = Ask::of_text(r#"{"type": "integer"}"#)?;
    /// let mut seen = Vec::new();
    /// let mut callbacks = Callbacks::new().on_attempt(|asking| seen.push((asking.number, asking.is_last)));
    /// let answered = futures::executor::block_on(ask.run(&model, "How long?", &mut callbacks));
    /// drop(callbacks);
    /// assert_eq!(seen, [(1, false)]);
    /// # answered?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn on_attempt(mut self, tell: impl FnMut(&AttemptRequest) + Send + 'a) -> Self {
        self.attempt = Some(Box::new(tell));
        self
    }

    /// Sets a callback for each rejected answer that the model is asked to correct.
    ///
    /// ```
    /// use llmend::asking::{Ask, Callbacks};
    /// # use llmend::model::{BoxFuture, Capabilities, ChatError, ChatModel, ChatRequest, ChatResponse};
    /// # struct Model(&'static str);
    /// # impl ChatModel for Model {
    /// #     fn name(&self) -> &str { "demo" }
    /// #     fn capabilities(&self) -> Capabilities { Capabilities::default() }
    /// #     fn call<'a>(&'a self, _: &'a ChatRequest) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
    /// #         Box::pin(async move { Ok(ChatResponse::of_text(self.0)) })
    /// #     }
    /// # }
    /// # let model = Model(r#""soon""#);
    ///
    /// let ask = Ask::of_text(r#"{"type": "integer"}"#)?;
    /// let mut seen = Vec::new();
    /// let mut callbacks = Callbacks::new().on_repair(|again| seen.push(again.retry));
    /// let answered = futures::executor::block_on(ask.run(&model, "How long?", &mut callbacks));
    /// drop(callbacks);
    /// assert_eq!(seen, [1]);
    /// # assert!(answered.is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn on_repair(mut self, tell: impl FnMut(&RetryNotice) + Send + 'a) -> Self {
        self.repair = Some(Box::new(tell));
        self
    }

    /// Sets a callback for the end without a value.
    ///
    /// ```
    /// use llmend::asking::{Ask, Callbacks};
    /// # use llmend::model::{BoxFuture, Capabilities, ChatError, ChatModel, ChatRequest, ChatResponse};
    /// # struct Model(&'static str);
    /// # impl ChatModel for Model {
    /// #     fn name(&self) -> &str { "demo" }
    /// #     fn capabilities(&self) -> Capabilities { Capabilities::default() }
    /// #     fn call<'a>(&'a self, _: &'a ChatRequest) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
    /// #         Box::pin(async move { Ok(ChatResponse::of_text(self.0)) })
    /// #     }
    /// # }
    /// # let model = Model(r#""soon""#);
    ///
    /// let ask = Ask::of_text(r#"{"type": "integer"}"#)?;
    /// let mut seen = Vec::new();
    /// let mut callbacks = Callbacks::new().on_give_up(|error| seen.push(error.code()));
    /// let answered = futures::executor::block_on(ask.run(&model, "How long?", &mut callbacks));
    /// drop(callbacks);
    /// assert_eq!(seen, ["ask/same-findings"]);
    /// assert!(answered.is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn on_give_up(mut self, tell: impl FnMut(&LoopError) + Send + 'a) -> Self {
        self.give_up = Some(Box::new(tell));
        self
    }

    /// Sets a callback for each piece of each answer as it arrives. Answers are then requested as
    /// streams.
    ///
    /// ```
    /// use llmend::asking::{Ask, Callbacks};
    /// # use llmend::model::{BoxFuture, Capabilities, ChatError, ChatModel, ChatRequest, ChatResponse};
    /// # struct Model(&'static str);
    /// # impl ChatModel for Model {
    /// #     fn name(&self) -> &str { "demo" }
    /// #     fn capabilities(&self) -> Capabilities { Capabilities::default() }
    /// #     fn call<'a>(&'a self, _: &'a ChatRequest) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
    /// #         Box::pin(async move { Ok(ChatResponse::of_text(self.0)) })
    /// #     }
    /// # }
    /// # let model = Model("3");
    ///
    /// let ask = Ask::of_text(r#"{"type": "integer"}"#)?;
    /// let mut seen = Vec::new();
    /// let mut callbacks = Callbacks::new().on_event(|event| seen.push(event));
    /// let answered = futures::executor::block_on(ask.run(&model, "How long?", &mut callbacks));
    /// drop(callbacks);
    /// assert!(!seen.is_empty());
    /// # answered?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn on_event(mut self, tell: impl FnMut(ChatEvent) + Send + 'a) -> Self {
        self.event = Some(Box::new(tell));
        self
    }

    /// Sets a callback before the first attempt at each of several answers to one question
    /// ([`Ask::run_samples`](super::Ask::run_samples)).
    #[must_use]
    pub fn on_sample(mut self, tell: impl FnMut(Sample) + Send + 'a) -> Self {
        self.sample = Some(Box::new(tell));
        self
    }

    pub(crate) fn sample(&mut self, sample: Sample) {
        if let Some(tell) = &mut self.sample {
            tell(sample);
        }
    }

    pub(crate) fn attempt(&mut self, asking: &AttemptRequest) {
        if let Some(tell) = &mut self.attempt {
            tell(asking);
        }
    }

    pub(crate) fn repair(&mut self, again: &RetryNotice) {
        if let Some(tell) = &mut self.repair {
            tell(again);
        }
    }

    pub(crate) fn give_up(&mut self, gave_up: &LoopError) {
        if let Some(tell) = &mut self.give_up {
            tell(gave_up);
        }
    }

    /// Returns the callback for pieces of answers.
    pub(crate) fn event(&mut self) -> Option<&mut (dyn FnMut(ChatEvent) + Send + 'a)> {
        self.event.as_deref_mut()
    }
}

impl fmt::Debug for Callbacks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callbacks")
            .field("sample", &self.sample.is_some())
            .field("attempt", &self.attempt.is_some())
            .field("repair", &self.repair.is_some())
            .field("give_up", &self.give_up.is_some())
            .field("event", &self.event.is_some())
            .finish()
    }
}
