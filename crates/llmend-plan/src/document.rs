//! What can a model's answer be, of all that is read here?

use serde::Serialize;

use crate::{Patch, Plan, TaskResult, Workflow};

/// What an answer says, in the canonical form of its kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Document {
    /// Steps with dependencies.
    Plan(Plan),
    /// Nodes and edges.
    Workflow(Workflow),
    /// A change of a workflow.
    Patch(Patch),
    /// The report of a task.
    TaskResult(TaskResult),
}

impl Document {
    /// What it is, with its article.
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
