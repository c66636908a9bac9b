//! `llmend plan`: what plan is in this answer, and what is wrong with it?

use llmend::metrics;

use crate::{
    answer::{Asked, OutputArguments, Presentation, Shown},
    engine::EngineArguments,
    exit::Exit,
    input::Source,
    output::say,
    planning::{FORMS, PlanArguments, Target, planned, targets},
    render::Colour,
};

#[cfg(feature = "models")]
mod ask;

const EXAMPLES: &str = "\
Examples:
  llmend plan answer.txt                      the plan in the file, as canonical JSON
  some-model < prompt.txt | llmend plan       the plan in what a command writes
  llmend plan --pretty --explain answer.txt   indented, with what was mended and inferred on the way
  llmend plan --dialect openmanus answer.txt  by the strict rules of that dialect
  llmend plan --catalog tools.json a.txt      held against the tools that there are
  llmend plan --fix --to markdown answer.txt  what is safe put right, as a checklist
  llmend plan --to svg answer.txt > plan.svg  a picture, with what was found marked on the steps
  llmend plan --report json answer.txt        all that is known, for a program
  llmend plan --ask 'Move the blog' --catalog tools.json --model ollama:llama3
                                              a plan from a model, asked again for what is wrong

A plan comes out as a plan, and a workflow with its edges, branches and loops as a workflow, unless
--to asks for another form; what that form cannot carry is told. Every problem is told at once, each
with its place; `llmend checks` lists what is looked for. A picture is written also where the plan is
refused: it shows what is wrong. In a report, `plan` is what was read, also where it is refused, and
`json` is what is written; the repairs are those of the text. With --ask, standard error tells of each
attempt, and a report has all of them in `ledger`.
Exit status: 0 a plan without errors, 1 refused, 2 misused, 3 input or output failed.";

/// Read and check the plan in a model's answer
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: Source,
    #[cfg(feature = "models")]
    #[command(flatten)]
    asking: ask::Arguments,
    #[arg(long, value_name = "FORM", value_parser = targets(), hide_possible_values = true, help = FORMS)]
    to: Option<Target>,
    #[command(flatten)]
    plan: PlanArguments,
    #[command(flatten)]
    output: OutputArguments,
    /// Say on standard error, at the end, how often planning succeeded and failed, as one JSON object
    #[arg(long, help_heading = "What is shown")]
    metrics: bool,
    #[command(flatten)]
    engine: EngineArguments,
}

/// Does it.
pub(crate) fn run(arguments: &Arguments, colour: Colour) -> Result<Exit, clap::Error> {
    let Arguments { source, to, plan, output, .. } = arguments;
    #[cfg(feature = "models")]
    let asked = ask::run(arguments, colour)?;
    #[cfg(not(feature = "models"))]
    let asked = None;
    let exit = match asked {
        Some(exit) => exit,
        None => read(source, plan, *to, output, Shown::Value, &arguments.engine, colour)?,
    };
    if arguments.metrics {
        say(&counters());
    }
    Ok(exit)
}

/// Reads the plan at `source`, checks it and presents what comes of that.
pub(super) fn read(
    source: &Source,
    plan: &PlanArguments,
    target: Option<Target>,
    output: &OutputArguments,
    shown: Shown,
    engine: &EngineArguments,
    colour: Colour,
) -> Result<Exit, clap::Error> {
    let engine = engine.engine()?;
    let presentation =
        Presentation { arguments: output, shown, asked: Asked::Plan, engine: &engine, colour };
    Ok(match plan.checks.options(plan.dialect, &engine, colour) {
        Ok(options) => {
            presentation.present(source, |text, layout| planned(text, &options, target, layout))
        }
        Err(none) => presentation.failure(none.named(), &none.failure),
    })
}

/// The counters of this process in one line.
fn counters() -> String {
    let counters: serde_json::Value = metrics::snapshot().into_iter().collect();
    format!("llmend: metrics {counters}")
}
