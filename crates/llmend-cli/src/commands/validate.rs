//! `llmend validate`: validation without changes.

use std::path::PathBuf;

use llmend::{CoerceMode, FitOptions};

use crate::{
    exit::Exit,
    fitting::fitted,
    flags::{LimitFlags, ReportFlags, SourceFlags},
    outcome::Failure,
    presentation::{Presentation, ResultKind, Stdout},
    render::Color,
};

const EXAMPLES: &str = "\
Examples:
  llmend validate --schema schema.json value.json                 list every violation
  some-program | llmend validate --schema schema.json             read from standard input
  llmend validate --schema schema.json --report json value.json   write a report as JSON

The value has to be strict JSON, and nothing is changed; use `llmend repair --schema` for an answer of a
model. Nothing but a report is written to standard output.
Exit status: 0 fits, 1 does not fit, 2 usage error, 3 input or output failed.";

/// Validate a JSON value against a schema, without changing it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ValidateArguments {
    #[command(flatten)]
    source: SourceFlags,
    /// The JSON Schema, or FILE#/POINTER for a part of a file
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    schema: PathBuf,
    #[command(flatten)]
    report: ReportFlags,
    #[command(flatten)]
    limits: LimitFlags,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &ValidateArguments, color: Color) -> Exit {
    let engine = arguments.limits.strict();
    let presentation = Presentation {
        output: arguments.report.output(false),
        stdout: Stdout::Nothing,
        kind: ResultKind::Fit,
        engine: &engine,
        color,
    };
    let options = FitOptions { text: engine.options.clone(), coerce: CoerceMode::Off };
    presentation.present_with(
        &arguments.schema,
        &arguments.source.source(),
        |text, layout, schema| {
            fitted(text, schema, &options, layout).map_err(|failure| Failure {
                hint: failure.hint.as_ref().map(|_| advice(&failure)),
                ..failure
            })
        },
    )
}

/// Returns the hint for a text that cannot be read, which differs from that of `repair`.
fn advice(failure: &Failure) -> String {
    match failure.reason() {
        Some(row) if row.code.starts_with("limit/") => failure.hint.clone().unwrap_or_default(),
        _ => "Use `llmend repair` for text that is not strict JSON.".to_owned(),
    }
}
