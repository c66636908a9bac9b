//! `llmend workflow`: checking, converting and drawing workflows.

use clap::Subcommand;
use llmend::draw::Format;

mod diff;

use crate::{
    commands::plan,
    exit::{Exit, UsageError},
    flags::{
        EngineFlags, OutputFlags, PlanFlags, ReportFlags, SourceFlags, formats, forms_help, targets,
    },
    planning::Target,
    presentation::{Output, Stdout},
    render::Color,
};

const EXAMPLES: &str = "\
Examples:
  llmend workflow check flow.json                          show every finding in place
  llmend workflow check --report json flow.json            write a report as JSON
  llmend workflow convert --to clickweave-graph flow.json  convert to another form
  llmend workflow draw flow.json                           draw a tree in the terminal
  llmend workflow diff old.json new.json                   write the patch between two workflows

A plan counts as a workflow without control flow, and answers of models are repaired on the way.
Exit status: 0 no errors, 1 refused, 2 usage error, 3 input or output failed.";

const CHECK_EXAMPLES: &str = "\
Examples:
  llmend workflow check flow.json                       show every finding in place
  llmend workflow check --catalog tools.json flow.json  check against the available tools too
  llmend workflow check --report json flow.json         write a report as JSON

Nothing but a report is written to standard output.
Exit status: 0 no errors, 1 refused, 2 usage error, 3 input or output failed.";

const CONVERT_EXAMPLES: &str = "\
Examples:
  llmend workflow convert --to clickweave-graph flow.json    convert for another program
  llmend workflow convert --to markdown --fix plan.json      apply safe fixes, and write a checklist
  llmend workflow convert --to workflow --pretty answer.txt  write the canonical form of an answer

What the form cannot express is reported. A workflow with errors is refused.
Exit status: 0 converted, 1 refused, 2 usage error, 3 input or output failed.";

const DRAW_EXAMPLES: &str = "\
Examples:
  llmend workflow draw flow.json                              draw a tree in the terminal
  llmend workflow draw --to svg flow.json > flow.svg          write an image
  llmend workflow draw --to dot a.txt | dot -Tpng > flow.png  render an answer with Graphviz

A picture shows the findings on each node. It is written even if a finding is an error, with exit status 1.
Exit status: 0 no errors, 1 refused, 2 usage error, 3 input or output failed.";

/// Check, convert, draw or compare workflows
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WorkflowArguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Check(Check),
    Convert(Convert),
    Draw(Draw),
    Diff(diff::DiffArguments),
}

/// Report every problem in a workflow
#[derive(Debug, clap::Args)]
#[command(after_help = CHECK_EXAMPLES)]
struct Check {
    #[command(flatten)]
    source: SourceFlags,
    #[command(flatten)]
    plan: PlanFlags,
    #[command(flatten)]
    shown: ShownFlags,
    #[command(flatten)]
    engine: EngineFlags,
}

/// Convert a workflow to another form
#[derive(Debug, clap::Args)]
#[command(after_help = CONVERT_EXAMPLES)]
struct Convert {
    #[command(flatten)]
    source: SourceFlags,
    #[arg(long, value_name = "FORM", value_parser = targets(), hide_possible_values = true, help = forms_help())]
    to: Target,
    #[command(flatten)]
    plan: PlanFlags,
    #[command(flatten)]
    output: OutputFlags,
    #[command(flatten)]
    engine: EngineFlags,
}

/// Draw a workflow with its findings
#[derive(Debug, clap::Args)]
#[command(after_help = DRAW_EXAMPLES)]
struct Draw {
    #[command(flatten)]
    source: SourceFlags,
    /// The format of the picture
    #[arg(long, value_name = "FORMAT", value_parser = formats(), default_value = Format::Tree.as_str())]
    to: Format,
    #[command(flatten)]
    plan: PlanFlags,
    #[command(flatten)]
    shown: ShownFlags,
    #[command(flatten)]
    engine: EngineFlags,
}

/// Output flags where the result is no JSON.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Output")]
struct ShownFlags {
    /// Show what was repaired and inferred too
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    report: ReportFlags,
}

impl ShownFlags {
    fn output(&self) -> Output {
        self.report.output(self.explain)
    }
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &WorkflowArguments, color: Color) -> Result<Exit, UsageError> {
    match &arguments.action {
        Action::Check(Check { source, plan, shown, engine }) => {
            plan::read(&source.source(), plan, None, shown.output(), Stdout::Nothing, engine, color)
        }
        Action::Convert(Convert { source, to, plan, output, engine }) => plan::read(
            &source.source(),
            plan,
            Some(*to),
            output.output(),
            Stdout::Value,
            engine,
            color,
        ),
        Action::Draw(Draw { source, to, plan, shown, engine }) => {
            let target = Some(Target::Picture(*to));
            plan::read(&source.source(), plan, target, shown.output(), Stdout::Value, engine, color)
        }
        Action::Diff(arguments) => diff::run(arguments, color),
    }
}
