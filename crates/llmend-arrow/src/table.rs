//! Repair of a column of a Parquet file, resumable by row group.
//!
//! Each row group is repaired into a file in a directory beside the output, so an interrupted run can resume. At
//! the end the columns of the input, copied unread, and the new column are joined, and the output appears as a
//! whole.

use std::{
    fs,
    num::NonZero,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::Duration,
};

use llmend::{FitOptions, Schema};

mod error;
mod input;
mod join;
mod part;
mod parts;
mod rows;
mod tally;

pub use error::TableError;
pub use rows::{TableTexts, write_table};
pub use tally::Tally;

use input::Input;
use parts::{Manifest, Parts};

use crate::Job;

/// The time between two progress reports.
const PAUSE: Duration = Duration::from_millis(100);

/// A column to repair.
#[derive(Clone, Debug)]
pub struct TableJob<'a> {
    /// The Parquet file to read.
    pub input: &'a Path,
    /// The column with the answers: strings, bytes or nulls.
    pub column: &'a str,
    /// The Parquet file to write.
    pub output: &'a Path,
    /// The name of the new column, of the type [`field`](crate::field).
    pub into: &'a str,
    /// How texts are repaired and values are coerced.
    pub options: FitOptions,
    /// The schema that each value has to fit, and its text.
    pub schema: Option<(Schema, String)>,
    /// The number of threads.
    pub threads: NonZero<usize>,
}

/// The outcome of repairing a column.
#[derive(Clone, Debug)]
pub struct TableOutcome {
    /// The counts of all rows, including those of earlier runs.
    pub tally: Tally,
    /// The number of row groups that an earlier run had finished.
    pub resumed: usize,
}

/// Repairs a column of a Parquet file, or resumes an interrupted run. The output has the columns of the input and
/// the new one.
///
/// Calls `progress` about ten times a second with the rows that are done and the rows that this run has to do.
pub fn repair_table(
    job: TableJob<'_>,
    progress: impl FnMut(u64, u64),
) -> Result<TableOutcome, TableError> {
    let TableJob { input, column, output, into, options, schema, threads } = job;
    let input = Input::open(input, column)?;
    input.admits(into)?;
    let manifest = Manifest::new(&input, column, into, &options, schema.as_ref().map(|it| &*it.1));
    let mut parts = Parts::open(output, &manifest)?;
    let groups: Vec<usize> = input.groups().map(|(group, _)| group).collect();
    let todo: Vec<usize> = groups.iter().copied().filter(|&it| !parts.is_done(it)).collect();
    let resumed = groups.len() - todo.len();
    if output.exists() {
        // A run that was interrupted after writing the output only has to be cleaned up.
        if parts.is_new() || !todo.is_empty() {
            parts.discard();
            return Err(TableError::Exists { path: output.to_owned() });
        }
    } else {
        // With fewer row groups than threads, several threads share a row group.
        let shared =
            NonZero::new(threads.get() / todo.len().max(1)).unwrap_or(NonZero::<usize>::MIN);
        let job = Job { options, schema: schema.map(|(schema, _)| schema), threads: shared };
        work(&input, &parts, into, &job, todo, threads.get(), progress)?;
        join::join(&input, &parts, into, output)?;
    }
    let tally = parts.tally(&groups)?;
    parts.remove();
    Ok(TableOutcome { tally, resumed })
}

/// Repairs the row groups in `todo`, each into a part.
fn work(
    input: &Input,
    parts: &Parts,
    into: &str,
    job: &Job,
    todo: Vec<usize>,
    threads: usize,
    mut progress: impl FnMut(u64, u64),
) -> Result<(), TableError> {
    let rows: u64 = input.groups().filter(|(it, _)| todo.contains(it)).map(|it| it.1).sum();
    let threads = threads.min(todo.len().max(1));
    let (done, stopped) = (AtomicU64::new(0), AtomicBool::new(false));
    let groups = Mutex::new(todo.into_iter());
    let next = || groups.lock().unwrap_or_else(PoisonError::into_inner).next();
    thread::scope(|scope| {
        let (sender, results) = channel();
        let (done, stopped, next) = (&done, &stopped, &next);
        let mut workers = Vec::with_capacity(threads);
        for _ in 0..threads {
            let sender = sender.clone();
            let worker = move || {
                while let Some(group) = next() {
                    let result =
                        part::write(input, group, job, into, parts.folder(), done, stopped);
                    if sender.send(result).is_err() || stopped.load(Ordering::Relaxed) {
                        return;
                    }
                }
            };
            let started =
                thread::Builder::new().name("worker".to_owned()).spawn_scoped(scope, worker);
            workers.push(started.map_err(|error| {
                stopped.store(true, Ordering::Relaxed);
                TableError::Threads { count: threads, error }
            })?);
        }
        drop(sender);
        let ended = loop {
            progress(done.load(Ordering::Relaxed), rows);
            match results.recv_timeout(PAUSE) {
                Ok(Ok(())) | Err(RecvTimeoutError::Timeout) => {}
                Ok(Err(error)) => break Err(error),
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
            }
        };
        stopped.store(ended.is_err(), Ordering::Relaxed);
        // A part that a panic left unfinished is missed when the parts are joined.
        for worker in workers {
            drop(worker.join());
        }
        ended
    })
}

/// Flushes a file to disk and gives it its final name.
fn publish(file: &fs::File, from: &Path, to: &Path) -> Result<(), TableError> {
    file.sync_all()
        .and_then(|()| fs::rename(from, to))
        .map_err(|error| TableError::write(to, error))
}

/// Appends `ending` to a path.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
