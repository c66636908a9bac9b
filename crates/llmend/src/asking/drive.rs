//! How does the loop ask models that answer later?

use std::{fmt, time::Duration};

use tracing::Instrument as _;

use super::{
    AskOptions, Callbacks, Clock, Finished, GaveUp, Loop, Next, Outcome, Price, Priced, Subject,
    Task, traces,
};
use crate::{
    metrics,
    model::{ChatError, ChatModel, ChatRequest, ChatResponse},
};

/// The models that may be asked: the one that is, and those of [`Rung::Escalate`](super::Rung).
#[derive(Clone)]
pub struct Models<'m> {
    list: Vec<(&'m dyn ChatModel, Option<Price>)>,
}

impl<'m> Models<'m> {
    /// One model.
    pub fn of(model: &'m dyn ChatModel) -> Self {
        Self { list: vec![(model, None)] }
    }

    /// The name of the model that is asked first. Empty if there is none.
    #[must_use]
    pub fn first_name(&self) -> &str {
        self.list.first().map_or("", |(model, _)| model.name())
    }

    /// With a price of the model that was named last.
    #[must_use]
    pub fn at(mut self, price: Price) -> Self {
        if let Some((_, known)) = self.list.last_mut() {
            *known = Some(price);
        }
        self
    }

    /// With one more model, which is asked on the rung `escalate`.
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

/// The names alone: what a model holds is its own business.
impl fmt::Debug for Models<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.list.iter().map(|(model, price)| (model.name(), price)))
            .finish()
    }
}

/// Asks until there is a value, or a reason to stop. Dropping the future cancels the call that is under
/// way; there is no other state.
pub async fn run<S: Subject>(
    subject: &S,
    options: &AskOptions,
    task: Task,
    models: &Models<'_>,
    clock: &dyn Clock,
    callbacks: &mut Callbacks<'_>,
) -> Result<Finished<S::Value>, Box<GaveUp>> {
    let span = traces::question(models.first_name());
    let start = clock.now();
    let asked = attempts(subject, options, task, models, clock, callbacks);
    let (outcome, waited) = asked.instrument(span.clone()).await;
    metrics::overhead(clock.now().saturating_sub(start).saturating_sub(waited));
    match &outcome {
        Ok(finished) => traces::ended(&span, &finished.ledger, "ok"),
        Err(gave_up) => {
            traces::ended(&span, &gave_up.ledger, gave_up.code());
            callbacks.give_up(gave_up);
        }
    }
    outcome
}

/// Every attempt, and how long models were waited for.
async fn attempts<S: Subject>(
    subject: &S,
    options: &AskOptions,
    task: Task,
    models: &Models<'_>,
    clock: &dyn Clock,
    callbacks: &mut Callbacks<'_>,
) -> (Result<Finished<S::Value>, Box<GaveUp>>, Duration) {
    let priced = |(model, price): &(&dyn ChatModel, Option<Price>)| Priced {
        name: model.name().to_owned(),
        price: *price,
    };
    let models_asked = models.list.iter().map(priced).collect();
    let mut asked = Loop::new(subject, options.clone(), task, models_asked);
    let mut waited = Duration::ZERO;
    loop {
        let start = clock.now();
        let asking = match asked.next(start) {
            Next::Ask(asking) => asking,
            Next::Done(done) => return (Ok(*done), waited),
            Next::GiveUp(gave_up) => return (Err(gave_up), waited),
        };
        callbacks.attempt(&asking);
        let span = traces::request(&asking, options.content);
        let answer = match models.list.get(asking.model) {
            Some((model, _)) => {
                call(*model, &asking.request, callbacks).instrument(span.clone()).await
            }
            None => Err(ChatError::new(crate::model::ChatErrorKind::Other, "there is no model")),
        };
        let now = clock.now();
        waited += now.saturating_sub(start);
        traces::answered(&span, &answer, options.content);
        let beginning = traces::beginning(&answer, options.content);
        let outcome = asked.answer(answer, now);
        let ledger = match &outcome {
            Outcome::Done(finished) => &finished.ledger,
            Outcome::AskAgain(_) => asked.ledger(),
            Outcome::GiveUp(gave_up) => &gave_up.ledger,
        };
        if let Some(attempt) = ledger.attempts.last() {
            traces::judged(&span, attempt, beginning.as_deref());
        }
        match outcome {
            Outcome::Done(finished) => return (Ok(*finished), waited),
            Outcome::AskAgain(again) => callbacks.repair(&again),
            Outcome::GiveUp(gave_up) => return (Err(gave_up), waited),
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
