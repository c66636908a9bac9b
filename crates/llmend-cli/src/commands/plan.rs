//! `llmend plan`: what plan is in this answer, and what is wrong with it?

use clap::error::ErrorKind;
use llmend::{Fixes, asking::Planner, metrics};

use super::ask::{approved, prompt};
use crate::{
    answer::{Asked, OutputArguments, Presentation, Shown},
    attempts::{Attempts, attempts_at_a_plan, gave_up, wait},
    engine::{EngineArguments, misuse},
    exit::{Exit, Failure},
    input::Source,
    models::{ModelArguments, opened, options},
    output::say,
    planning::{FORMS, PlanArguments, Target, planned, presented, targets},
    render::{Colour, Named},
};

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
    /// Ask a model for a plan that reaches this objective, in place of reading an answer;
    /// `-` reads it from standard input
    #[arg(long, value_name = "OBJECTIVE", verbatim_doc_comment)]
    ask: Option<String>,
    #[command(flatten)]
    model: ModelArguments,
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
    let exit = match &arguments.ask {
        Some(objective) => {
            if source.is_given() {
                let message = "an answer is read or a plan is asked for: not both\n";
                return Err(misuse(ErrorKind::ArgumentConflict, message.to_owned()));
            }
            ask(arguments, objective, colour)?
        }
        None if arguments.model.are_given() => {
            let message = "without --ask nothing is asked of a model\n";
            return Err(misuse(ErrorKind::MissingRequiredArgument, message.to_owned()));
        }
        None => read(source, plan, *to, output, Shown::Value, &arguments.engine, colour)?,
    };
    if arguments.metrics {
        say(&counters());
    }
    Ok(exit)
}

/// Asks a model for a plan, and presents what comes of that.
fn ask(arguments: &Arguments, objective: &str, colour: Colour) -> Result<Exit, clap::Error> {
    let Arguments { to, plan, output, model, .. } = arguments;
    let found = model.load([])?;
    let asking = options(&found)?;
    let engine = arguments.engine.engine_of(&found)?;
    let presentation = Presentation {
        arguments: output,
        shown: Shown::Value,
        asked: Asked::Plan,
        engine: &engine,
        colour,
    };
    let refused = |name: &str, text: &str, failure: &Failure| {
        Ok(presentation.failure(Named { name, text }, failure))
    };
    let mut reviewing = match plan.checks.options(plan.dialect, &engine, colour) {
        Ok(options) => options,
        Err(none) => return refused(&none.name, &none.text, &none.failure),
    };
    // What can safely be put right is no reason to ask again.
    reviewing.fixes = Fixes::Made;
    let objective = match prompt(objective, engine.options.max_bytes) {
        Ok(objective) => objective,
        Err(failure) => return refused("<stdin>", "", &failure),
    };
    let model = match opened(&found) {
        Ok(model) => model,
        Err(failure) => return refused("--model", "", &failure),
    };
    let shown = if output.quiet { Attempts::Quiet } else { Attempts::Shown };
    let mut callbacks = attempts_at_a_plan(shown);
    let planner = Planner::new().reviewing(reviewing).options(asking);
    let planned = wait(planner.run(model.models(), &objective, &mut callbacks));
    drop(callbacks);
    let exit = match planned {
        Err(failure) => presentation.failure(Named { name: model.name(), text: "" }, &failure),
        Ok(Ok(planned)) => {
            let outcome = presented(planned.review, *to, presentation.layout());
            let approval = arguments.model.approval();
            let outcome = outcome.and_then(|answer| approved(answer, approval));
            let named = Named { name: model.name(), text: &planned.answer };
            presentation.outcome(named, &outcome, Some(&planned.ledger))
        }
        Ok(Err(end)) => {
            let named = Named { name: model.name(), text: &end.answer };
            presentation.outcome(named, &Err(gave_up(&end)), Some(&end.ledger))
        }
    };
    Ok(model.close(exit, colour))
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
