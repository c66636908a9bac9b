//! How is a model asked, and when again?

use super::{Budget, Ladder, Preset, Retries};

/// Whether what comes of an answer is held against the schema or the rules of plans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Validation {
    /// It is.
    #[default]
    On,
    /// It is not: a value that could be read is handed over as unchecked.
    Off,
}

/// What becomes of the same findings twice in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnSameFindings {
    /// Nothing more is asked, unless the next rung asks another model.
    #[default]
    Stop,
    /// The model is asked again, as often as it may be.
    GoOn,
}

/// What becomes of the last value if none can be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnExhausted {
    /// There is an error.
    #[default]
    Fail,
    /// It is handed over, marked as invalid.
    HandBack,
}

/// What a ledger keeps of each answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keep {
    /// Its text, clipped to this many bytes.
    Text(usize),
    /// A hash that tells equal texts apart from others. It does not hide what the text says from
    /// somebody who can guess it, and findings hold pieces of the text all the same.
    Hash,
}

impl Default for Keep {
    /// 2,000 bytes.
    fn default() -> Self {
        Self::Text(2_000)
    }
}

/// Whether a trace holds what was asked and answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Content {
    /// It does not: names, numbers and codes alone.
    #[default]
    Hidden,
    /// It does, word for word.
    Logged,
}

/// Everything that the loop can be told.
///
/// ```
/// use llmend::asking::{AskOptions, Preset, Retries};
///
/// let options = AskOptions { retries: Retries::of(1), ..AskOptions::default() };
/// assert_eq!(options.retries.total, 1);
/// assert_eq!(AskOptions::preset(Preset::GoMind).retries, Retries { total: 3, parsing: 2, validation: 1 });
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AskOptions {
    /// How often is asked again.
    pub retries: Retries,
    /// In which ways.
    pub ladder: Ladder,
    /// What may be used up.
    pub budget: Budget,
    /// Whether what comes of an answer is checked.
    pub validation: Validation,
    /// When to stop early.
    pub on_same_findings: OnSameFindings,
    /// What becomes of the last value if none can be used.
    pub on_exhausted: OnExhausted,
    /// What the ledger keeps.
    pub keep: Keep,
    /// How much chance there is in the answers: see
    /// [`ChatRequest::temperature`](crate::model::ChatRequest).
    pub temperature: Option<f64>,
    /// The same of a retry after a value that is not what was asked for ([`Family::Validation`](super::Family)), where it
    /// is another one.
    pub validation_temperature: Option<f64>,
    /// Bytes of the failed answer, and of the excerpts of the schema or the catalog, that a model is
    /// shown at most.
    pub shown: usize,
    /// Whether traces hold what was asked and answered.
    pub content: Content,
}

impl AskOptions {
    /// The options of a preset.
    #[must_use]
    pub fn preset(preset: Preset) -> Self {
        preset.options()
    }
}

impl Default for AskOptions {
    fn default() -> Self {
        Self {
            retries: Retries::default(),
            ladder: Ladder::default(),
            budget: Budget::default(),
            validation: Validation::default(),
            on_same_findings: OnSameFindings::default(),
            on_exhausted: OnExhausted::default(),
            keep: Keep::default(),
            temperature: None,
            validation_temperature: None,
            shown: 4_000,
            content: Content::default(),
        }
    }
}
