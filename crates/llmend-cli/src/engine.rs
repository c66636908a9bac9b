//! Which options does the engine get from the command line?

use clap::{
    Arg, Command,
    builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser},
    error::{ContextKind, ContextValue, ErrorKind},
};
use llmend::{
    config::{Configuration, Repairing, Setting},
    json::{Choice, EmphasisInValues, Options, Policy, Rule},
};

use crate::{arguments::Arguments, configuration::load};

/// What may be changed, and within which limits.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "What may be changed")]
pub(crate) struct EngineArguments {
    /// The rules by which the text may be mended; coercions are not among them
    #[arg(long, value_name = "POLICY", default_value = Policy::Standard.as_str(), value_parser = policies())]
    policy: Policy,
    /// Which of several values in the text is the answer
    #[arg(long, value_name = "CHOICE", default_value = Choice::Best.as_str(), value_parser = choices())]
    choice: Choice,
    /// Allow a rule as well; again for more, or with commas. `llmend rules` lists them
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = RuleParser, hide_possible_values = true)]
    rule: Vec<Rule>,
    /// Forbid a rule; again for more, or with commas
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = RuleParser, hide_possible_values = true)]
    no_rule: Vec<Rule>,
    /// Strip Markdown emphasis around whole values, as in "**Paris**"
    #[arg(long)]
    emphasis: bool,
    #[command(flatten)]
    limits: LimitArguments,
}

/// How much of a text is read.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LimitArguments {
    /// Most levels of nesting
    #[arg(long, value_name = "LEVELS", default_value_t = Options::default().max_depth)]
    max_depth: usize,
    /// Most bytes of text
    #[arg(long, value_name = "BYTES", default_value_t = default_max_bytes(), value_parser = clap::value_parser!(u32).range(1..))]
    max_bytes: u32,
}

impl LimitArguments {
    /// `options` within these limits.
    fn within(&self, mut options: Options) -> Options {
        options.max_depth = self.max_depth;
        options.max_bytes = usize::try_from(self.max_bytes).unwrap_or(usize::MAX);
        options
    }

    /// An engine that reads strict JSON and changes nothing.
    pub(crate) fn strict(&self) -> Engine {
        Engine { options: self.within(Options::policy(Policy::Strict)), switched_off: None }
    }
}

/// The options, and what overrode the command line.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    /// What the library is told.
    pub(crate) options: Options,
    /// What switched repair off, if something did: a variable, or a place in a file.
    pub(crate) switched_off: Option<String>,
}

impl EngineArguments {
    /// The options that the arguments and the settings ask for.
    ///
    /// A switch in the environment or in a file wins over every flag: it is there for the case that
    /// nobody can change the command.
    pub(crate) fn engine(&self) -> Result<Engine, clap::Error> {
        self.engine_of(&load([])?)
    }

    /// [`engine`](Self::engine) under settings that were read already.
    pub(crate) fn engine_of(&self, found: &Configuration) -> Result<Engine, clap::Error> {
        if let Some(rule) = self.rule.iter().find(|rule| self.no_rule.contains(rule)) {
            return Err(misuse(
                ErrorKind::ArgumentConflict,
                format!(
                    "the rule '{rule}' is both allowed by '--rule' and forbidden by '--no-rule'\n"
                ),
            ));
        }
        let switched_off = switched_off(found);
        let mut options =
            Options::policy(if switched_off.is_some() { Policy::Strict } else { self.policy });
        if switched_off.is_none() {
            options.rules = self.rule.iter().fold(options.rules, |set, rule| set.with(*rule));
            options.rules = self.no_rule.iter().fold(options.rules, |set, rule| set.without(*rule));
            options.choice = self.choice;
            if self.emphasis {
                options.emphasis = EmphasisInValues::Strip;
            }
        }
        Ok(Engine { options: self.limits.within(options), switched_off })
    }
}

/// What decided that text is not repaired, if it is not.
fn switched_off(found: &Configuration) -> Option<String> {
    let off = found.settings.repair == Repairing::Off;
    let setting = Setting::named("repair").filter(|_| off)?;
    Some(found.of(setting).1.to_string())
}

/// A misuse that clap cannot see by itself.
pub(crate) fn misuse(kind: ErrorKind, message: String) -> clap::Error {
    <Arguments as clap::CommandFactory>::command().error(kind, message)
}

fn default_max_bytes() -> u32 {
    u32::try_from(Options::default().max_bytes).unwrap_or(u32::MAX)
}

fn policies() -> impl TypedValueParser<Value = Policy> {
    let values = Policy::ALL.map(|policy| PossibleValue::new(policy.as_str()).help(policy.doc()));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Policy>())
}

fn choices() -> impl TypedValueParser<Value = Choice> {
    let values = [
        PossibleValue::new(Choice::Best.as_str())
            .help("The best of the whole text; several equally good ones become an array."),
        PossibleValue::new(Choice::First.as_str()).help(
            "The first wrapper, code block or value with members; a warning tells of later ones.",
        ),
    ];
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Choice>())
}

/// Reads the name of a rule. There are too many of them to list in an error: the nearest is told.
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
