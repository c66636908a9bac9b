//! Why could no plan be had, and what can be done about it?

use std::{error::Error as StdError, fmt};

use llmend_json::{Diagnostic, ErrorKind, Options, Report, Search, Severity};
use llmend_plan::{Document, Plan};

use crate::{config::BadSetting, metrics::Counter, typed::doubt};

/// The kinds of error of the `OpenManus` planning documents, and one for the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PlanErrorKind {
    /// `JSONRepairFailed`: no value could be had from the text, or only one that may lack
    /// something.
    RepairFailed,
    /// `JSONParseError`: the text is not JSON, and is not to be repaired or cannot be.
    ParseFailed,
    /// `JSONSchemaError`: the value is no plan.
    SchemaFailed,
    /// A variable of the environment does not say what it could.
    BadSetting,
}

/// The stage at which a plan fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Before the text is looked at.
    Settings,
    /// Finding and repairing the JSON.
    Repair,
    /// Reading the JSON.
    Parse,
    /// Reading the plan.
    Schema,
}

impl Stage {
    /// The word for it.
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
    /// The stage at which plans fail that way.
    #[must_use]
    pub const fn stage(self) -> Stage {
        match self {
            Self::RepairFailed => Stage::Repair,
            Self::ParseFailed => Stage::Parse,
            Self::SchemaFailed => Stage::Schema,
            Self::BadSetting => Stage::Settings,
        }
    }

    /// The name of the kind in the `OpenManus` documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RepairFailed => "JSONRepairFailed",
            Self::ParseFailed => "JSONParseError",
            Self::SchemaFailed => "JSONSchemaError",
            Self::BadSetting => "BadSetting",
        }
    }

    /// What can be done about it.
    #[must_use]
    pub const fn hint(self) -> &'static str {
        match self {
            Self::RepairFailed => {
                "Ask the model for one raw JSON object with nothing around it, or switch to strict mode with \
                 LLMEND_REPAIR=0 to see what the model wrote fail as it is."
            }
            Self::ParseFailed => {
                "Ask the model to write the JSON again, strictly; if repairing is switched off, \
                 LLMEND_REPAIR=1 switches it on."
            }
            Self::SchemaFailed => {
                "Show the model the fields of a plan and of a step, and which of them are required; leave out all \
                 others."
            }
            Self::BadSetting => "Set the variable to 1 or 0, or do not set it.",
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

/// What went wrong, with what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cause {
    /// There is no value.
    Json { error: llmend_json::Error, kind: PlanErrorKind },
    /// There is a document, but it may lack something, and the caller asked for no report.
    Unsure { document: Document, report: Report },
    /// There is a value, and it is no plan.
    Schema { error: llmend_plan::Error, report: Report },
    /// The environment is wrong.
    Setting(BadSetting),
}

impl Cause {
    /// An error of the engine, under these options.
    pub(crate) fn json(error: llmend_json::Error, options: &Options) -> Self {
        let kind = match error.kind() {
            ErrorKind::Expression
            | ErrorKind::Ambiguous
            | ErrorKind::Unexpected
            | ErrorKind::UnexpectedEnd => PlanErrorKind::ParseFailed,
            // Nothing was to be found and nothing to be repaired: the text is not JSON.
            _ if options.search == Search::Off && options.rules.is_empty() => {
                PlanErrorKind::ParseFailed
            }
            _ => PlanErrorKind::RepairFailed,
        };
        Self::Json { error, kind }
    }
}

/// How many attempts were made, and who could have been asked for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempts {
    /// One, and no other was spoken of.
    One,
    /// One, since there is no model to ask.
    NoModel,
    /// So many of the same conversation.
    Made(u32),
}

/// No plan could be had: the one error of all planning functions.
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

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> PlanErrorKind {
        match &self.0.cause {
            Cause::Json { kind, .. } => *kind,
            Cause::Unsure { .. } => PlanErrorKind::RepairFailed,
            Cause::Schema { .. } => PlanErrorKind::SchemaFailed,
            Cause::Setting(_) => PlanErrorKind::BadSetting,
        }
    }

    /// What can be done about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match &self.0.cause {
            Cause::Unsure { report, .. } if report.truncated() => {
                "Raise the token limit or ask the model to go on; `parse_plan_payload` gives the plan as far as it goes."
            }
            // The engine's own advice is about this very text.
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

    /// The stable code of the cause, such as `extract/no-json` or `plan/unreadable`.
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

    /// Every problem that was found, with its place. At least one.
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

    /// What was done to the text, if a value came of it.
    #[must_use]
    pub fn report(&self) -> Option<&Report> {
        match &self.0.cause {
            Cause::Unsure { report, .. } | Cause::Schema { report, .. } => Some(report),
            Cause::Json { .. } | Cause::Setting(_) => None,
        }
    }

    /// The plan that may lack something, if that is the trouble.
    #[must_use]
    pub fn unsure_plan(&self) -> Option<&Plan> {
        match &self.0.cause {
            Cause::Unsure { document: Document::Plan(plan), .. } => Some(plan),
            _ => None,
        }
    }

    /// How many texts were tried.
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
            Cause::Unsure { report, .. } => doubt(report, &[]),
            Cause::Schema { error, .. } => error.to_string(),
            Cause::Setting(error) => error.to_string(),
        }
    }
}

impl fmt::Display for PlanningError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind().as_str(), self.detail())?;
        match self.0.attempts {
            Attempts::One => Ok(()),
            Attempts::NoModel => {
                f.write_str("; one attempt was made, for a retry asks the model again, and there is none to ask")
            }
            Attempts::Made(1) => f.write_str("; one attempt was made"),
            Attempts::Made(attempts) => write!(f, "; {attempts} attempts were made"),
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
