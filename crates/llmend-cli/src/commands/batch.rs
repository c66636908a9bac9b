//! `llmend batch`: what JSON is in each line of a log, or each row of a table, of answers?

use std::{
    path::{Path, PathBuf},
    thread,
};

use clap::{
    builder::{PossibleValuesParser, TypedValueParser},
    error::ErrorKind as ClapKind,
};
use llmend::{
    Dialect,
    json::{Options, Policy},
};

use crate::{
    engine::{Engine, EngineArguments, misuse},
    exit::Exit,
    files::Unusable,
    fitting::SchemaArguments,
    input::Source,
    output::{say, say_block},
    planning::{PlanArguments, Target},
    render::{
        Colour, Named, counted, explain::refusal, progress::Progress, summary::batch_summary,
    },
    schemas::{Compiled, load, load_text},
    table,
};

mod line;
mod log;

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
    /// The column that holds the answers; then FILE is Parquet
    #[arg(
        long,
        value_name = "NAME",
        requires = "output",
        conflicts_with_all = ["field", "schema_field", "form"],
        help_heading = "A column of a Parquet file"
    )]
    column: Option<String>,
    /// The Parquet file to write
    #[arg(
        long,
        short,
        value_name = "FILE",
        requires = "column",
        value_hint = clap::ValueHint::FilePath,
        help_heading = "A column of a Parquet file"
    )]
    output: Option<PathBuf>,
    /// What the new column is called
    #[arg(
        long,
        value_name = "NAME",
        default_value = "llmend",
        requires = "column",
        help_heading = "A column of a Parquet file"
    )]
    into: String,
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
    let ended = match (&arguments.column, &arguments.output) {
        (Some(column), Some(output)) => {
            let files = (file(arguments)?, output.as_path());
            match order(arguments, files, column, &engine, colour) {
                Ok(order) => table::repair(order, progress(arguments, None, "rows"))
                    .map(|done| of_table(&done)),
                Err(exit) => return Ok(exit),
            }
        }
        _ => match task(arguments, &engine, colour) {
            Ok(task) => {
                let progress = |known| progress(arguments, known, "lines");
                log::answer(&arguments.source, task, workers(arguments), progress)
                    .map(|tally| batch_summary(&tally, "line"))
            }
            Err(exit) => return Ok(exit),
        },
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

/// The file of the table.
fn file(arguments: &Arguments) -> Result<&Path, clap::Error> {
    arguments.source.path().ok_or_else(|| {
        let message = "'--column' needs a FILE: Parquet cannot be read from standard input\n";
        misuse(ClapKind::MissingRequiredArgument, message.to_owned())
    })
}

/// What is to be done to a table. A schema that cannot be had ends the command.
fn order<'a>(
    arguments: &'a Arguments,
    (input, output): (&'a Path, &'a Path),
    column: &'a str,
    engine: &Engine,
    colour: Colour,
) -> Result<table::Order<'a>, Exit> {
    let schema = arguments.schema.schema.as_deref();
    let schema = schema.map(|path| Ok((load(path, colour)?, load_text(path, colour)?)));
    let schema = schema.transpose().map_err(|none: Box<Unusable>| none.say(colour))?;
    let options = arguments.schema.coercing.options(engine);
    let workers = workers(arguments);
    Ok(table::Order { input, column, output, into: &arguments.into, options, schema, workers })
}

/// What is said of a table in one line, without a line end.
fn of_table(done: &table::Outcome) -> String {
    let mut line = batch_summary(&done.tally, "row");
    if done.found > 0 {
        line.push_str("; an earlier run had done ");
        line.push_str(&counted(done.found, "row group"));
    }
    line
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
