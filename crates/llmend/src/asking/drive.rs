//! How does the loop ask models that answer later?

use std::fmt;

use super::{
    AskOptions, Callbacks, Candidate, Clock, Finished, GaveUp, Loop, Next, Outcome, Price, Subject,
    Task,
};
use crate::model::{ChatError, ChatModel, ChatRequest, ChatResponse};

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
    let candidate = |(model, price): &(&dyn ChatModel, Option<Price>)| Candidate {
        name: model.name().to_owned(),
        price: *price,
    };
    let candidates = models.list.iter().map(candidate).collect();
    let mut asked = Loop::new(subject, options.clone(), task, candidates);
    let gave_up = loop {
        let asking = match asked.next(clock.now()) {
            Next::Ask(asking) => asking,
            Next::Done(done) => return Ok(*done),
            Next::GiveUp(gave_up) => break gave_up,
        };
        callbacks.attempt(&asking);
        let answer = match models.list.get(asking.model) {
            Some((model, _)) => call(*model, &asking.request, callbacks).await,
            None => Err(ChatError::new(crate::model::ChatErrorKind::Other, "there is no model")),
        };
        match asked.answer(answer, clock.now()) {
            Outcome::Done(finished) => return Ok(*finished),
            Outcome::AskAgain(again) => callbacks.repair(&again),
            Outcome::GiveUp(gave_up) => break gave_up,
        }
    };
    callbacks.give_up(&gave_up);
    Err(gave_up)
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
