//! How is a model asked for a plan, or for a change of one?

use std::{fmt, sync::Arc};

use llmend_plan::{Catalog, Dialect, Document, Gaps};

use super::{
    AskOptions, Callbacks, Clock, Driven, GaveUp, Ledger, Models, PlanSubject, Priced, Prompt,
    SystemClock, Task, Validity, drive::drive,
};
use crate::{Fixes, Review, ReviewOptions, metrics::Counter, prompts};

/// Asks models for a plan or a workflow, and again for what does not hold.
///
/// Each answer is read, its control flow inferred, what can safely be put right is put right, and all
/// of it is checked, before a model is asked again.
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

/// A plan or a workflow that a model was asked for, and how it was come by.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Planned {
    /// What the answer says, and what was found in it.
    pub review: Review,
    /// How far it was checked. An invalid one is handed over only where the options ask for that.
    pub validity: Validity,
    /// The whole answer; places are in it. Of a change, the patch.
    pub answer: String,
    /// Every attempt.
    pub ledger: Ledger,
}

impl Planned {
    /// The plan or the workflow, in the canonical form.
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
    /// Asks for a plan in the canonical form, and reads one in any. Any tool goes.
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

    /// Asks for a patch of this plan or workflow. What comes of it is checked as a whole, since a patch
    /// alone cannot be judged.
    #[must_use]
    pub fn changing(document: Document, gaps: Gaps) -> Self {
        let mut planner = Self::new();
        planner.subject.changing = Some((document, gaps));
        planner
    }

    /// With the tools that there are.
    #[must_use]
    pub fn catalog(mut self, catalog: Catalog) -> Self {
        self.subject.options.plan.catalog = Some(catalog);
        self
    }

    /// With the dialect that is asked for and read; where nothing is said, the canonical one is asked
    /// for, and any is read.
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.subject.options.plan.dialect = dialect;
        self
    }

    /// With everything else of how an answer is read and checked; the catalog and the dialect are a
    /// part of it.
    #[must_use]
    pub fn reviewing(mut self, options: ReviewOptions) -> Self {
        self.subject.options = options;
        self
    }

    /// With options of the loop.
    #[must_use]
    pub fn options(mut self, options: AskOptions) -> Self {
        self.options = options;
        self
    }

    /// With other instructions than ours, before the question.
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

    /// Asks for a plan that reaches `objective`, or for the change that it says. Dropping the future
    /// cancels.
    pub async fn run<'m>(
        &self,
        models: impl Into<Models<'m>>,
        objective: &str,
        callbacks: &mut Callbacks<'_>,
    ) -> Result<Planned, Box<GaveUp>> {
        let models = models.into();
        self.run_task(self.task(models.first_name(), objective), &models, callbacks).await
    }

    /// Asks at the end of a conversation.
    pub async fn run_task(
        &self,
        task: Task,
        models: &Models<'_>,
        callbacks: &mut Callbacks<'_>,
    ) -> Result<Planned, Box<GaveUp>> {
        let clock = self.clock.as_ref();
        let driven = Driven::new(&self.subject, self.options.clone(), task, models.priced())
            .counting(Counter::Retry);
        let finished = drive(driven, models, clock, callbacks).await?;
        Ok(Planned {
            review: finished.value,
            validity: finished.validity,
            answer: finished.answer,
            ledger: finished.ledger,
        })
    }

    /// The same question for somebody who asks the models himself.
    pub fn driven(self, prompt: impl Into<Prompt>, models: Vec<Priced>) -> Driven<PlanSubject> {
        let task = self.task(models.first().map_or("", |model| &model.name), prompt);
        Driven::new(Box::new(self.subject), self.options, task, models).counting(Counter::Retry)
    }

    /// The instructions, the tools that there are, and the question, for a model of this name.
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
