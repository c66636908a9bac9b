//! `llmend plan`: the plan in an answer.

use llmend::metrics;

use crate::{
    exit::{Exit, UsageError},
    flags::{EngineFlags, OutputFlags, PlanFlags, SourceFlags, forms_help, targets},
    input::Source,
    output::eprint,
    planning::{Target, planned},
    presentation::{Output, Presentation, ResultKind, Stdout},
    render::Color,
};

#[cfg(feature = "models")]
mod ask;

const EXAMPLES: &str = "\
Examples:
  llmend plan answer.txt                      read the plan, and write canonical JSON
  some-model < prompt.txt | llmend plan       read the answer from standard input
  llmend plan --pretty --explain answer.txt   indent it, and show what was repaired and inferred
  llmend plan --dialect openmanus answer.txt  apply the strict rules of a dialect
  llmend plan --catalog tools.json a.txt      check the steps against the available tools
  llmend plan --fix --to markdown answer.txt  apply safe fixes, and write a checklist
  llmend plan --to svg answer.txt > plan.svg  draw the plan with its findings
  llmend plan --report json answer.txt        write a report as JSON
  llmend plan --ask 'Move the blog' --catalog tools.json --model ollama:llama3
                                              ask a model, and retry what is wrong

A plan is written as a plan and a workflow as a workflow, unless --to names another form; what that form
cannot express is reported. All problems are reported at once, each with its location; `llmend checks`
lists them. A picture is written even if the plan is refused, to show what is wrong. In a report, `plan` is
the plan that was read, even if it is refused, and `json` is the output. With --ask, attempts are printed
to standard error; a report lists them in `ledger`.
Exit status: 0 no errors, 1 refused, 2 usage error, 3 input or output failed.";

/// Read and check the plan in a model's answer
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PlanArguments {
    #[command(flatten)]
    source: SourceFlags,
    #[cfg(feature = "models")]
    #[command(flatten)]
    asking: ask::PlanAskArguments,
    #[arg(long, value_name = "FORM", value_parser = targets(), hide_possible_values = true, help = forms_help())]
    to: Option<Target>,
    #[command(flatten)]
    plan: PlanFlags,
    #[command(flatten)]
    output: OutputFlags,
    /// Print counters of planning to standard error at the end, as a JSON object
    #[arg(long, help_heading = "Output")]
    metrics: bool,
    #[command(flatten)]
    engine: EngineFlags,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &PlanArguments, color: Color) -> Result<Exit, UsageError> {
    let PlanArguments { source, to, plan, output, .. } = arguments;
    #[cfg(feature = "models")]
    let asked = ask::run(arguments, color)?;
    #[cfg(not(feature = "models"))]
    let asked = None;
    let exit = if let Some(exit) = asked {
        exit
    } else {
        let (source, output) = (source.source(), output.output());
        read(&source, plan, *to, output, Stdout::Value, &arguments.engine, color)?
    };
    if arguments.metrics {
        eprint(&counters());
    }
    Ok(exit)
}

/// Reads and checks the plan at `source`, and presents it.
pub(super) fn read(
    source: &Source,
    plan: &PlanFlags,
    target: Option<Target>,
    output: Output,
    stdout: Stdout,
    engine: &EngineFlags,
    color: Color,
) -> Result<Exit, UsageError> {
    let engine = engine.engine()?;
    let presentation =
        Presentation { output, stdout, kind: ResultKind::Plan, engine: &engine, color };
    Ok(match plan.checks.options(plan.dialect, &engine, color) {
        Ok(options) => {
            presentation.present(source, |text, layout| planned(text, &options, target, layout))
        }
        Err(none) => presentation.failure(none.named(), &none.failure),
    })
}

/// Returns the counters of this process on one line.
fn counters() -> String {
    let counters: serde_json::Value = metrics::snapshot().into_iter().collect();
    format!("llmend: metrics {counters}")
}
