//! Options of the loop.

use std::str::FromStr;

use llmend_json::{EmphasisInValues, UnknownChoice, choice};
use serde::{Deserialize, Serialize};

use super::{Budget, Ladder, Retries};

choice! {
    /// Whether a value is validated against the schema or the rules of plans.
    #[derive(Default)]
    Validation {
        /// It is validated.
        #[default]
        On = "on",
        /// It is not validated: a value that could be read is returned as unchecked.
        Off = "off",
    }
}

choice! {
    /// What to do after the same findings twice in a row.
    #[derive(Default)]
    OnSameFindings {
        /// Stop, unless the next strategy asks another model.
        #[default]
        Stop = "stop",
        /// Ask again, as often as allowed.
        GoOn = "go-on",
    }
}

choice! {
    /// What to do with the last value if none can be used.
    #[derive(Default)]
    OnExhausted {
        /// Return an error.
        #[default]
        Fail = "fail",
        /// Return it, marked as invalid.
        HandBack = "hand-back",
    }
}

/// What a ledger keeps of each answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// The text, clipped to this many bytes.
    Text(usize),
    /// A hash that distinguishes texts. It does not hide a text from somebody who can guess it, and
    /// findings contain pieces of the text all the same.
    Hash,
}

impl FromStr for Keep {
    type Err = UnknownChoice;

    fn from_str(word: &str) -> Result<Self, UnknownChoice> {
        let unknown = || UnknownChoice::new(word, ["a number of bytes", "hash"]);
        match word {
            "hash" => Ok(Self::Hash),
            most => most.parse().map(Self::Text).map_err(|_| unknown()),
        }
    }
}

impl Default for Keep {
    /// 2,000 bytes of text.
    fn default() -> Self {
        Self::Text(2_000)
    }
}

choice! {
    /// Whether traces contain requests and answers.
    #[derive(Default)]
    Content {
        /// They do not: names, numbers and codes only.
        #[default]
        Hidden = "hidden",
        /// They do, verbatim.
        Logged = "logged",
    }
}

/// What is asked of the models after the first, in place of what the options say for it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FurtherModel {
    /// In place of [`AskOptions::temperature`].
    pub temperature: Option<f64>,
    /// In place of [`AskOptions::validation_temperature`].
    pub validation_temperature: Option<f64>,
    /// In place of [`AskOptions::system`].
    pub system: Option<String>,
    /// In place of [`Budget::answer_tokens`].
    pub answer_tokens: Option<u32>,
}

/// All options of the loop.
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
    /// Limits of retries.
    pub retries: Retries,
    /// Strategies of retries.
    pub ladder: Ladder,
    /// Limits of tokens, cost and time.
    pub budget: Budget,
    /// Whether values are validated.
    pub validation: Validation,
    /// What to do after the same findings twice in a row.
    pub on_same_findings: OnSameFindings,
    /// What to do with the last value if none can be used.
    pub on_exhausted: OnExhausted,
    /// What the ledger keeps of each answer.
    pub keep: Keep,
    /// The sampling temperature: see [`ChatRequest::temperature`](crate::model::ChatRequest).
    pub temperature: Option<f64>,
    /// The sampling temperature of a retry after a value that is not what was asked for
    /// ([`Family::Validation`](super::Family)), if it differs.
    pub validation_temperature: Option<f64>,
    /// The maximum size of the failed answer, and of the excerpts of the schema or catalog, that a
    /// model is shown, in bytes.
    pub shown: usize,
    /// Whether traces contain requests and answers.
    pub content: Content,
    /// Whether Markdown emphasis around whole string values of a plan is stripped, also where the
    /// options for reading keep it.
    #[serde(default)]
    pub emphasis: EmphasisInValues,
    /// Instructions of the caller before those of llmend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// What differs for the models after the first. `None` if nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub further: Option<FurtherModel>,
}

impl AskOptions {
    /// Returns the options for the models after the first alone.
    #[must_use]
    pub fn for_further(&self) -> Self {
        let mut options = self.clone();
        if let Some(further) = options.further.take() {
            options.temperature = further.temperature;
            options.validation_temperature = further.validation_temperature;
            options.system = further.system;
            options.budget.answer_tokens = further.answer_tokens;
        }
        options
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
            emphasis: EmphasisInValues::default(),
            system: None,
            further: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AskOptions, Content, Keep, OnExhausted, OnSameFindings, Validation};
    use crate::asking::Preset;
    use crate::asking::Strategy;

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
        assert_eq!(
            error.to_string(),
            "unknown value `all`, expected one of: a number of bytes, hash"
        );
    }

    #[test]
    fn options_that_were_kept_are_the_same_again() {
        for preset in Preset::ALL {
            let mut options = AskOptions::preset(preset);
            options.keep = Keep::Hash;
            options.budget.time = Some(std::time::Duration::from_millis(1_500));
            options.budget.cost = Some(u64::MAX);
            options.ladder.on_last = Some(Strategy::Escalate);
            options.validation_temperature = Some(0.3);
            let kept = serde_json::to_string(&options).unwrap();
            assert_eq!(serde_json::from_str::<AskOptions>(&kept).unwrap(), options, "{kept}");
        }
    }
}
