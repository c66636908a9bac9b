//! `llmend patch --ask`: a patch from a model.

use std::time::Duration;

use llmend::{
    Fixes, ReviewOptions,
    asking::{Keep, PlanAnswer, Planner, Validity},
    config::Source as SettingSource,
    model::starred,
    plan::{Document, Gaps},
};

use super::PatchArguments;
use crate::{
    approval::approved,
    attempts::{Attempts, attempts, plain_lines, wait},
    dry_run::dry_run,
    exit::{Exit, UsageError},
    flags::ModelFlags,
    input::read_prompt,
    masking::without_keys,
    models::{OpenModels, open_models, options},
    outcome::Failure,
    output::eprint,
    planning::presented,
    presentation::Presentation,
    render::Named,
};

/// The preset unless another one is set.
const PRESET: &str = "clickweave-patcher";

#[derive(Debug, clap::Args)]
pub(super) struct PatchAskArguments {
    /// Ask a model for a patch that does this, instead of reading one; `-` reads the request from
    /// standard input
    #[arg(long, value_name = "REQUEST", verbatim_doc_comment, conflicts_with = "patch")]
    pub(super) ask: Option<String>,
    #[command(flatten)]
    pub(super) model: ModelFlags,
    /// Print the first request as it would be sent, and send nothing
    #[arg(long, requires = "ask", help_heading = "Model")]
    dry_run: bool,
}

/// Asks a model for a patch of `document`, and presents what it makes of it.
pub(super) fn run(
    arguments: &PatchArguments,
    request: &str,
    presentation: &Presentation<'_>,
    document: Document,
    mut reviewing: ReviewOptions,
) -> Result<Exit, UsageError> {
    let model = &arguments.asking.model;
    let mut found = model.load([])?;
    if matches!(found.settings().source("preset"), SettingSource::Default) {
        found.use_preset(PRESET);
    }
    let mut asking = options(&found)?;
    // The last patch is handed back whole, in a report too.
    asking.keep = Keep::Text(usize::MAX);
    let refused =
        |name: &str, failure: &Failure| Ok(presentation.failure(Named { name, text: "" }, failure));
    let request = match read_prompt(request, presentation.engine.options.max_bytes) {
        Ok(request) => request,
        Err(failure) => return refused("<stdin>", &failure),
    };
    reviewing.fixes = Fixes::Made;
    let gaps = if arguments.bridge { Gaps::Bridge } else { Gaps::Leave };
    let before = document.clone();
    let planner = Planner::changing(document, gaps).reviewing(reviewing).options(asking);
    if arguments.asking.dry_run {
        return Ok(dry_run(presentation, &found, |model| {
            let mut driven = planner.manual_loop(request, vec![model]);
            driven.next(Duration::ZERO).map(|first| first.request.clone())
        }));
    }
    let opened = match open_models(&found) {
        Ok(opened) => opened,
        Err(failure) => return refused("--model", &failure),
    };
    let shown = if presentation.output.quiet { Attempts::Quiet } else { Attempts::Shown };
    let mut callbacks = attempts(shown);
    let patched = wait(planner.run(opened.models(), &request, &mut callbacks));
    drop(callbacks);
    let exit = match patched {
        Err(failure) => presentation.failure(Named { name: opened.name(), text: "" }, &failure),
        Ok(Ok(patched)) => present(arguments, presentation, &opened, (&before, patched)),
        Ok(Err(end)) => {
            hand_back(&end.answer);
            let named = Named { name: opened.name(), text: &starred(&end.answer) };
            presentation.outcome(
                named,
                &without_keys(Err(opened.gave_up(&end))),
                Some(opened.spending(&end.ledger)),
            )
        }
    };
    Ok(opened.close(exit, presentation.color))
}

fn present(
    arguments: &PatchArguments,
    presentation: &Presentation<'_>,
    opened: &OpenModels,
    (before, patched): (&Document, PlanAnswer),
) -> Exit {
    let outcome = without_keys(presented(patched.review, arguments.to, presentation.layout()));
    let approval = arguments.asking.model.approval();
    let color = presentation.color;
    let approve = |answer| approved(answer, &patched.answer, Some(before), approval, color);
    let outcome = outcome.and_then(approve);
    if outcome.is_err() || patched.validity == Validity::Invalid {
        hand_back(&patched.answer);
    }
    let named = Named { name: opened.name(), text: &starred(&patched.answer) };
    presentation.outcome(named, &outcome, Some(opened.spending(&patched.ledger)))
}

/// Shows the last patch, which was not applied.
fn hand_back(patch: &str) {
    if !patch.trim().is_empty() {
        eprint(&format!(
            "llmend: the last patch, which is not applied:\n{}",
            plain_lines(patch.trim_end())
        ));
    }
}
