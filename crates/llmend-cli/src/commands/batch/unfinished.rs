//! The file of an unfinished run that asks a model: what was answered, and what was being asked.
//!
//! It is JSON Lines. The first line names the run; the others are `{"asking": LINE, "cost": …,
//! "tokens": …}` before a request, with the most that it may use; `{"released": LINE, …}` after one
//! without an answer, with what it used; and the object of each line that was answered. What is asked
//! when a run is killed counts as used, since its answer is not known.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions, TryLockError},
    hash::{DefaultHasher, Hasher as _},
    io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{exit::Exit, outcome::Failure};

/// What requests used, or may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Used {
    /// Tokens in and out.
    pub(super) tokens: u64,
    /// Millionths of a currency unit.
    pub(super) cost: u64,
}

impl Used {
    pub(super) const fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            cost: self.cost.saturating_add(other.cost),
        }
    }

    pub(super) const fn minus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            cost: self.cost.saturating_sub(other.cost),
        }
    }
}

/// What tells one run from another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Run {
    pub(super) input: String,
    /// A hash of the input's bytes.
    pub(super) content: u64,
    pub(super) ask: String,
    pub(super) model: String,
    /// What else is sent with each line, and how often.
    pub(super) options: String,
    /// The schema, or the member that holds it.
    pub(super) schema: String,
}

/// An entry that is read back.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Entry {
    asking: Option<usize>,
    released: Option<usize>,
    cost: u64,
    tokens: u64,
    line: Option<usize>,
    ledger: Option<Spent>,
}

/// The part of a ledger that counts.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Spent {
    usage: Tokens,
    cost: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tokens {
    input: u64,
    output: u64,
}

/// Why a run cannot be resumed or finished.
#[derive(Debug, thiserror::Error)]
pub(super) enum UnfinishedError {
    #[error("{} exists", .0.display())]
    Exists(PathBuf),
    #[error("{} is of another run: {what} differs", path.display())]
    OtherRun { path: PathBuf, what: &'static str },
    #[error("{} is being written by another run", .0.display())]
    Busy(PathBuf),
    #[error("cannot write {}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
}

/// The file.
#[derive(Debug)]
pub(super) struct Unfinished {
    path: PathBuf,
    output: PathBuf,
    file: File,
    /// Where the object of each answered line is: offset and length.
    done: BTreeMap<usize, (u64, usize)>,
    end: u64,
    /// What the runs so far used.
    pub(super) used: Used,
}

impl Unfinished {
    /// Opens the file beside `output`, or creates it. The answers of an earlier run are kept.
    pub(super) fn open(output: &Path, run: &Run) -> Result<Self, UnfinishedError> {
        if output.exists() {
            return Err(UnfinishedError::Exists(output.to_owned()));
        }
        let mut path = output.as_os_str().to_owned();
        path.push(".unfinished");
        let path = PathBuf::from(path);
        let failed = |error| UnfinishedError::Io { path: path.clone(), error };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(&path).map_err(failed)?;
        // The lock goes with the file, also when the run is killed.
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(UnfinishedError::Busy(path)),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut unfinished = Self {
            path: path.clone(),
            output: output.to_owned(),
            file,
            done: BTreeMap::new(),
            end: 0,
            used: Used::default(),
        };
        unfinished.read(run)?;
        // What was cut off by a kill is written over.
        unfinished.file.set_len(unfinished.end).map_err(failed)?;
        unfinished.file.seek(SeekFrom::Start(unfinished.end)).map_err(failed)?;
        if unfinished.end == 0 {
            let line = serde_json::to_string(run).unwrap_or_default() + "\n";
            unfinished.write(&line)?;
        }
        Ok(unfinished)
    }

    fn read(&mut self, run: &Run) -> Result<(), UnfinishedError> {
        let mut asked: BTreeMap<usize, Used> = BTreeMap::new();
        let mut lines = BufReader::new(&self.file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let length = lines
                .read_until(b'\n', &mut line)
                .map_err(|error| UnfinishedError::Io { path: self.path.clone(), error })?;
            if !line.ends_with(b"\n") {
                break;
            }
            if self.end == 0 {
                let other = serde_json::from_slice::<Run>(&line).ok();
                let what = other.map_or(Some("its first line"), |other| difference(&other, run));
                if let Some(what) = what {
                    return Err(UnfinishedError::OtherRun { path: self.path.clone(), what });
                }
            } else if let Ok(entry) = serde_json::from_slice::<Entry>(&line) {
                let Entry { asking, released, cost, tokens, line, ledger } = entry;
                if let Some(number) = released {
                    asked.remove(&number);
                    self.used = self.used.plus(Used { tokens, cost });
                } else if let Some(number) = asking {
                    let most = asked.entry(number).or_default();
                    *most = most.plus(Used { tokens, cost });
                } else if let Some(number) = line {
                    let Spent { usage, cost } = ledger.unwrap_or_default();
                    let tokens = usage.input.saturating_add(usage.output);
                    self.used = self.used.plus(Used { tokens, cost });
                    asked.remove(&number);
                    self.done.insert(number, (self.end, length));
                }
            }
            self.end += length as u64;
        }
        self.used = asked.into_values().fold(self.used, Used::plus);
        Ok(())
    }

    /// Returns whether a line was answered.
    pub(super) fn has(&self, number: usize) -> bool {
        self.done.contains_key(&number)
    }

    /// Returns the number of lines that were answered.
    pub(super) fn len(&self) -> usize {
        self.done.len()
    }

    /// Notes that a line is asked for, and what that may use.
    pub(super) fn asking(&mut self, number: usize, most: Used) -> Result<(), UnfinishedError> {
        let Used { tokens, cost } = most;
        self.write(&format!("{{\"asking\":{number},\"cost\":{cost},\"tokens\":{tokens}}}\n"))
    }

    /// Notes that a request ended without an answer, and what it used.
    pub(super) fn released(&mut self, number: usize, used: Used) -> Result<(), UnfinishedError> {
        let Used { tokens, cost } = used;
        self.write(&format!("{{\"released\":{number},\"cost\":{cost},\"tokens\":{tokens}}}\n"))
    }

    /// Keeps the object of a line, which ends with a line end.
    pub(super) fn answered(&mut self, number: usize, line: &str) -> Result<(), UnfinishedError> {
        let at = self.end;
        self.write(line)?;
        self.done.insert(number, (at, line.len()));
        Ok(())
    }

    fn write(&mut self, line: &str) -> Result<(), UnfinishedError> {
        self.file.write_all(line.as_bytes()).map_err(|error| self.failed(error))?;
        self.end += line.len() as u64;
        Ok(())
    }

    /// Returns the file to write at the end.
    #[cfg(feature = "table")]
    pub(super) fn output(&self) -> &Path {
        &self.output
    }

    /// Returns the object of a line that was answered.
    #[cfg(feature = "table")]
    pub(super) fn object(&mut self, number: usize) -> Result<Vec<u8>, UnfinishedError> {
        let missing = || self.failed(io::ErrorKind::UnexpectedEof.into());
        let (at, length) = self.done.get(&number).copied().ok_or_else(missing)?;
        let mut line = vec![0; length];
        let read =
            self.file.seek(SeekFrom::Start(at)).and_then(|_| self.file.read_exact(&mut line));
        read.map(|()| line).map_err(|error| self.failed(error))
    }

    /// Removes this file, once the output is written.
    #[cfg(feature = "table")]
    pub(super) fn remove(self) -> Result<(), UnfinishedError> {
        std::fs::remove_file(&self.path).map_err(|error| self.failed(error))
    }

    /// Writes the output, in the order of the lines, and removes this file.
    pub(super) fn finish(mut self) -> Result<(), UnfinishedError> {
        let mut part = self.output.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let copied = self.copy(&part).and_then(|()| std::fs::rename(&part, &self.output));
        copied.and_then(|()| std::fs::remove_file(&self.path)).map_err(|error| self.failed(error))
    }

    fn copy(&mut self, to: &Path) -> io::Result<()> {
        let mut out = BufWriter::new(File::create(to)?);
        let mut line = Vec::new();
        for (at, length) in self.done.values() {
            line.resize(*length, 0);
            self.file.seek(SeekFrom::Start(*at))?;
            self.file.read_exact(&mut line)?;
            out.write_all(&line)?;
        }
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    }

    fn failed(&self, error: io::Error) -> UnfinishedError {
        UnfinishedError::Io { path: self.path.clone(), error }
    }
}

/// Returns what a person is told of an error.
pub(super) fn failure(error: &UnfinishedError) -> Failure {
    let (exit, code, hint) = match error {
        UnfinishedError::Exists(_) => {
            (Exit::Usage, "output/exists", "Name another file with -o, or remove this one.")
        }
        UnfinishedError::OtherRun { .. } => {
            (Exit::Usage, "output/other-run", "Name another file with -o, or remove that one.")
        }
        UnfinishedError::Busy(_) => {
            (Exit::Usage, "output/busy", "Wait for that run, or name another file with -o.")
        }
        UnfinishedError::Io { .. } => (Exit::Io, "output/failed", "Check the folder and the disk."),
    };
    Failure::plain(exit, code, error.to_string()).hint(hint)
}

/// Returns a hash of the bytes of a file.
pub(super) fn hash_of(path: &Path) -> io::Result<u64> {
    let mut file = BufReader::new(File::open(path)?);
    let mut hasher = DefaultHasher::new();
    loop {
        let bytes = file.fill_buf()?;
        if bytes.is_empty() {
            return Ok(hasher.finish());
        }
        hasher.write(bytes);
        let length = bytes.len();
        file.consume(length);
    }
}

/// Returns in what two runs differ.
fn difference(one: &Run, other: &Run) -> Option<&'static str> {
    let parts = [
        ("the input", one.input == other.input),
        ("the content of the input", one.content == other.content),
        ("--ask", one.ask == other.ask),
        ("--model", one.model == other.model),
        ("--system, --temperature or --samples", one.options == other.options),
        ("the schema", one.schema == other.schema),
    ];
    parts.into_iter().find(|(_, same)| !same).map(|(what, _)| what)
}
