//! In which ways can a model be asked again?
//!
//! One table: a rung says when it can be used, what is asked, and how the answer becomes a whole one.

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

/// A way of asking again.
pub(crate) struct Row {
    /// Whether it can be used of this failure.
    pub(crate) applies: fn(&dyn Topic, &Failed) -> bool,
    /// What is asked.
    pub(crate) question: fn(&dyn Topic, &Task, &Failed, Turn) -> Question,
    /// What the answer makes, together with what there was before.
    pub(crate) join: fn(&dyn Topic, &Failed, &str, Ending) -> Result<Joined, Misfit>,
}

/// Makes the table of rungs: the enum and what each is.
macro_rules! rungs {
    ($($(#[doc = $doc:literal])+ $rung:ident = $name:literal, $row:expr;)+) => {
        /// A way of asking again, one an attempt.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum Rung {
            $($(#[doc = $doc])+ $rung,)+
        }

        impl Rung {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$rung,)+];

            /// The name that flags, ledgers and reports use.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$rung => $name,)+
                }
            }

            /// What it does, in one sentence.
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
    /// Only the parts that do not fit are asked for, each with its part of the schema, and put in their places.
    Fields = "fields", fields::ROW;
    /// A patch is asked for, planned before it is written, and applied.
    Patch = "patch", patch::ROW;
    /// The whole is asked for again, with everything that was found.
    Full = "full", full::ROW;
    /// The whole is asked for again, with a numbered notice in front of everything else.
    Emphatic = "emphatic", emphatic::ROW;
    /// The rest of an answer that was cut off is asked for, and put behind it.
    Continue = "continue", continue_on::ROW;
    /// The whole is asked of the next model.
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

/// Which rung comes after which.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ladder {
    /// The rung of each retry, in order; the last one goes on. Where a rung cannot be used of a
    /// failure, and where there is none, it is [`Rung::Full`].
    pub rungs: Vec<Rung>,
    /// The rung of an answer that was cut off, where it is another one.
    pub on_cut: Option<Rung>,
    /// The rung of the last retry that a failure of its family may have, where it is another one. With
    /// [`Rung::Escalate`] and no further model, it is [`Rung::Full`].
    pub on_last: Option<Rung>,
}

impl Default for Ladder {
    /// `fields`, then `full`; `continue` for an answer that was cut off.
    fn default() -> Self {
        Self { rungs: vec![Rung::Fields, Rung::Full], on_cut: Some(Rung::Continue), on_last: None }
    }
}

impl Ladder {
    /// A ladder of these rungs, whatever was wrong.
    #[must_use]
    pub fn of(rungs: impl IntoIterator<Item = Rung>) -> Self {
        Self { rungs: rungs.into_iter().collect(), on_cut: None, on_last: None }
    }

    /// The rung of the retry `number`, counted from 0, before it is asked whether it can be used.
    pub(crate) fn rung(&self, number: u32, kind: FailureKind) -> Rung {
        if let Some(rung) = self.on_cut.filter(|_| kind == FailureKind::Truncation) {
            return rung;
        }
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        self.rungs.get(number).or(self.rungs.last()).copied().unwrap_or(Rung::Full)
    }
}
