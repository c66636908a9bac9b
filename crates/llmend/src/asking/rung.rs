//! Retry strategies and the ladder that orders them.
//!
//! One table: when a strategy applies, what it asks for, and how its answer is merged.

use std::{fmt, str::FromStr};

use llmend_json::UnknownName;
use serde::{Deserialize, Serialize};

use super::{
    Failed, FailureKind, Task, Topic,
    question::{Joined, Misfit, Question, Turn},
    subject::Ending,
};

mod continue_on;
mod emphatic;
mod escalate;
mod fields;
mod full;
mod patch;

/// The functions of a strategy.
pub(crate) struct Row {
    /// Returns whether the strategy applies to this failure.
    pub(crate) applies: fn(&dyn Topic, &Failed) -> bool,
    /// Builds the request.
    pub(crate) question: fn(&dyn Topic, &Task, &Failed, Turn) -> Question,
    /// Merges the answer with the earlier one.
    pub(crate) join: fn(&dyn Topic, &Failed, &str, Ending) -> Result<Joined, Misfit>,
}

/// Generates the table of strategies: the enum and the row of each.
macro_rules! rungs {
    ($($(#[doc = $doc:literal])+ $rung:ident = $name:literal, $row:expr;)+) => {
        /// A retry strategy: how the next attempt asks.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum Rung {
            $($(#[doc = $doc])+ $rung,)+
        }

        impl Rung {
            /// Every strategy.
            pub const ALL: &'static [Self] = &[$(Self::$rung,)+];

            /// Returns the name used in flags, ledgers and reports.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$rung => $name,)+
                }
            }

            /// Returns a one-sentence description.
            #[must_use]
            pub fn doc(self) -> &'static str {
                match self {
                    $(Self::$rung => concat!($($doc),+).trim_start(),)+
                }
            }

            pub(crate) const fn row(self) -> &'static Row {
                match self {
                    $(Self::$rung => &$row,)+
                }
            }
        }
    };
}

rungs! {
    /// Asks only for the parts that do not fit, each with its part of the schema, and merges them.
    Fields = "fields", fields::ROW;
    /// Asks for a patch, planned before it is written, and applies it.
    Patch = "patch", patch::ROW;
    /// Asks for the whole answer again, with every finding.
    Full = "full", full::ROW;
    /// Asks for the whole answer again, with a numbered notice before everything else.
    Emphatic = "emphatic", emphatic::ROW;
    /// Asks for the rest of a cut-off answer, and appends it.
    Continue = "continue", continue_on::ROW;
    /// Asks the next model for the whole answer.
    Escalate = "escalate", escalate::ROW;
}

impl fmt::Display for Rung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Rung {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let known = Self::ALL.iter().copied().find(|rung| rung.as_str() == name);
        known.ok_or_else(|| UnknownName(name.to_owned()))
    }
}

/// The order of retry strategies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ladder {
    /// The strategy of each retry, in order; the last one repeats. [`Strategy::Full`] replaces a
    /// strategy that does not apply, and an empty list.
    pub rungs: Vec<Rung>,
    /// The strategy after a cut-off answer, if it differs.
    pub on_cut: Option<Rung>,
    /// The strategy of the last retry allowed after a failure of its family, if it differs.
    /// [`Strategy::Escalate`] without a further model becomes [`Strategy::Full`].
    pub on_last: Option<Rung>,
}

impl Default for Ladder {
    /// `fields`, then `full`; `continue` after a cut-off answer.
    fn default() -> Self {
        Self { rungs: vec![Rung::Fields, Rung::Full], on_cut: Some(Rung::Continue), on_last: None }
    }
}

impl Ladder {
    /// Creates a ladder of these strategies for every failure.
    #[must_use]
    pub fn of(rungs: impl IntoIterator<Item = Rung>) -> Self {
        Self { rungs: rungs.into_iter().collect(), on_cut: None, on_last: None }
    }

    /// Returns the strategy of the retry `number`, from 0, without checking whether it applies.
    pub(crate) fn rung(&self, number: u32, kind: FailureKind) -> Rung {
        if let Some(rung) = self.on_cut.filter(|_| kind == FailureKind::Truncation) {
            return rung;
        }
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        self.rungs.get(number).or(self.rungs.last()).copied().unwrap_or(Rung::Full)
    }
}
