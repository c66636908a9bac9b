//! How is a model asked for a value of a known shape?

use std::{fmt, sync::Arc};

use llmend_json::{Diagnostic, Report, Value};
use llmend_schema::{Coercion, Schema, Violation};
use serde::de::DeserializeOwned;

use super::{
    AskOptions, Callbacks, Clock, Driven, GaveUp, Ledger, Models, Priced, Prompt, SchemaSubject,
    SystemClock, Task, Validity, drive::run,
};
use crate::{BadSchema, FitOptions, Fitted, prompts};

/// Asks models for a value that fits a schema, and again for what does not fit.
///
/// ```
/// use llmend::asking::{Ask, Callbacks};
/// # use llmend::model::{BoxFuture, Capabilities, ChatError, ChatModel, ChatRequest, ChatResponse};
/// # struct Model;
/// # impl ChatModel for Model {
/// #     fn name(&self) -> &str { "demo" }
/// #     fn capabilities(&self) -> Capabilities { Capabilities::default() }
/// #     fn call<'a>(&'a self, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
/// #         let is_first = request.messages.len() == 2 && !request.messages[1].content.contains("/days");
/// #         let text = if is_first { "{'city': 'Oslo', 'days': 'a few'}" } else { "{\"days\": 3}" };
/// #         Box::pin(async move { Ok(ChatResponse::of_text(text)) })
/// #     }
/// # }
/// # let model = Model;
/// let ask = Ask::<llmend::Value<'static>>::of_text(r#"{
///     "type": "object",
///     "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
///     "required": ["city", "days"]
/// }"#)?;
/// # let task = async {
/// let answered = ask.run(&model, "A trip, please.", &mut Callbacks::new()).await?;
/// assert_eq!(answered.value.to_string(), r#"{"city":"Oslo","days":3}"#);
/// assert_eq!(answered.ledger.attempts.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # };
/// # let mut task = std::pin::pin!(task);
/// # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
/// # let std::task::Poll::Ready(done) = std::future::Future::poll(task.as_mut(), &mut context) else { panic!() };
/// # done?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Ask<T> {
    subject: SchemaSubject,
    take: Take<T>,
    options: AskOptions,
    rules: Option<String>,
    clock: Arc<dyn Clock>,
}

/// How a value becomes what the caller wants.
type Take<T> = fn(&Value<'static>) -> Result<T, llmend_json::Error>;

/// A value that a model was asked for, and how it was come by.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Answered<T> {
    /// The value.
    pub value: T,
    /// How far it was checked.
    pub validity: Validity,
    /// The whole answer; places are in it.
    pub answer: String,
    /// What was done to the text of the last answer.
    pub report: Report,
    /// What was done to the value that it says.
    pub coercions: Vec<Coercion>,
    /// Every way in which it does not fit; of a valid value, none.
    pub violations: Vec<Violation>,
    /// What there is to say of it: where it is not valid, all that is wrong.
    pub findings: Vec<Diagnostic>,
    /// Every attempt.
    pub ledger: Ledger,
}

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// Nothing more is asked.
    #[error(transparent)]
    GaveUp(#[from] Box<GaveUp>),
    /// The value that was handed back, or not checked, is none of the type.
    #[error("the value is none of the type: {error}")]
    Type {
        /// What is wrong with it.
        error: llmend_json::Error,
        /// Every attempt.
        ledger: Box<Ledger>,
    },
}

impl AskError {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::GaveUp(gave_up) => gave_up.code(),
            Self::Type { error, .. } => error.code(),
        }
    }

    /// Every attempt.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        match self {
            Self::GaveUp(gave_up) => &gave_up.ledger,
            Self::Type { ledger, .. } => ledger,
        }
    }
}

impl Ask<Value<'static>> {
    /// Asks for a value that fits this schema, as llmend's own value: numbers keep their text, and
    /// members their order.
    #[must_use]
    pub fn of_schema(schema: Schema) -> Self {
        Self::with(SchemaSubject::new(schema), |value| Ok(value.clone()))
    }

    /// The same of a schema as text, which a model is shown as it stands.
    pub fn of_text(schema: &str) -> Result<Self, BadSchema> {
        Ok(Self::with(SchemaSubject::of_text(schema).map_err(|error| bad(&error))?, |value| {
            Ok(value.clone())
        }))
    }
}

impl Ask<Value<'static>> {
    /// The same question for somebody who asks the models himself.
    pub fn driven(self, prompt: impl Into<Prompt>, models: Vec<Priced>) -> Driven<SchemaSubject> {
        let task = self.task(models.first().map_or("", |model| &model.name), prompt);
        Driven::new(Box::new(self.subject), self.options, task, models)
    }
}

impl<T: DeserializeOwned + 'static> Ask<T> {
    /// Asks for a type whose schema is this one.
    #[must_use]
    pub fn with_schema(schema: Schema) -> Self {
        Self::with(SchemaSubject::new(schema), |value| value.deserialize())
    }

    /// Asks for a type, by its own schema.
    #[cfg(feature = "schemars")]
    pub fn new() -> Result<Self, BadSchema>
    where
        T: schemars::JsonSchema,
    {
        let schema = Schema::of::<T>().map_err(|error| bad(&error))?;
        Ok(Self::with(SchemaSubject::new(schema).named(T::schema_name()), |value| {
            value.deserialize()
        }))
    }
}

impl<T: 'static> Ask<T> {
    fn with(subject: SchemaSubject, take: Take<T>) -> Self {
        let check = move |fitted: &Fitted| match take(&fitted.value) {
            Ok(_) => Vec::new(),
            Err(error) => vec![Diagnostic::from(&error)],
        };
        Self {
            subject: subject.checked(check),
            take,
            options: AskOptions::default(),
            rules: None,
            clock: Arc::new(SystemClock::default()),
        }
    }

    /// With a look at what no schema says: every finding that is an error goes back to the model.
    #[must_use]
    pub fn checked(
        mut self,
        check: impl Fn(&T) -> Vec<Diagnostic> + Send + Sync + 'static,
    ) -> Self {
        let take = self.take;
        self.subject = self.subject.checked(move |fitted| match take(&fitted.value) {
            Ok(value) => check(&value),
            Err(error) => vec![Diagnostic::from(&error)],
        });
        self
    }

    /// With options of the loop.
    #[must_use]
    pub fn options(mut self, options: AskOptions) -> Self {
        self.options = options;
        self
    }

    /// With options of how an answer is read.
    #[must_use]
    pub fn fitting(mut self, options: FitOptions) -> Self {
        self.subject = self.subject.fitting(options);
        self
    }

    /// With other instructions than ours before the question, which have the rules of JSON, the schema and
    /// an example.
    #[must_use]
    pub fn rules(mut self, rules: impl Into<String>) -> Self {
        self.rules = Some(rules.into());
        self
    }

    /// With another clock than that of the machine.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Asks. Dropping the future cancels.
    pub async fn run<'m>(
        &self,
        models: impl Into<Models<'m>>,
        prompt: &str,
        callbacks: &mut Callbacks<'_>,
    ) -> Result<Answered<T>, AskError> {
        let models = models.into();
        self.run_task(self.task(models.first_name(), prompt), &models, callbacks).await
    }

    /// The instructions and the question, for a model of this name.
    #[must_use]
    pub fn task(&self, model: &str, prompt: impl Into<Prompt>) -> Task {
        let own = || prompts::shaped(self.subject.schema_text(), model);
        Task::new(self.rules.clone().unwrap_or_else(own), prompt)
    }

    /// Asks at the end of a conversation.
    pub async fn run_task(
        &self,
        task: Task,
        models: &Models<'_>,
        callbacks: &mut Callbacks<'_>,
    ) -> Result<Answered<T>, AskError> {
        let clock = self.clock.as_ref();
        let finished = run(&self.subject, &self.options, task, models, clock, callbacks).await?;
        let Fitted { value, report, coercions, violations } = finished.value;
        match (self.take)(&value) {
            Ok(value) => Ok(Answered {
                value,
                validity: finished.validity,
                answer: finished.answer,
                report,
                coercions,
                violations,
                findings: finished.findings,
                ledger: finished.ledger,
            }),
            Err(error) => Err(AskError::Type { error, ledger: Box::new(finished.ledger) }),
        }
    }
}

fn bad(error: &llmend_schema::Error) -> BadSchema {
    BadSchema { code: error.code(), message: error.to_string() }
}

impl<T> fmt::Debug for Ask<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ask")
            .field("subject", &self.subject)
            .field("options", &self.options)
            .field("rules", &self.rules)
            .finish_non_exhaustive()
    }
}
