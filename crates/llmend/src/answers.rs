//! Which answers do agents ask for again and again, and how is one read?
//!
//! The three answers of a reasoning server (divergent, tree and reflection) and the result of a
//! task, as types with their ranges. [`read`] goes the whole line: it finds the JSON, mends it,
//! makes it fit the type's schema and checks what no schema says. A type of your own becomes such
//! an answer by [`Answer`].
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

use llmend_json::{Diagnostic, Report, Severity, preview};
use llmend_schema::{Coercion, Schema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{Error, FitOptions, Outcome, asking::Content, fit_with};

/// Characters of an answer that a log shows of it.
const PREVIEW_CHARS: usize = 200;

/// An answer whose schema is known.
pub trait Answer: DeserializeOwned + JsonSchema {
    /// What errors call it, such as `divergent`.
    const MODE: &'static str;

    /// What is wrong with it that its schema does not say.
    fn check(&self) -> Vec<Diagnostic> {
        Vec::new()
    }
}

/// An answer that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted<T> {
    /// The answer.
    pub value: T,
    /// What was done to the text.
    pub report: Report,
    /// What was changed so that the value fits.
    pub coercions: Vec<Coercion>,
}

/// Why an answer could not be read. Each message names the kind of answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// There is no value in the text.
    #[error("the {mode} answer could not be extracted: {source}")]
    Extraction {
        /// The kind of answer.
        mode: &'static str,
        /// What was expected and found.
        source: llmend_json::Error,
    },
    /// There is a value, and it is not such an answer.
    #[error("the {mode} answer does not fit: {}", told(.diagnostics))]
    Unfit {
        /// The kind of answer.
        mode: &'static str,
        /// All that is wrong with it.
        diagnostics: Vec<Diagnostic>,
    },
    /// The type's schema cannot be used.
    #[error("the schema of the {mode} answer: {source}")]
    Schema {
        /// The kind of answer.
        mode: &'static str,
        /// Why not.
        source: llmend_schema::Error,
    },
}

/// The findings in a row.
fn told(diagnostics: &[Diagnostic]) -> String {
    let rows = diagnostics.iter().map(|row| match &row.path {
        Some(path) if !path.is_empty() => format!("{} (at {path})", row.message),
        _ => row.message.clone(),
    });
    rows.collect::<Vec<_>>().join("; ")
}

/// Reads an answer: finds its JSON, mends it, makes it fit and checks it. The environment is not
/// read. Where there is no value in it, the log is warned of that, without what the answer says.
pub fn read<T: Answer>(answer: &str) -> Result<Fitted<T>, AnswerError> {
    read_with(answer, Content::Hidden)
}

/// The same; with [`Content::Logged`], the warning has the error and the first 200 characters of the answer.
pub fn read_with<T: Answer>(answer: &str, content: Content) -> Result<Fitted<T>, AnswerError> {
    let read = read_unlogged(answer);
    if let Err(AnswerError::Extraction { mode, source }) = &read {
        let logged = content == Content::Logged;
        let error = logged.then(|| source.to_string());
        let preview = logged.then(|| preview(answer, PREVIEW_CHARS));
        tracing::warn!(mode, code = source.code(), error, preview, "no value could be extracted");
    }
    read
}

fn read_unlogged<T: Answer>(answer: &str) -> Result<Fitted<T>, AnswerError> {
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
    let Outcome { value, report, coercions } = outcome;
    let findings = value.check();
    if !findings.is_empty() {
        return Err(unfit(findings));
    }
    Ok(Fitted { value, report, coercions })
}

/// Several ways of looking at one question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Divergent {
    /// At least one.
    #[schemars(length(min = 1))]
    pub perspectives: Vec<Perspective>,
    /// What they come to together.
    pub synthesis: String,
    /// Anything else.
    #[serde(default)]
    pub metadata: serde_json::Value,
}

/// One way of looking at a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Perspective {
    /// What it says.
    pub thought: String,
    /// From 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub novelty: f64,
    /// From 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub viability: f64,
    /// Nothing if that was not looked at; empty if there are none.
    #[serde(default)]
    pub assumptions_challenged: Option<Vec<String>>,
}

/// Branches of a thought, and the one to follow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tree {
    /// At least one.
    #[schemars(length(min = 1))]
    pub branches: Vec<TreeBranch>,
    /// Place of a branch, from 0.
    pub recommended_branch: usize,
    /// Anything else.
    #[serde(default)]
    pub metadata: serde_json::Value,
}

/// One branch of a thought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TreeBranch {
    /// What it says.
    pub thought: String,
    /// From 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: f64,
    /// Why.
    pub rationale: String,
}

/// A look back at a thought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reflection {
    /// What is to be said of it.
    pub analysis: String,
    /// What is good.
    pub strengths: Vec<String>,
    /// What is not.
    pub weaknesses: Vec<String>,
    /// What to do.
    pub recommendations: Vec<String>,
    /// From 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: f64,
    /// From 0 to 1, if there is one.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub quality_score: Option<f64>,
    /// The thought, made better, if it was.
    #[serde(default)]
    pub improved_thought: Option<String>,
    /// Anything else.
    #[serde(default)]
    pub metadata: serde_json::Value,
}

/// What came of a task. A status is never assumed: an answer without one is an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskResult {
    /// How far it is.
    pub status: TaskStatus,
    /// Which part of a larger task it was.
    #[serde(default)]
    pub subtask_id: Option<String>,
    /// Files that were changed.
    #[serde(default)]
    pub changes: Vec<FileChange>,
    /// Tests that were added.
    #[serde(default)]
    pub tests_added: Vec<String>,
    /// Whether the tests passed; nothing if that was not said.
    #[serde(default)]
    pub tests_passed: Option<bool>,
    /// What went wrong.
    #[serde(default)]
    pub error: Option<String>,
    /// What stands in the way.
    #[serde(default)]
    pub blockers: Vec<String>,
    /// Remarks.
    #[serde(default)]
    pub notes: String,
    /// Tools that were used.
    #[serde(default)]
    pub tools_used: Vec<String>,
}

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// It was not begun.
    Pending,
    /// It was begun.
    InProgress,
    /// It is done.
    Completed,
    /// It cannot be done.
    Failed,
    /// Something stands in its way.
    Blocked,
}

/// A file that was changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileChange {
    /// Which file.
    pub path: String,
    /// What was done to it.
    pub action: FileAction,
    /// Its new text.
    #[serde(default)]
    pub content: Option<String>,
    /// The difference.
    #[serde(default)]
    pub diff: Option<String>,
}

/// What was done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileAction {
    /// It is new.
    Create,
    /// It was changed.
    Modify,
    /// It is gone.
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
        let message = format!("branch {at} is recommended, and there are {count}, counted from 0");
        vec![
            Diagnostic::new("answer/branch", Severity::Error, message)
                .on("/recommended_branch")
                .help("recommend a branch that is in the list"),
        ]
    }
}

impl Answer for Reflection {
    const MODE: &'static str = "reflection";
}

impl Answer for TaskResult {
    const MODE: &'static str = "task result";
}
