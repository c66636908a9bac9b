//! What may be repaired, and within which limits.

use clap::{
    Arg, Command,
    builder::{PossibleValue, StringValueParser, TypedValueParser},
    error::{ContextKind, ContextValue, ErrorKind},
};
use llmend::{
    config::Configuration,
    json::{
        Choice, Class, EmphasisInValues, OnBadItem, Options, Policy, Rule, Search, WithoutJson,
    },
};

use super::choice;
use crate::{
    configuration::load,
    engine::{Engine, disabled_by},
    exit::UsageError,
    render::meaning,
};

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Repairs")]
pub(crate) struct EngineFlags {
    /// The rules that may repair the text; coercions are separate
    #[arg(long, value_name = "POLICY", default_value = Policy::Standard.as_str(), value_parser = policies())]
    policy: Policy,
    /// Which value to take if the text has several
    #[arg(long, value_name = "CHOICE", default_value = Choice::Best.as_str(), value_parser = choices())]
    choice: Choice,
    /// Enable a rule (repeatable, comma-separated); see `llmend rules`
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = RuleParser, hide_possible_values = true)]
    rule: Vec<Rule>,
    /// Disable a rule (repeatable, comma-separated)
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = RuleParser, hide_possible_values = true)]
    no_rule: Vec<Rule>,
    /// Read the whole text as the value, also a single word or number, and search for nothing
    #[arg(long)]
    whole: bool,
    /// The worst class of repair and coercion to allow; see `llmend rules` and `llmend coercions`
    #[arg(long, value_name = "CLASS", default_value = Class::Loss.as_str(), value_parser = classes())]
    max_class: Class,
    /// What to do with a list item that cannot be read, or does not fit the schema
    #[arg(long, value_name = "ACTION", default_value = OnBadItem::Fail.as_str(), value_parser = on_bad_item())]
    on_bad_item: OnBadItem,
    /// Strip Markdown emphasis around whole values, as in "**Paris**"
    #[arg(long)]
    emphasis: bool,
    #[command(flatten)]
    limits: LimitFlags,
}

/// Limits on the input.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LimitFlags {
    /// The maximum nesting depth
    #[arg(long, value_name = "LEVELS", default_value_t = Options::default().max_depth)]
    max_depth: usize,
    /// The maximum length of the text in bytes
    #[arg(long, value_name = "BYTES", default_value_t = default_max_bytes(), value_parser = clap::value_parser!(u32).range(1..))]
    max_bytes: u32,
}

impl LimitFlags {
    /// Sets these limits in `options`.
    fn within(&self, mut options: Options) -> Options {
        options.max_depth = self.max_depth;
        options.max_bytes = usize::try_from(self.max_bytes).unwrap_or(usize::MAX);
        options
    }

    /// Returns an engine that reads strict JSON and repairs nothing.
    pub(crate) fn strict(&self) -> Engine {
        Engine { options: self.within(Options::policy(Policy::Strict)), disabled_by: None }
    }
}

impl EngineFlags {
    /// Returns the engine for these flags and the settings.
    ///
    /// A setting that switches repair off wins over every flag: it is meant for cases where nobody can
    /// change the command line.
    pub(crate) fn engine(&self) -> Result<Engine, UsageError> {
        self.engine_with(&load([])?)
    }

    /// Returns the engine for these flags and settings that were read already.
    pub(crate) fn engine_with(&self, found: &Configuration) -> Result<Engine, UsageError> {
        if let Some(rule) = self.rule.iter().find(|rule| self.no_rule.contains(rule)) {
            return Err(format!("rule '{rule}' is given to both '--rule' and '--no-rule'").into());
        }
        let disabled_by = disabled_by(found);
        let mut options =
            Options::policy(if disabled_by.is_some() { Policy::Strict } else { self.policy });
        if disabled_by.is_none() {
            options.rules = self.rule.iter().fold(options.rules, |set, rule| set.with(*rule));
            options.rules = self.no_rule.iter().fold(options.rules, |set, rule| set.without(*rule));
            options.choice = self.choice;
            options.max_class = self.max_class;
            options.on_bad_item = self.on_bad_item;
            if self.whole {
                (options.search, options.hints.without_json) = (Search::Off, WithoutJson::Text);
            }
            if self.emphasis {
                options.emphasis = EmphasisInValues::Strip;
            }
        }
        Ok(Engine { options: self.limits.within(options), disabled_by })
    }
}

fn default_max_bytes() -> u32 {
    u32::try_from(Options::default().max_bytes).unwrap_or(u32::MAX)
}

fn policies() -> impl TypedValueParser<Value = Policy> {
    choice(Policy::ALL.map(|policy| (policy.as_str(), policy.doc())))
}

fn classes() -> impl TypedValueParser<Value = Class> {
    choice(Class::ALL.map(|class| (class.as_str(), meaning(class))))
}

fn on_bad_item() -> impl TypedValueParser<Value = OnBadItem> {
    choice([
        (OnBadItem::Fail.as_str(), "Refuse the text, or report a violation"),
        (OnBadItem::Drop.as_str(), "Remove the item if its end is certain, and report its place"),
        (
            OnBadItem::Null.as_str(),
            "Replace the item by null, where the schema allows that, and report its place",
        ),
    ])
}

fn choices() -> impl TypedValueParser<Value = Choice> {
    choice([
        (
            Choice::Best.as_str(),
            "The best value of the whole text; an array if several are equally good",
        ),
        (
            Choice::First.as_str(),
            "The first wrapper, code block or value with members; later ones cause a warning",
        ),
        (
            Choice::Last.as_str(),
            "The last wrapper, code block or value with members; earlier ones cause a warning",
        ),
        (
            Choice::All.as_str(),
            "Every value in order, as an array: records on lines, code blocks, documents in a row",
        ),
    ])
}

/// Parses the name of a rule. The error suggests the nearest name instead of listing all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuleParser;

impl TypedValueParser for RuleParser {
    type Value = Rule;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Rule, clap::Error> {
        let name = StringValueParser::new().parse_ref(command, arg, value)?;
        name.parse::<Rule>().map_err(|unknown| {
            let mut error = clap::Error::new(ErrorKind::InvalidValue).with_cmd(command);
            if let Some(arg) = arg {
                error.insert(ContextKind::InvalidArg, ContextValue::String(arg.to_string()));
            }
            if let Some(rule) = unknown.nearest {
                error.insert(ContextKind::SuggestedValue, ContextValue::String(rule.to_string()));
            }
            error.insert(ContextKind::InvalidValue, ContextValue::String(name));
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Rule::ALL.iter().map(|rule| PossibleValue::new(rule.name()))))
    }
}
