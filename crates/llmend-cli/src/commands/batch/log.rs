//! How is a log answered line by line, on all cores?

use std::io::{self, BufReader, BufWriter, Write};

use crate::{
    commands::batch::line::{Task, told},
    exit::{Exit, Failure},
    input::{Source, unreadable},
    lines::{Line, next_line},
    output::undelivered,
    pool::{Jobs, Ordered, ordered},
    render::{counted, progress::Progress, summary::BatchTally},
};

/// Lines that are worked on at once.
const CHUNK_LINES: usize = 64;
/// Bytes that are worked on at once, if the lines are long.
const CHUNK_BYTES: u64 = 256 << 10;

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

/// Answers each line of `source` on `workers` threads, and writes the objects in the order of the
/// lines. `progress` shows how far it has come, if it is known how many bytes there are.
pub(super) fn answer(
    source: &Source,
    task: Task,
    workers: usize,
    progress: impl FnOnce(Option<u64>) -> Progress,
) -> Result<BatchTally, Failure> {
    let (input, known) = source.open()?;
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
    collect(results, progress(known), &source.name())
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
        let (object, counted) = told(task, number, line);
        text.push_str(&object);
        tally.add(&counted);
    }
    Done { text, tally, bytes: chunk.bytes, broken: chunk.broken }
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
