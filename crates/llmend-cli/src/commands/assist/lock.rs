//! One process at a time for a session.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
};

/// How often a lock is taken anew whose file was removed in between.
const TRIES: usize = 8;

/// The lock of a session: a locked file beside it, which is removed at the end. The session itself is
/// replaced by each save, so that a lock on it would be lost.
#[derive(Debug)]
pub(super) struct SessionLock {
    path: PathBuf,
    _file: File,
}

impl SessionLock {
    /// Locks the session at `session`, which need not exist. The error says why that is not possible.
    pub(super) fn of(session: &Path) -> Result<Self, String> {
        let mut path =
            session.canonicalize().unwrap_or_else(|_| session.to_owned()).into_os_string();
        path.push(".lock");
        let path = PathBuf::from(path);
        let failed = |error: io::Error| unwritable(&path, &error);
        for _ in 0..TRIES {
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(false);
            let file = options.open(&path).map_err(failed)?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => return Ok(Self { path, _file: file }),
                // Another process ended just now, and removed the file.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(IN_USE.to_owned()),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        Err(IN_USE.to_owned())
    }
}

const IN_USE: &str = "another process is in this session; end it first, or use another session";

/// Says why nothing can be written beside a session.
fn unwritable(path: &Path, error: &io::Error) -> String {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => format!("there is no folder {}", folder.display()),
        _ => format!("the session cannot be saved there: {error}"),
    }
}

/// Whether an open file is still the one at `path`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let id = |found: &fs::Metadata| (found.dev(), found.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(one), Ok(other)) if id(&one) == id(&other))
}

/// Whether an open file is still the one at `path`. It cannot be removed while it is open.
#[cfg(not(unix))]
const fn is_at(_file: &File, _path: &Path) -> bool {
    true
}

impl Drop for SessionLock {
    fn drop(&mut self) {
        // A file that is left does no harm: it is not locked.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::SessionLock;

    #[test]
    fn a_session_is_locked_once_and_nothing_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let session = folder.path().join("s.json");
        let names = || std::fs::read_dir(folder.path()).expect("a folder").count();
        let first = SessionLock::of(&session).expect("a lock");
        let second = SessionLock::of(&session).expect_err("it is locked");
        assert!(second.starts_with("another process"), "{second}");
        drop(first);
        assert_eq!(names(), 0);
        // What a killed process left behind is no obstacle.
        std::fs::write(folder.path().join("s.json.lock"), "").expect("a file");
        drop(SessionLock::of(&session).expect("a lock"));
        assert_eq!(names(), 0);
        let error = SessionLock::of(&folder.path().join("none/s.json")).expect_err("no folder");
        assert!(error.starts_with("there is no folder ") && error.ends_with("none"), "{error}");
    }
}
