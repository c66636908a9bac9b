//! `llmend workflow`: is this workflow sound, what is it in another form, and what does it look like?

use clap::Subcommand;
use llmend::draw::Format;

use crate::{
    answer::{OutputArguments, ReportFormat, Shown},
    commands::plan,
    engine::EngineArguments,
    exit::Exit,
    input::Source,
    planning::{FORMS, PlanArguments, Target, formats, targets},
    render::Colour,
};

const EXAMPLES: &str = "\
Examples:
  llmend workflow check flow.json                          every finding, each in its place
  llmend workflow check --report json flow.json            the same for a program
  llmend workflow convert --to clickweave-graph flow.json  it in another form, and what gets lost
  llmend workflow draw flow.json                           a tree of it in the terminal

A plan is a workflow without control flow, and an answer of a model is mended on the way.
Exit status: 0 no errors, 1 refused, 2 misused, 3 input or output failed.";

const CHECK_EXAMPLES: &str = "\
Examples:
  llmend workflow check flow.json                       every finding, each in its place
  llmend workflow check --catalog tools.json flow.json  the same, with the tools that there are
  llmend workflow check --report json flow.json         the same for a program

Nothing is written to standard output, unless a report is asked for.
Exit status: 0 no errors, 1 refused, 2 misused, 3 input or output failed.";

const CONVERT_EXAMPLES: &str = "\
Examples:
  llmend workflow convert --to clickweave-graph flow.json    for another program
  llmend workflow convert --to markdown --fix plan.json      a checklist, with what is safe put right
  llmend workflow convert --to workflow --pretty answer.txt  the canonical form of an answer

What the form cannot carry is told. A workflow with errors is refused.
Exit status: 0 it is written, 1 refused, 2 misused, 3 input or output failed.";

const DRAW_EXAMPLES: &str = "\
Examples:
  llmend workflow draw flow.json                              a tree of it in the terminal
  llmend workflow draw --to svg flow.json > flow.svg          a picture for a browser or a page
  llmend workflow draw --to dot a.txt | dot -Tpng > flow.png  what an answer holds, by Graphviz

A picture shows what was found on each node, and is written also where a finding is an error: then
the exit status is 1 all the same.
Exit status: 0 no errors, 1 refused, 2 misused, 3 input or output failed.";

/// Check a workflow, write it in another form, or draw it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Check(Check),
    Convert(Convert),
    Draw(Draw),
}

/// Tell everything that is wrong with a workflow
#[derive(Debug, clap::Args)]
#[command(after_help = CHECK_EXAMPLES)]
struct Check {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    plan: PlanArguments,
    #[command(flatten)]
    shown: ShownArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

/// Write a workflow in another form
#[derive(Debug, clap::Args)]
#[command(after_help = CONVERT_EXAMPLES)]
struct Convert {
    #[command(flatten)]
    source: Source,
    #[arg(long, value_name = "FORM", value_parser = targets(), hide_possible_values = true, help = FORMS)]
    to: Target,
    #[command(flatten)]
    plan: PlanArguments,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

/// Draw a workflow, with what was found on each node
#[derive(Debug, clap::Args)]
#[command(after_help = DRAW_EXAMPLES)]
struct Draw {
    #[command(flatten)]
    source: Source,
    /// How it is drawn
    #[arg(long, value_name = "FORMAT", value_parser = formats(), default_value = Format::Tree.as_str())]
    to: Format,
    #[command(flatten)]
    plan: PlanArguments,
    #[command(flatten)]
    shown: ShownArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

/// What is shown where the result is no JSON.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "What is shown")]
struct ShownArguments {
    /// Show what was mended and inferred as well
    #[arg(long)]
    explain: bool,
    /// Write a report to standard output, whatever the exit status
    #[arg(long, value_enum, value_name = "FORMAT")]
    report: Option<ReportFormat>,
    /// Indent the report
    #[arg(long, requires = "report")]
    pretty: bool,
    /// Leave out the summary
    #[arg(long, short)]
    quiet: bool,
}

impl ShownArguments {
    fn output(&self) -> OutputArguments {
        let Self { explain, report, pretty, quiet } = *self;
        OutputArguments { explain, report, pretty, quiet }
    }
}

/// Does it.
pub(crate) fn run(arguments: &Arguments, colour: Colour) -> Result<Exit, clap::Error> {
    match &arguments.action {
        Action::Check(Check { source, plan, shown, engine }) => {
            plan::read(source, plan, None, &shown.output(), Shown::Nothing, engine, colour)
        }
        Action::Convert(Convert { source, to, plan, output, engine }) => {
            plan::read(source, plan, Some(*to), output, Shown::Value, engine, colour)
        }
        Action::Draw(Draw { source, to, plan, shown, engine }) => {
            let target = Some(Target::Picture(*to));
            plan::read(source, plan, target, &shown.output(), Shown::Value, engine, colour)
        }
    }
}
