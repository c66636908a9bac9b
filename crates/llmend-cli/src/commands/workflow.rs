//! `llmend workflow`: is this workflow sound, and what is it in another form?

use clap::Subcommand;

use crate::{
    answer::{OutputArguments, ReportFormat, Shown},
    commands::plan,
    engine::EngineArguments,
    exit::Exit,
    input::Source,
    planning::{PlanArguments, Target, targets},
    render::Colour,
};

const EXAMPLES: &str = "\
Examples:
  llmend workflow check flow.json                          every finding, each in its place
  llmend workflow check --report json flow.json            the same for a program
  llmend workflow convert --to clickweave-graph flow.json  it in another form, and what gets lost

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

/// Check a workflow, or write it in another form
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
}

/// Tell everything that is wrong with a workflow
#[derive(Debug, clap::Args)]
#[command(after_help = CHECK_EXAMPLES)]
struct Check {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    plan: PlanArguments,
    /// Show what was mended and inferred as well
    #[arg(long, help_heading = "What is shown")]
    explain: bool,
    /// Write a report to standard output, whatever the exit status
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "What is shown")]
    report: Option<ReportFormat>,
    /// Indent the report
    #[arg(long, requires = "report", help_heading = "What is shown")]
    pretty: bool,
    /// Leave out the summary
    #[arg(long, short, help_heading = "What is shown")]
    quiet: bool,
    #[command(flatten)]
    engine: EngineArguments,
}

/// Write a workflow in another form
#[derive(Debug, clap::Args)]
#[command(after_help = CONVERT_EXAMPLES)]
struct Convert {
    #[command(flatten)]
    source: Source,
    /// What is written: plan, workflow, openmanus, gomind, clickweave-steps, clickweave-graph, patch,
    /// clickweave-patch, anton-result, openai-tool-calls, anthropic-tool-use, mcp-tools-call, markdown
    #[arg(long, value_name = "FORM", value_parser = targets(), hide_possible_values = true, verbatim_doc_comment)]
    to: Target,
    #[command(flatten)]
    plan: PlanArguments,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

/// Does it.
pub(crate) fn run(arguments: &Arguments, colour: Colour) -> Result<Exit, clap::Error> {
    match &arguments.action {
        Action::Check(Check { source, plan, explain, report, pretty, quiet, engine }) => {
            let output = OutputArguments {
                explain: *explain,
                report: *report,
                pretty: *pretty,
                quiet: *quiet,
            };
            plan::read(source, plan, None, &output, Shown::Nothing, engine, colour)
        }
        Action::Convert(Convert { source, to, plan, output, engine }) => {
            plan::read(source, plan, Some(*to), output, Shown::Value, engine, colour)
        }
    }
}
