//! What did an agent report of a task?

use std::{fmt, str::FromStr};

use llmend_json::UnknownName;
use serde::{Deserialize, Serialize};

use crate::Map;

/// What an agent says when it is done with a task: the answer that `anton` asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskResult {
    /// Which task it is about, where the answer says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtask_id: Option<String>,
    /// What became of it. Never made up: an answer that does not say is none.
    pub status: TaskStatus,
    /// Files that were changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<FileChange>,
    /// Tests that were added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests_added: Vec<String>,
    /// Whether the tests pass, where the answer says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests_passed: Option<bool>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What stands in the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<String>,
    /// Tools that were used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools_used: Vec<String>,
    /// Anything else worth saying.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// What the answer has besides.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map,
}

/// What became of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Nobody has begun.
    Pending,
    /// It is being worked on.
    InProgress,
    /// It is done.
    Completed,
    /// It could not be done.
    Failed,
    /// It cannot go on.
    Blocked,
}

impl TaskStatus {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Pending, Self::InProgress, Self::Completed, Self::Failed, Self::Blocked];

    /// The name that JSON uses.
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
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::ALL
            .into_iter()
            .find(|status| status.as_str() == name)
            .ok_or_else(|| UnknownName(name.to_owned()))
    }
}

/// A file that a task changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileChange {
    /// The file.
    pub path: String,
    /// What was done to it: `create`, `modify` or `delete`, as the agent means it.
    pub action: String,
    /// What the file holds now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// What is different.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}
