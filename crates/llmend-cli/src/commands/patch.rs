//! `llmend patch`: a patch applied to a workflow.

use std::path::PathBuf;

use llmend::{Dialect, plan::Gaps, review_patch_with};

use crate::{
    exit::{Exit, UsageError},
    flags::{CheckFlags, EngineFlags, OutputFlags, forms_help, targets},
    input::Source,
    planning::{Target, document, failure, presented},
    presentation::{Presentation, ResultKind, Stdout},
    render::Color,
};

#[cfg(feature = "models")]
mod ask;

const EXAMPLES: &str = "\
Examples:
  llmend patch flow.json answer.txt           apply the patch in an answer
  some-model | llmend patch flow.json -       read the answer from standard input
  llmend patch --bridge flow.json answer.txt  reconnect the neighbors of removed nodes
  llmend patch --report json flow.json a.txt  write a report as JSON
  llmend patch flow.json --ask 'Retry the upload twice' --model ollama:llama3
                                              ask a model for the patch, and once more if it is wrong

A patch is applied entirely or not at all, and the result is checked as a whole. A workflow takes
llmend's patches (remove_nodes, update_nodes, add_nodes, remove_edges, add_edges) or Clickweave's, a
plan remove_steps, update_steps, add_steps, remove_dependencies and add_dependencies. Both take RFC 6902
operations on the canonical form. The repairs and offsets in a report refer to the patch. The last patch of
a model is printed to standard error if it cannot be used.
Exit status: 0 applied, 1 refused, 2 usage error, 3 input or output failed.";

/// Apply a patch to a workflow or plan, entirely or not at all
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PatchArguments {
    /// The workflow or plan; `-` is standard input
    #[arg(value_name = "WORKFLOW", value_hint = clap::ValueHint::FilePath)]
    workflow: PathBuf,
    /// The answer with the patch; `-` is standard input
    #[arg(value_name = "PATCH", value_hint = clap::ValueHint::FilePath)]
    patch: Option<PathBuf>,
    #[cfg(feature = "models")]
    #[command(flatten)]
    asking: ask::PatchAskArguments,
    /// Connect the predecessors of a removed node to its successor
    #[arg(long)]
    bridge: bool,
    #[arg(long, value_name = "FORM", value_parser = targets(), hide_possible_values = true, help = forms_help())]
    to: Option<Target>,
    #[command(flatten)]
    checks: CheckFlags,
    #[command(flatten)]
    output: OutputFlags,
    #[command(flatten)]
    engine: EngineFlags,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &PatchArguments, color: Color) -> Result<Exit, UsageError> {
    let dash = |path: &PathBuf| path.as_os_str() == "-";
    #[cfg(feature = "models")]
    let asked = arguments.asking.ask.as_deref();
    #[cfg(not(feature = "models"))]
    let asked: Option<&str> = None;
    let from_stdin = asked == Some("-") || arguments.patch.as_ref().is_some_and(dash);
    if dash(&arguments.workflow) && from_stdin {
        return Err("the workflow and the patch cannot both come from standard input".into());
    }
    #[cfg(feature = "models")]
    if asked.is_none() && arguments.asking.model.are_given() {
        return Err("model options require '--ask'".into());
    }
    let engine = arguments.engine.engine()?;
    let presentation = Presentation {
        output: arguments.output.output(),
        stdout: Stdout::Value,
        kind: ResultKind::Plan,
        engine: &engine,
        color,
    };
    let options = match arguments.checks.options(Dialect::Auto, &engine, color) {
        Ok(options) => options,
        Err(none) => return Ok(presentation.failure(none.named(), &none.failure)),
    };
    let workflow = Source::of(&arguments.workflow);
    let (document, orders) = match document(&workflow, &options, &engine) {
        Ok(read) => read,
        Err(none) => return Ok(presentation.failure(none.named(), &none.failure)),
    };
    #[cfg(feature = "models")]
    if let Some(request) = asked {
        return ask::run(arguments, request, &presentation, document, options);
    }
    let Some(patch) = &arguments.patch else {
        return Err("expected the file with the patch, or - for standard input".into());
    };
    let gaps = if arguments.bridge { Gaps::Bridge } else { Gaps::Leave };
    Ok(presentation.present(&Source::of(patch), |text, layout| {
        let mut review =
            review_patch_with(&document, text, gaps, &options).map_err(|error| failure(&error))?;
        orders.locate(&mut review.reviewed);
        presented(review, arguments.to, layout)
    }))
}
