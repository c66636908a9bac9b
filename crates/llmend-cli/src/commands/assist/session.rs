//! A conversation in a file, so that another run can continue it.

use std::{
    env,
    ffi::OsStr,
    fmt::Display,
    fs, io,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use llmend::{
    ReviewOptions,
    assistant::{Assistant, NotApplied},
    json::{Options, Policy},
    plan::{self, Document, OnBadStep},
    review_plan_with,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::workflow_file::{Existing, WorkflowFile, may_write, write};

/// The number of earlier workflows that `/undo` can return to.
const MAX_UNDO: usize = 50;

/// The state of a conversation.
#[derive(Debug, Default)]
pub(super) struct Session {
    /// The file. `None` if none was named, before the first change.
    path: Option<PathBuf>,
    /// The file from which it was begun.
    origin: Option<WorkflowFile>,
    /// Other files that the workflow was written to, the latest last.
    copies: Vec<WorkflowFile>,
    /// The workflows before each accepted change, the latest last; `None` is no workflow.
    earlier: Vec<Option<Document>>,
}

/// The contents of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    workflow: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<WorkflowFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    copies: Vec<WorkflowFile>,
    earlier: Vec<Option<Value>>,
    /// Past messages and answers, the latest last.
    exchanges: Vec<(String, String)>,
    /// What the model is told with the next message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    not_applied: Vec<NotApplied>,
}

/// A session as it was saved.
#[derive(Default)]
pub(super) struct Resumed {
    pub(super) session: Session,
    pub(super) document: Option<Document>,
    pub(super) exchanges: Vec<(String, String)>,
    pub(super) not_applied: Vec<NotApplied>,
}

impl Session {
    /// Starts a session, which is saved at `path`, or else in a file of its own among the state of programs.
    pub(super) const fn new(path: Option<PathBuf>, origin: Option<WorkflowFile>) -> Self {
        Self { path, origin, copies: Vec::new(), earlier: Vec::new() }
    }

    /// Checks that the session was begun from this file, and that nobody changed the file since; one without a
    /// workflow takes any. The error says what to do.
    pub(super) fn belongs_to(
        &mut self,
        origin: WorkflowFile,
        is_empty: bool,
    ) -> Result<(), String> {
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

    /// Returns the file that was last written besides that one.
    pub(super) fn last_copy(&self) -> Option<&Path> {
        self.copies.last().map(|copy| copy.file.as_path())
    }

    /// Checks that the workflow may be written to `file`: to one that is there already only if the session read
    /// or wrote it and nothing is lost, or if it is to be replaced.
    pub(super) fn may_write(&self, file: &Path, existing: Existing) -> Result<(), String> {
        let whole = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path)).ok();
        if self.path.as_deref().is_some_and(|own| whole(own) == whole(file)) {
            return Err(format!(
                "{} is the file of the session; name another one: /save FILE",
                file.display()
            ));
        }
        may_write(file, existing, self.origin.iter().chain(&self.copies))
    }

    /// Notes that the workflow was written to a file. Returns whether the session has to be saved for that.
    pub(super) fn wrote(&mut self, written: WorkflowFile) -> bool {
        if self.file() == Some(&written.file) {
            self.origin = Some(written);
        } else {
            self.copies.retain(|copy| copy.file != written.file);
            self.copies.push(written);
        }
        self.path.is_some()
    }

    /// Reads the session at `path`. `None` if there is no file, or an empty one. The error says what to do.
    pub(super) fn resume(path: &Path) -> Result<Option<Resumed>, String> {
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return Err(foreign(&error));
            }
            read => read.map_err(|error| error.to_string())?,
        };
        if text.trim().is_empty() {
            return Ok(None);
        }
        let contents = serde_json::from_str(&text).map_err(|error| foreign(&error))?;
        let Contents { workflow, origin, copies, earlier, exchanges, not_applied } = contents;
        let read = |value: Option<Value>| value.as_ref().map(document).transpose();
        let document = read(workflow)?;
        let earlier = earlier.into_iter().map(read).collect::<Result<_, _>>()?;
        let session = Self { path: Some(path.to_owned()), origin, copies, earlier };
        Ok(Some(Resumed { session, document, exchanges, not_applied }))
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
    pub(super) fn save(&mut self, assistant: &Assistant) -> io::Result<Option<PathBuf>> {
        let (path, is_new) = match &self.path {
            Some(path) => (path.clone(), false),
            None => (new_file(self.file())?, true),
        };
        let written = |document: Option<&Document>| document.map(serde_json::to_value).transpose();
        let earlier = self.earlier.iter().map(Option::as_ref);
        let contents = Contents {
            workflow: written(assistant.document())?,
            origin: self.origin.clone(),
            copies: self.copies.clone(),
            earlier: earlier.map(written).collect::<Result<_, _>>()?,
            exchanges: assistant.exchanges().cloned().collect(),
            not_applied: assistant.not_applied().to_vec(),
        };
        write(&path, &serde_json::to_string_pretty(&contents)?)?;
        Ok(is_new.then(|| self.path.insert(path).clone()))
    }

    /// Whether there is a file: one that was named, or that of an earlier save.
    pub(super) const fn has_file(&self) -> bool {
        self.path.is_some()
    }
}

/// Says that a text is no session.
fn foreign(reason: &dyn Display) -> String {
    format!(
        "this is not a session of `llmend assist` ({reason}); name another file, and a workflow to begin with \
         by --workflow"
    )
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

/// Reads a workflow that was saved, in full: what was accepted stays, whatever the options of this run are for
/// new answers.
fn document(value: &Value) -> Result<Document, String> {
    let text = Options { max_bytes: usize::MAX, ..Options::policy(Policy::Strict) };
    let plan = plan::Options {
        on_bad_step: Some(OnBadStep::Fail),
        max_items: usize::MAX,
        ..plan::Options::default()
    };
    let options = ReviewOptions { text, plan, ..ReviewOptions::default() };
    let review = review_plan_with(&value.to_string(), &options).map_err(|error| foreign(&error))?;
    // A workflow that was accepted unchecked may have errors.
    let document = review.reviewed.value;
    match serde_json::to_value(&document) {
        Ok(read) if read == *value => Ok(document),
        _ => Err("this version of llmend cannot read the workflow of the session as it was saved"
            .to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use llmend::{ReviewOptions, plan::Document, review_plan_with};

    use super::document;

    /// Plans and workflows in many forms: in each file, cases of a title, the text, and what is expected.
    fn documents() -> Vec<Document> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../llmend-plan/tests/forms");
        let mut texts = Vec::new();
        for entry in fs::read_dir(folder).expect("a folder") {
            let cases = fs::read_to_string(entry.expect("an entry").path()).expect("a text");
            for case in cases.split("==== ").skip(1) {
                let (_, text) = case.split_once('\n').expect("a title");
                texts.push(text.split("\n----\n").next().unwrap_or_default().to_owned());
            }
        }
        let read = |text: &String| review_plan_with(text, &ReviewOptions::default()).ok();
        let documents = texts.iter().filter_map(read).map(|review| review.reviewed.value);
        let is_one = |found: &Document| matches!(found, Document::Plan(_) | Document::Workflow(_));
        documents.filter(is_one).collect()
    }

    #[test]
    fn a_workflow_is_read_as_it_was_saved() {
        let documents = documents();
        assert!(documents.len() > 10, "{}", documents.len());
        for found in documents {
            let saved = serde_json::to_value(&found).expect("JSON");
            assert_eq!(document(&saved), Ok(found));
        }
    }
}
