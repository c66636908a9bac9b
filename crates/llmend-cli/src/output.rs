//! Writing to standard output and standard error.

use std::io::{self, Write};

use crate::{exit::Exit, outcome::Failure};

/// Writes `parts` to standard output.
///
/// Call it once everything is known, so that a failure never follows half a result.
pub(crate) fn write_stdout(parts: &[&str]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    parts
        .iter()
        .try_for_each(|part| out.write_all(part.as_bytes()))
        .and_then(|()| out.flush())
        .map_err(|error| stdout_failed(&error))
}

/// Returns the failure to write to standard output.
///
/// It has no message if the reader has closed the pipe: it has read all that it wanted.
pub(crate) fn stdout_failed(error: &io::Error) -> Failure {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Failure::new(Exit::Io, Vec::new());
    }
    Failure::plain(Exit::Io, "output/failed", format!("cannot write to standard output: {error}"))
}

/// Prints `text` to standard error, unless it is empty.
pub(crate) fn eprint_block(text: &str) {
    if !text.is_empty() {
        eprint(text);
    }
}

/// Prints `text` and a line end to standard error.
///
/// A failure is ignored: there is nowhere to report it, and it changes no result.
pub(crate) fn eprint(text: &str) {
    let mut whole = String::with_capacity(text.len() + 1);
    whole.push_str(text.trim_end_matches('\n'));
    whole.push('\n');
    let _ = io::stderr().lock().write_all(whole.as_bytes());
}
