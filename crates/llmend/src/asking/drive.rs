//! The asynchronous driver of the loop.

use std::{fmt, ops::Deref};

use tracing::Instrument as _;

use super::{
    AskOptions, Callbacks, Clock, FinalAnswer, LoopError, ManualLoop, Price, PricedModel, Subject,
    Task, manual_loop::Open,
};
use crate::model::{ChatError, ChatErrorKind, ChatModel, ChatRequest, ChatResponse};

/// The models to ask: the first, and those of [`Strategy::Escalate`](super::Strategy).
///
/// ```
/// use llmend::{Value, asking::{Ask, AskOptions, Callbacks, Ladder, Models, Price, Strategy}};
/// # use llmend::model::{BoxFuture, Capabilities, ChatError, ChatModel, ChatRequest, ChatResponse};
/// # struct Model(&'static str);
/// # impl ChatModel for Model {
/// #     fn name(&self) -> &str { "demo" }
/// #     fn capabilities(&self) -> Capabilities { Capabilities::default() }
/// #     fn call<'a>(&'a self, _: &'a ChatRequest) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
/// #         Box::pin(async move { Ok(ChatResponse::of_text(self.0)) })
/// #     }
/// # }
/// # let (cheap, strong) = (Model("soon"), Model("3"));
///
/// let models = Models::of(&cheap)
///     .at(Price { input: 100_000, output: 400_000 })
///     .then(&strong)
///     .at(Price { input: 2_000_000, output: 8_000_000 });
/// let options = AskOptions { ladder: Ladder::of([Strategy::Escalate]), ..AskOptions::default() };
/// let ask = Ask::<Value<'static>>::of_text(r#"{"type": "integer"}"#)?.options(options);
/// let answered = futures::executor::block_on(ask.run(models, "How long?", &mut Callbacks::new()))?;
/// assert_eq!(answered.value.to_string(), "3");
/// assert!(answered.ledger.cost.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Models<'m> {
    list: Vec<(&'m dyn ChatModel, Option<Price>)>,
}

impl<'m> Models<'m> {
    /// Creates a list of one model.
    pub fn of(model: &'m dyn ChatModel) -> Self {
        Self { list: vec![(model, None)] }
    }

    /// Returns the name of the first model. Empty if there is none.
    #[must_use]
    pub(crate) fn first_name(&self) -> &str {
        self.list.first().map_or("", |(model, _)| model.name())
    }

    /// Returns the names and prices of the models.
    pub(super) fn priced(&self) -> Vec<PricedModel> {
        let priced = |(model, price): &(&dyn ChatModel, Option<Price>)| PricedModel {
            name: model.name().to_owned(),
            price: *price,
        };
        self.list.iter().map(priced).collect()
    }

    /// Sets the price of the model that was added last.
    #[must_use]
    pub fn at(mut self, price: Price) -> Self {
        if let Some((_, known)) = self.list.last_mut() {
            *known = Some(price);
        }
        self
    }

    /// Adds a model, which the strategy `escalate` asks.
    #[must_use]
    pub fn then(mut self, model: &'m dyn ChatModel) -> Self {
        self.list.push((model, None));
        self
    }
}

impl<'m, M: ChatModel> From<&'m M> for Models<'m> {
    fn from(model: &'m M) -> Self {
        Self::of(model)
    }
}

/// Shows the names only, since a model may hold anything.
impl fmt::Debug for Models<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.list.iter().map(|(model, price)| (model.name(), price)))
            .finish()
    }
}

/// Asks until there is a value or a reason to stop. Dropping the future cancels the call that is
/// under way; there is no other state.
///
/// ```
/// use llmend::asking::{AskOptions, Callbacks, Models, SchemaSubject, SystemClock, Task, run};
/// # use llmend::model::{BoxFuture, Capabilities, ChatError, ChatModel, ChatRequest, ChatResponse};
/// # struct Model(&'static str);
/// # impl ChatModel for Model {
/// #     fn name(&self) -> &str { "demo" }
/// #     fn capabilities(&self) -> Capabilities { Capabilities::default() }
/// #     fn call<'a>(&'a self, _: &'a ChatRequest) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
/// #         Box::pin(async move { Ok(ChatResponse::of_text(self.0)) })
/// #     }
/// # }
/// # let model = Model("{'days': 3}");
///
/// let subject = SchemaSubject::of_text(r#"{"type": "object", "properties": {"days": {"type": "integer"}}}"#)?;
/// let finished = futures::executor::block_on(run(
///     &subject,
///     &AskOptions::default(),
///     Task::new("Answer in JSON.", "How long?"),
///     &Models::of(&model),
///     &SystemClock::default(),
///     &mut Callbacks::new(),
/// ))?;
/// assert_eq!(finished.value.value.to_string(), r#"{"days":3}"#);
/// assert_eq!(finished.ledger.attempts.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn run<S: Subject>(
    subject: &S,
    options: &AskOptions,
    task: Task,
    models: &Models<'_>,
    clock: &dyn Clock,
    callbacks: &mut Callbacks<'_>,
) -> Result<FinalAnswer<S::Value>, Box<LoopError>> {
    let driven = ManualLoop::new(subject, options.clone(), task, models.priced());
    drive(driven, models, clock, callbacks).await
}

/// Sends the loop's requests to `models`.
pub(super) async fn drive<S: Subject, P: Deref<Target = S>>(
    mut driven: ManualLoop<S, P>,
    models: &Models<'_>,
    clock: &dyn Clock,
    callbacks: &mut Callbacks<'_>,
) -> Result<FinalAnswer<S::Value>, Box<LoopError>> {
    let span = driven.span().clone();
    let outcome = attempts(&mut driven, models, clock, callbacks).instrument(span).await;
    if let Err(gave_up) = &outcome {
        callbacks.give_up(gave_up);
    }
    outcome
}

async fn attempts<S: Subject, P: Deref<Target = S>>(
    driven: &mut ManualLoop<S, P>,
    models: &Models<'_>,
    clock: &dyn Clock,
    callbacks: &mut Callbacks<'_>,
) -> Result<FinalAnswer<S::Value>, Box<LoopError>> {
    loop {
        if let Some(outcome) = driven.end(clock.now()) {
            return outcome;
        }
        let Some(Open { asking, span, .. }) = driven.open(clock.now()) else { continue };
        callbacks.attempt(asking);
        let answer = match models.list.get(asking.model) {
            Some((model, _)) => {
                call(*model, &asking.request, callbacks).instrument(span.clone()).await
            }
            None => Err(ChatError::new(ChatErrorKind::Other, "no model to ask")),
        };
        if let Some(again) = driven.answer(answer, clock.now()) {
            callbacks.repair(&again);
        }
    }
}

async fn call(
    model: &dyn ChatModel,
    request: &ChatRequest,
    callbacks: &mut Callbacks<'_>,
) -> Result<ChatResponse, ChatError> {
    match callbacks.event() {
        Some(tell) => model.stream(request, &mut |event| tell(event)).await,
        None => model.call(request).await,
    }
}
