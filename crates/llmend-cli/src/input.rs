//! Reading and decoding of the input.

use std::{
    fs::File,
    io::{self, IsTerminal, Read},
    path::{Path, PathBuf},
};

use llmend::json::{Diagnostic, ErrorKind, Severity};

use crate::{exit::Exit, outcome::Failure, output::eprint};

/// The name of standard input in messages.
pub(crate) const STDIN: &str = "<stdin>";

/// The number of bytes shown from the first that is not UTF-8.
const SHOWN_BYTES: usize = 64;

/// A file or standard input.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The file; `-` and none stand for standard input.
    file: Option<PathBuf>,
}

impl Source {
    /// Returns the file, or standard input for none or `-`.
    pub(crate) const fn new(file: Option<PathBuf>) -> Self {
        Self { file }
    }

    /// Returns the source that `path` names.
    pub(crate) fn of(path: &Path) -> Self {
        Self::new(Some(path.to_owned()))
    }

    /// Returns the path, unless the source is standard input.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.file.as_deref().filter(|path| path.as_os_str() != "-")
    }

    /// Returns the name that diagnostics show.
    pub(crate) fn name(&self) -> String {
        self.path().map_or_else(|| STDIN.to_owned(), |path| path.display().to_string())
    }

    /// Opens the source. Returns its length too, if it is known.
    pub(crate) fn open(&self) -> Result<(Box<dyn Read + Send>, Option<u64>), Failure> {
        let Some(path) = self.path() else {
            if io::stdin().is_terminal() {
                eprint("llmend: reading from the terminal; press Ctrl-D on an empty line to end");
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

    /// Reads all bytes. Fails if there are more than `max_bytes`.
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

/// Decodes UTF-8.
pub(crate) fn decode(bytes: &[u8]) -> Result<&str, Failure> {
    llmend::json::decode(bytes).map_err(|error| {
        let failure = Failure::from(&error);
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return failure
                .hint("Convert it from UTF-16 first, as with `iconv -f UTF-16 -t UTF-8`.");
        }
        failure
    })
}

/// Decodes the bytes up to a little past the one that `failure` names, to show them. Offsets up to that byte
/// stay the same.
pub(crate) fn lossy(bytes: &[u8], failure: &Failure) -> String {
    let at = failure.diagnostics.first().and_then(|row| row.span).map_or(0, |span| span.start);
    let end = bytes.len().min(at.saturating_add(SHOWN_BYTES));
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned()
}

/// Returns the failure to read `name`.
pub(crate) fn unreadable(name: &str, error: &io::Error) -> Failure {
    let (code, reason) = match error.kind() {
        io::ErrorKind::NotFound => ("input/not-found", "no such file".to_owned()),
        io::ErrorKind::IsADirectory => ("input/directory", "is a directory".to_owned()),
        io::ErrorKind::PermissionDenied => ("input/denied", "permission denied".to_owned()),
        _ => ("input/failed", error.to_string()),
    };
    Failure::plain(Exit::Io, code, format!("cannot read `{name}`: {reason}"))
}

/// Returns the failure of a text longer than `max_bytes`.
pub(crate) fn too_long(max_bytes: usize) -> Failure {
    let message = format!("the text is longer than the limit of {max_bytes} bytes");
    let diagnostic = Diagnostic::new(ErrorKind::Bytes.code(), Severity::Error, message)
        .help(ErrorKind::Bytes.help());
    Failure::new(Exit::Refused, vec![diagnostic]).hint("Raise `--max-bytes` to read longer text.")
}

/// Reads a prompt: `given`, or standard input if that is `-`.
#[cfg(feature = "models")]
pub(crate) fn read_prompt(given: &str, max_bytes: usize) -> Result<String, Failure> {
    let prompt = if given == "-" {
        let bytes = Source::new(None).read(max_bytes)?;
        decode(&bytes)?.to_owned()
    } else {
        given.to_owned()
    };
    if prompt.trim().is_empty() {
        return Err(Failure::plain(Exit::Usage, "model/no-question", "the prompt is empty"));
    }
    Ok(prompt)
}
