//! How a plan is read, checked and written.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use llmend::{
    Dialect, Fixes, ReviewOptions,
    draw::Format,
    plan::{self, NodeType, OnBadStep, OnExtraArgument},
};

use super::choice;
use crate::{
    engine::Engine,
    files::Unusable,
    planning::{Target, load_catalog},
    render::Color,
};

/// Columns of a help text.
const COLUMNS: usize = 100;

/// Returns the help text of `--to`.
pub(crate) fn forms_help() -> String {
    let mut text = listed("The output format: ", forms());
    text += ";\nor a picture: tree, mermaid, dot, svg";
    text
}

/// Returns the help text of `--dialect`.
fn dialects_help() -> String {
    listed("The input dialect: ", Dialect::ALL.map(Dialect::as_str))
}

/// Lists names over several lines.
fn listed(lead: &str, names: impl IntoIterator<Item = &'static str>) -> String {
    let (mut text, mut column, mut between) = (lead.to_owned(), lead.len(), "");
    for name in names {
        text += between;
        between = ", ";
        column += name.len() + between.len();
        if column > COLUMNS {
            text = format!("{}\n", text.trim_end());
            column = name.len() + between.len();
        }
        text += name;
    }
    text
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Plan")]
pub(crate) struct PlanFlags {
    #[arg(long, value_name = "DIALECT", default_value = Dialect::Auto.as_str(), value_parser = dialects(), hide_possible_values = true, help = dialects_help())]
    pub(crate) dialect: Dialect,
    #[command(flatten)]
    pub(crate) checks: CheckFlags,
}

/// Checks of a plan in any dialect.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Plan")]
pub(crate) struct CheckFlags {
    /// The available tools: an MCP `tools/list` result, a `tools` array, or a map from names to
    /// schemas. Without a catalog every tool name is accepted
    #[arg(long, verbatim_doc_comment, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    catalog: Option<PathBuf>,
    /// What to do with a step that cannot be used [default: drop for Clickweave, else fail]
    #[arg(long, value_name = "ACTION", value_parser = on_bad_step())]
    on_bad_step: Option<OnBadStep>,
    /// What to do with an argument that the tool's schema forbids
    #[arg(long, value_name = "ACTION", default_value = OnExtraArgument::Keep.as_str(), value_parser = on_extra_argument())]
    on_extra_argument: OnExtraArgument,
    /// Reject steps of a type (repeatable, comma-separated)
    #[arg(long, value_name = "KIND", value_delimiter = ',', ignore_case = true, value_parser = kinds())]
    disable: Vec<NodeType>,
    /// Fix what can be fixed safely: a dependency that is undeclared, refers to its own step, or
    /// differs in case
    #[arg(long, verbatim_doc_comment)]
    fix: bool,
}

impl PlanFlags {
    /// Returns the name of the first of these flags that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let CheckFlags { catalog, on_bad_step, on_extra_argument, disable, fix } = &self.checks;
        let given = [
            (self.dialect != Dialect::Auto, "--dialect"),
            (catalog.is_some(), "--catalog"),
            (on_bad_step.is_some(), "--on-bad-step"),
            (*on_extra_argument != OnExtraArgument::Keep, "--on-extra-argument"),
            (!disable.is_empty(), "--disable"),
            (*fix, "--fix"),
        ];
        given.into_iter().find_map(|(given, name)| given.then_some(name))
    }
}

impl CheckFlags {
    /// Returns the options. A catalog that cannot be loaded is an error.
    pub(crate) fn options(
        &self,
        dialect: Dialect,
        engine: &Engine,
        color: Color,
    ) -> Result<ReviewOptions, Box<Unusable>> {
        let catalog = self.catalog.as_ref().map(|path| load_catalog(path, color)).transpose()?;
        let disabled = self.disable.iter().copied().collect();
        let Self { on_bad_step, on_extra_argument, .. } = *self;
        let plan = plan::Options {
            dialect,
            on_bad_step,
            on_extra_argument,
            disabled,
            catalog,
            ..Default::default()
        };
        Ok(ReviewOptions {
            text: engine.options.clone(),
            plan,
            fixes: if self.fix { Fixes::Made } else { Fixes::Offered },
        })
    }
}

fn dialects() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::ALL.map(Dialect::as_str))
        .try_map(|name| name.parse::<Dialect>())
}

/// Returns the names of the dialects that are written.
fn forms() -> impl Iterator<Item = &'static str> {
    let named = |dialect: &Dialect| {
        !matches!(dialect, Dialect::Auto | Dialect::Canonical | Dialect::Workflow)
    };
    let written =
        Dialect::ALL.into_iter().filter(move |dialect| dialect.is_written() && named(dialect));
    ["plan", "workflow"].into_iter().chain(written.map(Dialect::as_str))
}

/// Parses an output format.
pub(crate) fn targets() -> impl TypedValueParser<Value = Target> {
    let names = forms();
    let names = names.chain(Format::ALL.map(Format::as_str)).map(PossibleValue::new);
    PossibleValuesParser::new(names).try_map(|name| match (name.as_str(), name.parse()) {
        ("plan", _) => Ok(Target::Dialect(Dialect::Canonical)),
        (_, Ok(format)) => Ok(Target::Picture(format)),
        (name, Err(_)) => name.parse().map(Target::Dialect),
    })
}

/// Parses the format of a picture.
pub(crate) fn formats() -> impl TypedValueParser<Value = Format> {
    choice([
        (Format::Tree.as_str(), "A tree for the terminal"),
        (Format::Mermaid.as_str(), "A Mermaid flowchart for Markdown"),
        (Format::Dot.as_str(), "A graph for Graphviz"),
        (Format::Svg.as_str(), "An image for a browser or a page"),
    ])
}

fn on_bad_step() -> impl TypedValueParser<Value = OnBadStep> {
    let help = |policy| match policy {
        OnBadStep::Fail => "Reject the plan",
        OnBadStep::Drop => "Remove the step and its edges, with a warning",
        OnBadStep::Bridge => {
            "Remove the step with a warning, and connect its predecessors to its successors"
        }
    };
    choice(OnBadStep::ALL.map(|policy| (policy.as_str(), help(policy))))
}

fn on_extra_argument() -> impl TypedValueParser<Value = OnExtraArgument> {
    choice([
        (OnExtraArgument::Keep.as_str(), "Keep it, and report an error"),
        (OnExtraArgument::Drop.as_str(), "Remove it, with a warning"),
    ])
}

fn kinds() -> impl TypedValueParser<Value = NodeType> {
    // Clickweave writes `AiStep`, and `ai-step` is how flags are spelled.
    let values = NodeType::ALL.map(|kind| {
        let aliases: &[&str] = match kind {
            NodeType::AiStep => &["ai-step", "aistep"],
            NodeType::AiTransform => &["ai-transform", "aitransform"],
            NodeType::EndLoop => &["end-loop", "endloop"],
            _ => &[],
        };
        PossibleValue::new(kind.as_str()).aliases(aliases)
    });
    let known = values.clone();
    PossibleValuesParser::new(values).try_map(move |name| {
        let at = known.iter().position(|value| value.matches(&name, true));
        at.and_then(|at| NodeType::ALL.get(at).copied()).map_or_else(|| name.parse(), Ok)
    })
}
