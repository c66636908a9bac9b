//! The kinds of document that an answer can hold.

use llmend_json::choice;
use serde::Serialize;

use crate::{
    Finding, Fix, Options, Patch, Plan, TaskResult, Workflow, check_plan, check_workflow, fix_plan,
    fix_workflow,
};

/// A document in the canonical form of its kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Document {
    /// Steps with dependencies.
    Plan(Plan),
    /// Nodes and edges.
    Workflow(Workflow),
    /// A patch of a workflow.
    Patch(Patch),
    /// A task result.
    TaskResult(TaskResult),
}

choice! {
    /// The kind of a [`Document`].
    DocumentKind {
        /// Steps with dependencies.
        Plan = "plan",
        /// Nodes and edges.
        Workflow = "workflow",
        /// A patch of a workflow.
        Patch = "patch",
        /// A task result.
        TaskResult = "task_result",
    }
}

impl Document {
    /// Returns the kind of the document.
    #[must_use]
    pub const fn kind(&self) -> DocumentKind {
        match self {
            Self::Plan(_) => DocumentKind::Plan,
            Self::Workflow(_) => DocumentKind::Workflow,
            Self::Patch(_) => DocumentKind::Patch,
            Self::TaskResult(_) => DocumentKind::TaskResult,
        }
    }

    /// Checks the document and returns every finding. Patches and task results have none: a patch
    /// can only be checked together with the workflow that it changes.
    ///
    /// ```
    /// use llmend_plan::{Document, Options, Plan, Step};
    ///
    /// let step = Step { id: "a".to_owned(), depends_on: vec!["b".to_owned()], ..Step::default() };
    /// let document = Document::from(Plan { steps: vec![step], ..Plan::default() });
    /// let findings = document.check(&Options::default());
    /// assert_eq!(findings[0].diagnostic.path.as_deref(), Some("/steps/0/depends_on/0"));
    /// ```
    #[must_use]
    pub fn check(&self, options: &Options) -> Vec<Finding> {
        match self {
            Self::Plan(plan) => check_plan(plan, options),
            Self::Workflow(workflow) => check_workflow(workflow, options),
            Self::Patch(_) | Self::TaskResult(_) => Vec::new(),
        }
    }

    /// Applies fixes of its findings and returns how many were applied.
    pub fn fix<'f>(&mut self, fixes: impl IntoIterator<Item = &'f Fix>) -> usize {
        match self {
            Self::Plan(plan) => fix_plan(plan, fixes),
            Self::Workflow(workflow) => fix_workflow(workflow, fixes),
            Self::Patch(_) | Self::TaskResult(_) => 0,
        }
    }

    /// Returns the workflow, or the plan as a workflow; `None` for patches and task results.
    ///
    /// ```
    /// use llmend_plan::{Document, Plan, Step};
    ///
    /// let step = Step { id: "a".to_owned(), tool: Some("search".to_owned()), ..Step::default() };
    /// let document = Document::from(Plan { steps: vec![step], ..Plan::default() });
    /// assert_eq!(document.to_workflow().map(|workflow| workflow.nodes.len()), Some(1));
    /// ```
    #[must_use]
    pub fn to_workflow(&self) -> Option<Workflow> {
        match self {
            Self::Plan(plan) => Some(plan.to_workflow().workflow),
            Self::Workflow(workflow) => Some(workflow.clone()),
            Self::Patch(_) | Self::TaskResult(_) => None,
        }
    }

    /// Returns the kind with its article, for messages.
    #[must_use]
    pub const fn what(&self) -> &'static str {
        match self {
            Self::Plan(_) => "a plan",
            Self::Workflow(_) => "a workflow",
            Self::Patch(_) => "a patch",
            Self::TaskResult(_) => "a task result",
        }
    }
}

impl From<Plan> for Document {
    fn from(plan: Plan) -> Self {
        Self::Plan(plan)
    }
}

impl From<Workflow> for Document {
    fn from(workflow: Workflow) -> Self {
        Self::Workflow(workflow)
    }
}

impl From<Patch> for Document {
    fn from(patch: Patch) -> Self {
        Self::Patch(patch)
    }
}

impl From<TaskResult> for Document {
    fn from(result: TaskResult) -> Self {
        Self::TaskResult(result)
    }
}

#[cfg(test)]
mod tests {
    use super::{Document, DocumentKind};
    use crate::{Options, Patch, review};

    #[test]
    fn safe_fixes_are_applied_to_a_document() {
        let text = r#"{"steps": [{"id": "a", "tool": "t"},
            {"id": "b", "tool": "t", "arguments": {"x": "${a}"}}]}"#;
        let mut document = review(text, &Options::default()).unwrap().value;
        assert_eq!(document.kind(), DocumentKind::Plan);
        let found = document.check(&Options::default());
        let fixes: Vec<_> = found.iter().filter_map(|it| it.fix.as_ref()).collect();
        let made = document.fix(fixes.iter().copied());
        assert_eq!((made, fixes.len()), (1, 1), "{found:?}");
        assert!(document.check(&Options::default()).iter().all(|it| it.fix.is_none()));
        let workflow = Document::Workflow(document.to_workflow().unwrap());
        assert_eq!(workflow.kind(), DocumentKind::Workflow);
        assert_eq!(workflow.to_workflow(), document.to_workflow());
    }

    #[test]
    fn in_a_patch_alone_there_is_nothing_to_be_checked() {
        let mut patch = Document::from(Patch::default());
        assert!(patch.check(&Options::default()).is_empty());
        assert_eq!((patch.fix([]), patch.to_workflow()), (0, None));
        assert_eq!(patch.kind(), DocumentKind::Patch);
    }
}
