//! `llmend workflow diff`: the patch between two workflows.

use std::path::PathBuf;

use llmend::{
    Dialect, Review,
    json::Report,
    plan::{self, DocumentDiff, KeyOrders, check_ids, diff_documents},
    review_plan_with,
};

use crate::{
    exit::{Exit, UsageError},
    flags::{CheckFlags, EngineFlags, OutputFlags},
    input::Source,
    outcome::{Answer, Failure, Layout, ReadPlan},
    planning::{document, failure},
    presentation::{Presentation, ResultKind, Stdout},
    render::{Color, Named},
};

const EXAMPLES: &str = "\
Examples:
  llmend workflow diff old.json new.json            write the patch that turns old.json into new.json
  llmend workflow diff --pretty old.json new.json   indent it
  some-model | llmend workflow diff flow.json -     show what an answer changes
  llmend workflow diff a.json b.json > change.json  keep the patch for `llmend patch a.json change.json`

Two plans give a patch of steps and dependencies, all others one of nodes and edges. Ids identify nodes, and
the order of nodes and edges does not count. What a patch has no field for is reported. Without a difference
the patch is {}. In a report, `plan` is the workflow after the change, and `json` the patch.
Exit status: 0 patch written, 1 refused, 2 usage error, 3 input or output failed.";

/// Write the patch between two workflows or plans
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct DiffArguments {
    /// The workflow or plan before the change; `-` is standard input
    #[arg(value_name = "BEFORE", value_hint = clap::ValueHint::FilePath)]
    before: PathBuf,
    /// The workflow or plan after the change; `-` is standard input
    #[arg(value_name = "AFTER", value_hint = clap::ValueHint::FilePath)]
    after: PathBuf,
    #[command(flatten)]
    checks: CheckFlags,
    #[command(flatten)]
    output: OutputFlags,
    #[command(flatten)]
    engine: EngineFlags,
}

/// Runs the subcommand.
pub(super) fn run(arguments: &DiffArguments, color: Color) -> Result<Exit, UsageError> {
    let dash = |path: &PathBuf| path.as_os_str() == "-";
    if dash(&arguments.before) && dash(&arguments.after) {
        return Err("the two workflows cannot both come from standard input".into());
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
    let (before, _) = match document(&Source::of(&arguments.before), &options, &engine) {
        Ok(read) => read,
        Err(none) => return Ok(presentation.failure(none.named(), &none.failure)),
    };
    if let Err(error) = check_ids(&before) {
        let failure = Failure::new(Exit::Refused, error.violations);
        let name = Source::of(&arguments.before).name();
        return Ok(presentation.failure(Named { name: &name, text: "" }, &failure));
    }
    Ok(presentation.present(&Source::of(&arguments.after), |text, layout| {
        let review = review_plan_with(text, &options).map_err(|error| failure(&error))?;
        let (report, dialect) = (review.report.clone(), review.reviewed.dialect);
        let mut orders = KeyOrders::default();
        orders.add(&review.reviewed.value, &review.reviewed.locations);
        let document = Review::into_whole(review).map_err(|error| failure(&error))?;
        match diff_documents(&before, &document) {
            Ok(found) => {
                let plan = Some(ReadPlan { dialect, document, fixed: 0 });
                Ok(Answer { plan, ..written(found, report, layout, &orders) })
            }
            Err(error) => Err(Failure::new(Exit::Refused, error.violations)),
        }
    }))
}

/// Writes the patch, whose new parts come from the second file. Its keys are all strings, so serialization
/// cannot fail.
fn written(
    found: DocumentDiff,
    mut report: Report,
    layout: Layout,
    orders: &KeyOrders,
) -> Answer<'static> {
    let DocumentDiff { patch, diagnostics } = found;
    let (text, layout) = match layout {
        Layout::Kept => (serde_json::to_string(&patch), plan::Layout::Compact),
        Layout::Indented => (serde_json::to_string_pretty(&patch), plan::Layout::Indented),
    };
    let text = text.unwrap_or_default();
    let text = orders.written(&text, Dialect::Patch, layout);
    report.diagnostics.extend(diagnostics);
    Answer { json: text.into(), report, fit: None, plan: None }
}
