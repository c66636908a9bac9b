//! A conversation in a file, so that another run can continue it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use llmend::{
    ReviewOptions, assistant::Assistant, json::preview, plan::Document, review_plan_with,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The number of earlier workflows that `/undo` can return to.
const MAX_UNDO: usize = 50;

/// The state of a conversation.
#[derive(Debug, Default)]
pub(super) struct Session {
    path: Option<PathBuf>,
    /// The workflows before each accepted change, the latest last; `None` is no workflow.
    earlier: Vec<Option<Document>>,
}

/// The contents of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    workflow: Option<Value>,
    earlier: Vec<Option<Value>>,
    /// Past messages and answers, the latest last.
    exchanges: Vec<(String, String)>,
}

/// A session as it was saved.
pub(super) struct Resumed {
    pub(super) session: Session,
    pub(super) document: Option<Document>,
    pub(super) exchanges: Vec<(String, String)>,
}

impl Session {
    /// Starts a session, which is saved at `path` if there is one.
    pub(super) fn new(path: Option<PathBuf>) -> Self {
        Self { path, earlier: Vec::new() }
    }

    /// Reads the session at `path`. `None` if there is no file.
    pub(super) fn resume(path: &Path, options: &ReviewOptions) -> io::Result<Option<Resumed>> {
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        let Contents { workflow, earlier, exchanges } = serde_json::from_str(&text)?;
        let workflow = workflow.map(|value| document(&value, options)).transpose()?;
        let read = |value: Option<Value>| value.map(|value| document(&value, options)).transpose();
        let earlier = earlier.into_iter().map(read).collect::<io::Result<_>>()?;
        let session = Self { path: Some(path.to_owned()), earlier };
        Ok(Some(Resumed { session, document: workflow, exchanges }))
    }

    /// Keeps the workflow before a change.
    pub(super) fn keep(&mut self, before: Option<Document>) {
        if self.earlier.len() == MAX_UNDO {
            self.earlier.remove(0);
        }
        self.earlier.push(before);
    }

    /// Returns to the workflow before the last change. False if there is no change.
    pub(super) fn undo(&mut self, assistant: &mut Assistant) -> bool {
        let Some(before) = self.earlier.pop() else { return false };
        assistant.restore(before);
        true
    }

    /// Saves the conversation, if it has a file. The file is replaced as a whole.
    pub(super) fn save<'x>(
        &self,
        document: Option<&Document>,
        exchanges: impl Iterator<Item = &'x (String, String)>,
    ) -> io::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let written = |document: Option<&Document>| document.map(serde_json::to_value).transpose();
        let earlier = self.earlier.iter().map(Option::as_ref);
        let contents = Contents {
            workflow: written(document)?,
            earlier: earlier.map(written).collect::<Result<_, _>>()?,
            exchanges: exchanges.cloned().collect(),
        };
        write(path, &serde_json::to_string_pretty(&contents)?)
    }
}

/// Reads a workflow that was saved.
fn document(value: &Value, options: &ReviewOptions) -> io::Result<Document> {
    let text = value.to_string();
    let review = review_plan_with(&text, options).map_err(io::Error::other)?;
    // A workflow that was accepted unchecked may have errors.
    Ok(review.reviewed.value)
}

/// Replaces the file at `path`. Only its owner may read it.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new = path.with_file_name(name);
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&new)?;
    io::Write::write_all(&mut file, text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, path)
}

/// What a line that begins with `/` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command<'l> {
    /// Return to the workflow before the last change.
    Undo,
    /// Show the workflow.
    Show,
    /// Write the workflow to a file.
    Save(&'l str),
}

/// Returns the command on a line, or what is wrong with it. `None` if it is a message.
pub(super) fn command(line: &str) -> Option<Result<Command<'_>, String>> {
    let line = line.trim().strip_prefix('/')?;
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    Some(match (name, rest.trim()) {
        ("undo", "") => Ok(Command::Undo),
        ("show", "") => Ok(Command::Show),
        ("save", "") => Err("/save needs a file: /save FILE".to_owned()),
        ("save", file) => Ok(Command::Save(file)),
        _ => Err(format!("unknown command /{}; use /undo, /show or /save FILE", preview(name, 40))),
    })
}

#[cfg(test)]
mod tests {
    use super::{Command, command};

    #[test]
    fn commands_begin_with_a_slash() {
        for (line, expected) in [
            ("Add a step", None),
            ("/undo", Some(Ok(Command::Undo))),
            (" /show ", Some(Ok(Command::Show))),
            ("/save my flow.json", Some(Ok(Command::Save("my flow.json")))),
        ] {
            assert_eq!(command(line), expected, "{line}");
        }
        for line in ["/save", "/undo it", "/", "/quit"] {
            assert!(matches!(command(line), Some(Err(_))), "{line}");
        }
    }
}
