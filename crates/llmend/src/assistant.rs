//! What do a person and a model say to each other about a workflow, and what becomes of it?
//!
//! An answer is a patch, a whole workflow (or plan), or words, and what it contains decides which. JSON
//! that cannot be read is never taken for words: it is asked for again. A patch is merged first, and what
//! comes of it is checked as a whole; nothing of the document changes before the caller accepts it.
//!
//! How often is asked again is the `max_repair_attempts` of Clickweave: 0 checks nothing, 1 checks and asks
//! nobody, N checks and asks up to N − 1 times. Where that is used up, the last proposal comes back, marked
//! invalid.
//!
//! ```
//! use llmend::assistant::{Assistant, Said};
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
//! assert!(matches!(turn.said, Said::Patch(_)));
//! assert!(assistant.accept(&turn));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # };
//! # let mut task = std::pin::pin!(task);
//! # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
//! # let std::task::Poll::Ready(done) = std::future::Future::poll(task.as_mut(), &mut context) else { panic!() };
//! # done?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod subject;

use std::{collections::VecDeque, sync::Arc};

use llmend_json::{Diagnostic, preview};
use llmend_plan::{Catalog, Document, Gaps};

use crate::{
    Fixes, Review, ReviewOptions,
    asking::{
        AskOptions, Callbacks, Clock, GaveUp, Ledger, Models, Preset, SystemClock, Task, Validity,
        fenced, run,
    },
    model::Message,
    prompts,
};
use subject::Talk;

/// How many attempts an assistant has for one answer, where nothing else is said.
pub const DEFAULT_ATTEMPTS: u32 = 3;
/// How many past exchanges a model is shown, where nothing else is said.
pub const DEFAULT_WINDOW: usize = 5;
/// Characters of a past message that are shown again.
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
    clock: Arc<dyn Clock>,
}

/// What an answer is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Said {
    /// A change of the document.
    Patch(Proposal),
    /// A whole document in place of the one that there is.
    Whole(Proposal),
    /// Words, and nothing to change.
    Words(String),
}

/// A document that was proposed, by itself or by a patch.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// What the model wrote, as strict JSON.
    pub json: String,
    /// The document as it would be, with what was found in it. `None` if the patch cannot be applied, or
    /// the answer cannot be read as a document; then it is invalid.
    pub review: Option<Box<Review>>,
}

/// An answer to what a person said.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Turn {
    /// What it is.
    pub said: Said,
    /// How far a proposal was checked. Words are valid.
    pub validity: Validity,
    /// What there is to say of it.
    pub findings: Vec<Diagnostic>,
    /// Every attempt.
    pub ledger: Ledger,
}

impl Turn {
    /// The document as it would be, valid or not. `None` for words, and where no document comes of it.
    #[must_use]
    pub fn document(&self) -> Option<&Document> {
        match &self.said {
            Said::Patch(proposal) | Said::Whole(proposal) => {
                proposal.review.as_ref().map(|review| &review.reviewed.value)
            }
            Said::Words(_) => None,
        }
    }
}

impl Default for Assistant {
    fn default() -> Self {
        Self::new()
    }
}

impl Assistant {
    /// A conversation in which there is no workflow yet.
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
            clock: Arc::new(SystemClock::default()),
        }
    }

    /// A conversation about this workflow or plan.
    #[must_use]
    pub fn about(document: impl Into<Document>) -> Self {
        Self { document: Some(document.into()), ..Self::new() }
    }

    /// With this many attempts for each answer: 0 to check nothing, 1 to ask nobody again.
    #[must_use]
    pub fn attempts(mut self, attempts: u32) -> Self {
        let limits = AskOptions::preset(Preset::ClickweaveAssistant(attempts));
        self.asking =
            AskOptions { retries: limits.retries, validation: limits.validation, ..self.asking };
        self
    }

    /// With other options of the loop.
    #[must_use]
    pub fn options(mut self, options: AskOptions) -> Self {
        self.asking = options;
        self
    }

    /// With the tools that there are.
    #[must_use]
    pub fn catalog(mut self, catalog: Catalog) -> Self {
        self.reviewing.plan.catalog = Some(catalog);
        self
    }

    /// With everything else of how an answer is read and checked; the catalog is a part of it.
    #[must_use]
    pub fn reviewing(mut self, options: ReviewOptions) -> Self {
        self.reviewing = options;
        self
    }

    /// With what becomes of the edges around a node that a patch removes.
    #[must_use]
    pub fn gaps(mut self, gaps: Gaps) -> Self {
        self.gaps = gaps;
        self
    }

    /// With this many past exchanges that a model is shown.
    #[must_use]
    pub fn window(mut self, exchanges: usize) -> Self {
        self.window = exchanges;
        self
    }

    /// With another clock than that of the machine.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// The workflow or plan as it is.
    #[must_use]
    pub const fn document(&self) -> Option<&Document> {
        self.document.as_ref()
    }

    /// Asks. The document stays as it is until the answer is accepted. Dropping the future cancels, and
    /// leaves the conversation as it was; so does an error.
    pub async fn say<'m>(
        &mut self,
        models: impl Into<Models<'m>>,
        message: &str,
        callbacks: &mut Callbacks<'_>,
    ) -> Result<Turn, Box<GaveUp>> {
        let models = models.into();
        let subject = Talk::new(self.document.clone(), self.gaps, self.reviewing.clone());
        let (clock, task) = (self.clock.as_ref(), self.task(message));
        let finished = run(&subject, &self.asking, task, &models, clock, callbacks).await?;
        self.remember(message, &finished.answer);
        Ok(Turn {
            said: finished.value,
            validity: finished.validity,
            findings: finished.findings,
            ledger: finished.ledger,
        })
    }

    /// Makes what was proposed the document, and says whether it did: not if it is invalid, and not if there
    /// is nothing that was proposed.
    #[must_use]
    pub fn accept(&mut self, turn: &Turn) -> bool {
        match turn.document().filter(|_| turn.validity != Validity::Invalid) {
            Some(document) => {
                self.document = Some(document.clone());
                true
            }
            None => false,
        }
    }

    /// The instructions, the window of past exchanges, and the question.
    fn task(&self, message: &str) -> Task {
        let tools = self.reviewing.plan.catalog.as_ref();
        let mut messages = vec![Message::system(prompts::assisting(tools))];
        for (asked, answered) in &self.past {
            messages.push(Message::user(asked.as_str()));
            messages.push(Message::assistant(answered.as_str()));
        }
        let json = self.document.as_ref().and_then(|document| serde_json::to_string(document).ok());
        let workflow = json.map(|json| fenced("workflow", &json)).unwrap_or_default();
        let values = [("workflow", workflow.as_str()), ("message", message)];
        messages.push(Message::user(prompts::ASSISTANT_TURN.fill(&values)));
        Task { messages }
    }

    fn remember(&mut self, message: &str, answer: &str) {
        let clipped = |text: &str| preview(text, PAST_CHARS).to_string();
        self.past.push_back((clipped(message), clipped(answer)));
        while self.past.len() > self.window {
            self.past.pop_front();
        }
    }
}

/// Without what was said.
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
