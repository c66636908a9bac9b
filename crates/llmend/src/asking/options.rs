//! How is a model asked, and when again?

use std::str::FromStr;

use llmend_json::{UnknownChoice, choice};
use serde::{Deserialize, Serialize};

use super::{Budget, Ladder, Preset, Retries};

choice! {
    /// Whether what comes of an answer is held against the schema or the rules of plans.
    #[derive(Default)]
    Validation {
        /// It is.
        #[default]
        On = "on",
        /// It is not: a value that could be read is handed over as unchecked.
        Off = "off",
    }
}

choice! {
    /// What becomes of the same findings twice in a row.
    #[derive(Default)]
    OnSameFindings {
        /// Nothing more is asked, unless the next rung asks another model.
        #[default]
        Stop = "stop",
        /// The model is asked again, as often as it may be.
        GoOn = "go-on",
    }
}

choice! {
    /// What becomes of the last value if none can be used.
    #[derive(Default)]
    OnExhausted {
        /// There is an error.
        #[default]
        Fail = "fail",
        /// It is handed over, marked as invalid.
        HandBack = "hand-back",
    }
}

/// What a ledger keeps of each answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// Its text, clipped to this many bytes.
    Text(usize),
    /// A hash that tells equal texts apart from others. It does not hide what the text says from
    /// somebody who can guess it, and findings hold pieces of the text all the same.
    Hash,
}

impl FromStr for Keep {
    type Err = UnknownChoice;

    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        let unknown =
            || UnknownChoice { name: word.to_owned(), known: &["a number of bytes", "hash"] };
        match word {
            "hash" => Ok(Self::Hash),
            most => most.parse().map(Self::Text).map_err(|_| unknown()),
        }
    }
}

impl Default for Keep {
    /// 2,000 bytes.
    fn default() -> Self {
        Self::Text(2_000)
    }
}

choice! {
    /// Whether a trace holds what was asked and answered.
    #[derive(Default)]
    Content {
        /// It does not: names, numbers and codes alone.
        #[default]
        Hidden = "hidden",
        /// It does, word for word.
        Logged = "logged",
    }
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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

#[cfg(test)]
mod tests {
    use super::{AskOptions, Content, Keep, OnExhausted, OnSameFindings, Preset, Validation};
    use crate::asking::Rung;

    #[test]
    fn every_choice_is_read_by_its_name() {
        macro_rules! each {
            ($($name:ident),+) => {$(
                for choice in $name::ALL {
                    assert_eq!(choice.as_str().parse(), Ok(choice));
                }
                assert_eq!($name::ALL.first(), Some(&$name::default()));
            )+};
        }
        each!(Content, OnExhausted, OnSameFindings, Validation);
    }

    #[test]
    fn what_is_kept_of_answers_is_a_number_of_bytes_or_a_hash() {
        assert_eq!("80".parse(), Ok(Keep::Text(80)));
        assert_eq!("hash".parse(), Ok(Keep::Hash));
        let error = "all".parse::<Keep>().unwrap_err();
        assert_eq!(error.to_string(), "unknown value `all`, expected one of: a number of bytes, hash");
    }

    #[test]
    fn options_that_were_kept_are_the_same_again() {
        for preset in Preset::ALL {
            let mut options = AskOptions::preset(preset);
            options.keep = Keep::Hash;
            options.budget.time = Some(std::time::Duration::from_millis(1_500));
            options.budget.cost = Some(u64::MAX);
            options.ladder.on_last = Some(Rung::Escalate);
            options.validation_temperature = Some(0.3);
            let kept = serde_json::to_string(&options).unwrap();
            assert_eq!(serde_json::from_str::<AskOptions>(&kept).unwrap(), options, "{kept}");
        }
    }
}
