//! Parallel processing of a log, line by line.

use std::io::{self, BufReader, BufWriter, Write};

use crate::{
    commands::batch::line::{LineTask, answered},
    exit::Exit,
    input::{Source, unreadable},
    lines::{Line, next_line},
    outcome::Failure,
    output::stdout_failed,
    pool::{Jobs, Ordered, ordered},
    render::{counted, progress::Progress, summary::BatchTally},
};

/// Lines per chunk.
const CHUNK_LINES: usize = 64;
/// Bytes per chunk, if the lines are long.
const CHUNK_BYTES: u64 = 256 << 10;

/// A chunk of input lines.
#[derive(Default)]
struct Chunk {
    /// The number of the first line, from 1.
    first: usize,
    lines: Vec<Line>,
    bytes: u64,
    /// The error that ended the input here, if any.
    broken: Option<io::Error>,
}

/// A processed chunk.
struct Done {
    text: String,
    tally: BatchTally,
    bytes: u64,
    broken: Option<io::Error>,
}

/// Processes each line of `source` on `workers` threads, and writes the objects in input order. `progress`
/// gets the number of bytes, if it is known.
pub(super) fn answer(
    source: &Source,
    task: LineTask,
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

/// Splits the input into chunks. A chunk ends early where the input pauses, so that a complete line never waits
/// for the next.
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

/// Processes the lines of a chunk.
fn done(task: &LineTask, chunk: Chunk) -> Done {
    let mut tally = BatchTally::default();
    let mut text = String::new();
    for (number, line) in (chunk.first..).zip(&chunk.lines) {
        let (object, counted) = answered(task, number, line);
        text.push_str(&object);
        tally.add(&counted);
    }
    Done { text, tally, bytes: chunk.bytes, broken: chunk.broken }
}

/// Writes the objects as they arrive.
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
            // Flush finished lines before waiting for the next.
            if let Err(error) = out.flush() {
                break Err(stdout_failed(&error));
            }
            next = results.wait();
        }
        let Some(done) = next else { break Ok(()) };
        if let Err(error) = out.write_all(done.text.as_bytes()) {
            break Err(stdout_failed(&error));
        }
        tally.add(&done.tally);
        bytes += done.bytes;
        progress.advance(bytes, tally.lines());
        if let Some(error) = done.broken {
            break Err(unreadable(name, &error));
        }
    };
    progress.clear();
    out.flush().map_err(|error| stdout_failed(&error))?;
    ended.map(|()| tally)
}
