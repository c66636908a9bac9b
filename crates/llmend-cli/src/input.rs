//! Where does the text come from, and is it text at all?

use std::{
    fs::File,
    io::{self, IsTerminal, Read},
    path::{Path, PathBuf},
};

use llmend::json::{Diagnostic, ErrorKind, Severity};

use crate::{
    exit::{Exit, Failure},
    output::say,
};

/// What a person calls the source of a text.
pub(crate) const STDIN: &str = "<stdin>";

/// Bytes that are shown after the one that is no text.
const SHOWN_BYTES: usize = 64;

/// Where a command reads from.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Source {
    /// The file to read; `-` or none is standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: Option<PathBuf>,
}

impl Source {
    /// The source that `path` names.
    pub(crate) fn of(path: &Path) -> Self {
        Self { file: Some(path.to_owned()) }
    }

    #[cfg(feature = "models")]
    /// Whether one was named.
    pub(crate) const fn is_given(&self) -> bool {
        self.file.is_some()
    }

    /// The file, if it is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.file.as_deref().filter(|path| path.as_os_str() != "-")
    }

    /// The name that diagnostics show.
    pub(crate) fn name(&self) -> String {
        self.path().map_or_else(|| STDIN.to_owned(), |path| path.display().to_string())
    }

    /// The bytes, one more than `max_bytes` at most, and how many there are if that is known.
    pub(crate) fn open(&self) -> Result<(Box<dyn Read + Send>, Option<u64>), Failure> {
        let Some(path) = self.path() else {
            if io::stdin().is_terminal() {
                say("llmend: reading from the terminal; end with Ctrl-D on a line of its own");
            }
            return Ok((Box::new(io::stdin()), None));
        };
        let unreadable = |error: &io::Error| unreadable(&self.name(), error);
        let file = File::open(path).map_err(|error| unreadable(&error))?;
        let metadata = file.metadata().map_err(|error| unreadable(&error))?;
        if metadata.is_dir() {
            return Err(unreadable(&io::ErrorKind::IsADirectory.into()));
        }
        let known = metadata.is_file().then_some(metadata.len());
        Ok((Box::new(file), known))
    }

    /// All bytes, if there are no more than `max_bytes`. A longer input is not read to its end.
    pub(crate) fn read(&self, max_bytes: usize) -> Result<Vec<u8>, Failure> {
        let (input, known) = self.open()?;
        let limit = u64::try_from(max_bytes).unwrap_or(u64::MAX);
        if known.is_some_and(|length| length > limit) {
            return Err(too_long(max_bytes));
        }
        let mut bytes = Vec::new();
        input
            .take(limit.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(&self.name(), &error))?;
        if bytes.len() > max_bytes { Err(too_long(max_bytes)) } else { Ok(bytes) }
    }
}

/// The text in `bytes`.
pub(crate) fn decode(bytes: &[u8]) -> Result<&str, Failure> {
    llmend::json::decode(bytes).map_err(|error| {
        let failure = Failure::from(&error);
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return failure.hint(
                "The bytes look like UTF-16: convert them first, as with `iconv -f UTF-16 -t UTF-8`.",
            );
        }
        failure
    })
}

/// The bytes around the one that `failure` names, as far as they are text: what a person is shown
/// of bytes that are not. Up to that one every byte keeps its offset.
pub(crate) fn lossy(bytes: &[u8], failure: &Failure) -> String {
    let at = failure.diagnostics.first().and_then(|row| row.span).map_or(0, |span| span.start);
    let end = bytes.len().min(at.saturating_add(SHOWN_BYTES));
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned()
}

/// The failure to read `name`.
pub(crate) fn unreadable(name: &str, error: &io::Error) -> Failure {
    let (code, reason) = match error.kind() {
        io::ErrorKind::NotFound => ("input/not-found", "there is no such file".to_owned()),
        io::ErrorKind::IsADirectory => ("input/directory", "it is a directory".to_owned()),
        io::ErrorKind::PermissionDenied => ("input/denied", "permission denied".to_owned()),
        _ => ("input/failed", error.to_string()),
    };
    Failure::plain(Exit::Io, code, format!("cannot read `{name}`: {reason}"))
}

/// The refusal of a text that is longer than the limit.
pub(crate) fn too_long(max_bytes: usize) -> Failure {
    let message = format!("the text is longer than the limit of {max_bytes} bytes");
    let diagnostic = Diagnostic::new(ErrorKind::Bytes.code(), Severity::Error, message)
        .help(ErrorKind::Bytes.help());
    Failure::new(Exit::Refused, vec![diagnostic])
        .hint("Raise `--max-bytes` if a text this long is meant.")
}
