//! `llmend repair`: the JSON in an answer.

use llmend::json::{Options, parse_with};

use crate::{
    exit::{Exit, UsageError},
    fitting::fitted,
    flags::{EngineFlags, OutputFlags, SchemaFlags, SourceFlags},
    outcome::{Answer, Failure, Layout},
    presentation::{Presentation, ResultKind, Stdout},
    render::Color,
};

const EXAMPLES: &str = "\
Examples:
  llmend repair answer.txt                    write the JSON in a file
  some-model < prompt.txt | llmend repair     read from standard input
  llmend repair --explain answer.txt          show each repair in place
  llmend repair --report json answer.txt      write a report as JSON
  llmend repair --policy conservative a.txt   repair little more than comments, commas and quotes
  llmend repair --no-rule inner-quotes a.txt  disable one rule
  llmend repair --schema schema.json a.txt    make the value fit a schema

With --schema, the value is made to fit without inventing data; `llmend coercions` lists the changes. A
value that does not fit is refused. A report then has \"coercions\" and \"violations\".
Valid JSON is written unchanged, with a final line end.
Exit status: 0 value, 1 refused, 2 usage error, 3 input or output failed.";

/// Find and repair the JSON in a model's answer
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RepairArguments {
    #[command(flatten)]
    source: SourceFlags,
    #[command(flatten)]
    output: OutputFlags,
    #[command(flatten)]
    schema: SchemaFlags,
    #[command(flatten)]
    engine: EngineFlags,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &RepairArguments, color: Color) -> Result<Exit, UsageError> {
    let engine = arguments.engine.engine()?;
    let schema = arguments.schema.schema.as_deref();
    let presentation = Presentation {
        output: arguments.output.output(),
        stdout: Stdout::Value,
        kind: if schema.is_some() { ResultKind::Fit } else { ResultKind::Value },
        engine: &engine,
        color,
    };
    Ok(match schema {
        None => presentation.present(&arguments.source.source(), |text, layout| {
            repaired(text, &engine.options, layout)
        }),
        Some(path) => {
            let options = arguments.schema.coercing.options(&engine);
            presentation.present_with(path, &arguments.source.source(), |text, layout, schema| {
                fitted(text, schema, &options, layout)
            })
        }
    })
}

/// Parses the value even if only its text is wanted, since parsing finds duplicate keys.
fn repaired<'t>(text: &'t str, options: &Options, layout: Layout) -> Result<Answer<'t>, Failure> {
    let parsed = parse_with(text, options).map_err(|error| Failure::from(&error))?;
    let json = match layout {
        Layout::Kept => parsed.report.output(text),
        Layout::Indented => format!("{:#}", parsed.value).into(),
    };
    Ok(Answer { json, report: parsed.report, fit: None, plan: None })
}
