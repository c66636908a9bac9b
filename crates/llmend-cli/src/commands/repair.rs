//! `llmend repair`: what JSON is in this answer?

use llmend::json::{Options, parse_with};

use crate::{
    answer::{Answer, Asked, Layout, OutputArguments, Presentation, Shown},
    engine::EngineArguments,
    exit::{Exit, Failure},
    fitting::{SchemaArguments, fitted},
    input::Source,
    render::Colour,
};

const EXAMPLES: &str = "\
Examples:
  llmend repair answer.txt                    the JSON in the file
  some-model < prompt.txt | llmend repair     the JSON in what a command writes
  llmend repair --explain answer.txt          with each repair shown in its place
  llmend repair --report json answer.txt      all that is known, for a program
  llmend repair --policy conservative a.txt   comments, commas, smart quotes, little more
  llmend repair --no-rule inner-quotes a.txt  anything but that guess
  llmend repair --schema schema.json a.txt    a value that fits, or all reasons why not

With --schema the value is made to fit, as far as that needs no invention; `llmend coercions` lists
what is done. A report has \"coercions\" and \"violations\" then. A value that does not fit is refused.
A text that is valid JSON comes back as it was; a last line end is added if it has none.
Exit status: 0 a value, 1 refused, 2 misused, 3 input or output failed.";

/// Find and mend the JSON in a model's answer
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    output: OutputArguments,
    #[command(flatten)]
    schema: SchemaArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

/// Does it.
pub(crate) fn run(arguments: &Arguments, colour: Colour) -> Result<Exit, clap::Error> {
    let engine = arguments.engine.engine()?;
    let schema = arguments.schema.schema.as_deref();
    let presentation = Presentation {
        arguments: &arguments.output,
        shown: Shown::Value,
        asked: if schema.is_some() { Asked::Fit } else { Asked::Value },
        engine: &engine,
        colour,
    };
    Ok(match schema {
        None => presentation
            .present(&arguments.source, |text, layout| mended(text, &engine.options, layout)),
        Some(path) => {
            let options = arguments.schema.coercing.options(&engine);
            presentation.present_with(path, &arguments.source, |text, layout, schema| {
                fitted(text, schema, &options, layout)
            })
        }
    })
}

/// Reads the value even where only its text is wanted: the value tells of duplicate keys.
fn mended<'t>(text: &'t str, options: &Options, layout: Layout) -> Result<Answer<'t>, Failure> {
    let parsed = parse_with(text, options).map_err(|error| Failure::from(&error))?;
    let json = match layout {
        Layout::Kept => parsed.report.output(text),
        Layout::Indented => format!("{:#}", parsed.value).into(),
    };
    Ok(Answer { json, report: parsed.report, fit: None, plan: None })
}
