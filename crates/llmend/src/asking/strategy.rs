//! Retry strategies and the ladder that orders them.

use std::{fmt, str::FromStr};

use llmend_json::UnknownChoice;
use serde::{Deserialize, Serialize};

use super::FailureKind;

/// Generates the table of strategies: the enum, names and descriptions.
macro_rules! strategies {
    ($($(#[doc = $doc:literal])+ $strategy:ident = $name:literal;)+) => {
        /// A retry strategy: how the next attempt asks.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum Strategy {
            $($(#[doc = $doc])+ $strategy,)+
        }

        impl Strategy {
            /// Every strategy.
            pub const ALL: &'static [Self] = &[$(Self::$strategy,)+];

            /// Returns the name used in flags, ledgers and reports.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$strategy => $name,)+
                }
            }

            /// Returns a one-sentence description.
            #[must_use]
            pub fn doc(self) -> &'static str {
                match self {
                    $(Self::$strategy => concat!($($doc),+).trim_start(),)+
                }
            }
        }
    };
}

strategies! {
    /// Asks only for the parts that do not fit, each with its part of the schema, and merges them.
    Fields = "fields";
    /// Asks for a patch, planned before it is written, and applies it.
    Patch = "patch";
    /// Asks for the whole answer again, with every finding.
    Full = "full";
    /// Asks for the whole answer again, with a numbered notice before everything else.
    Emphatic = "emphatic";
    /// Asks for the rest of a cut-off answer, and appends it.
    Continue = "continue";
    /// Asks the next model for the whole answer.
    Escalate = "escalate";
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Strategy {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, UnknownChoice> {
        UnknownChoice::find(name, Self::ALL, Self::as_str)
    }
}

/// The order of retry strategies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ladder {
    /// The strategy of each retry, in order; the last one repeats. [`Strategy::Full`] replaces a
    /// strategy that does not apply, and an empty list.
    pub strategies: Vec<Strategy>,
    /// The strategy after a cut-off answer, if it differs.
    pub on_cut: Option<Strategy>,
    /// The strategy of the last retry allowed after a failure of its family, if it differs.
    /// [`Strategy::Escalate`] without a further model becomes [`Strategy::Full`].
    pub on_last: Option<Strategy>,
}

impl Default for Ladder {
    /// `fields`, then `full`; `continue` after a cut-off answer.
    fn default() -> Self {
        Self {
            strategies: vec![Strategy::Fields, Strategy::Full],
            on_cut: Some(Strategy::Continue),
            on_last: None,
        }
    }
}

impl Ladder {
    /// Creates a ladder of these strategies for every failure.
    #[must_use]
    pub fn of(strategies: impl IntoIterator<Item = Strategy>) -> Self {
        Self { strategies: strategies.into_iter().collect(), on_cut: None, on_last: None }
    }

    /// Returns the strategy of the retry `number`, from 0, without checking whether it applies.
    pub(crate) fn strategy(&self, number: u32, kind: FailureKind) -> Strategy {
        if let Some(strategy) = self.on_cut.filter(|_| kind == FailureKind::Truncation) {
            return strategy;
        }
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        self.strategies.get(number).or(self.strategies.last()).copied().unwrap_or(Strategy::Full)
    }
}
