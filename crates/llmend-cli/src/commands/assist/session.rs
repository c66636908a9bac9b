//! A conversation in a file, so that another run can continue it.

use std::{
    env,
    ffi::OsStr,
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use llmend::{ReviewOptions, assistant::Assistant, plan::Document, review_plan_with};
use serde::{Deserialize, Serialize, de::IgnoredAny};
use serde_json::Value;
use tempfile::NamedTempFile;

/// The number of earlier workflows that `/undo` can return to.
const MAX_UNDO: usize = 50;

/// The state of a conversation.
#[derive(Debug, Default)]
pub(super) struct Session {
    /// The file. `None` if none was named, before the first change.
    path: Option<PathBuf>,
    /// The file from which it was begun.
    origin: Option<Origin>,
    /// The workflows before each accepted change, the latest last; `None` is no workflow.
    earlier: Vec<Option<Document>>,
}

/// The file from which a session was begun.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Origin {
    /// The absolute path, without links.
    file: PathBuf,
    /// What was last read from it, or written to it.
    text: String,
}

/// The contents of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    workflow: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<Origin>,
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

impl Origin {
    /// Returns the origin of a workflow that was read from `file`, or written to it.
    pub(super) fn of(file: &Path) -> io::Result<Self> {
        Ok(Self { file: file.canonicalize()?, text: fs::read_to_string(file)? })
    }

    /// Checks that the workflow can replace what is in the file: the same JSON as before.
    fn can_be_replaced(&self) -> Result<(), String> {
        let file = self.file.display();
        if serde_json::from_str::<IgnoredAny>(&self.text).is_err() {
            return Err(format!("{file} is not JSON; name another file: /save FILE"));
        }
        match fs::read_to_string(&self.file) {
            Ok(text) if text != self.text => Err(format!(
                "{file} was changed outside of the session; name another file: /save FILE"
            )),
            _ => Ok(()),
        }
    }
}

impl Session {
    /// Starts a session, which is saved at `path`, or else in a file of its own among the state of programs.
    pub(super) const fn new(path: Option<PathBuf>, origin: Option<Origin>) -> Self {
        Self { path, origin, earlier: Vec::new() }
    }

    /// Checks that the session was begun from this file, and that nobody changed the file since; one without a
    /// workflow takes any. The error says what to do.
    pub(super) fn belongs_to(&mut self, origin: Origin, is_empty: bool) -> Result<(), String> {
        let file = origin.file.display();
        match &self.origin {
            None if is_empty => self.origin = Some(origin),
            None => {
                return Err("the session has a workflow that was not read from a file; leave out \
                            --workflow"
                    .to_owned());
            }
            Some(own) if own.file != origin.file => {
                let own = own.file.display();
                return Err(format!(
                    "the session is about {own}, not about {file}; leave out --workflow"
                ));
            }
            Some(own) if own.text != origin.text => {
                return Err(format!(
                    "{file} was changed outside of the session; leave out --workflow to go on with the \
                     workflow of the session, or use another session"
                ));
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// Returns the file from which it was begun.
    pub(super) fn file(&self) -> Option<&Path> {
        self.origin.as_ref().map(|origin| origin.file.as_path())
    }

    /// Checks that the workflow can be written to `file`: to the one from which the session was begun only if
    /// nothing is lost.
    pub(super) fn may_write(&self, file: &Path) -> Result<(), String> {
        let is_own = |origin: &&Origin| file.canonicalize().is_ok_and(|file| file == origin.file);
        self.origin.as_ref().filter(is_own).map_or(Ok(()), Origin::can_be_replaced)
    }

    /// Notes that a workflow was written to a file. Returns whether the session has to be saved for that.
    pub(super) fn wrote(&mut self, origin: Origin) -> bool {
        let is_own = self.file() == Some(&origin.file);
        if is_own {
            self.origin = Some(origin);
        }
        is_own && self.path.is_some()
    }

    /// Reads the session at `path`. `None` if there is no file.
    pub(super) fn resume(path: &Path, options: &ReviewOptions) -> io::Result<Option<Resumed>> {
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        let Contents { workflow, origin, earlier, exchanges } = serde_json::from_str(&text)?;
        let workflow = workflow.map(|value| document(&value, options)).transpose()?;
        let read = |value: Option<Value>| value.map(|value| document(&value, options)).transpose();
        let earlier = earlier.into_iter().map(read).collect::<io::Result<_>>()?;
        let session = Self { earlier, ..Self::new(Some(path.to_owned()), origin) };
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

    /// Saves the conversation. The file is replaced as a whole. Returns the file if it is a new one that nobody
    /// named.
    pub(super) fn save<'x>(
        &mut self,
        document: Option<&Document>,
        exchanges: impl Iterator<Item = &'x (String, String)>,
    ) -> io::Result<Option<PathBuf>> {
        let (path, is_new) = match &self.path {
            Some(path) => (path.clone(), false),
            None => (new_file(self.file())?, true),
        };
        let written = |document: Option<&Document>| document.map(serde_json::to_value).transpose();
        let earlier = self.earlier.iter().map(Option::as_ref);
        let contents = Contents {
            workflow: written(document)?,
            origin: self.origin.clone(),
            earlier: earlier.map(written).collect::<Result<_, _>>()?,
            exchanges: exchanges.cloned().collect(),
        };
        write(&path, &serde_json::to_string_pretty(&contents)?)?;
        Ok(is_new.then(|| self.path.insert(path).clone()))
    }

    /// Whether there is a file: one that was named, or that of an earlier save.
    pub(super) const fn has_file(&self) -> bool {
        self.path.is_some()
    }
}

/// Returns a new file for a session that no file was named for, in a folder that only its owner may read:
/// `llmend/sessions` in `$XDG_STATE_HOME`, in `~/.local/state` or in `%LOCALAPPDATA%`. `workflow` is the file
/// from which it was begun.
fn new_file(workflow: Option<&Path>) -> io::Result<PathBuf> {
    let name = workflow.and_then(Path::file_stem).unwrap_or(OsStr::new("workflow"));
    let name = name.to_string_lossy();
    let folder = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = folder("XDG_STATE_HOME")
        .or_else(|| folder("LOCALAPPDATA").filter(|_| cfg!(windows)))
        .or_else(|| Some(folder("HOME")?.join(".local/state")))
        .ok_or_else(|| io::Error::other("neither XDG_STATE_HOME nor HOME is set"))?
        .join("llmend/sessions");
    let mut made = fs::DirBuilder::new();
    made.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut made, 0o700);
    made.create(&folder)?;
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    Ok(folder.join(format!("{name}-{seconds}-{}.json", std::process::id())))
}

/// Reads a workflow that was saved.
fn document(value: &Value, options: &ReviewOptions) -> io::Result<Document> {
    let text = value.to_string();
    let review = review_plan_with(&text, options).map_err(io::Error::other)?;
    // A workflow that was accepted unchecked may have errors.
    Ok(review.reviewed.value)
}

/// Replaces the file at `path`, or the one that it links to; its permissions stay. Only its owner may read a
/// new one.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut file = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    if let Ok(known) = fs::metadata(&path) {
        file.as_file().set_permissions(known.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(&path)?;
    Ok(())
}
