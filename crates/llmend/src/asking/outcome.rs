//! Results of an attempt and of the whole loop.

use std::fmt;

use llmend_json::{Diagnostic, OffsetUnit, Relocate as _};
use serde::{Serialize, Serializer, ser::SerializeStruct};

use super::{Attempt, ExhaustedBudget, FailureKind, Family, FindingSource, Ledger, Strategy};
use crate::model::ChatError;

/// How far a value was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Validity {
    /// It is what was asked for.
    Valid,
    /// It was not validated, as the options ask for.
    Unchecked,
    /// It is not what was asked for, and is returned because the options ask for that.
    Invalid,
}

/// What follows from an answer.
#[derive(Debug)]
#[non_exhaustive]
pub enum AttemptOutcome<V> {
    /// There is a value.
    Done(Box<FinalAnswer<V>>),
    /// The model is asked again.
    AskAgain(RetryNotice),
    /// The loop ends without a value.
    GiveUp(Box<LoopError>),
}

/// A value, with its answer, findings and attempts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FinalAnswer<V> {
    /// The value.
    pub value: V,
    /// How far it was checked.
    pub validity: Validity,
    /// The complete answer that it was read from, which all places refer to. If only parts were
    /// asked for, they are merged. For a subject's own patch, the patch.
    pub answer: String,
    /// Every finding.
    pub findings: Vec<Diagnostic>,
    /// Every attempt.
    pub ledger: Ledger,
}

/// The next retry and the reason for it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RetryNotice {
    /// Why the answer cannot be used.
    pub failure: FailureKind,
    /// The text that places of `findings` refer to.
    pub found_in: FindingSource,
    /// Every finding in the answer.
    pub findings: Vec<Diagnostic>,
    /// The strategy. `None` if the same request is repeated, since no answer arrived.
    pub strategy: Option<Strategy>,
    /// The number of the retry, from 1; after an attempt without an answer, the previous number.
    pub retry: u32,
    /// The maximum number of retries.
    pub of: u32,
}

impl RetryNotice {
    /// Converts the places in `answer` from bytes to `unit`. Places in merged texts are removed,
    /// since nobody was sent those.
    pub fn convert_offsets(&mut self, answer: &str, unit: OffsetUnit) {
        self.found_in.convert_offsets(&mut self.findings, answer, unit);
    }
}

/// The reason why the loop gave up.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GiveUpReason {
    /// No retry is left.
    Retries,
    /// No retry is left after failures of this family; there are some after others.
    RetriesAfter(Family),
    /// The same findings occurred twice in a row.
    SameFindings,
    /// A budget is used up.
    Budget(ExhaustedBudget),
    /// The model could not be reached, or its answer did not arrive.
    Transport(ChatError),
    /// The model, or a filter of its provider, refused to answer.
    Refused,
    /// A cost limit is set, but the price of the model is unknown.
    NoPrice {
        /// The name of the model.
        model: String,
    },
    /// There is no model to ask.
    NoModel,
    /// Several answers to one question differ, and no value of a part has more votes than all
    /// others.
    NoMajority,
}

/// The error of a loop that ended without a value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LoopError {
    /// Why the loop gave up.
    pub why: GiveUpReason,
    /// The model that was asked last, or would have been.
    pub model: String,
    /// The last answer as a whole. Empty if there was none.
    pub answer: String,
    /// Every finding of the last attempt, with places in `answer`; without places if the attempt
    /// was an answer to a part that could not be merged.
    pub findings: Vec<Diagnostic>,
    /// Every attempt.
    pub ledger: Ledger,
}

impl LoopError {
    /// Converts the places of the findings and of the ledger from bytes to `unit`: see
    /// [`Ledger::convert_offsets`].
    pub fn convert_offsets(&mut self, answers: &[String], unit: OffsetUnit) {
        self.findings.convert_offsets(&self.answer, unit);
        self.ledger.convert_offsets(answers, unit);
    }

    /// Returns the stable code, such as `ask/retries`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match &self.why {
            GiveUpReason::Retries | GiveUpReason::RetriesAfter(_) => "ask/retries",
            GiveUpReason::SameFindings => "ask/same-findings",
            GiveUpReason::Budget(ExhaustedBudget::Tokens) => "ask/tokens",
            GiveUpReason::Budget(ExhaustedBudget::Cost) => "ask/cost",
            GiveUpReason::Budget(ExhaustedBudget::Time) => "ask/time",
            GiveUpReason::Transport(error) => error.kind.code(),
            GiveUpReason::Refused => "ask/refused",
            GiveUpReason::NoPrice { .. } => "ask/no-price",
            GiveUpReason::NoModel => "ask/no-model",
            GiveUpReason::NoMajority => "ask/no-majority",
        }
    }

    /// Returns how the last answer failed. `None` if there was none.
    #[must_use]
    pub fn failure(&self) -> Option<FailureKind> {
        self.ledger.attempts.last()?.failure
    }

    /// Returns every finding of the last attempt.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.findings
    }

    /// Returns the cause of the first failure.
    #[must_use]
    fn first_cause(&self) -> Option<&str> {
        self.ledger.attempts.first()?.cause.as_deref()
    }

    /// Returns the cause of the last failure.
    #[must_use]
    fn last_cause(&self) -> Option<&str> {
        self.ledger.attempts.last()?.cause.as_deref()
    }

    /// Returns what to change: the model, a limit or the prompt.
    #[must_use]
    pub fn advice(&self) -> &'static str {
        match &self.why {
            GiveUpReason::Budget(ExhaustedBudget::Tokens) => {
                "Raise the token budget, or ask for less."
            }
            GiveUpReason::Budget(ExhaustedBudget::Cost) => {
                "Raise the cost budget, or choose a cheaper model."
            }
            GiveUpReason::Budget(ExhaustedBudget::Time) => {
                "Allow more time, or choose a faster model."
            }
            GiveUpReason::NoModel => "Name a model.",
            GiveUpReason::NoMajority => "Ask for more samples, or make the prompt more definite.",
            GiveUpReason::NoPrice { .. } => {
                "Set the price of the model, or remove the cost budget."
            }
            GiveUpReason::Transport(error) => error.advice(),
            // The model is not to blame for an answer that did not arrive as a whole.
            _ => match self.ledger.attempts.last() {
                Some(Attempt { broke_off: Some(kind), .. }) => kind.advice(),
                last => {
                    last.and_then(|attempt| attempt.failure).unwrap_or(FailureKind::NoJson).advice()
                }
            },
        }
    }
}

impl fmt::Display for GiveUpReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Retries => "no retries left",
            Self::RetriesAfter(Family::Transport) => "no retries left if no answer arrives",
            Self::RetriesAfter(Family::Parsing) => {
                "no retries left after an answer that cannot be parsed"
            }
            Self::RetriesAfter(Family::Validation) => "no retries left after an invalid answer",
            Self::SameFindings => "same findings twice in a row",
            Self::Budget(ExhaustedBudget::Tokens) => "token budget exhausted",
            Self::Budget(ExhaustedBudget::Cost) => "cost budget exhausted",
            Self::Budget(ExhaustedBudget::Time) => "time budget exhausted",
            Self::Transport(_) => "no answer arrived",
            Self::Refused => "the model refused to answer",
            Self::NoPrice { .. } => "a cost budget needs the price of the model, which is unknown",
            Self::NoModel => "none was given",
            Self::NoMajority => "the answers differ, and none has a majority",
        })
    }
}

/// Shows attempts, model, reason, the first and the last cause, and what to change.
impl fmt::Display for LoopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let attempts = match self.ledger.attempts_made() {
            0 if self.model.is_empty() => "no model was asked".to_owned(),
            0 => format!("no request sent to {}", self.model),
            1 => format!("no usable answer after 1 attempt with {}", self.model),
            count => format!("no usable answer after {count} attempts with {}", self.model),
        };
        write!(f, "{attempts}: {}", self.why)?;
        if let GiveUpReason::Transport(error) = &self.why {
            write!(f, ": {}", error.message.trim_end_matches('.'))?;
        }
        let cause = |cause: Option<&str>| cause.map(|cause| cause.trim_end_matches('.').to_owned());
        let (first, last) = (cause(self.first_cause()), cause(self.last_cause()));
        let is_said = |cause: &str| matches!(&self.why, GiveUpReason::Transport(error) if error.message.trim_end_matches('.') == cause);
        match (first, last) {
            // A sentence that was shown already is not repeated.
            (Some(first), Some(last)) if first == last && is_said(&first) => {}
            (Some(first), Some(last)) if first != last => {
                write!(f, ". First: {first}. Last: {last}")?;
            }
            (Some(first), _) => write!(f, ". Cause: {first}")?,
            _ => {}
        }
        write!(f, ". {}", self.advice())
    }
}

/// Serializes the fields with the code, the message and the advice.
impl Serialize for LoopError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_struct("LoopError", 7)?;
        row.serialize_field("code", self.code())?;
        row.serialize_field("message", &self.to_string())?;
        row.serialize_field("advice", self.advice())?;
        row.serialize_field("model", &self.model)?;
        row.serialize_field("answer", &self.answer)?;
        row.serialize_field("diagnostics", &self.findings)?;
        row.serialize_field("ledger", &self.ledger)?;
        row.end()
    }
}

impl std::error::Error for LoopError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.why {
            GiveUpReason::Transport(error) => Some(error),
            _ => None,
        }
    }
}
