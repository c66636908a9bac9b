//! `llmend batch`: JSON from each line of a log or each row of a table.

#[cfg(any(feature = "table", feature = "models"))]
use std::path::PathBuf;
use std::thread;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use llmend::{
    Dialect,
    json::{Options, Policy},
};

use crate::{
    engine::Engine,
    exit::{Exit, UsageError},
    flags::{EngineFlags, PlanFlags, SchemaFlags, SourceFlags, ToolFlags},
    outcome::Failure,
    output::{eprint, eprint_block},
    planning::Target,
    render::{Color, Named, explain::refusal, progress::Progress, summary::batch_summary},
    schemas::{SchemaCache, load},
    tools::ToolsCache,
};

#[cfg(feature = "models")]
mod asking;
mod line;
mod log;
#[cfg(feature = "table")]
mod table;
#[cfg(feature = "models")]
mod unfinished;

use line::{LineTask, OfferedTools, Wanted};

const EXAMPLES: &str = "\
Examples:
  llmend batch log.jsonl --field answer > reports.jsonl
  llmend batch --field /choices/0/message/content < responses.jsonl
  llmend batch log.jsonl --field answer --schema schema.json
  llmend batch log.jsonl --field answer --schema-field /request/schema
  llmend batch log.jsonl --field answer --as plan --catalog tools.json
  llmend batch log.jsonl --field answer --as calls --tools tools.json
  llmend batch log.jsonl --field answer --as calls --tools-field /request/tools
  jq -c .text log.jsonl | llmend batch | jq -r 'select(.status == \"refused\") | .line'
  llmend batch answers.parquet --column answer -o repaired.parquet
  llmend batch cities.jsonl --ask question --schema city.json --model ollama:llama3 -o answers.jsonl

Each input line is a JSON object with the answer in member NAME or, without --field, a
JSON string. Each output line is the object that `llmend repair --report json` writes for
that answer, `llmend plan --report json` with --as plan, or `llmend calls --report json` with
--as calls, preceded by \"line\"; offsets count bytes of the answer. A line that cannot be read
yields an object with the error input/line, input/field, input/schema, input/tools,
schema/unusable, tools/unusable or input/utf8.

With --column, the input and the output are Parquet. The output has the input's columns and a
new one: a struct of value, status, class, truncated, repairs and error, with offsets in
characters. An interrupted run resumes when it is started again: finished row groups are
kept in a directory beside the output, which appears only once it is complete.

With --ask, a model is asked with the prompt of each line for a value that fits the schema. The
output has the object of `llmend ask --report json` for each line, in their order. A budget is one
for the whole run. If FILE is Parquet, NAME is a column, and the output has the new column of
--column. An interrupted run resumes when it is started again: answers are kept in
FILE.unfinished, and no line that has one is asked again. A busy server is waited for; if no answer
comes any more, the run is interrupted. `-o -` writes the lines to standard output at the end.
Exit status: 0 every line was processed, 2 usage error, 3 input or output failed.";

/// Repair the answers in a JSON Lines or Parquet file, on all cores
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    mut_args(|arg| match arg.get_id().as_str() {
        "dialect" | "catalog" | "on_bad_step" | "on_extra_argument" | "disable" | "fix" => {
            arg.requires("form")
        }
        "tools" | "marked" | "notation" | "in_reasoning" => arg.requires("form"),
        _ => arg,
    })
)]
pub(crate) struct BatchArguments {
    #[command(flatten)]
    source: SourceFlags,
    /// The member with the answer; a JSON Pointer if it starts with `/`
    #[arg(long, value_name = "NAME")]
    field: Option<String>,
    #[cfg(feature = "table")]
    #[command(flatten)]
    table: table::ColumnArguments,
    /// The file to write: Parquet for --column; JSON Lines for --ask, or Parquet if FILE is
    #[cfg(any(feature = "table", feature = "models"))]
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// The number of threads [default: one per core]; with --ask, of requests at a time
    /// [default: 8]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Do not print the progress and the summary
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    schema: SchemaFlags,
    /// The member with the JSON Schema of the answer; a JSON Pointer if it starts with `/`
    #[arg(
        long,
        value_name = "NAME",
        group = "wanted",
        conflicts_with = "schema",
        help_heading = "Schema"
    )]
    schema_field: Option<String>,
    /// Read and check each answer as a plan or workflow, and write it in this form; or read the tool
    /// calls in each answer: plan, workflow, calls
    #[arg(
        long = "as",
        verbatim_doc_comment,
        value_name = "FORM",
        value_parser = forms(),
        hide_possible_values = true,
        conflicts_with_all = ["schema", "schema_field"],
        help_heading = "Form"
    )]
    form: Option<BatchForm>,
    #[command(flatten)]
    plan: PlanFlags,
    #[command(flatten)]
    tools: ToolFlags,
    /// The member with the tools of the answer, as JSON or as a string with JSON; a JSON Pointer if
    /// it starts with `/`
    #[arg(
        long,
        verbatim_doc_comment,
        value_name = "NAME",
        group = "wanted",
        requires = "form",
        help_heading = "Calls"
    )]
    tools_field: Option<String>,
    #[command(flatten)]
    engine: EngineFlags,
    #[cfg(feature = "models")]
    #[command(flatten)]
    asking: asking::AskArguments,
}

/// What is read in each answer beside values.
#[derive(Clone, Copy, Debug)]
enum BatchForm {
    /// A plan, written in this form.
    Plan(Target),
    /// Tool calls.
    Calls,
}

/// Parses the form.
fn forms() -> impl TypedValueParser<Value = BatchForm> {
    PossibleValuesParser::new(["plan", "workflow", "calls"]).try_map(|name| match name.as_str() {
        "calls" => Ok(BatchForm::Calls),
        "plan" => Ok(BatchForm::Plan(Target::Dialect(Dialect::Canonical))),
        name => name.parse().map(|dialect| BatchForm::Plan(Target::Dialect(dialect))),
    })
}

impl BatchArguments {
    /// Fails for a flag that the form does not have.
    fn check(&self) -> Result<(), UsageError> {
        #[cfg(any(feature = "table", feature = "models"))]
        if self.output.is_some() && !self.writes_file() {
            return Err("'--output' requires '--column' or '--ask'".into());
        }
        #[cfg(feature = "table")]
        if self.table.is_named() && !self.writes_file() {
            return Err("'--into' requires '--column' or '--ask'".into());
        }
        let tools = self.tools.given().or(self.tools_field.as_ref().map(|_| "--tools-field"));
        let (given, form) = match self.form {
            Some(BatchForm::Calls) => (self.plan.given(), "plan"),
            _ => (tools, "calls"),
        };
        given.map_or(Ok(()), |flag| Err(format!("'{flag}' requires '--as {form}'").into()))
    }
}

#[cfg(any(feature = "table", feature = "models"))]
impl BatchArguments {
    /// Whether the result is written to a file.
    fn writes_file(&self) -> bool {
        #[cfg(feature = "table")]
        if self.table.is_given() {
            return true;
        }
        #[cfg(feature = "models")]
        if self.asking.is_given() {
            return true;
        }
        false
    }
}

/// The summary of a batch or its failure, or the exit status of a schema that cannot be loaded.
type Ended = Result<Result<String, Failure>, Exit>;

/// Runs the subcommand.
pub(crate) fn run(arguments: &BatchArguments, color: Color) -> Result<Exit, UsageError> {
    arguments.check()?;
    let engine = arguments.engine.engine()?;
    #[cfg(any(feature = "table", feature = "models"))]
    let ended = of_file(arguments, &engine, color)?;
    #[cfg(any(feature = "table", feature = "models"))]
    let ended = ended.unwrap_or_else(|| lines(arguments, &engine, color));
    #[cfg(not(any(feature = "table", feature = "models")))]
    let ended = lines(arguments, &engine, color);
    let ended = match ended {
        Ok(ended) => ended,
        Err(exit) => return Ok(exit),
    };
    Ok(match ended {
        Ok(mut line) => {
            if let Some(variable) = &engine.disabled_by {
                line.push_str("; repair is disabled by ");
                line.push_str(variable);
            }
            if !arguments.quiet {
                eprint(&line);
            }
            Exit::Value
        }
        Err(failure) => {
            let name = arguments.source.source().name();
            eprint_block(&refusal(Named { name: &name, text: "" }, &failure, color));
            failure.exit
        }
    })
}

/// Writes a table or the answers of a model to a file, if one of them is asked for.
#[cfg(any(feature = "table", feature = "models"))]
fn of_file(
    arguments: &BatchArguments,
    engine: &Engine,
    color: Color,
) -> Result<Option<Ended>, UsageError> {
    #[cfg(feature = "models")]
    if let Some(ended) = asking::run(arguments, engine, color)? {
        return Ok(Some(ended));
    }
    #[cfg(feature = "table")]
    if let Some(ended) = table::run(arguments, engine, color)? {
        return Ok(Some(ended));
    }
    Ok(None)
}

/// Answers each line of the input. Returns the summary. A schema that cannot be loaded ends the command.
fn lines(arguments: &BatchArguments, engine: &Engine, color: Color) -> Ended {
    let task = task(arguments, engine, color)?;
    let progress = |known| progress(arguments, known, "lines");
    Ok(log::answer(&arguments.source.source(), task, workers(arguments), progress)
        .map(|tally| batch_summary(&tally, "line")))
}

/// Returns the progress bar, hidden if `--quiet` was given.
fn progress(arguments: &BatchArguments, known: Option<u64>, noun: &'static str) -> Progress {
    if arguments.quiet {
        return Progress::hidden();
    }
    #[cfg(any(feature = "table", feature = "models"))]
    let prints = !arguments.writes_file();
    #[cfg(not(any(feature = "table", feature = "models")))]
    let prints = true;
    Progress::for_watcher(known, noun, prints)
}

/// Returns the number of threads.
fn workers(arguments: &BatchArguments) -> usize {
    let cores = || thread::available_parallelism().map_or(1, std::num::NonZero::get);
    arguments.jobs.map_or_else(cores, usize::from)
}

/// Returns the task of the workers. A schema that cannot be loaded ends the command.
fn task(arguments: &BatchArguments, engine: &Engine, color: Color) -> Result<LineTask, Exit> {
    let mut strict = Options::policy(Policy::Strict);
    strict.max_bytes = engine.options.max_bytes;
    let wanted = match (&arguments.schema.schema, &arguments.schema_field) {
        (Some(path), _) => Wanted::Schema(load(path, color).map_err(|none| none.print(color))?),
        (None, Some(name)) => {
            Wanted::Field { name: name.clone(), compiled: SchemaCache::default() }
        }
        (None, None) => match arguments.form {
            Some(BatchForm::Plan(form)) => {
                let PlanFlags { dialect, checks } = &arguments.plan;
                let options = checks.options(*dialect, engine, color);
                let options = options.map_err(|none| none.print(color))?;
                Wanted::Plan { options: Box::new(options), form }
            }
            Some(BatchForm::Calls) => {
                let tools = if let Some(name) = &arguments.tools_field {
                    OfferedTools::Field { name: name.clone(), cached: ToolsCache::default() }
                } else {
                    let tools = arguments.tools.load(color);
                    OfferedTools::Given(tools.map_err(|none| none.print(color))?.into())
                };
                let fitting = arguments.schema.coercing.options(engine);
                Wanted::Calls { options: Box::new(arguments.tools.calls.options(fitting)), tools }
            }
            None => Wanted::Value,
        },
    };
    let options = arguments.schema.coercing.options(engine);
    Ok(LineTask { field: arguments.field.clone(), wanted, options, strict })
}
