//! `llmend validate`: does this value fit a schema as it stands?

use std::path::PathBuf;

use llmend::{Coercing, FitOptions};

use crate::{
    answer::{Asked, OutputArguments, Presentation, ReportFormat, Shown},
    engine::LimitArguments,
    exit::{Exit, Failure},
    fitting::fitted,
    input::Source,
    render::Colour,
};

const EXAMPLES: &str = "\
Examples:
  llmend validate --schema schema.json value.json                 whether it fits, and if not, why
  some-program | llmend validate --schema schema.json             the same for what a command writes
  llmend validate --schema schema.json --report json value.json   all that is known, for a program

The value is strict JSON, and nothing is changed: for an answer of a model there is
`llmend repair --schema`. Nothing is written to standard output, unless a report is asked for.
Exit status: 0 it fits, 1 it does not, 2 misused, 3 input or output failed.";

/// Hold a JSON value against a schema, and change nothing
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: Source,
    /// The file with the JSON Schema
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    schema: PathBuf,
    /// Write a report to standard output, whatever the exit status
    #[arg(long, value_enum, value_name = "FORMAT")]
    report: Option<ReportFormat>,
    /// Indent the report
    #[arg(long, requires = "report")]
    pretty: bool,
    /// Leave out the summary
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    limits: LimitArguments,
}

/// Does it.
pub(crate) fn run(arguments: &Arguments, colour: Colour) -> Exit {
    let engine = arguments.limits.strict();
    let Arguments { report, pretty, quiet, .. } = *arguments;
    let presentation = Presentation {
        arguments: &OutputArguments { explain: false, report, pretty, quiet },
        shown: Shown::Nothing,
        asked: Asked::Fit,
        engine: &engine,
        colour,
    };
    let options = FitOptions { text: engine.options.clone(), coercing: Coercing::Off };
    presentation.present_with(&arguments.schema, &arguments.source, |text, layout, schema| {
        fitted(text, schema, &options, layout).map_err(|failure| Failure {
            hint: failure.hint.as_ref().map(|_| advice(&failure)),
            ..failure
        })
    })
}

/// What to do about a text that cannot be read: not what `repair` would advise.
fn advice(failure: &Failure) -> String {
    match failure.reason() {
        Some(row) if row.code.starts_with("limit/") => failure.hint.clone().unwrap_or_default(),
        _ => "`llmend repair` mends what is no strict JSON.".to_owned(),
    }
}
