//! The builder that asks for a value of a given schema.

use std::{fmt, sync::Arc};

use llmend_json::{Diagnostic, Report, Value};
use llmend_schema::{Coercion, Schema, Violation};
use serde::de::DeserializeOwned;

use super::{
    AskOptions, Callbacks, Clock, FinalAnswer, Ledger, LoopError, ManualLoop, Models, PricedModel,
    Prompt, SchemaSubject, SystemClock, Task, Validity, drive::run,
};
use crate::{BadSchema, FitOptions, Fitted, prompts};

/// Asks models for a value that fits a schema, and retries with feedback if it does not.
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
/// # futures::executor::block_on(task)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Ask<T> {
    subject: SchemaSubject,
    take: Take<T>,
    options: AskOptions,
    rules: Option<String>,
    clock: Arc<dyn Clock>,
}

/// Converts a value into the caller's type.
type Take<T> = fn(&Value<'static>) -> Result<T, llmend_json::Error>;

/// A value that a model returned, with its report.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ValueAnswer<T> {
    /// The value.
    pub value: T,
    /// How far the value was checked.
    pub validity: Validity,
    /// The complete answer, which all places refer to.
    pub answer: String,
    /// The report on the text of the last answer.
    pub report: Report,
    /// The changes made to the value.
    pub coercions: Vec<Coercion>,
    /// Every violation that remains; empty if the value is valid.
    pub violations: Vec<Violation>,
    /// Every finding; for an invalid value, all that is wrong.
    pub findings: Vec<Diagnostic>,
    /// Every attempt.
    pub ledger: Ledger,
}

/// The reason why there is no value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The loop gave up.
    #[error(transparent)]
    GaveUp(#[from] Box<LoopError>),
    /// The value, invalid or unchecked, cannot be read into the type.
    #[error("the value does not match the type: {error}")]
    Type {
        /// What is wrong with it.
        error: llmend_json::Error,
        /// Every attempt.
        ledger: Box<Ledger>,
    },
}

impl AskError {
    /// Returns the stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::GaveUp(gave_up) => gave_up.code(),
            Self::Type { error, .. } => error.code(),
        }
    }

    /// Returns every attempt.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        match self {
            Self::GaveUp(gave_up) => &gave_up.ledger,
            Self::Type { ledger, .. } => ledger,
        }
    }
}

impl Ask<Value<'static>> {
    /// Asks for a value that fits this schema, as llmend's own value: numbers keep their text and
    /// members their order.
    ///
    /// ```
    /// use llmend::{Schema, asking::Ask};
    ///
    /// let ask = Ask::of_schema(Schema::from_text(r#"{"type": "integer"}"#)?);
    /// let task = ask.task("any model", "How long?");
    /// assert_eq!(task.messages[1].content, "How long?");
    /// # Ok::<(), llmend::schema::Error>(())
    /// ```
    #[must_use]
    pub fn of_schema(schema: Schema) -> Self {
        Self::with(SchemaSubject::new(schema), |value| Ok(value.clone()))
    }

    /// Asks for a value that fits a schema given as text, which the model is shown verbatim.
    pub fn of_text(schema: &str) -> Result<Self, BadSchema> {
        Ok(Self::with(SchemaSubject::of_text(schema).map_err(|error| bad(&error))?, |value| {
            Ok(value.clone())
        }))
    }
}

impl Ask<Value<'static>> {
    /// Returns the same loop for a caller that sends the requests itself.
    pub fn manual_loop(
        self,
        prompt: impl Into<Prompt>,
        models: Vec<PricedModel>,
    ) -> ManualLoop<SchemaSubject> {
        let task = self.task(models.first().map_or("", |model| &model.name), prompt);
        ManualLoop::new(Box::new(self.subject), self.options, task, models)
    }
}

impl<T: DeserializeOwned + 'static> Ask<T> {
    /// Asks for a type described by this schema.
    ///
    /// ```
    /// use llmend::{Schema, asking::Ask};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Trip {
    ///     days: u32,
    /// }
    ///
    /// let schema = Schema::from_text(r#"{"type": "object", "properties": {"days": {"type": "integer"}}}"#)?;
    /// let ask = Ask::<Trip>::with_schema(schema).checked(|trip| {
    ///     assert_eq!(trip.days, 3);
    ///     Vec::new()
    /// });
    /// # let _ = ask;
    /// # Ok::<(), llmend::schema::Error>(())
    /// ```
    #[must_use]
    pub fn with_schema(schema: Schema) -> Self {
        Self::with(SchemaSubject::new(schema), |value| value.deserialize())
    }

    /// Asks for a type by its own schema.
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

    /// Sets a check for what no schema expresses. Every finding that is an error is reported back
    /// to the model.
    ///
    /// ```
    /// use std::time::Duration;
    /// use llmend::{Diagnostic, Severity, asking::{Ask, PricedModel}, model::ChatResponse};
    ///
    /// let ask = Ask::of_text(r#"{"type": "integer"}"#)?.checked(|days| match days.to_string().as_str() {
    ///     "0" => vec![Diagnostic::new("trip/too-short", Severity::Error, "expected at least one day")],
    ///     _ => Vec::new(),
    /// });
    /// let mut driven = ask.manual_loop("How long?", vec![PricedModel::default()]);
    /// assert!(driven.next(Duration::ZERO).is_some());
    /// let again = driven.answer(Ok(ChatResponse::of_text("0")), Duration::ZERO).unwrap();
    /// assert_eq!(again.findings[0].code, "trip/too-short");
    /// # Ok::<(), llmend::BadSchema>(())
    /// ```
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

    /// Sets the options of the loop.
    ///
    /// ```
    /// use std::time::Duration;
    /// use llmend::asking::{Ask, AskOptions, PricedModel, Retries};
    ///
    /// let options = AskOptions { retries: Retries::of(1), ..AskOptions::default() };
    /// let ask = Ask::of_text(r#"{"type": "integer"}"#)?.options(options);
    /// let mut driven = ask.manual_loop("How long?", vec![PricedModel::default()]);
    /// assert_eq!(driven.next(Duration::ZERO).unwrap().of, 2);
    /// # Ok::<(), llmend::BadSchema>(())
    /// ```
    #[must_use]
    pub fn options(mut self, options: AskOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the options for reading an answer.
    ///
    /// ```
    /// use std::time::Duration;
    /// use llmend::{CoerceMode, FitOptions, asking::{Ask, PricedModel}, model::ChatResponse};
    ///
    /// let options = FitOptions { coerce: CoerceMode::Off, ..FitOptions::default() };
    /// let ask = Ask::of_text(r#"{"type": "integer"}"#)?.fitting(options);
    /// let mut driven = ask.manual_loop("How long?", vec![PricedModel::default()]);
    /// assert!(driven.next(Duration::ZERO).is_some());
    /// let again = driven.answer(Ok(ChatResponse::of_text("'3'")), Duration::ZERO);
    /// assert!(again.is_some(), "the text \"3\" is not coerced to a number");
    /// # Ok::<(), llmend::BadSchema>(())
    /// ```
    #[must_use]
    pub fn fitting(mut self, options: FitOptions) -> Self {
        self.subject = self.subject.fitting(options);
        self
    }

    /// Replaces the default instructions before the prompt: the rules of JSON, the schema and an
    /// example.
    ///
    /// ```
    /// let ask = llmend::asking::Ask::of_text(r#"{"type": "integer"}"#)?.rules("Answer with a number.");
    /// assert_eq!(ask.task("any model", "How long?").messages[0].content, "Answer with a number.");
    /// # Ok::<(), llmend::BadSchema>(())
    /// ```
    #[must_use]
    pub fn rules(mut self, rules: impl Into<String>) -> Self {
        self.rules = Some(rules.into());
        self
    }

    /// Replaces the system clock.
    ///
    /// ```
    /// use std::{sync::Arc, time::Duration};
    /// use llmend::asking::{Ask, Clock};
    ///
    /// /// A clock that stands still, for tests.
    /// struct Stopped;
    ///
    /// impl Clock for Stopped {
    ///     fn now(&self) -> Duration {
    ///         Duration::ZERO
    ///     }
    /// }
    ///
    /// let ask = Ask::of_text(r#"{"type": "integer"}"#)?.clock(Arc::new(Stopped));
    /// # let _ = ask;
    /// # Ok::<(), llmend::BadSchema>(())
    /// ```
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
    ) -> Result<ValueAnswer<T>, AskError> {
        let models = models.into();
        self.run_task(self.task(models.first_name(), prompt), &models, callbacks).await
    }

    /// Returns the instructions and the prompt for a model of this name.
    #[must_use]
    pub fn task(&self, model: &str, prompt: impl Into<Prompt>) -> Task {
        if let Some(rules) = &self.rules {
            return Task::new(rules, prompt);
        }
        let schema = self.subject.schema_text();
        let in_object = Some(prompts::in_object(schema, model));
        Task { in_object, ..Task::new(prompts::shaped(schema, model), prompt) }
    }

    /// Asks at the end of a conversation.
    pub async fn run_task(
        &self,
        task: Task,
        models: &Models<'_>,
        callbacks: &mut Callbacks<'_>,
    ) -> Result<ValueAnswer<T>, AskError> {
        let clock = self.clock.as_ref();
        let finished = run(&self.subject, &self.options, task, models, clock, callbacks).await?;
        self.typed(finished)
    }

    pub(super) const fn subject(&self) -> &SchemaSubject {
        &self.subject
    }

    pub(super) const fn asking_options(&self) -> &AskOptions {
        &self.options
    }

    pub(super) fn clock_in_use(&self) -> &dyn Clock {
        self.clock.as_ref()
    }

    /// Converts the value of an answer.
    pub(super) fn typed(&self, finished: FinalAnswer<Fitted>) -> Result<ValueAnswer<T>, AskError> {
        let Fitted { value, report, coercions, violations } = finished.value;
        match (self.take)(&value) {
            Ok(value) => Ok(ValueAnswer {
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
