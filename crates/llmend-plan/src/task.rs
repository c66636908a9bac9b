//! Task results that agents report.

use std::{fmt, str::FromStr};

use llmend_json::UnknownChoice;
use serde::{Deserialize, Serialize};

use crate::Map;

/// An agent's report on a task, in the form that `anton` asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskResult {
    /// Id of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtask_id: Option<String>,
    /// Status of the task. Required: it is never guessed.
    pub status: TaskStatus,
    /// Changed files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<FileChange>,
    /// Added tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests_added: Vec<String>,
    /// Whether the tests pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests_passed: Option<bool>,
    /// The error, if the task failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Reasons why the task cannot proceed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<String>,
    /// Tools that the agent used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools_used: Vec<String>,
    /// Free-form notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Fields of the source for which the canonical form has none.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map,
}

/// The status of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Not started.
    Pending,
    /// Started, not finished.
    InProgress,
    /// Finished.
    Completed,
    /// Failed.
    Failed,
    /// Cannot proceed.
    Blocked,
}

impl TaskStatus {
    /// All statuses.
    pub const ALL: [Self; 5] =
        [Self::Pending, Self::InProgress, Self::Completed, Self::Failed, Self::Blocked];

    /// Returns the name that JSON uses.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
        }
    }
}

impl fmt::Display for TaskStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for TaskStatus {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, UnknownChoice> {
        UnknownChoice::find(name, &Self::ALL, Self::as_str)
    }
}

/// A file that the agent changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileChange {
    /// Path of the file.
    pub path: String,
    /// The action, such as `create`, `modify` or `delete`.
    pub action: String,
    /// New content of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Difference to the previous content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}
