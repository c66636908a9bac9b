//! `llmend plan --ask`: a plan from a model.

use std::time::Duration;

use llmend::{
    Fixes,
    asking::{PlanAnswer, Planner},
    model::starred,
};

use crate::{
    approval::approved,
    attempts::{Attempts, plan_attempts, wait},
    dry_run::dry_run,
    exit::{Exit, UsageError},
    flags::ModelFlags,
    input::read_prompt,
    masking::without_keys,
    models::{OpenModels, open_models, options},
    outcome::Failure,
    planning::presented,
    presentation::{Presentation, ResultKind, Stdout},
    render::{Color, Named},
};

#[derive(Debug, clap::Args)]
pub(super) struct PlanAskArguments {
    /// Ask a model for a plan with this objective, instead of reading an answer; `-` reads
    /// the objective from standard input
    #[arg(long, value_name = "OBJECTIVE", verbatim_doc_comment)]
    ask: Option<String>,
    #[command(flatten)]
    model: ModelFlags,
    /// Print the first request as it would be sent, and send nothing
    #[arg(long, requires = "ask", help_heading = "Model")]
    dry_run: bool,
}

/// Asks a model for a plan and presents it, if `--ask` was given.
pub(super) fn run(
    arguments: &super::PlanArguments,
    color: Color,
) -> Result<Option<Exit>, UsageError> {
    let super::PlanArguments { source, asking, .. } = arguments;
    match &asking.ask {
        Some(_) if source.is_given() => Err("'--ask' cannot be used with FILE".into()),
        Some(objective) => ask(arguments, objective, color).map(Some),
        None if asking.model.are_given() => Err("model options require '--ask'".into()),
        None => Ok(None),
    }
}

fn ask(
    arguments: &super::PlanArguments,
    objective: &str,
    color: Color,
) -> Result<Exit, UsageError> {
    let super::PlanArguments {
        plan,
        output,
        asking: PlanAskArguments { model, dry_run: is_dry_run, .. },
        ..
    } = arguments;
    let output = output.output();
    let found = model.load([])?;
    let asking = options(&found)?;
    let engine = arguments.engine.engine_with(found.settings())?;
    let presentation = Presentation {
        output,
        stdout: Stdout::Value,
        kind: ResultKind::Plan,
        engine: &engine,
        color,
    };
    let refused = |name: &str, text: &str, failure: &Failure| {
        Ok(presentation.failure(Named { name, text }, failure))
    };
    let mut reviewing = match plan.checks.options(plan.dialect, &engine, color) {
        Ok(options) => options,
        Err(none) => return refused(&none.name, &none.text, &none.failure),
    };
    // A safe fix needs no retry.
    reviewing.fixes = Fixes::Made;
    let objective = match read_prompt(objective, engine.options.max_bytes) {
        Ok(objective) => objective,
        Err(failure) => return refused("<stdin>", "", &failure),
    };
    let planner = Planner::new().reviewing(reviewing).options(asking);
    if *is_dry_run {
        return Ok(dry_run(&presentation, &found, |model| {
            let mut driven = planner.manual_loop(objective, vec![model]);
            driven.next(Duration::ZERO).map(|first| first.request.clone())
        }));
    }
    let opened = match open_models(&found) {
        Ok(opened) => opened,
        Err(failure) => return refused("--model", "", &failure),
    };
    let shown = if output.quiet { Attempts::Quiet } else { Attempts::Shown };
    let mut callbacks = plan_attempts(shown);
    let planned = wait(planner.run(opened.models(), &objective, &mut callbacks));
    drop(callbacks);
    let exit = match planned {
        Err(failure) => presentation.failure(Named { name: opened.name(), text: "" }, &failure),
        Ok(Ok(planned)) => present(arguments, &presentation, &opened, planned),
        Ok(Err(end)) => {
            let named = Named { name: opened.name(), text: &starred(&end.answer) };
            presentation.outcome(
                named,
                &without_keys(Err(opened.gave_up(&end))),
                Some(opened.spending(&end.ledger)),
            )
        }
    };
    Ok(opened.close(exit, color))
}

fn present(
    arguments: &super::PlanArguments,
    presentation: &Presentation<'_>,
    opened: &OpenModels,
    planned: PlanAnswer,
) -> Exit {
    let outcome = without_keys(presented(planned.review, arguments.to, presentation.layout()));
    let (approval, color) = (arguments.asking.model.approval(), presentation.color);
    let approve = |answer| approved(answer, &planned.answer, None, approval, color);
    let outcome = outcome.and_then(approve);
    let named = Named { name: opened.name(), text: &starred(&planned.answer) };
    presentation.outcome(named, &outcome, Some(opened.spending(&planned.ledger)))
}
