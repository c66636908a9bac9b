//! A conversation with a model about a workflow or plan.
//!
//! The content of an answer decides what it is: a patch, a whole workflow (or plan), or plain text.
//! Unreadable JSON is never taken for plain text: the model is asked again. A patch is merged
//! first, and its result is checked as a whole; the document does not change before the caller
//! accepts the answer.
//!
//! The number of attempts is Clickweave's `max_repair_attempts`: 0 does not validate, 1 validates
//! without a retry, N retries up to N − 1 times. After the last attempt the last proposal is
//! returned, marked as invalid.
//!
//! ```
//! use llmend::assistant::{Assistant, Reply};
//! use llmend::asking::Callbacks;
//! # use llmend::model::{BoxFuture, Capabilities, ChatError, ChatModel, ChatRequest, ChatResponse};
//! # struct Model;
//! # impl ChatModel for Model {
//! #     fn name(&self) -> &str { "demo" }
//! #     fn capabilities(&self) -> Capabilities { Capabilities::default() }
//! #     fn call<'a>(&'a self, _: &'a ChatRequest) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
//! #         Box::pin(async { Ok(ChatResponse::of_text(r#"{"remove_nodes": ["b"]}"#)) })
//! #     }
//! # }
//! # let model = Model;
//! let flow = r#"{"nodes": [{"id": "a", "type": "tool", "tool": "t"}, {"id": "b", "type": "tool", "tool": "t"}],
//!                "edges": [{"from": "a", "to": "b"}]}"#;
//! let flow = llmend::review_plan(flow)?.reviewed.value;
//! let mut assistant = Assistant::about(flow);
//! # let task = async {
//! let turn = assistant.say(&model, "Drop the last step.", &mut Callbacks::new()).await?;
//! assert!(matches!(turn.reply, Reply::Patch(_)));
//! assert!(assistant.accept(&turn));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # };
//! # futures::executor::block_on(task)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod not_applied;
mod subject;

use std::{collections::VecDeque, sync::Arc};

use llmend_json::{Diagnostic, preview};
use llmend_plan::{Catalog, Document, Gaps};

use crate::{
    Fixes, Review, ReviewOptions,
    asking::{
        AskOptions, Callbacks, Clock, Ledger, LoopError, ManualLoop, Models, Preset, PricedModel,
        SystemClock, Task, Validity, fenced, run,
    },
    model::{ChatRequest, Message},
    prompts,
};
pub use not_applied::NotApplied;
use subject::ConversationSubject;

/// The default number of attempts for an answer.
const DEFAULT_ATTEMPTS: u32 = 3;
/// The default number of past exchanges that a model is shown.
const DEFAULT_WINDOW: usize = 5;
/// The number of characters of a past message that are shown again.
const PAST_CHARS: usize = 4_000;

/// A conversation about a workflow or a plan.
#[derive(Clone)]
pub struct Assistant {
    document: Option<Document>,
    reviewing: ReviewOptions,
    gaps: Gaps,
    asking: AskOptions,
    window: usize,
    past: VecDeque<(String, String)>,
    /// What the model is told with the next message.
    not_applied: Vec<NotApplied>,
    clock: Arc<dyn Clock>,
}

/// The content of an answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reply {
    /// A change of the document.
    Patch(Proposal),
    /// A whole document that replaces the current one.
    Whole(Proposal),
    /// Plain text, with nothing to change.
    Words(String),
}

/// A proposed document, whole or as the result of a patch.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The answer as strict JSON.
    pub json: String,
    /// The resulting document and the findings in it. `None` if the patch cannot be applied or the
    /// answer cannot be read as a document; the proposal is then invalid.
    pub review: Option<Box<Review>>,
}

/// An answer to a message of the user.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Turn {
    /// The content.
    pub reply: Reply,
    /// The complete answer, which repairs in the proposal refer to.
    pub answer: String,
    /// How far a proposal was checked. Plain text is valid.
    pub validity: Validity,
    /// Every finding.
    pub findings: Vec<Diagnostic>,
    /// Every attempt.
    pub ledger: Ledger,
}

impl Turn {
    /// Returns the resulting document, valid or not. `None` for plain text, and if there is no
    /// document.
    #[must_use]
    pub fn document(&self) -> Option<&Document> {
        match &self.reply {
            Reply::Patch(proposal) | Reply::Whole(proposal) => {
                proposal.review.as_ref().map(|review| &review.reviewed.value)
            }
            Reply::Words(_) => None,
        }
    }
}

impl Default for Assistant {
    fn default() -> Self {
        Self::new()
    }
}

impl Assistant {
    /// Starts a conversation without a document.
    #[must_use]
    pub fn new() -> Self {
        let reviewing = ReviewOptions { fixes: Fixes::Made, ..ReviewOptions::default() };
        Self {
            document: None,
            reviewing,
            gaps: Gaps::Leave,
            asking: AskOptions::preset(Preset::ClickweaveAssistant(DEFAULT_ATTEMPTS)),
            window: DEFAULT_WINDOW,
            past: VecDeque::new(),
            not_applied: Vec::new(),
            clock: Arc::new(SystemClock::default()),
        }
    }

    /// Starts a conversation about this workflow or plan.
    ///
    /// ```
    /// use llmend::{assistant::Assistant, plan::Workflow};
    ///
    /// let assistant = Assistant::about(Workflow::default());
    /// assert!(assistant.document().is_some());
    /// ```
    #[must_use]
    pub fn about(document: impl Into<Document>) -> Self {
        Self { document: Some(document.into()), ..Self::new() }
    }

    /// Sets the number of attempts for each answer: 0 does not validate, 1 does not retry.
    ///
    /// ```
    /// use llmend::assistant::Assistant;
    /// use llmend::asking::Callbacks;
    /// # use llmend::model::{BoxFuture, Capabilities, ChatError, ChatModel, ChatRequest, ChatResponse};
    /// # struct Model(&'static str);
    /// # impl ChatModel for Model {
    /// #     fn name(&self) -> &str { "demo" }
    /// #     fn capabilities(&self) -> Capabilities { Capabilities::default() }
    /// #     fn call<'a>(&'a self, _: &'a ChatRequest) -> BoxFuture<'a, Result<ChatResponse, ChatError>> {
    /// #         Box::pin(async move { Ok(ChatResponse::of_text(self.0)) })
    /// #     }
    /// # }
    /// # let model = Model("{nodes: 7}");
    ///
    /// let mut assistant = Assistant::new().attempts(1);
    /// let mut callbacks = Callbacks::new();
    /// let turn = assistant.say(&model, "Draft a workflow.", &mut callbacks);
    /// let turn = futures::executor::block_on(turn)?;
    /// assert_eq!(turn.ledger.attempts.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn attempts(mut self, attempts: u32) -> Self {
        let limits = AskOptions::preset(Preset::ClickweaveAssistant(attempts));
        self.asking =
            AskOptions { retries: limits.retries, validation: limits.validation, ..self.asking };
        self
    }

    /// Sets the options of the loop.
    ///
    /// ```
    /// use llmend::{asking::AskOptions, assistant::Assistant};
    ///
    /// let assistant = Assistant::new().options(AskOptions { temperature: Some(0.2), ..AskOptions::default() });
    /// # let _ = assistant;
    /// ```
    #[must_use]
    pub fn options(mut self, options: AskOptions) -> Self {
        self.asking = options;
        self
    }

    /// Sets the available tools.
    ///
    /// ```
    /// use llmend::{assistant::Assistant, plan::Catalog};
    ///
    /// let catalog = Catalog::read(&serde_json::json!({"tools": [{"name": "search"}]}))?;
    /// let assistant = Assistant::new().catalog(catalog);
    /// # let _ = assistant;
    /// # Ok::<(), llmend::plan::CatalogError>(())
    /// ```
    #[must_use]
    pub fn catalog(mut self, catalog: Catalog) -> Self {
        self.reviewing.plan.catalog = Some(catalog);
        self
    }

    /// Sets all options for reading and checking an answer, including the catalog.
    ///
    /// ```
    /// use llmend::{Fixes, ReviewOptions, assistant::Assistant};
    ///
    /// let assistant = Assistant::new().reviewing(ReviewOptions { fixes: Fixes::Offered, ..ReviewOptions::default() });
    /// # let _ = assistant;
    /// ```
    #[must_use]
    pub fn reviewing(mut self, options: ReviewOptions) -> Self {
        self.reviewing = options;
        self
    }

    /// Sets what happens to the edges around a node that a patch removes.
    ///
    /// ```
    /// use llmend::{assistant::Assistant, plan::Gaps};
    ///
    /// let assistant = Assistant::new().gaps(Gaps::Bridge);
    /// # let _ = assistant;
    /// ```
    #[must_use]
    pub fn gaps(mut self, gaps: Gaps) -> Self {
        self.gaps = gaps;
        self
    }

    /// Sets the number of past exchanges that a model is shown.
    ///
    /// ```
    /// use llmend::assistant::Assistant;
    ///
    /// let assistant = Assistant::new().window(10);
    /// # let _ = assistant;
    /// ```
    #[must_use]
    pub fn window(mut self, exchanges: usize) -> Self {
        self.window = exchanges;
        self
    }

    /// Replaces the system clock.
    ///
    /// ```
    /// use std::{sync::Arc, time::Duration};
    /// use llmend::{asking::Clock, assistant::Assistant};
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
    /// let assistant = Assistant::new().clock(Arc::new(Stopped));
    /// # let _ = assistant;
    /// ```
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Continues an earlier conversation of these messages and answers, the latest last.
    #[must_use]
    pub fn continuing(mut self, exchanges: impl IntoIterator<Item = (String, String)>) -> Self {
        for (message, answer) in exchanges {
            self.remember(&message, &answer);
        }
        self
    }

    /// Tells the model with the next message what was not applied, or taken back, in an earlier
    /// conversation.
    #[must_use]
    pub fn telling(mut self, not_applied: impl IntoIterator<Item = NotApplied>) -> Self {
        self.not_applied.extend(not_applied);
        self
    }

    /// Returns the past messages and answers that a model is shown, the latest last.
    pub fn exchanges(&self) -> impl ExactSizeIterator<Item = &(String, String)> {
        self.past.iter()
    }

    /// Returns what was not applied, or taken back, since the last message. The model is told with
    /// the next one.
    #[must_use]
    pub fn not_applied(&self) -> &[NotApplied] {
        &self.not_applied
    }

    /// Returns to an earlier workflow or plan, or to none. The model is told that the last change was
    /// taken back.
    pub fn restore(&mut self, document: Option<Document>) {
        self.document = document;
        self.not_applied.push(NotApplied::Undone);
    }

    /// Leaves the document as it is, although the answer would change it. The model is told so.
    ///
    /// ```
    /// use llmend::{asking::PricedModel, assistant::Assistant};
    ///
    /// let mut assistant = Assistant::new();
    /// assistant.decline();
    /// let request = assistant.request(PricedModel::default(), "Fetch the page first.").unwrap();
    /// assert!(request.messages.last().unwrap().content.contains("declined your last answer"));
    /// ```
    pub fn decline(&mut self) {
        self.not_applied.push(NotApplied::Declined);
    }

    /// Returns the current workflow or plan.
    #[must_use]
    pub const fn document(&self) -> Option<&Document> {
        self.document.as_ref()
    }

    /// Returns the first request that a message leads to. `None` if the budget allows none.
    ///
    /// ```
    /// use llmend::{asking::PricedModel, assistant::Assistant};
    ///
    /// let request = Assistant::new().request(PricedModel::default(), "Fetch the page.").unwrap();
    /// assert!(request.messages.last().unwrap().content.contains("Fetch the page."));
    /// ```
    #[must_use]
    pub fn request(&self, model: PricedModel, message: &str) -> Option<ChatRequest> {
        let (subject, task) = (self.subject(), self.task(message));
        let mut driven = ManualLoop::new(&subject, self.asking.clone(), task, vec![model]);
        driven.next(self.clock.now()).map(|asking| asking.request.clone())
    }

    /// Sends a message. The document does not change until the answer is accepted. An error, or
    /// dropping the future, leaves the conversation unchanged.
    pub async fn say<'m>(
        &mut self,
        models: impl Into<Models<'m>>,
        message: &str,
        callbacks: &mut Callbacks<'_>,
    ) -> Result<Turn, Box<LoopError>> {
        let models = models.into();
        let subject = self.subject();
        let (clock, task) = (self.clock.as_ref(), self.task(message));
        let finished = run(&subject, &self.asking, task, &models, clock, callbacks).await?;
        let told = not_applied::told(&std::mem::take(&mut self.not_applied));
        let paragraphs = [told.as_str(), message].map(str::trim).into_iter();
        let paragraphs: Vec<&str> = paragraphs.filter(|part| !part.is_empty()).collect();
        self.remember(&paragraphs.join("\n\n"), &finished.answer);
        Ok(Turn {
            reply: finished.value,
            answer: finished.answer,
            validity: finished.validity,
            findings: finished.findings,
            ledger: finished.ledger,
        })
    }

    /// Makes the proposal the current document and returns true; false if it is invalid, which the
    /// model is told, or there is no document.
    #[must_use]
    pub fn accept(&mut self, turn: &Turn) -> bool {
        if let Some(document) = turn.document().filter(|_| turn.validity != Validity::Invalid) {
            self.document = Some(document.clone());
            return true;
        }
        if !matches!(turn.reply, Reply::Words(_)) {
            self.not_applied.push(NotApplied::Invalid);
        }
        false
    }

    fn subject(&self) -> ConversationSubject {
        ConversationSubject::new(self.document.clone(), self.gaps, self.reviewing.clone())
    }

    /// Returns the instructions, the window of past exchanges, and the message.
    fn task(&self, message: &str) -> Task {
        let tools = self.reviewing.plan.catalog.as_ref();
        let mut messages = vec![Message::system(prompts::assisting(tools))];
        for (asked, answered) in &self.past {
            messages.push(Message::user(asked.as_str()));
            messages.push(Message::assistant(answered.as_str()));
        }
        let json = self.document.as_ref().and_then(|document| serde_json::to_string(document).ok());
        let workflow = json.map(|json| fenced("workflow", &json)).unwrap_or_default();
        let outcome = not_applied::told(&self.not_applied);
        let values = [("workflow", workflow.as_str()), ("outcome", &outcome), ("message", message)];
        messages.push(Message::user(prompts::ASSISTANT_TURN.fill(&values)));
        Task { messages, ..Task::default() }
    }

    fn remember(&mut self, message: &str, answer: &str) {
        let clipped = |text: &str| preview(text, PAST_CHARS).to_string();
        self.past.push_back((clipped(message), clipped(answer)));
        while self.past.len() > self.window {
            self.past.pop_front();
        }
    }
}

/// Shows the state without the messages.
impl std::fmt::Debug for Assistant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Assistant")
            .field("document", &self.document.as_ref().map(Document::what))
            .field("asking", &self.asking)
            .field("window", &self.window)
            .field("past", &self.past.len())
            .finish_non_exhaustive()
    }
}
