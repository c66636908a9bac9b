//! The error of planning functions.

use std::{error::Error as StdError, fmt};

use llmend_json::{
    Diagnostic, ErrorKind, ErrorRow, ErrorTopic, OffsetUnit, Options, Report, Search, Severity,
};
use llmend_plan::{Document, Plan};

use crate::{config::BadSetting, metrics::Counter, outcome::unsure_reason};

/// The kinds of error of the `OpenManus` planning documents, and one for the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PlanErrorKind {
    /// `JSONRepairFailed`: the text has no value, or only one that may lack something.
    RepairFailed,
    /// `JSONParseError`: the text is not JSON, and repair is off or impossible.
    ParseFailed,
    /// `JSONSchemaError`: the value is not a plan.
    SchemaFailed,
    /// An environment variable has an invalid value.
    BadSetting,
}

/// The stage at which a plan fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Before the text is read.
    Settings,
    /// Finding and repairing the JSON.
    Repair,
    /// Parsing the JSON.
    Parse,
    /// Reading the plan.
    Schema,
}

impl Stage {
    /// Returns the name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::Repair => "repair",
            Self::Parse => "parse",
            Self::Schema => "schema",
        }
    }
}

impl PlanErrorKind {
    /// Returns the stage at which this error occurs.
    #[must_use]
    pub const fn stage(self) -> Stage {
        match self {
            Self::RepairFailed => Stage::Repair,
            Self::ParseFailed => Stage::Parse,
            Self::SchemaFailed => Stage::Schema,
            Self::BadSetting => Stage::Settings,
        }
    }

    /// Returns the name in the `OpenManus` documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RepairFailed => "JSONRepairFailed",
            Self::ParseFailed => "JSONParseError",
            Self::SchemaFailed => "JSONSchemaError",
            Self::BadSetting => "BadSetting",
        }
    }

    /// Returns what to do about it.
    #[must_use]
    pub const fn hint(self) -> &'static str {
        match self {
            Self::RepairFailed => {
                "Ask the model for one raw JSON object with nothing around it, or use strict mode \
                 (LLMEND_REPAIR=0) to see the original text fail."
            }
            Self::ParseFailed => {
                "Ask the model to write strict JSON, or set LLMEND_REPAIR=1 if repair is off."
            }
            Self::SchemaFailed => {
                "Show the model the fields of plans and steps and which of them are required, and omit \
                 all others."
            }
            Self::BadSetting => "Set the variable to 1 or 0, or unset it.",
        }
    }

    pub(crate) const fn counter(self) -> Option<Counter> {
        match self {
            Self::RepairFailed => Some(Counter::RepairFail),
            Self::ParseFailed => Some(Counter::ParseFail),
            Self::SchemaFailed => Some(Counter::SchemaFail),
            Self::BadSetting => None,
        }
    }
}

/// The cause of a planning error.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cause {
    /// There is no value.
    Json { error: llmend_json::Error, kind: PlanErrorKind },
    /// The document may lack something, and the caller gets no report.
    Unsure { document: Document, report: Report },
    /// The value is not a plan.
    Schema { error: llmend_plan::Error, report: Report },
    /// The environment is invalid.
    Setting(BadSetting),
}

impl Cause {
    /// Creates the cause for an error of the engine under these options.
    pub(crate) fn json(error: llmend_json::Error, options: &Options) -> Self {
        let kind = match error.kind() {
            ErrorKind::Expression
            | ErrorKind::Ambiguous
            | ErrorKind::Unexpected
            | ErrorKind::UnexpectedEnd => PlanErrorKind::ParseFailed,
            // Neither search nor repair was allowed: the text is not JSON.
            _ if options.search == Search::Off && options.rules.is_empty() => {
                PlanErrorKind::ParseFailed
            }
            _ => PlanErrorKind::RepairFailed,
        };
        Self::Json { error, kind }
    }
}

/// The number of attempts, and whether a model could be asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempts {
    /// One, without retries.
    One,
    /// One, since there is no model to ask.
    NoModel,
    /// This many of one conversation.
    Made(u32),
}

/// The error of all planning functions.
#[derive(Clone, PartialEq)]
pub struct PlanningError(Box<Inner>);

#[derive(Clone, PartialEq)]
struct Inner {
    cause: Cause,
    attempts: Attempts,
}

impl From<Cause> for PlanningError {
    fn from(cause: Cause) -> Self {
        Self(Box::new(Inner { cause, attempts: Attempts::One }))
    }
}

impl From<BadSetting> for PlanningError {
    fn from(error: BadSetting) -> Self {
        Cause::Setting(error).into()
    }
}

impl PlanningError {
    pub(crate) fn after(mut self, attempts: Attempts) -> Self {
        self.0.attempts = attempts;
        self
    }

    /// Returns the kind.
    #[must_use]
    pub fn kind(&self) -> PlanErrorKind {
        match &self.0.cause {
            Cause::Json { kind, .. } => *kind,
            Cause::Unsure { .. } => PlanErrorKind::RepairFailed,
            Cause::Schema { .. } => PlanErrorKind::SchemaFailed,
            Cause::Setting(_) => PlanErrorKind::BadSetting,
        }
    }

    /// Returns what to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match &self.0.cause {
            Cause::Unsure { report, .. } if report.truncated() => {
                "Raise the token limit or ask the model to continue; `parse_plan_payload` returns the partial plan."
            }
            // The engine's own advice is specific to this text.
            Cause::Json { error, .. }
                if !matches!(
                    error.kind(),
                    ErrorKind::UnsafeDelta | ErrorKind::Unexpected | ErrorKind::Refused(_)
                ) =>
            {
                error.kind().help()
            }
            _ => self.kind().hint(),
        }
    }

    /// Returns the stable code of the cause, such as `extract/no-json` or `plan/unreadable`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match &self.0.cause {
            Cause::Json { error, .. } => error.code(),
            Cause::Unsure { report, .. } if report.truncated() => "value/truncated",
            Cause::Unsure { .. } => "value/loss",
            Cause::Schema { error, .. } => error.code(),
            Cause::Setting(_) => "config/bad-setting",
        }
    }

    /// Returns the kind of the engine's error, if that is the cause.
    pub(crate) fn json_kind(&self) -> Option<ErrorKind> {
        match &self.0.cause {
            Cause::Json { error, .. } => Some(error.kind()),
            _ => None,
        }
    }

    /// Returns every finding with its place. At least one.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        match &self.0.cause {
            Cause::Json { error, .. } => vec![Diagnostic::from(error)],
            Cause::Schema { error, .. } => error.diagnostics().to_vec(),
            Cause::Unsure { .. } | Cause::Setting(_) => {
                vec![Diagnostic::new(self.code(), Severity::Error, self.detail()).help(self.hint())]
            }
        }
    }

    /// Returns the error about `text` as other languages show it, with offsets in `unit`.
    #[must_use]
    pub fn row(&self, text: &str, unit: OffsetUnit) -> ErrorRow {
        let diagnostics = self.diagnostics();
        let span = diagnostics.first().and_then(|row| row.span);
        ErrorRow::new(ErrorTopic::Plan, self.code(), self.to_string(), diagnostics)
            .at(span, text, unit)
    }

    /// Returns the report on the text, if it has a value.
    #[must_use]
    pub fn report(&self) -> Option<&Report> {
        match &self.0.cause {
            Cause::Unsure { report, .. } | Cause::Schema { report, .. } => Some(report),
            Cause::Json { .. } | Cause::Setting(_) => None,
        }
    }

    /// Returns the plan that may lack something, if that is the cause.
    #[must_use]
    pub fn unsure_plan(&self) -> Option<&Plan> {
        match &self.0.cause {
            Cause::Unsure { document: Document::Plan(plan), .. } => Some(plan),
            _ => None,
        }
    }

    /// Returns the number of attempts.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        match self.0.attempts {
            Attempts::One | Attempts::NoModel => 1,
            Attempts::Made(attempts) => attempts,
        }
    }

    fn detail(&self) -> String {
        match &self.0.cause {
            Cause::Json { error, .. } => error.to_string(),
            Cause::Unsure { report, .. } => unsure_reason(report, &[]),
            Cause::Schema { error, .. } => error.to_string(),
            Cause::Setting(error) => error.to_string(),
        }
    }
}

impl fmt::Display for PlanningError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail())?;
        match self.0.attempts {
            Attempts::One => Ok(()),
            Attempts::NoModel => f.write_str(" (1 attempt; there is no model to ask again)"),
            Attempts::Made(1) => f.write_str(" (1 attempt)"),
            Attempts::Made(attempts) => write!(f, " ({attempts} attempts)"),
        }
    }
}

impl fmt::Debug for PlanningError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PlanningError({}: {self})", self.code())
    }
}

impl StdError for PlanningError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.0.cause {
            Cause::Json { error, .. } => Some(error),
            Cause::Schema { error, .. } => Some(error),
            Cause::Setting(error) => Some(error),
            Cause::Unsure { .. } => None,
        }
    }
}
