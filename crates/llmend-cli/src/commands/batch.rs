//! `llmend batch`: what JSON is in each line of a log, or each row of a table, of answers?

use std::thread;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use llmend::{
    Dialect,
    json::{Options, Policy},
};

use crate::{
    engine::{Engine, EngineArguments},
    exit::{Exit, Failure},
    fitting::SchemaArguments,
    input::Source,
    output::{say, say_block},
    planning::{PlanArguments, Target},
    render::{Colour, Named, explain::refusal, progress::Progress, summary::batch_summary},
    schemas::{Compiled, load},
};

mod line;
mod log;
#[cfg(feature = "table")]
mod table;

use line::{Task, Wanted};

const EXAMPLES: &str = "\
Examples:
  llmend batch log.jsonl --field answer > reports.jsonl
  llmend batch --field /choices/0/message/content < responses.jsonl
  llmend batch log.jsonl --field answer --schema schema.json
  llmend batch log.jsonl --field answer --schema-field /request/schema
  llmend batch log.jsonl --field answer --as plan --catalog tools.json
  jq -c .text log.jsonl | llmend batch | jq -r 'select(.status == \"refused\") | .line'
  llmend batch answers.parquet --column answer -o repaired.parquet

Each line of the input is a JSON object whose member NAME holds an answer, or, without
--field, a JSON string that is one. Each line of the output is the object that
`llmend repair --report json` would write for that answer, or with --as
`llmend plan --report json`, with \"line\" before all else; its offsets are bytes of the
answer. A line that cannot be read has an object as well, with the error input/line,
input/field, input/schema, schema/unusable or input/utf8.

With --column, FILE is Parquet, and so is what is written: its columns as they are, and a new
one, a struct of value, status, class, truncated, repairs and error, with places counted in
characters. A run that was ended goes on where it was when it is started again: what is done
is kept in a folder beside the output, which appears whole or not at all.
Exit status: 0 if every line got its object, 2 misused, 3 input or output failed.";

/// Mend the answers in a file of JSON Lines or Parquet, on all cores
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    mut_args(|arg| match arg.get_id().as_str() {
        "dialect" | "catalog" | "on_bad_step" | "disable" | "fix" => arg.requires("form"),
        _ => arg,
    })
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: Source,
    /// The member that holds the answer; a JSON Pointer if it begins with `/`
    #[arg(long, value_name = "NAME")]
    field: Option<String>,
    #[cfg(feature = "table")]
    #[command(flatten)]
    table: table::Arguments,
    /// Threads to work on [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Leave out the progress and the summary
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    schema: SchemaArguments,
    /// The member that holds the JSON Schema of the line's answer; a JSON Pointer if it begins with `/`
    #[arg(
        long,
        value_name = "NAME",
        group = "wanted",
        conflicts_with = "schema",
        help_heading = "What the value has to fit"
    )]
    schema_field: Option<String>,
    /// Read each answer as a plan or workflow, and check it; the output is what is named here
    #[arg(
        long = "as",
        value_name = "FORM",
        value_parser = forms(),
        conflicts_with = "wanted",
        help_heading = "How the plan is read"
    )]
    form: Option<Target>,
    #[command(flatten)]
    plan: PlanArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

/// Reads the form of plans that is wanted.
fn forms() -> impl TypedValueParser<Value = Target> {
    PossibleValuesParser::new(["plan", "workflow"]).try_map(|name| match name.as_str() {
        "plan" => Ok(Target::Dialect(Dialect::Canonical)),
        name => name.parse().map(Target::Dialect),
    })
}

/// Does it.
pub(crate) fn run(arguments: &Arguments, colour: Colour) -> Result<Exit, clap::Error> {
    let engine = arguments.engine.engine()?;
    #[cfg(feature = "table")]
    let ended = match table::run(arguments, &engine, colour)? {
        Some(ended) => ended,
        None => lines(arguments, &engine, colour),
    };
    #[cfg(not(feature = "table"))]
    let ended = lines(arguments, &engine, colour);
    let ended = match ended {
        Ok(ended) => ended,
        Err(exit) => return Ok(exit),
    };
    Ok(match ended {
        Ok(mut line) => {
            if let Some(variable) = &engine.switched_off {
                line.push_str("; repair is switched off by ");
                line.push_str(variable);
            }
            if !arguments.quiet {
                say(&line);
            }
            Exit::Value
        }
        Err(failure) => {
            let name = arguments.source.name();
            say_block(&refusal(Named { name: &name, text: "" }, &failure, colour));
            failure.exit
        }
    })
}

/// Answers each line of the input. A schema that cannot be had ends the command.
fn lines(
    arguments: &Arguments,
    engine: &Engine,
    colour: Colour,
) -> Result<Result<String, Failure>, Exit> {
    let task = task(arguments, engine, colour)?;
    let progress = |known| progress(arguments, known, "lines");
    Ok(log::answer(&arguments.source, task, workers(arguments), progress)
        .map(|tally| batch_summary(&tally, "line")))
}

/// What shows how far the work has come, if anything does.
fn progress(arguments: &Arguments, known: Option<u64>, noun: &'static str) -> Progress {
    if arguments.quiet { Progress::hidden() } else { Progress::for_watcher(known, noun) }
}

/// How many threads are to work.
fn workers(arguments: &Arguments) -> usize {
    let cores = || thread::available_parallelism().map_or(1, std::num::NonZero::get);
    arguments.jobs.map_or_else(cores, usize::from)
}

/// What the workers need to know. A schema that cannot be had ends the command.
fn task(arguments: &Arguments, engine: &Engine, colour: Colour) -> Result<Task, Exit> {
    let mut strict = Options::policy(Policy::Strict);
    strict.max_bytes = engine.options.max_bytes;
    let wanted = match (&arguments.schema.schema, &arguments.schema_field) {
        (Some(path), _) => Wanted::Schema(load(path, colour).map_err(|none| none.say(colour))?),
        (None, Some(name)) => Wanted::Field { name: name.clone(), compiled: Compiled::default() },
        (None, None) => match arguments.form {
            Some(form) => {
                let PlanArguments { dialect, checks } = &arguments.plan;
                let options = checks.options(*dialect, engine, colour);
                let options = options.map_err(|none| none.say(colour))?;
                Wanted::Plan { options: Box::new(options), form }
            }
            None => Wanted::Value,
        },
    };
    let options = arguments.schema.coercing.options(engine);
    Ok(Task { field: arguments.field.clone(), wanted, options, strict })
}
