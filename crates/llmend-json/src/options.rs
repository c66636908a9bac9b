//! Options of extraction and repair, and the policies that name sets of them.

use std::{ops::Deref, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{Class, Rule, RuleSet, choice};

choice! {
    /// A named set of rules and limits, from narrow to wide.
    #[derive(Default)]
    #[non_exhaustive]
    Policy {
        /// Strict JSON: the whole text is one value, and nothing is repaired.
        Strict = "strict",
        /// Finds the value in the text and repairs nothing.
        Extract = "extract",
        /// Extraction and the repairs of `OpenManus`: smart quotes as delimiters, `//` and `/* */`
        /// comments, trailing commas, raw line feeds, carriage returns and tabs in strings, at most
        /// one missing closing bracket, at most 30 % removed.
        Conservative = "conservative",
        /// All rules except those that remove or replace complete data.
        #[default]
        Standard = "standard",
        /// All rules.
        Lenient = "lenient",
    }
}

impl Policy {
    /// Returns a description in one sentence.
    #[must_use]
    pub const fn doc(self) -> &'static str {
        match self {
            Self::Strict => "Accepts strict JSON only: no extraction, no repair.",
            Self::Extract => "Finds the value in the text and repairs nothing.",
            Self::Conservative => {
                "Repairs comments, trailing commas, smart quotes, raw newlines, one missing bracket."
            }
            Self::Standard => "Allows all rules except those that remove or replace complete data.",
            Self::Lenient => "Allows all rules.",
        }
    }

    /// Returns the rules that the policy allows.
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

choice! {
    /// Which of several candidates is the answer.
    #[derive(Default)]
    Choice {
        /// The best candidate of the whole text; several equally good ones become an array.
        #[default]
        Best = "best",
        /// The first wrapped value or value with members outside of reasoning, or a list of several
        /// items with which the text or the answer behind reasoning begins. Later ones are reported as warnings.
        First = "first",
        /// The last wrapped value or value with members outside of reasoning. Earlier ones are
        /// reported as warnings.
        Last = "last",
        /// Every value outside of reasoning, in order, as an array, also of a single one. A record
        /// on a line of its own that cannot be read is handled by
        /// [`on_bad_item`](Options::on_bad_item).
        All = "all",
    }
}

choice! {
    /// Whether the value is searched for in the text.
    #[derive(Default)]
    Search {
        /// The value may be surrounded by prose, code fences, tags and reasoning.
        #[default]
        On = "on",
        /// The whole text is the value. With [`WithoutJson::Text`] it may also be words.
        Off = "off",
    }
}

choice! {
    /// What is done with an item of a list that cannot be read, or does not fit a schema.
    #[derive(Default)]
    OnBadItem {
        /// It is an error, or a violation.
        #[default]
        Fail = "fail",
        /// It is removed: by the rule `unreadable-item`, or as the coercion `dropped-item`. Items of
        /// `prefixItems` stay, since the items after them would move into their places.
        Drop = "drop",
        /// It is replaced by null: by the rule `unreadable-item`, or, where null is allowed, as the
        /// coercion `nulled-item`.
        Null = "null",
    }
}

choice! {
    /// Whether Markdown emphasis around a whole string value (`"**Paris**"`) is stripped.
    #[derive(Default)]
    EmphasisInValues {
        /// Keeps it as text.
        #[default]
        Keep = "keep",
        /// Removes it, under the rule `emphasis`.
        Strip = "strip",
    }
}

choice! {
    /// What the 30 % guard counts.
    #[derive(Default)]
    Guard {
        /// Lost data: the spans of repairs of class `loss`, in bytes.
        #[default]
        Loss = "loss",
        /// All removed characters less the added ones, as `OpenManus` does.
        Removal = "removal",
    }
}

/// What the caller knows about the value, as plain data. The engine knows no schema.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hints {
    /// Keys that the value may have at any depth. They help to find the end of an unescaped string
    /// and to choose among several values.
    pub keys: Vec<String>,
    /// Strings that the value may contain. An unquoted word equal to one of them is read as that
    /// string.
    pub words: Vec<String>,
    /// How a text without JSON is read.
    pub without_json: WithoutJson,
}

choice! {
    /// How a text without any JSON is read.
    #[derive(Default)]
    WithoutJson {
        /// As the error `extract/no-json`.
        #[default]
        NoValue = "no-value",
        /// As one string by the rule `bare-string`, if the text has no brackets and at most 1,024
        /// bytes. For callers that expect a single word or number.
        Text = "text",
    }
}

/// The options of [`parse_with`](crate::parse_with) and [`repair_with`](crate::repair_with).
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
    /// The allowed rules.
    pub rules: RuleSet,
    /// Whether the value is searched for in the text.
    pub search: Search,
    /// Which of several candidates is the answer.
    pub choice: Choice,
    /// Whether Markdown emphasis around whole string values is stripped.
    pub emphasis: EmphasisInValues,
    /// What is done with an item of a list that cannot be read, and whose end is certain. In a
    /// stream, an item is then shown once it is complete.
    pub on_bad_item: OnBadItem,
    /// Maximum nesting depth. A scalar has depth 0.
    pub max_depth: usize,
    /// Maximum length of the text in bytes, always below `u32::MAX`.
    pub max_bytes: usize,
    /// Maximum number of repairs in the first 4 MiB of the text. Each further 4 MiB may have as many
    /// again. Adjacent repairs by one rule count once.
    pub max_repairs: usize,
    /// Maximum number of closing brackets added at the end.
    pub max_closers: usize,
    /// What the 30 % guard counts.
    pub guard: Guard,
    /// Worst class of the repairs and of the choice of the value. A text that needs a worse one is
    /// refused.
    pub max_class: Class,
    /// What the caller knows about the value.
    pub hints: Hints,
}

impl Options {
    /// Returns the options of a policy with the default limits.
    #[must_use]
    pub fn policy(policy: Policy) -> Self {
        let conservative = matches!(policy, Policy::Conservative);
        Self {
            rules: policy.rules(),
            search: if matches!(policy, Policy::Strict) { Search::Off } else { Search::On },
            choice: Choice::Best,
            emphasis: EmphasisInValues::Keep,
            on_bad_item: OnBadItem::Fail,
            max_depth: 512,
            max_bytes: 256 << 20,
            max_repairs: 1 << 20,
            max_closers: if conservative { 1 } else { usize::MAX },
            guard: if conservative { Guard::Removal } else { Guard::Loss },
            max_class: Class::Loss,
            hints: Hints::default(),
        }
    }
}

/// Options borrowed for one call, or shared by the parts of a stream.
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
