//! Files with a workflow, which are read and written but never replaced by less than they hold.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize, de::IgnoredAny};
use tempfile::NamedTempFile;

/// A file that was read or written, as it was then.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkflowFile {
    /// The absolute path, without links.
    pub(super) file: PathBuf,
    /// What was last read from it, or written to it.
    pub(super) text: String,
}

/// What happens to a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Existing {
    /// It is replaced if nothing is lost.
    Kept,
    /// It is replaced.
    Replaced,
}

impl WorkflowFile {
    /// Returns the file that was just read, or written.
    pub(super) fn of(file: &Path) -> io::Result<Self> {
        Ok(Self { file: file.canonicalize()?, text: fs::read_to_string(file)? })
    }

    /// Checks that the workflow can replace what is in the file: the same JSON as before.
    fn can_be_replaced(&self) -> Result<(), String> {
        if serde_json::from_str::<IgnoredAny>(&self.text).is_err() {
            return Err("is not JSON".to_owned());
        }
        match fs::read_to_string(&self.file) {
            Ok(text) if text != self.text => Err("was changed outside of the session".to_owned()),
            _ => Ok(()),
        }
    }
}

/// Checks that a workflow may be written to `file`, where these files are known. The error says what to do.
pub(super) fn may_write<'f>(
    file: &Path,
    existing: Existing,
    mut known: impl Iterator<Item = &'f WorkflowFile>,
) -> Result<(), String> {
    let Ok(found) = fs::metadata(file) else { return Ok(()) };
    let shown = file.display();
    if !found.is_file() {
        return Err(format!("{shown} is not a regular file; name another one: /save FILE"));
    }
    if existing == Existing::Replaced {
        return Ok(());
    }
    let is_it = |known: &&WorkflowFile| file.canonicalize().is_ok_and(|file| file == known.file);
    let reason = match known.find(is_it).map(WorkflowFile::can_be_replaced) {
        Some(Ok(())) => return Ok(()),
        Some(Err(reason)) => reason,
        None => "exists".to_owned(),
    };
    Err(format!("{shown} {reason}; name another file: /save FILE, or replace it: /save! {shown}"))
}

/// Replaces the file at `path`, or the one that it links to; its permissions stay. Only its owner may read a
/// new one, which replaces nothing.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut file = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    let known = fs::metadata(&path);
    if let Ok(known) = &known {
        file.as_file().set_permissions(known.permissions())?;
    }
    file.as_file().sync_all()?;
    if known.is_ok() {
        file.persist(&path)?
    } else {
        file.persist_noclobber(&path)?
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Existing, WorkflowFile, may_write, write};

    #[test]
    fn only_what_the_session_wrote_itself_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        for (name, text) in [("own", "{}"), ("edited", "{}"), ("list.md", "1. Go"), ("other", "{}")]
        {
            fs::write(path(name), text).expect("a file");
        }
        let known = ["own", "edited", "list.md"].map(|name| WorkflowFile::of(&path(name)));
        let known = known.map(|file| file.expect("a file"));
        fs::write(path("edited"), "[]").expect("a file");
        for (name, kept, replaced) in [
            ("new", Ok(()), Ok(())),
            ("own", Ok(()), Ok(())),
            ("edited", Err("edited was changed outside of the session; "), Ok(())),
            ("list.md", Err("list.md is not JSON; "), Ok(())),
            ("other", Err("other exists; "), Ok(())),
            ("", Err(" is not a regular file; "), Err(" is not a regular file; ")),
        ] {
            for (existing, expected) in [(Existing::Kept, kept), (Existing::Replaced, replaced)] {
                let found = may_write(&path(name), existing, known.iter());
                match (&found, expected) {
                    (Ok(()), Ok(())) => {}
                    (Err(message), Err(part)) => assert!(message.contains(part), "{message}"),
                    _ => panic!("{name} {existing:?}: {found:?}"),
                }
            }
        }
        write(&path("own"), "[1]").expect("it is replaced");
        assert_eq!(fs::read_to_string(path("own")).expect("a file"), "[1]");
    }
}
