//! `llmend plan`: what plan is in this answer?

use std::error::Error as _;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use llmend::{
    Dialect, PlanningError,
    json::{self, Options},
    metrics, parse_plan_payload_with,
};

use crate::{
    answer::{Answer, Asked, Layout, OutputArguments, Presentation, Shown},
    engine::EngineArguments,
    exit::{Exit, Failure},
    input::Source,
    output::say,
    render::Colour,
};

const EXAMPLES: &str = "\
Examples:
  llmend plan answer.txt                      the plan in the file, as canonical JSON
  some-model < prompt.txt | llmend plan       the plan in what a command writes
  llmend plan --pretty --explain answer.txt   indented, with what was mended on the way
  llmend plan --dialect openmanus answer.txt  by the strict rules of that dialect
  llmend plan --report json answer.txt        all that is known, for a program

Every problem of a plan is told at once, each with its place. In a report, `json` is the plan,
and the repairs are those of the text that it was read from.
Exit status: 0 a plan, 1 refused, 2 misused, 3 input or output failed.";

/// Read the plan in a model's answer
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: Source,
    /// How the plan is written: auto, canonical, openmanus, gomind, workflow, clickweave-steps,
    /// clickweave-graph, openai-tool-calls, anthropic-tool-use, mcp-tools-call
    #[arg(long, value_name = "DIALECT", default_value = Dialect::Auto.as_str(), value_parser = dialects(), hide_possible_values = true, verbatim_doc_comment)]
    dialect: Dialect,
    #[command(flatten)]
    output: OutputArguments,
    /// Say on standard error, at the end, how often planning succeeded and failed, as one JSON object
    #[arg(long, help_heading = "What is shown")]
    metrics: bool,
    #[command(flatten)]
    engine: EngineArguments,
}

fn dialects() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::ALL.map(Dialect::as_str))
        .try_map(|name| name.parse::<Dialect>())
}

/// Does it.
pub(crate) fn run(arguments: &Arguments, colour: Colour) -> Result<Exit, clap::Error> {
    let engine = arguments.engine.engine()?;
    let presentation = Presentation {
        arguments: &arguments.output,
        shown: Shown::Value,
        asked: Asked::Value,
        engine: &engine,
        colour,
    };
    let exit = presentation.present(&arguments.source, |text, layout| {
        planned(text, &engine.options, arguments.dialect, layout)
    });
    if arguments.metrics {
        say(&counters());
    }
    Ok(exit)
}

/// The counters of this process in one line.
fn counters() -> String {
    let counters: serde_json::Value = metrics::snapshot().into_iter().collect();
    format!("llmend: metrics {counters}")
}

fn planned<'t>(
    text: &'t str,
    options: &Options,
    dialect: Dialect,
    layout: Layout,
) -> Result<Answer<'t>, Failure> {
    let (plan, meta) =
        parse_plan_payload_with(text, options, dialect).map_err(|error| failure(&error))?;
    let written = match layout {
        Layout::Kept => serde_json::to_string(&plan),
        Layout::Indented => serde_json::to_string_pretty(&plan),
    };
    let json = written.map_err(|error| {
        Failure::plain(
            Exit::Refused,
            "internal/fault",
            format!("the plan cannot be written: {error}"),
        )
    })?;
    let mut report = meta.report;
    report.diagnostics.extend(meta.diagnostics);
    Ok(Answer { json: json.into(), report, fit: None })
}

fn failure(error: &PlanningError) -> Failure {
    match error.source().and_then(|source| source.downcast_ref::<json::Error>()) {
        Some(error) => Failure::from(error),
        None => Failure {
            report: error.report().cloned().map(Box::new),
            ..Failure::new(Exit::Refused, error.diagnostics())
        },
    }
}
