//! Answer types that agents often ask for.
//!
//! The three answers of a reasoning server (divergent, tree and reflection) and the result of a
//! task, as types with ranges. [`read`] finds the JSON of an answer, repairs it, makes it fit the
//! type's schema, and checks what no schema expresses. Implement [`Answer`] for your own types.
//!
//! ```
//! use llmend::answers::{Tree, read};
//!
//! let answer = "Sure!\n{branches: [{thought: 'Wait', confidence: '0.8', rationale: 'It is early'}], recommendedBranch: 0}";
//! let fitted = read::<Tree>(answer)?;
//! assert_eq!(fitted.value.branches[0].confidence, 0.8);
//! assert_eq!(fitted.coercions.len(), 2);
//! # Ok::<(), llmend::answers::AnswerError>(())
//! ```

use llmend_json::{Diagnostic, Severity, preview};
use llmend_schema::Schema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{Error, FitOptions, Outcome, asking::Content, fit_with};

/// The number of characters of an answer that a log shows.
const PREVIEW_CHARS: usize = 200;

/// An answer with a known schema.
pub trait Answer: DeserializeOwned + JsonSchema {
    /// The name in errors, such as `divergent`.
    const MODE: &'static str;

    /// Returns what is wrong with the answer beyond its schema.
    fn check(&self) -> Vec<Diagnostic> {
        Vec::new()
    }
}

/// The reason why an answer could not be read. Each message names the kind of answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The text contains no value.
    #[error("cannot extract the {mode} answer: {source}")]
    Extraction {
        /// The kind of answer.
        mode: &'static str,
        /// What was expected and found.
        source: llmend_json::Error,
    },
    /// The value is not such an answer.
    #[error("invalid {mode} answer: {}", one_line(.diagnostics))]
    Unfit {
        /// The kind of answer.
        mode: &'static str,
        /// All that is wrong with it.
        diagnostics: Vec<Diagnostic>,
    },
    /// The type's schema cannot be used.
    #[error("invalid schema of the {mode} answer: {source}")]
    Schema {
        /// The kind of answer.
        mode: &'static str,
        /// The reason.
        source: llmend_schema::Error,
    },
}

/// Returns the findings on one line.
fn one_line(diagnostics: &[Diagnostic]) -> String {
    let rows = diagnostics.iter().map(|row| match &row.path {
        Some(path) if !path.is_empty() => format!("{} (at {path})", row.message),
        _ => row.message.clone(),
    });
    rows.collect::<Vec<_>>().join("; ")
}

/// Reads an answer: finds its JSON, repairs it, makes it fit and checks it. The environment is not
/// read. An answer without a value is logged as a warning, without its content.
///
/// ```
/// use llmend::answers::{TaskResult, TaskStatus, read};
///
/// let result = read::<TaskResult>("Done: {'status': 'completed'}")?;
/// assert_eq!(result.value.status, TaskStatus::Completed);
/// # Ok::<(), llmend::answers::AnswerError>(())
/// ```
pub fn read<T: Answer>(answer: &str) -> Result<Outcome<T>, AnswerError> {
    read_with(answer, Content::Hidden)
}

/// Reads an answer like [`read`]. With [`Content::Logged`], the warning contains the error and the
/// first 200 characters of the answer.
///
/// ```
/// use llmend::{answers::{Tree, read_with}, asking::Content};
///
/// let error = read_with::<Tree>("Sorry.", Content::Hidden).unwrap_err();
/// assert!(error.to_string().contains("tree answer"));
/// ```
pub fn read_with<T: Answer>(answer: &str, content: Content) -> Result<Outcome<T>, AnswerError> {
    let read = read_unlogged(answer);
    if let Err(AnswerError::Extraction { mode, source }) = &read {
        let logged = content == Content::Logged;
        let error = logged.then(|| source.to_string());
        let preview = logged.then(|| preview(answer, PREVIEW_CHARS));
        tracing::warn!(mode, code = source.code(), error, preview, "no value found");
    }
    read
}

fn read_unlogged<T: Answer>(answer: &str) -> Result<Outcome<T>, AnswerError> {
    let mode = T::MODE;
    let schema = Schema::of::<T>().map_err(|source| AnswerError::Schema { mode, source })?;
    let unfit = |diagnostics| AnswerError::Unfit { mode, diagnostics };
    let fitted =
        fit_with(answer, &schema, &FitOptions::default()).map_err(|error| match error {
            Error::Json(source) => AnswerError::Extraction { mode, source },
            other => unfit(other.diagnostics()),
        })?;
    if !fitted.violations.is_empty() {
        return Err(unfit(fitted.violations.iter().map(Diagnostic::from).collect()));
    }
    let outcome = fitted.into_outcome::<T>().map_err(|error| unfit(error.diagnostics()))?;
    let findings = outcome.value.check();
    if !findings.is_empty() {
        return Err(unfit(findings));
    }
    Ok(outcome)
}

/// Several perspectives on a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Divergent {
    /// At least one.
    #[schemars(length(min = 1))]
    pub perspectives: Vec<Perspective>,
    /// The synthesis of the perspectives.
    pub synthesis: String,
    /// Anything else.
    #[serde(default)]
    pub metadata: serde_json::Value,
}

/// A perspective on a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Perspective {
    /// The thought.
    pub thought: String,
    /// From 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub novelty: f64,
    /// From 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub viability: f64,
    /// `None` if not considered; empty if there are none.
    #[serde(default)]
    pub assumptions_challenged: Option<Vec<String>>,
}

/// Branches of a thought, and the one to follow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tree {
    /// At least one.
    #[schemars(length(min = 1))]
    pub branches: Vec<TreeBranch>,
    /// The index of a branch, from 0.
    pub recommended_branch: usize,
    /// Anything else.
    #[serde(default)]
    pub metadata: serde_json::Value,
}

/// A branch of a thought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TreeBranch {
    /// The thought.
    pub thought: String,
    /// From 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: f64,
    /// The reason.
    pub rationale: String,
}

/// A reflection on a thought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reflection {
    /// The analysis.
    pub analysis: String,
    /// The strengths.
    pub strengths: Vec<String>,
    /// The weaknesses.
    pub weaknesses: Vec<String>,
    /// The recommendations.
    pub recommendations: Vec<String>,
    /// From 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: f64,
    /// From 0 to 1, if given.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub quality_score: Option<f64>,
    /// The improved thought, if given.
    #[serde(default)]
    pub improved_thought: Option<String>,
    /// Anything else.
    #[serde(default)]
    pub metadata: serde_json::Value,
}

/// The result of a task. An answer without a status is an error: none is assumed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskResult {
    /// The status.
    pub status: TaskStatus,
    /// The id of the subtask, if it is part of a larger task.
    #[serde(default)]
    pub subtask_id: Option<String>,
    /// The changed files.
    #[serde(default)]
    pub changes: Vec<FileChange>,
    /// The added tests.
    #[serde(default)]
    pub tests_added: Vec<String>,
    /// Whether the tests passed, if reported.
    #[serde(default)]
    pub tests_passed: Option<bool>,
    /// The error, if any.
    #[serde(default)]
    pub error: Option<String>,
    /// The obstacles.
    #[serde(default)]
    pub blockers: Vec<String>,
    /// Remarks.
    #[serde(default)]
    pub notes: String,
    /// The tools that were used.
    #[serde(default)]
    pub tools_used: Vec<String>,
}

/// The status of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Not started.
    Pending,
    /// Started.
    InProgress,
    /// Done.
    Completed,
    /// Cannot be done.
    Failed,
    /// Blocked by an obstacle.
    Blocked,
}

/// A changed file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileChange {
    /// The path of the file.
    pub path: String,
    /// The kind of change.
    pub action: FileAction,
    /// The new content.
    #[serde(default)]
    pub content: Option<String>,
    /// The diff.
    #[serde(default)]
    pub diff: Option<String>,
}

/// The kind of a file's change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileAction {
    /// Created.
    Create,
    /// Modified.
    Modify,
    /// Deleted.
    Delete,
}

impl Answer for Divergent {
    const MODE: &'static str = "divergent";
}

impl Answer for Tree {
    const MODE: &'static str = "tree";

    fn check(&self) -> Vec<Diagnostic> {
        let (at, count) = (self.recommended_branch, self.branches.len());
        if at < count {
            return Vec::new();
        }
        let message = format!("expected a branch index below {count}, found {at}");
        vec![
            Diagnostic::new("answer/branch", Severity::Error, message)
                .on("/recommended_branch")
                .help("Recommend a branch in the list."),
        ]
    }
}

impl Answer for Reflection {
    const MODE: &'static str = "reflection";
}

impl Answer for TaskResult {
    const MODE: &'static str = "task result";
}
