//! `llmend batch`: what JSON is in each line of a log of answers?

use std::{
    borrow::Cow,
    io::{self, BufReader, BufWriter, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
};

use llmend::json::{ErrorKind, Options, Policy, parse_with};

use crate::{
    answer::strict_text,
    engine::EngineArguments,
    exit::{Exit, Failure},
    input::{Source, decode, too_long, unreadable},
    lines::{Line, next_line},
    output::{say, undelivered},
    pool::{Jobs, Ordered, ordered},
    render::{
        Colour, Named, counted,
        explain::refusal,
        progress::Progress,
        report::Object,
        summary::{BatchTally, batch_summary},
    },
};

const EXAMPLES: &str = "\
Examples:
  llmend batch log.jsonl --field answer > reports.jsonl
  llmend batch --field /choices/0/message/content < responses.jsonl
  jq -c .text log.jsonl | llmend batch | jq -r 'select(.status == \"refused\") | .line'

Each line of the input is a JSON object whose member NAME holds an answer, or, without
--field, a JSON string that is one. Each line of the output is the object that
`llmend repair --report json` would write for that answer, with \"line\" before all else; its
offsets are bytes of the answer. A line that cannot be read has an object as well, with the
error input/line, input/field or input/utf8.
Exit status: 0 if every line got its object, 2 misused, 3 input or output failed.";

/// Lines that are worked on at once.
const CHUNK_LINES: usize = 64;
/// Bytes that are worked on at once, if the lines are long.
const CHUNK_BYTES: u64 = 256 << 10;

/// Mend the answers in a file of JSON Lines, on all cores
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: Source,
    /// The member that holds the answer; a JSON Pointer if it begins with `/`
    #[arg(long, value_name = "NAME")]
    field: Option<String>,
    /// Threads to work on [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Leave out the progress and the summary
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    engine: EngineArguments,
}

/// What a worker needs to know.
struct Task {
    field: Option<String>,
    options: Options,
    strict: Options,
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
    let ended = work(arguments, engine.options).map(|tally| {
        if !arguments.quiet {
            let mut line = batch_summary(&tally);
            if let Some(variable) = engine.switched_off {
                line.push_str("; repair is switched off by ");
                line.push_str(variable);
            }
            say(&line);
        }
    });
    Ok(match ended {
        Ok(()) => Exit::Value,
        Err(failure) => {
            let name = arguments.source.name();
            let said = refusal(Named { name: &name, text: "" }, &failure, colour);
            if !said.is_empty() {
                say(&said);
            }
            failure.exit
        }
    })
}

fn work(arguments: &Arguments, options: Options) -> Result<BatchTally, Failure> {
    let (input, known) = arguments.source.open()?;
    let workers = arguments.jobs.map_or_else(
        || thread::available_parallelism().map_or(1, std::num::NonZero::get),
        usize::from,
    );
    let limit = options.max_bytes;
    let mut strict = Options::policy(Policy::Strict);
    strict.max_bytes = limit;
    let task = Task { field: arguments.field.clone(), options, strict };
    let results = ordered(
        workers,
        move |jobs| chunks(BufReader::new(input), limit, jobs),
        move |chunk| done(&task, chunk),
    )
    .map_err(|error| {
        let message = format!("cannot start {}: {error}", counted(workers, "thread"));
        Failure::plain(Exit::Io, "output/threads", message)
    })?;
    let progress = if arguments.quiet { Progress::hidden() } else { Progress::for_watcher(known) };
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
        let (object, counted) = guarded(number, || object(task, number, line));
        text.push_str(&object);
        tally.add(&counted);
    }
    Done { text, tally, bytes: chunk.bytes, broken: chunk.broken }
}

/// What `make` makes of a line. A fault of ours in one line must not cost the others theirs.
fn guarded(number: usize, make: impl FnOnce() -> (String, BatchTally)) -> (String, BatchTally) {
    catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|_| {
        let message = "the line met a fault in llmend itself; please report it";
        bad_line(number, &Failure::plain(Exit::Refused, "internal/fault", message))
    })
}

/// The object of one line, as text with a line end, and how it counts.
fn object(task: &Task, number: usize, line: &Line) -> (String, BatchTally) {
    let bytes = match line {
        Line::Bytes(bytes) => bytes,
        Line::TooLong => return bad_line(number, &too_long(task.options.max_bytes)),
    };
    let answer = match decode(bytes).and_then(|text| answer(task, text)) {
        Ok(answer) => answer,
        Err(failure) => return bad_line(number, &failure),
    };
    match parse_with(&answer, &task.options) {
        Ok(parsed) => {
            let json = strict_text(&answer, &parsed.report);
            let mut object = Object::of_value(&parsed.report, &json);
            object.line = Some(number);
            (object.to_line(), BatchTally::of_value(&parsed.report))
        }
        Err(error) => {
            let failure = Failure::from(&error);
            let mut object = Object::of_failure(&failure);
            object.line = Some(number);
            (object.to_line(), BatchTally::of_refusal())
        }
    }
}

fn bad_line(number: usize, failure: &Failure) -> (String, BatchTally) {
    let mut object = Object::of_failure(failure);
    object.line = Some(number);
    (object.to_line(), BatchTally::of_bad_line())
}

/// The answer that a line holds.
fn answer(task: &Task, line: &str) -> Result<String, Failure> {
    let bad = |code, message: String| Err(Failure::plain(Exit::Refused, code, message));
    let value = match parse_with(line, &task.strict) {
        Ok(parsed) => parsed.value,
        Err(error) if error.kind() == ErrorKind::Empty => {
            return bad("input/line", "the line is empty".to_owned());
        }
        Err(error) => return bad("input/line", format!("the line is not JSON: {error}")),
    };
    let (holder, what): (_, Cow<'_, str>) = match &task.field {
        None => (Some(value.root()), "the line, without `--field`,".into()),
        Some(name) => {
            let member = value.root().get(name);
            let member =
                member.or_else(|| value.root().pointer(name).filter(|_| name.starts_with('/')));
            (member, format!("the field `{name}`").into())
        }
    };
    match holder {
        None => bad("input/field", format!("{what} is not there")),
        Some(node) => match node.str() {
            Some(answer) => Ok(answer.to_owned()),
            None => bad("input/field", format!("{what} is not a string")),
        },
    }
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
    use super::guarded;

    #[test]
    fn a_fault_costs_one_line() {
        let (object, tally) = guarded(7, || panic!("on purpose"));
        assert!(object.starts_with(r#"{"line":7,"status":"refused""#), "{object}");
        assert!(object.contains(r#""error":{"code":"internal/fault""#), "{object}");
        assert_eq!(tally.lines(), 1);
    }
}
