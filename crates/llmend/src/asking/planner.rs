//! The builder that asks for a plan, or for a change of one.

use std::{fmt, sync::Arc};

use llmend_plan::{Catalog, Dialect, Document, Gaps};

use super::{
    AskOptions, Callbacks, Clock, Ledger, LoopError, ManualLoop, Models, PlanSubject, PricedModel,
    Prompt, SystemClock, Task, Validity, drive::drive,
};
use crate::{Fixes, Review, ReviewOptions, metrics::Counter, prompts};

/// Asks models for a plan or a workflow, and retries with feedback if it is not valid.
///
/// Before a model is asked again, llmend reads each answer, infers its control flow, applies the
/// safe fixes and checks the result.
///
/// ```
/// use llmend::asking::{AskOptions, Callbacks, Planner, Preset};
/// use llmend::plan::{Catalog, Dialect};
///
/// let catalog = Catalog::read(&serde_json::json!({"tools": [{"name": "search"}]}))?;
/// let planner = Planner::new()
///     .catalog(catalog)
///     .dialect(Dialect::GoMind)
///     .options(AskOptions::preset(Preset::GoMind));
/// # let _ = planner;
/// // let planned = planner.run(&model, "Find a hotel in Oslo", &mut Callbacks::new()).await?;
/// # Ok::<(), llmend::plan::CatalogError>(())
/// ```
#[derive(Clone)]
pub struct Planner {
    subject: PlanSubject,
    options: AskOptions,
    rules: Option<String>,
    clock: Arc<dyn Clock>,
}

/// A plan or workflow that a model returned, with its review.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlanAnswer {
    /// The plan or workflow and the findings in it.
    pub review: Review,
    /// How far it was checked. An invalid one is returned only if the options ask for that.
    pub validity: Validity,
    /// The complete answer, which all places refer to. For a change, the patch.
    pub answer: String,
    /// Every attempt.
    pub ledger: Ledger,
}

impl PlanAnswer {
    /// Returns the plan or workflow in the canonical form.
    #[must_use]
    pub const fn document(&self) -> &Document {
        &self.review.reviewed.value
    }
}

impl Default for Planner {
    fn default() -> Self {
        Self::new()
    }
}

impl Planner {
    /// Asks for a plan in the canonical form, accepts every dialect, and allows any tool.
    #[must_use]
    pub fn new() -> Self {
        let options = ReviewOptions { fixes: Fixes::Made, ..ReviewOptions::default() };
        Self {
            subject: PlanSubject { options, changing: None },
            options: AskOptions::default(),
            rules: None,
            clock: Arc::new(SystemClock::default()),
        }
    }

    /// Asks for a patch of this plan or workflow. The result of the patch is checked as a whole,
    /// since a patch cannot be checked alone.
    ///
    /// ```
    /// use llmend::{asking::Planner, plan::Gaps};
    ///
    /// let reviewed = llmend::review_plan("{steps: [{id: 'a', tool: 'search'}]}")?.reviewed;
    /// let planner = Planner::changing(reviewed.value, Gaps::Leave);
    /// let task = planner.task("any model", "Add a step that books the hotel.");
    /// assert!(task.messages[0].content.contains("search"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn changing(document: Document, gaps: Gaps) -> Self {
        let mut planner = Self::new();
        planner.subject.changing = Some((document, gaps));
        planner
    }

    /// Sets the available tools.
    ///
    /// ```
    /// use llmend::{asking::Planner, plan::Catalog};
    ///
    /// let catalog = Catalog::read(&serde_json::json!({"tools": [{"name": "search"}]}))?;
    /// let planner = Planner::new().catalog(catalog);
    /// assert!(planner.task("any model", "Find a hotel").messages[0].content.contains("search"));
    /// # Ok::<(), llmend::plan::CatalogError>(())
    /// ```
    #[must_use]
    pub fn catalog(mut self, catalog: Catalog) -> Self {
        self.subject.options.plan.catalog = Some(catalog);
        self
    }

    /// Sets the dialect to ask for and to read. By default the canonical one is asked for, and
    /// every dialect is read.
    ///
    /// ```
    /// use llmend::{asking::Planner, plan::Dialect};
    ///
    /// let planner = Planner::new().dialect(Dialect::GoMind);
    /// assert_ne!(planner.task("any model", "Go"), Planner::new().task("any model", "Go"));
    /// ```
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.subject.options.plan.dialect = dialect;
        self
    }

    /// Sets all options for reading and checking an answer, including the catalog and the dialect.
    ///
    /// ```
    /// use llmend::{Fixes, ReviewOptions, asking::Planner};
    ///
    /// let planner = Planner::new().reviewing(ReviewOptions { fixes: Fixes::Offered, ..ReviewOptions::default() });
    /// # let _ = planner;
    /// ```
    #[must_use]
    pub fn reviewing(mut self, options: ReviewOptions) -> Self {
        self.subject.options = options;
        self
    }

    /// Sets the options of the loop.
    ///
    /// ```
    /// use std::time::Duration;
    /// use llmend::asking::{AskOptions, Planner, PricedModel, Retries};
    ///
    /// let options = AskOptions { retries: Retries::of(1), ..AskOptions::default() };
    /// let planner = Planner::new().options(options);
    /// let mut driven = planner.manual_loop("Find a hotel", vec![PricedModel::default()]);
    /// assert_eq!(driven.next(Duration::ZERO).unwrap().of, 2);
    /// ```
    #[must_use]
    pub fn options(mut self, options: AskOptions) -> Self {
        self.options = options;
        self
    }

    /// Replaces the default instructions before the prompt.
    ///
    /// ```
    /// let planner = llmend::asking::Planner::new().rules("Plan in at most three steps.");
    /// assert_eq!(planner.task("any model", "Go").messages[0].content, "Plan in at most three steps.");
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
    /// use llmend::asking::{Planner, Clock};
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
    /// let planner = Planner::new().clock(Arc::new(Stopped));
    /// # let _ = planner;
    /// ```
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Asks for a plan that reaches `objective`, or for the change that it describes. Dropping the
    /// future cancels.
    pub async fn run<'m>(
        &self,
        models: impl Into<Models<'m>>,
        objective: &str,
        callbacks: &mut Callbacks<'_>,
    ) -> Result<PlanAnswer, Box<LoopError>> {
        let models = models.into();
        self.run_task(self.task(models.first_name(), objective), &models, callbacks).await
    }

    /// Asks at the end of a conversation.
    pub async fn run_task(
        &self,
        task: Task,
        models: &Models<'_>,
        callbacks: &mut Callbacks<'_>,
    ) -> Result<PlanAnswer, Box<LoopError>> {
        let clock = self.clock.as_ref();
        let subject = self.subject.clone().with_emphasis(self.options.emphasis);
        let driven = ManualLoop::new(&subject, self.options.clone(), task, models.priced())
            .counting(Counter::Retry);
        let finished = drive(driven, models, clock, callbacks).await?;
        Ok(PlanAnswer {
            review: finished.value,
            validity: finished.validity,
            answer: finished.answer,
            ledger: finished.ledger,
        })
    }

    /// Returns the same loop for a caller that sends the requests itself.
    pub fn manual_loop(
        self,
        prompt: impl Into<Prompt>,
        models: Vec<PricedModel>,
    ) -> ManualLoop<PlanSubject> {
        let task = self.task(models.first().map_or("", |model| &model.name), prompt);
        let subject = self.subject.with_emphasis(self.options.emphasis);
        ManualLoop::new(Box::new(subject), self.options, task, models).counting(Counter::Retry)
    }

    /// Returns the instructions, the available tools and the prompt for a model of this name.
    #[must_use]
    pub fn task(&self, model: &str, objective: impl Into<Prompt>) -> Task {
        let rules = self.rules.clone().unwrap_or_else(|| self.own_rules(model));
        Task::new(rules, objective)
    }

    fn own_rules(&self, model: &str) -> String {
        let plan = &self.subject.options.plan;
        let tools = plan.catalog.as_ref();
        match &self.subject.changing {
            Some((document, _)) => prompts::changing(document, tools, model),
            None => prompts::planning(plan.dialect, tools, model),
        }
    }
}

impl fmt::Debug for Planner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Planner")
            .field("subject", &self.subject)
            .field("options", &self.options)
            .field("rules", &self.rules)
            .finish_non_exhaustive()
    }
}
