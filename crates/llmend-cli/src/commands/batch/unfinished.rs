//! The file of an unfinished run that asks a model: what was answered, and what was being asked.
//!
//! It is JSON Lines. The first line names the run; the others are `{"asking": LINE, "calls": …,
//! "cost": …, "tokens": …}` before a request, with what it probably uses; `{"released": LINE, …}` after
//! one without an answer, with what it used; `{"request":1}` before each request on the wire, retries
//! among them, and `{"request":-1}` if it did not reach the server; and the object of each line that was
//! answered. What is asked when a run is killed counts with what it probably used, since its answer is
//! not known.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions, TryLockError},
    hash::{DefaultHasher, Hasher as _},
    io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use llmend::{
    asking::Ledger,
    model::{Lost, Usage},
};
use llmend_models::{OnRequest, RequestEvent};
use serde::{Deserialize, Serialize};

use crate::{exit::Exit, outcome::Failure};

/// The name of standard output as a file.
pub(super) const STDOUT: &str = "-";

/// What requests used, or may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Used {
    /// Requests.
    pub(super) calls: u64,
    /// Tokens in and out.
    pub(super) tokens: u64,
    /// Millionths of a currency unit.
    pub(super) cost: u64,
    /// Whether the tokens and the cost are estimated in part.
    pub(super) estimated: bool,
}

impl Used {
    /// Returns what a ledger counts.
    pub(super) fn of(ledger: &Ledger) -> Self {
        Self {
            calls: ledger.calls() as u64,
            tokens: ledger.usage.total(),
            cost: ledger.cost.unwrap_or_default(),
            estimated: ledger.usage.estimated,
        }
    }

    /// Returns what one call used, on average and rounded up. `None` if nothing is known.
    pub(super) fn mean(self) -> Option<Self> {
        let Self { calls, tokens, cost, estimated } = self;
        (calls > 0 && tokens > 0).then(|| Self {
            calls: 1,
            tokens: tokens.div_ceil(calls),
            cost: cost.div_ceil(calls),
            estimated,
        })
    }

    pub(super) const fn times(self, count: u64) -> Self {
        Self {
            calls: self.calls.saturating_mul(count),
            tokens: self.tokens.saturating_mul(count),
            cost: self.cost.saturating_mul(count),
            estimated: self.estimated,
        }
    }

    /// Returns this with at most the tokens and cost of `most`.
    pub(super) fn at_most(self, most: Self) -> Self {
        Self { tokens: self.tokens.min(most.tokens), cost: self.cost.min(most.cost), ..self }
    }

    /// Returns what the requests used that were cut off, of which this is expected. `all` requests were
    /// noted, and `settled` of them are known; none is noted for a model without a server.
    fn of_requests(self, all: i64, settled: u64) -> Self {
        let estimated = self.calls > 0;
        let known = u64::try_from(all).ok().filter(|all| *all > 0);
        let calls = known.map_or(self.calls, |all| all.saturating_sub(settled));
        let used = self.mean().map_or(Self { calls, ..Self::default() }, |mean| mean.times(calls));
        Self { estimated: estimated && calls > 0, ..used }
    }

    pub(super) const fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            tokens: self.tokens.saturating_add(other.tokens),
            cost: self.cost.saturating_add(other.cost),
            estimated: self.estimated || other.estimated,
        }
    }

    pub(super) const fn minus(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_sub(other.calls),
            tokens: self.tokens.saturating_sub(other.tokens),
            cost: self.cost.saturating_sub(other.cost),
            estimated: self.estimated,
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
    /// How long answers may be, and how they are corrected.
    #[serde(default)]
    pub(super) limits: String,
    /// How values are fitted.
    #[serde(default)]
    pub(super) fitting: String,
    /// A hash of all prompts.
    #[serde(default)]
    pub(super) prompts: u64,
    /// The currency in which costs are counted; `None` if they are not.
    #[serde(default)]
    pub(super) currency: Option<String>,
    /// The schema, or the member that holds it.
    pub(super) schema: String,
}

/// An entry that is read back.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Entry {
    asking: Option<usize>,
    released: Option<usize>,
    calls: u64,
    cost: u64,
    tokens: u64,
    request: i64,
    line: Option<usize>,
    ledger: Option<Spent>,
}

/// The part of a ledger that counts.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Spent {
    attempts: Vec<Requests>,
    usage: Usage,
    cost: u64,
}

/// The requests of an attempt.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Requests {
    not_reached: bool,
    lost: Option<Lost>,
}

impl Requests {
    /// Returns how many reached a server.
    fn count(&self) -> u64 {
        u64::from(!self.not_reached) + self.lost.map_or(0, |lost| u64::from(lost.requests))
    }
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
    file: Arc<File>,
    /// Where the object of each answered line is: offset and length.
    done: BTreeMap<usize, (u64, usize)>,
    end: Arc<AtomicU64>,
    /// What the runs so far used.
    pub(super) used: Used,
}

impl Unfinished {
    /// Opens the file beside `output`, or beside `input` for standard output, or creates it. The answers of
    /// an earlier run are kept.
    pub(super) fn open(output: &Path, input: &Path, run: &Run) -> Result<Self, UnfinishedError> {
        let is_stdout = output == Path::new(STDOUT);
        if !is_stdout && output.exists() {
            return Err(UnfinishedError::Exists(output.to_owned()));
        }
        let mut path = if is_stdout { input } else { output }.as_os_str().to_owned();
        path.push(".unfinished");
        let path = PathBuf::from(path);
        let failed = |error| UnfinishedError::Io { path: path.clone(), error };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        // It holds what the model wrote.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
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
            file: Arc::new(file),
            done: BTreeMap::new(),
            end: Arc::default(),
            used: Used::default(),
        };
        unfinished.read(run)?;
        // What was cut off by a kill is written over.
        unfinished.file.set_len(unfinished.end()).map_err(failed)?;
        (&*unfinished.file).seek(SeekFrom::Start(unfinished.end())).map_err(failed)?;
        if unfinished.end() == 0 {
            let line = serde_json::to_string(run).unwrap_or_default() + "\n";
            unfinished.write(&line)?;
        }
        Ok(unfinished)
    }

    fn read(&mut self, run: &Run) -> Result<(), UnfinishedError> {
        let mut asked: BTreeMap<usize, Used> = BTreeMap::new();
        let (mut settled, mut cut_off, mut requests) = (Used::default(), Used::default(), 0_i64);
        let file = Arc::clone(&self.file);
        let mut lines = BufReader::new(&*file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let length = lines
                .read_until(b'\n', &mut line)
                .map_err(|error| UnfinishedError::Io { path: self.path.clone(), error })?;
            if !line.ends_with(b"\n") {
                break;
            }
            if self.end() == 0 {
                let other = serde_json::from_slice::<Run>(&line).ok();
                let what = other.map_or(Some("its first line"), |other| difference(&other, run));
                if let Some(what) = what {
                    return Err(UnfinishedError::OtherRun { path: self.path.clone(), what });
                }
            } else if let Ok(entry) = serde_json::from_slice::<Entry>(&line) {
                let Entry { asking, released, calls, cost, tokens, request, line, ledger } = entry;
                let noted = Used { calls, tokens, cost, estimated: false };
                requests = requests.saturating_add(request);
                if let Some(number) = released {
                    asked.remove(&number);
                    settled = settled.plus(noted);
                } else if let Some(number) = asking {
                    // The one before was cut off by a kill.
                    let before = asked.insert(number, noted);
                    cut_off = cut_off.plus(before.unwrap_or_default());
                } else if let Some(number) = line {
                    let Spent { attempts, usage, cost } = ledger.unwrap_or_default();
                    let calls = attempts.iter().map(Requests::count).sum();
                    let tokens = usage.total();
                    let estimated = usage.estimated;
                    settled = settled.plus(Used { calls, tokens, cost, estimated });
                    asked.remove(&number);
                    self.done.insert(number, (self.end(), length));
                }
            }
            self.end.fetch_add(length as u64, Ordering::SeqCst);
        }
        cut_off = asked.into_values().fold(cut_off, Used::plus);
        self.used = settled.plus(cut_off.of_requests(requests, settled.calls));
        Ok(())
    }

    /// Has each request of the observed models noted from now on.
    pub(super) fn log_requests(&self, log: &RequestLog) {
        let _ = log.0.set((Arc::clone(&self.file), Arc::clone(&self.end)));
    }

    fn end(&self) -> u64 {
        self.end.load(Ordering::SeqCst)
    }

    /// Returns whether a line was answered.
    pub(super) fn has(&self, number: usize) -> bool {
        self.done.contains_key(&number)
    }

    /// Returns the number of lines that were answered.
    pub(super) fn len(&self) -> usize {
        self.done.len()
    }

    /// Notes that a line is asked for, and what that probably uses.
    pub(super) fn asking(&mut self, number: usize, expected: Used) -> Result<(), UnfinishedError> {
        self.note("asking", number, expected)
    }

    /// Notes that a request ended without an answer, and what it used.
    pub(super) fn released(&mut self, number: usize, used: Used) -> Result<(), UnfinishedError> {
        self.note("released", number, used)
    }

    fn note(&mut self, what: &str, number: usize, used: Used) -> Result<(), UnfinishedError> {
        let Used { calls, tokens, cost, .. } = used;
        self.write(&format!(
            "{{\"{what}\":{number},\"calls\":{calls},\"cost\":{cost},\"tokens\":{tokens}}}\n"
        ))
    }

    /// Keeps the object of a line, which ends with a line end.
    pub(super) fn answered(&mut self, number: usize, line: &str) -> Result<(), UnfinishedError> {
        let at = self.end();
        self.write(line)?;
        self.done.insert(number, (at, line.len()));
        Ok(())
    }

    fn write(&mut self, line: &str) -> Result<(), UnfinishedError> {
        append(&self.file, &self.end, line).map_err(|error| self.failed(error))
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
        let read = (&*self.file)
            .seek(SeekFrom::Start(at))
            .and_then(|_| (&*self.file).read_exact(&mut line));
        read.map(|()| line).map_err(|error| self.failed(error))
    }

    /// Removes this file, once the output is written.
    #[cfg(feature = "table")]
    pub(super) fn remove(self) -> Result<(), UnfinishedError> {
        std::fs::remove_file(&self.path).map_err(|error| self.failed(error))
    }

    /// Writes the output, in the order of the lines, and removes this file.
    pub(super) fn finish(mut self) -> Result<(), UnfinishedError> {
        let copied = if self.output == Path::new(STDOUT) {
            self.copy(&mut BufWriter::new(io::stdout().lock()))
        } else {
            self.replace()
        };
        copied.and_then(|()| std::fs::remove_file(&self.path)).map_err(|error| self.failed(error))
    }

    /// Writes the file that was asked for, which appears once it is complete.
    fn replace(&mut self) -> io::Result<()> {
        let mut part = self.output.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let mut out = BufWriter::new(File::create(&part)?);
        self.copy(&mut out)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(&part, &self.output)
    }

    fn copy(&mut self, out: &mut impl Write) -> io::Result<()> {
        let mut line = Vec::new();
        for (at, length) in self.done.values() {
            line.resize(*length, 0);
            (&*self.file).seek(SeekFrom::Start(*at))?;
            (&*self.file).read_exact(&mut line)?;
            out.write_all(&line)?;
        }
        out.flush()
    }

    fn failed(&self, error: io::Error) -> UnfinishedError {
        UnfinishedError::Io { path: self.path.clone(), error }
    }
}

/// Notes each request in the file of an unfinished run, once there is one.
#[derive(Clone, Debug, Default)]
pub(super) struct RequestLog(Arc<OnceLock<(Arc<File>, Arc<AtomicU64>)>>);

impl RequestLog {
    /// Returns the function that notes requests.
    pub(super) fn observer(&self) -> OnRequest {
        let log = self.clone();
        OnRequest::new(move |event| {
            let count = if event == RequestEvent::Sent { 1 } else { -1 };
            if let Some((file, end)) = log.0.get() {
                // A disk that is full is an error of the next line that is kept.
                let _ = append(file, end, &format!("{{\"request\":{count}}}\n"));
            }
        })
    }
}

/// Appends a line. One thread writes at a time: that of the requests.
fn append(mut file: &File, end: &AtomicU64, line: &str) -> io::Result<()> {
    file.write_all(line.as_bytes())?;
    end.fetch_add(line.len() as u64, Ordering::SeqCst);
    Ok(())
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
        ("--answer-tokens, --ladder or --escalate", one.limits == other.limits),
        ("a flag such as --on-extra or --units", one.fitting == other.fitting),
        ("the text of a prompt", one.prompts == other.prompts),
        ("the currency of the prices", one.currency == other.currency),
        ("the schema", one.schema == other.schema),
    ];
    parts.into_iter().find(|(_, same)| !same).map(|(what, _)| what)
}
