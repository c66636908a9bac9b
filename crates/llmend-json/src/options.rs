//! What may be changed, and within which limits?

use std::{fmt, ops::Deref, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{Rule, RuleSet, choice};

choice! {
    /// A set of rules with limits, under a name. From narrow to wide.
    #[derive(Default)]
    #[non_exhaustive]
    Policy {
        /// Strict JSON: the text is one value, and nothing is changed.
        Strict = "strict",
        /// The value is found in the text; nothing in it is changed.
        Extract = "extract",
        /// Extraction, and what the `OpenManus` documents describe: smart quotes as delimiters, `//` and
        /// `/* */` comments, trailing commas, raw line feeds, carriage returns and tabs in strings,
        /// at most one closer, at most 30 % removed.
        Conservative = "conservative",
        /// Everything but the rules that drop or replace finished data.
        #[default]
        Standard = "standard",
        /// Every rule.
        Lenient = "lenient",
    }
}

impl Policy {
    /// What it allows, in one sentence.
    #[must_use]
    pub const fn doc(self) -> &'static str {
        match self {
            Self::Strict => "Strict JSON and nothing else: no extraction, no rule.",
            Self::Extract => "Finds the value in the text and changes nothing in it.",
            Self::Conservative => {
                "Comments, trailing commas, smart quotes, raw line ends and tabs, one missing closer."
            }
            Self::Standard => "Every rule but those that drop or replace finished data.",
            Self::Lenient => "Every rule.",
        }
    }

    /// The rules that it allows.
    #[must_use]
    pub const fn rules(self) -> RuleSet {
        match self {
            Self::Strict | Self::Extract => RuleSet::NONE,
            Self::Conservative => RuleSet::NONE
                .with(Rule::SmartQuotes)
                .with(Rule::LineComment)
                .with(Rule::BlockComment)
                .with(Rule::TrailingComma)
                .with(Rule::RawNewline)
                .with(Rule::RawCarriageReturn)
                .with(Rule::RawTab)
                .with(Rule::MissingCloser),
            Self::Standard => {
                RuleSet::all().without(Rule::StrayText).without(Rule::ExpressionAsText)
            }
            Self::Lenient => RuleSet::all(),
        }
    }
}

/// Nothing has that name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName(pub String);

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a known name", self.0)
    }
}

impl std::error::Error for UnknownName {}

choice! {
    /// Which of several candidates is the answer?
    #[derive(Default)]
    Choice {
        /// The best of the whole text; several equally good ones become an array.
        #[default]
        Best = "best",
        /// The first wrapper, fence or value with members outside of reasoning; a warning tells of
        /// later ones.
        First = "first",
    }
}

choice! {
    /// Whether the value is looked for in the text.
    #[derive(Default)]
    Search {
        /// The value may have prose, fences, tags and reasoning around it.
        #[default]
        On = "on",
        /// The whole text is the value.
        Off = "off",
    }
}

choice! {
    /// Whether Markdown emphasis around a whole string value (`"**Paris**"`) is stripped.
    #[derive(Default)]
    EmphasisInValues {
        /// It is text, and stays.
        #[default]
        Keep = "keep",
        /// It goes, under the rule `emphasis`.
        Strip = "strip",
    }
}

choice! {
    /// What the 30 % guard counts.
    #[derive(Default)]
    Guard {
        /// Lost data: the spans of repairs of class `loss`.
        #[default]
        Loss = "loss",
        /// Every removal, measured against the candidate, as `OpenManus` has it (S0-16).
        Removal = "removal",
    }
}

/// What is known of the value beforehand, as plain data. The engine knows no schema.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hints {
    /// Keys that the value may have, at any depth. They help to see where an unescaped string
    /// ends, and which of several values is the answer.
    pub keys: Vec<String>,
    /// Texts that the value may hold. Where one of them stands without quotes, it is that text,
    /// whatever else it might be.
    pub words: Vec<String>,
    /// What a text is that holds no JSON.
    pub without_json: WithoutJson,
}

choice! {
    /// What a text is that holds no JSON at all.
    #[derive(Default)]
    WithoutJson {
        /// No answer: the error `extract/no-json`.
        #[default]
        NoValue = "no-value",
        /// The value, as one string, if it has no brackets and at most 1,024 bytes, by the rule
        /// `bare-string`. For those who know that the value is a word or a number, and can tell whether
        /// the text says one.
        Text = "text",
    }
}

/// Everything that `parse` and `repair` can be told.
///
/// ```
/// use llmend_json::{Options, Policy, Rule};
///
/// let mut options = Options::policy(Policy::Standard);
/// options.rules = options.rules.without(Rule::BareString);
/// assert!(llmend_json::parse_with("{\"a\": hello}", &options).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// The rules that are allowed.
    pub rules: RuleSet,
    /// Whether the value is looked for in the text.
    pub search: Search,
    /// Which of several candidates is the answer.
    pub choice: Choice,
    /// Whether Markdown emphasis around whole string values goes.
    pub emphasis: EmphasisInValues,
    /// Most levels of nesting. A scalar has none.
    pub max_depth: usize,
    /// Most bytes of text. Never more than `u32::MAX`.
    pub max_bytes: usize,
    /// Most repairs; adjacent ones of one rule count once.
    pub max_repairs: usize,
    /// Most closers that may be added at the end.
    pub max_closers: usize,
    /// What the 30 % guard counts.
    pub guard: Guard,
    /// What is known of the value.
    pub hints: Hints,
}

impl Options {
    /// The options of a policy, with the usual limits.
    #[must_use]
    pub fn policy(policy: Policy) -> Self {
        let conservative = matches!(policy, Policy::Conservative);
        Self {
            rules: policy.rules(),
            search: if matches!(policy, Policy::Strict) { Search::Off } else { Search::On },
            choice: Choice::Best,
            emphasis: EmphasisInValues::Keep,
            max_depth: 512,
            max_bytes: 256 << 20,
            max_repairs: 1 << 20,
            max_closers: if conservative { 1 } else { usize::MAX },
            guard: if conservative { Guard::Removal } else { Guard::Loss },
            hints: Hints::default(),
        }
    }
}

/// Options that are lent for one call, or shared by all that a stream keeps.
#[derive(Clone, Debug)]
pub(crate) enum Settings<'o> {
    Borrowed(&'o Options),
    Shared(Arc<Options>),
}

impl Deref for Settings<'_> {
    type Target = Options;

    #[inline]
    fn deref(&self) -> &Options {
        match self {
            Self::Borrowed(options) => options,
            Self::Shared(options) => options,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::policy(Policy::default())
    }
}
