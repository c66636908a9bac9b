//! Named sets of options, including the limits of other systems.

use std::{fmt, str::FromStr};

use llmend_json::{EmphasisInValues, UnknownChoice};

use super::{
    AskOptions, Budget, Ladder, OnExhausted, OnSameFindings, Retries, Strategy, Validation,
};

/// A named set of options: llmend's own, or the limits of a system whose users migrate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Preset {
    /// Two retries: `fields`, then `full`.
    #[default]
    Standard,
    /// `GoMind`: two retries after a parse failure, one after a validation failure. Markdown emphasis
    /// around values is stripped.
    GoMind,
    /// Clickweave's planner: one retry after any failure.
    ClickweavePlanner,
    /// Clickweave's patcher: one retry after any failure. The last patch is returned, marked as
    /// invalid.
    ClickweavePatcher,
    /// Clickweave's assistant by its `max_repair_attempts`: 0 does not validate, 1 validates
    /// without a retry, N retries N − 1 times. The last value is returned, marked as invalid.
    ClickweaveAssistant(u32),
    /// `anton`: two emphatic retries, after answers that are not JSON only.
    Anton,
    /// `OpenManus`: strict or repaired, without a retry.
    OpenManus,
}

/// The differences from [`AskOptions::default`].
struct Row {
    name: &'static str,
    about: &'static str,
    retries: Retries,
    strategies: &'static [Strategy],
    temperature: Option<f64>,
    validation_temperature: Option<f64>,
    answer_tokens: Option<u32>,
    emphasis: EmphasisInValues,
}

impl Row {
    const fn new(
        name: &'static str,
        about: &'static str,
        retries: Retries,
        strategies: &'static [Strategy],
    ) -> Self {
        Self {
            name,
            about,
            retries,
            strategies,
            temperature: None,
            validation_temperature: None,
            answer_tokens: None,
            emphasis: EmphasisInValues::Keep,
        }
    }
}

/// The default number of attempts of the assistant.
const ASSISTANT_ATTEMPTS: u32 = 3;

impl Preset {
    /// Every preset; the assistant with its default number.
    pub const ALL: [Self; 7] = [
        Self::Standard,
        Self::GoMind,
        Self::ClickweavePlanner,
        Self::ClickweavePatcher,
        Self::ClickweaveAssistant(ASSISTANT_ATTEMPTS),
        Self::Anton,
        Self::OpenManus,
    ];

    /// Returns the row of the table.
    const fn row(self) -> Row {
        match self {
            Self::Standard => Row::new(
                "standard",
                "two retries: the parts that do not fit, then the whole answer",
                Retries::of(2),
                &[Strategy::Fields, Strategy::Full],
            ),
            Self::GoMind => Row {
                temperature: Some(0.3),
                validation_temperature: Some(0.2),
                answer_tokens: Some(2_000),
                emphasis: EmphasisInValues::Strip,
                ..Row::new(
                    "gomind",
                    "two retries after parse errors, one after validation errors, always for the whole answer",
                    Retries { total: 3, parsing: 2, validation: 1 },
                    &[Strategy::Full],
                )
            },
            Self::ClickweavePlanner => Row::new(
                "clickweave-planner",
                "one retry after any failure",
                Retries::of(1),
                &[Strategy::Full],
            ),
            Self::ClickweavePatcher => Row::new(
                "clickweave-patcher",
                "one retry after any failure; the last patch is returned, marked as invalid",
                Retries::of(1),
                &[Strategy::Full],
            ),
            Self::ClickweaveAssistant(attempts) => Row::new(
                "clickweave-assistant",
                "a given number of attempts; the last value is returned, marked as invalid",
                Retries::of(attempts.saturating_sub(1)),
                &[Strategy::Full],
            ),
            Self::Anton => {
                let retries = Retries { total: 2, parsing: 2, validation: 0 };
                Row::new(
                    "anton",
                    "two emphatic retries, after answers that are not JSON only",
                    retries,
                    &[Strategy::Emphatic],
                )
            }
            Self::OpenManus => {
                Row::new("openmanus", "strict or repaired, no retry", Retries::of(0), &[])
            }
        }
    }

    /// Returns the name used in flags and configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.row().name
    }

    /// Returns a short description.
    #[must_use]
    pub const fn about(self) -> &'static str {
        self.row().about
    }

    /// Returns the options. All presets but [`Standard`](Self::Standard) continue after the same
    /// findings, as the originals do.
    #[must_use]
    pub fn options(self) -> AskOptions {
        let row = self.row();
        let Row { retries, strategies, answer_tokens, .. } = row;
        let options = AskOptions {
            retries,
            temperature: row.temperature,
            validation_temperature: row.validation_temperature,
            emphasis: row.emphasis,
            ..AskOptions::default()
        };
        let budget = Budget { answer_tokens, ..Budget::default() };
        match self {
            Self::Standard => options,
            Self::ClickweaveAssistant(attempts) => AskOptions {
                ladder: Ladder::of(strategies.iter().copied()),
                on_same_findings: OnSameFindings::GoOn,
                on_exhausted: OnExhausted::HandBack,
                validation: if attempts == 0 { Validation::Off } else { Validation::On },
                ..options
            },
            Self::ClickweavePatcher => AskOptions {
                ladder: Ladder::of(strategies.iter().copied()),
                on_same_findings: OnSameFindings::GoOn,
                on_exhausted: OnExhausted::HandBack,
                ..options
            },
            _ => AskOptions {
                ladder: Ladder::of(strategies.iter().copied()),
                on_same_findings: OnSameFindings::GoOn,
                budget,
                ..options
            },
        }
    }
}

impl AskOptions {
    /// Returns the options of a preset.
    #[must_use]
    pub fn preset(preset: Preset) -> Self {
        preset.options()
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ClickweaveAssistant(attempts) => write!(f, "{}:{attempts}", self.as_str()),
            _ => f.write_str(self.as_str()),
        }
    }
}

/// Parses a name. That of the assistant may be followed by a colon and a number:
/// `clickweave-assistant:5`.
impl FromStr for Preset {
    type Err = UnknownChoice;

    fn from_str(text: &str) -> Result<Self, UnknownChoice> {
        let unknown = || UnknownChoice::new(text, Self::ALL.map(Self::as_str));
        let (name, number) = match text.split_once(':') {
            Some((name, number)) => (name, Some(number.parse::<u32>().map_err(|_| unknown())?)),
            None => (text, None),
        };
        let known = Self::ALL.into_iter().find(|preset| preset.as_str() == name);
        match (known.ok_or_else(unknown)?, number) {
            (Self::ClickweaveAssistant(_), Some(number)) => Ok(Self::ClickweaveAssistant(number)),
            (preset, None) => Ok(preset),
            (_, Some(_)) => Err(unknown()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_carry_the_limits_of_the_originals() {
        // S1-30: two retries after the first failure. S2-13: three attempts in total. S3-07: one retry.
        // S3-18…S3-22: the number of the assistant. S0-46: bounded.
        let rows = [
            ("standard", 2, 2, 2),
            ("gomind", 3, 2, 1),
            ("clickweave-planner", 1, 1, 1),
            ("clickweave-patcher", 1, 1, 1),
            ("clickweave-assistant", 2, 2, 2),
            ("clickweave-assistant:0", 0, 0, 0),
            ("clickweave-assistant:1", 0, 0, 0),
            ("clickweave-assistant:2", 1, 1, 1),
            ("clickweave-assistant:3", 2, 2, 2),
            ("clickweave-assistant:9", 8, 8, 8),
            ("anton", 2, 2, 0),
            ("openmanus", 0, 0, 0),
        ];
        for (name, total, parsing, validation) in rows {
            let options = name.parse::<Preset>().unwrap().options();
            assert_eq!(options.retries, Retries { total, parsing, validation }, "{name}");
            let is_unchecked = options.validation == Validation::Off;
            assert_eq!(is_unchecked, name.ends_with(":0"), "{name}");
        }
        assert_eq!(Preset::Standard.options(), AskOptions::default());
    }

    #[test]
    fn a_preset_is_read_by_its_name() {
        for preset in Preset::ALL {
            assert_eq!(preset.as_str().parse(), Ok(preset));
            assert_eq!(preset.to_string().parse(), Ok(preset));
        }
        for name in ["", "none", "gomind:3", "clickweave-assistant:x", "clickweave-assistant:-1"] {
            assert_eq!(name.parse::<Preset>().unwrap_err().name, name);
        }
    }
}
