//! `llmend patch`: what does this patch make of a workflow?

use std::path::PathBuf;

use clap::error::ErrorKind;
use llmend::{Dialect, plan::Gaps, review_patch_with};

use crate::{
    answer::{Asked, OutputArguments, Presentation, Shown},
    engine::{EngineArguments, misuse},
    exit::Exit,
    input::Source,
    planning::{CheckArguments, FORMS, Target, document, failure, presented, targets},
    render::Colour,
};

const EXAMPLES: &str = "\
Examples:
  llmend patch flow.json answer.txt           the workflow as it is once the patch is applied
  some-model | llmend patch flow.json -       the patch in what a command writes
  llmend patch --bridge flow.json answer.txt  those before a removed node go on to the one after it
  llmend patch --report json flow.json a.txt  all that is known, for a program

A patch is applied as a whole or not at all, and what comes of it is checked as a whole. The patch
of a workflow is llmend's own (remove_nodes, update_nodes, add_nodes, remove_edges, add_edges) or
Clickweave's, that of a plan has remove_steps, update_steps, add_steps, remove_dependencies and
add_dependencies; either may be a list of operations of RFC 6902 on the canonical form.
In a report, the repairs and places are those of the patch.
Exit status: 0 applied, 1 refused with every reason, 2 misused, 3 input or output failed.";

/// Apply a patch to a workflow or a plan, all or nothing
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The file with the workflow or the plan; `-` is standard input
    #[arg(value_name = "WORKFLOW", value_hint = clap::ValueHint::FilePath)]
    workflow: PathBuf,
    /// The file with the answer that holds the patch; `-` is standard input
    #[arg(value_name = "PATCH", value_hint = clap::ValueHint::FilePath)]
    patch: PathBuf,
    /// Join those before a removed node to the one after it
    #[arg(long)]
    bridge: bool,
    #[arg(long, value_name = "FORM", value_parser = targets(), hide_possible_values = true, help = FORMS)]
    to: Option<Target>,
    #[command(flatten)]
    checks: CheckArguments,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

/// Does it.
pub(crate) fn run(arguments: &Arguments, colour: Colour) -> Result<Exit, clap::Error> {
    let dash = |path: &PathBuf| path.as_os_str() == "-";
    if dash(&arguments.workflow) && dash(&arguments.patch) {
        let message = "the workflow and the patch cannot both come from standard input\n";
        return Err(misuse(ErrorKind::ArgumentConflict, message.to_owned()));
    }
    let engine = arguments.engine.engine()?;
    let presentation = Presentation {
        arguments: &arguments.output,
        shown: Shown::Value,
        asked: Asked::Plan,
        engine: &engine,
        colour,
    };
    let options = match arguments.checks.options(Dialect::Auto, &engine, colour) {
        Ok(options) => options,
        Err(none) => return Ok(presentation.failure(none.named(), &none.failure)),
    };
    let workflow = Source::of(&arguments.workflow);
    let document = match document(&workflow, &options, &engine) {
        Ok(document) => document,
        Err(none) => return Ok(presentation.failure(none.named(), &none.failure)),
    };
    let gaps = if arguments.bridge { Gaps::Bridge } else { Gaps::Leave };
    Ok(presentation.present(&Source::of(&arguments.patch), |text, layout| {
        let review =
            review_patch_with(&document, text, gaps, &options).map_err(|error| failure(&error))?;
        presented(review, arguments.to, layout)
    }))
}
