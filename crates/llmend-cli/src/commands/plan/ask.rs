//! `llmend plan --ask`: a plan from a model.

use clap::error::ErrorKind;
use llmend::{Fixes, asking::Planner};

use crate::{
    answer::{Asked, Presentation, Shown},
    attempts::{Attempts, attempts_at_a_plan, gave_up, wait},
    commands::ask::{approved, prompt},
    engine::misuse,
    exit::{Exit, Failure},
    models::{ModelArguments, opened, options},
    planning::presented,
    render::{Colour, Named},
};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Ask a model for a plan that reaches this objective, in place of reading an answer;
    /// `-` reads it from standard input
    #[arg(long, value_name = "OBJECTIVE", verbatim_doc_comment)]
    ask: Option<String>,
    #[command(flatten)]
    model: ModelArguments,
}

/// Asks a model for a plan and presents it, if `--ask` was given.
pub(super) fn run(
    arguments: &super::Arguments,
    colour: Colour,
) -> Result<Option<Exit>, clap::Error> {
    let super::Arguments { source, asking, .. } = arguments;
    match &asking.ask {
        Some(_) if source.is_given() => {
            let message = "an answer is read or a plan is asked for: not both\n";
            Err(misuse(ErrorKind::ArgumentConflict, message.to_owned()))
        }
        Some(objective) => ask(arguments, objective, colour).map(Some),
        None if asking.model.are_given() => {
            let message = "without --ask nothing is asked of a model\n";
            Err(misuse(ErrorKind::MissingRequiredArgument, message.to_owned()))
        }
        None => Ok(None),
    }
}

fn ask(arguments: &super::Arguments, objective: &str, colour: Colour) -> Result<Exit, clap::Error> {
    let super::Arguments { to, plan, output, asking: Arguments { model, .. }, .. } = arguments;
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
    let opened = match opened(&found) {
        Ok(opened) => opened,
        Err(failure) => return refused("--model", "", &failure),
    };
    let shown = if output.quiet { Attempts::Quiet } else { Attempts::Shown };
    let mut callbacks = attempts_at_a_plan(shown);
    let planner = Planner::new().reviewing(reviewing).options(asking);
    let planned = wait(planner.run(opened.models(), &objective, &mut callbacks));
    drop(callbacks);
    let exit = match planned {
        Err(failure) => presentation.failure(Named { name: opened.name(), text: "" }, &failure),
        Ok(Ok(planned)) => {
            let outcome = presented(planned.review, *to, presentation.layout());
            let approval = model.approval();
            let outcome = outcome.and_then(|answer| approved(answer, approval));
            let named = Named { name: opened.name(), text: &planned.answer };
            presentation.outcome(named, &outcome, Some(&planned.ledger))
        }
        Ok(Err(end)) => {
            let named = Named { name: opened.name(), text: &end.answer };
            presentation.outcome(named, &Err(gave_up(&end)), Some(&end.ledger))
        }
    };
    Ok(opened.close(exit, colour))
}
