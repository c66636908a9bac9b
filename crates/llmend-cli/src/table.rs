//! How is a column of answers in a Parquet file repaired?
//!
//! Each row group is repaired on its own, and what comes of it is a file in a folder beside the output:
//! what was done is done, whenever the work is ended. At last the columns of the input, as they stand
//! there, and the new one are put together, and the output appears whole or not at all.

use std::{
    fs,
    num::NonZero,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use llmend::{FitOptions, Schema};
use llmend_arrow::Job;

mod input;
mod join;
mod part;
mod parts;

use input::Input;
use parts::{Manifest, Parts};

use crate::{
    exit::{Exit, Failure},
    pool::{Wait, ordered},
    render::{counted, progress::Progress, summary::BatchTally},
};

/// How long nothing new is shown, where there is something.
const PATIENCE: Duration = Duration::from_millis(100);

/// What is to be done.
pub(crate) struct Order<'a> {
    pub(crate) input: &'a Path,
    /// The column that holds the answers.
    pub(crate) column: &'a str,
    pub(crate) output: &'a Path,
    /// The column that is added.
    pub(crate) into: &'a str,
    pub(crate) options: FitOptions,
    /// What each value has to fit, and the text that says so.
    pub(crate) schema: Option<(Schema, String)>,
    pub(crate) workers: usize,
}

/// What was done.
pub(crate) struct Outcome {
    pub(crate) tally: BatchTally,
    /// Row groups that an earlier run had done.
    pub(crate) found: usize,
}

/// Does it, or goes on with it.
pub(crate) fn repair(order: Order<'_>, progress: Progress) -> Result<Outcome, Failure> {
    let Order { input, column, output, into, options, schema, workers } = order;
    let input = Input::open(input, column)?;
    input.admits(into)?;
    let asked = Manifest::new(&input, column, into, &options, schema.as_ref().map(|it| &*it.1));
    let mut parts = Parts::open(output, &asked)?;
    let groups: Vec<usize> = input.groups().map(|(group, _)| group).collect();
    let todo: Vec<usize> = groups.iter().copied().filter(|&it| !parts.is_done(it)).collect();
    let found = groups.len() - todo.len();
    if output.exists() {
        // Whoever ended an earlier run after its last step but one has all there is to have.
        if parts.is_new() || !todo.is_empty() {
            parts.give_up();
            return Err(exists(output));
        }
    } else {
        // Few row groups are shared among more.
        let threads = NonZero::new(workers / todo.len().max(1)).unwrap_or(NonZero::<usize>::MIN);
        let job = Job { options, schema: schema.map(|(schema, _)| schema), threads };
        work(&input, &parts, into, job, todo, workers, progress)?;
        join::join(&input, &parts, into, output)?;
    }
    let tally = parts.tally(&groups)?;
    parts.remove();
    Ok(Outcome { tally, found })
}

fn exists(output: &Path) -> Failure {
    let message = format!("`{}` is there already", output.display());
    Failure::plain(Exit::Usage, "output/exists", message)
        .hint("Remove it, or name another file with `--output`.")
}

/// Repairs the row groups that are to be done, each into a part.
fn work(
    input: &Input,
    parts: &Parts,
    into: &str,
    job: Job,
    todo: Vec<usize>,
    workers: usize,
    mut progress: Progress,
) -> Result<(), Failure> {
    let rows: u64 = input.groups().filter(|(it, _)| todo.contains(it)).map(|it| it.1).sum();
    let many = workers.min(todo.len().max(1));
    let (theirs, folder, column) = (input.clone(), parts.folder().to_owned(), into.to_owned());
    let done = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&done);
    let mut results = ordered(
        many,
        move |jobs| {
            for group in todo {
                if jobs.submit(group).is_err() {
                    return;
                }
            }
        },
        move |group| part::write(&theirs, group, &job, &column, &folder, &count),
    )
    .map_err(|error| {
        let message = format!("cannot start {}: {error}", counted(many, "thread"));
        Failure::plain(Exit::Io, "output/threads", message)
    })?;
    progress.expect(rows);
    let ended = loop {
        let done = done.load(Ordering::Relaxed);
        progress.advance(done, usize::try_from(done).unwrap_or(usize::MAX));
        match results.wait_for(PATIENCE) {
            Wait::Result(Ok(())) | Wait::NotYet => {}
            Wait::Result(Err(failure)) => break Err(failure),
            Wait::NoMore => break Ok(()),
        }
    };
    progress.clear();
    ended
}

/// The failure to write a file.
fn unwritten(path: &Path, error: impl std::fmt::Display) -> Failure {
    let message = format!("cannot write `{}`: {error}", path.display());
    Failure::plain(Exit::Io, "output/failed", message)
}

/// Makes a file appear under its name, whole, and so that it stays there.
fn settle(file: &fs::File, from: &Path, to: &Path) -> Result<(), Failure> {
    file.sync_all().and_then(|()| fs::rename(from, to)).map_err(|error| unwritten(to, error))
}

/// `path` with an ending more.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
