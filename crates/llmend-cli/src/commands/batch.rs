//! `llmend batch`: what JSON is in each line of a log, or each row of a table, of answers?

use std::{
    borrow::Cow,
    io::{self, BufReader, BufWriter, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    thread,
};

use clap::{
    builder::{PossibleValuesParser, TypedValueParser},
    error::ErrorKind as ClapKind,
};
use llmend::{
    Dialect, FitOptions, ReviewOptions, Schema,
    json::{ErrorKind, Node, Options, Policy, Value, parse_with},
};

use crate::{
    answer::{Answer, Layout},
    engine::{Engine, EngineArguments, misuse},
    exit::{Exit, Failure},
    files::Unusable,
    fitting::{SchemaArguments, fitted},
    input::{Source, decode, too_long, unreadable},
    lines::{Line, next_line},
    output::{say, say_block, undelivered},
    planning::{PlanArguments, Target, planned},
    pool::{Jobs, Ordered, ordered},
    render::{
        Colour, Named, counted,
        explain::refusal,
        progress::Progress,
        report::Object,
        summary::{BatchTally, batch_summary},
    },
    schemas::{Compiled, load, load_text},
    table,
};

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

/// Lines that are worked on at once.
const CHUNK_LINES: usize = 64;
/// Bytes that are worked on at once, if the lines are long.
const CHUNK_BYTES: u64 = 256 << 10;

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

/// What a worker needs to know.
struct Task {
    field: Option<String>,
    wanted: Wanted,
    options: FitOptions,
    strict: Options,
}

/// What the answer of a line has to fit.
enum Wanted {
    /// Nothing.
    Value,
    /// This schema.
    Schema(Schema),
    /// The schema that the line holds in this member.
    Field { name: String, compiled: Compiled },
    /// Nothing: it is a plan, and to be written in this form.
    Plan { options: Box<ReviewOptions>, form: Target },
}

/// A few lines of the input.
#[derive(Default)]
struct Chunk {
    /// Number of the first line, from 1.
    first: usize,
    lines: Vec<Line>,
    bytes: u64,
    /// Why the input ends here, if it should not.
    broken: Option<io::Error>,
}

/// What became of them.
struct Done {
    text: String,
    tally: BatchTally,
    bytes: u64,
    broken: Option<io::Error>,
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
            Ok(task) => work(arguments, task).map(|tally| batch_summary(&tally, "line")),
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

fn work(arguments: &Arguments, task: Task) -> Result<BatchTally, Failure> {
    let (input, known) = arguments.source.open()?;
    let workers = workers(arguments);
    let limit = task.strict.max_bytes;
    let results = ordered(
        workers,
        move |jobs| chunks(BufReader::new(input), limit, jobs),
        move |chunk| done(&task, chunk),
    )
    .map_err(|error| {
        let message = format!("cannot start {}: {error}", counted(workers, "thread"));
        Failure::plain(Exit::Io, "output/threads", message)
    })?;
    let progress = progress(arguments, known, "lines");
    collect(results, progress, &arguments.source.name())
}

/// Cuts the input into chunks. A chunk ends early where no more input is there yet, so that a
/// line that has come is not kept waiting for the next.
fn chunks(mut input: BufReader<impl io::Read>, limit: usize, jobs: &Jobs<Chunk, Done>) {
    let mut chunk = Chunk { first: 1, ..Chunk::default() };
    loop {
        let next = next_line(&mut input, limit);
        let ended = !matches!(next, Ok(Some(_)));
        match next {
            Ok(Some((line, bytes))) => {
                chunk.lines.push(line);
                chunk.bytes += bytes;
            }
            Ok(None) => {}
            Err(error) => chunk.broken = Some(error),
        }
        let full = chunk.lines.len() == CHUNK_LINES || chunk.bytes >= CHUNK_BYTES;
        if ended || full || input.buffer().is_empty() {
            let first = chunk.first + chunk.lines.len();
            let whole = std::mem::replace(&mut chunk, Chunk { first, ..Chunk::default() });
            if jobs.submit(whole).is_err() || ended {
                return;
            }
        }
    }
}

/// The objects of a chunk's lines.
fn done(task: &Task, chunk: Chunk) -> Done {
    let mut tally = BatchTally::default();
    let mut text = String::new();
    for (number, line) in (chunk.first..).zip(&chunk.lines) {
        let (object, counted) = guarded(task, number, || object(task, number, line));
        text.push_str(&object);
        tally.add(&counted);
    }
    Done { text, tally, bytes: chunk.bytes, broken: chunk.broken }
}

/// What `make` makes of a line. A fault of ours in one line must not cost the others theirs.
fn guarded(
    task: &Task,
    number: usize,
    make: impl FnOnce() -> (String, BatchTally),
) -> (String, BatchTally) {
    catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|_| {
        let message = "the line met a fault in llmend itself; please report it";
        let failure = Failure::plain(Exit::Refused, "internal/fault", message);
        (refused(task, number, &failure), BatchTally::of_bad_line())
    })
}

/// The object of one line, as text with a line end, and how it counts.
fn object(task: &Task, number: usize, line: &Line) -> (String, BatchTally) {
    let (answer, schema) = match held(task, line) {
        Ok(held) => held,
        Err(failure) => return (refused(task, number, &failure), BatchTally::of_bad_line()),
    };
    match read(task, &answer, schema.as_ref()) {
        Ok(answer) => {
            let mut object = Object::of_answer(&answer);
            object.line = Some(number);
            (object.to_line(), BatchTally::of_value(&answer.report, answer.fit.as_ref()))
        }
        Err(failure) => (refused(task, number, &failure), BatchTally::of_refusal()),
    }
}

/// The object of a line that has no value.
fn refused(task: &Task, number: usize, failure: &Failure) -> String {
    let mut object = Object::of_failure(failure);
    object.line = Some(number);
    match task.wanted {
        Wanted::Value => object.to_line(),
        Wanted::Schema(_) | Wanted::Field { .. } => object.with_schema().to_line(),
        Wanted::Plan { .. } => object.with_plan().to_line(),
    }
}

/// The value in an answer.
fn read<'t>(task: &Task, answer: &'t str, schema: Option<&Schema>) -> Result<Answer<'t>, Failure> {
    if let Some(schema) = schema {
        return fitted(answer, schema, &task.options, Layout::Kept);
    }
    if let Wanted::Plan { options, form } = &task.wanted {
        return planned(answer, options, Some(*form), Layout::Kept);
    }
    let parsed = parse_with(answer, &task.options.text).map_err(|error| Failure::from(&error))?;
    Ok(Answer { json: parsed.report.output(answer), report: parsed.report, fit: None, plan: None })
}

/// The answer that a line holds, and the schema that it has to fit.
fn held(task: &Task, line: &Line) -> Result<(String, Option<Schema>), Failure> {
    let bytes = match line {
        Line::Bytes(bytes) => bytes,
        Line::TooLong => return Err(too_long(task.strict.max_bytes)),
    };
    let line = match parse_with(decode(bytes)?, &task.strict) {
        Ok(parsed) => parsed.value,
        Err(error) if error.kind() == ErrorKind::Empty => {
            return Err(bad_line("input/line", "the line is empty".to_owned()));
        }
        Err(error) => {
            return Err(bad_line("input/line", format!("the line is not JSON: {error}")));
        }
    };
    let answer = answer(task, &line)?;
    let schema = match &task.wanted {
        Wanted::Value | Wanted::Plan { .. } => None,
        Wanted::Schema(schema) => Some(schema.clone()),
        Wanted::Field { name, compiled } => Some(compiled.named(name, member(&line, name))?),
    };
    Ok((answer, schema))
}

/// The text that a line holds as the answer.
fn answer(task: &Task, line: &Value<'_>) -> Result<String, Failure> {
    let (holder, what): (_, Cow<'_, str>) = match &task.field {
        None => (Some(line.root()), "the line, without `--field`,".into()),
        Some(name) => (member(line, name), format!("the field `{name}`").into()),
    };
    let Some(node) = holder else {
        return Err(bad_line("input/field", format!("{what} is not there")));
    };
    node.str()
        .map(ToOwned::to_owned)
        .ok_or_else(|| bad_line("input/field", format!("{what} is not a string")))
}

/// The member `name` of a line; what a JSON Pointer leads to, if it begins with `/`.
fn member<'v>(line: &'v Value<'_>, name: &str) -> Option<Node<'v>> {
    let root = line.root();
    root.get(name).or_else(|| root.pointer(name).filter(|_| name.starts_with('/')))
}

fn bad_line(code: &'static str, message: String) -> Failure {
    Failure::plain(Exit::Refused, code, message)
}

/// Writes the objects as they come.
fn collect(
    mut results: Ordered<Done>,
    mut progress: Progress,
    name: &str,
) -> Result<BatchTally, Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut tally = BatchTally::default();
    let mut bytes = 0;
    let ended = loop {
        let mut next = results.ready();
        if next.is_none() {
            // What is finished is not kept back while the next is waited for.
            if let Err(error) = out.flush() {
                break Err(undelivered(&error));
            }
            next = results.wait();
        }
        let Some(done) = next else { break Ok(()) };
        if let Err(error) = out.write_all(done.text.as_bytes()) {
            break Err(undelivered(&error));
        }
        tally.add(&done.tally);
        bytes += done.bytes;
        progress.advance(bytes, tally.lines());
        if let Some(error) = done.broken {
            break Err(unreadable(name, &error));
        }
    };
    progress.clear();
    out.flush().map_err(|error| undelivered(&error))?;
    ended.map(|()| tally)
}

#[cfg(test)]
mod tests {
    use llmend::{FitOptions, json::Options};

    use super::{Task, Wanted, guarded};

    #[test]
    fn a_fault_costs_one_line() {
        let task = Task {
            field: None,
            wanted: Wanted::Value,
            options: FitOptions::default(),
            strict: Options::default(),
        };
        let (object, tally) = guarded(&task, 7, || panic!("on purpose"));
        assert!(object.starts_with(r#"{"line":7,"status":"refused""#), "{object}");
        assert!(object.contains(r#""error":{"code":"internal/fault""#), "{object}");
        assert_eq!(tally.lines(), 1);
    }
}
