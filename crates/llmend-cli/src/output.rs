//! How does a result leave the process, whole or not at all?

use std::io::{self, Write};

use crate::exit::{Exit, Failure};

/// Writes `parts`, one after the other, to standard output.
///
/// It is called once everything is known, so that a refusal never follows half a result.
pub(crate) fn deliver(parts: &[&str]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    parts
        .iter()
        .try_for_each(|part| out.write_all(part.as_bytes()))
        .and_then(|()| out.flush())
        .map_err(|error| undelivered(&error))
}

/// The failure to write to standard output.
///
/// A reader that has gone away has seen all that it wanted: that ends the command without a word.
pub(crate) fn undelivered(error: &io::Error) -> Failure {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Failure::new(Exit::Io, Vec::new());
    }
    Failure::plain(Exit::Io, "output/failed", format!("cannot write to standard output: {error}"))
}

/// Says `text` on standard error, unless it is empty.
pub(crate) fn say_block(text: &str) {
    if !text.is_empty() {
        say(text);
    }
}

/// Says `text` on standard error, followed by a line end.
///
/// Nobody can be told when that fails, and it changes no result.
pub(crate) fn say(text: &str) {
    let mut whole = String::with_capacity(text.len() + 1);
    whole.push_str(text.trim_end_matches('\n'));
    whole.push('\n');
    let _ = io::stderr().lock().write_all(whole.as_bytes());
}
