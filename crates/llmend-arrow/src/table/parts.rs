//! The directory of finished parts.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use llmend::FitOptions;
use serde::{Deserialize, Serialize};

use super::{
    TableError, Tally, beside,
    input::{Input, broken, metadata},
};

/// The metadata key of the tally in a part.
pub(super) const TALLY: &str = "llmend.tally";

/// What the parts belong to. Only parts with an equal manifest are joined.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    llmend: String,
    input: PathBuf,
    bytes: u64,
    /// The modification time of the input, in nanoseconds since 1970.
    modified: Option<u128>,
    rows: Vec<(usize, u64)>,
    column: String,
    into: String,
    options: String,
    schema: Option<String>,
}

impl Manifest {
    pub(super) fn new(
        input: &Input,
        column: &str,
        into: &str,
        options: &FitOptions,
        schema: Option<&str>,
    ) -> Self {
        let modified = input.stamp.modified().ok();
        let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Self {
            llmend: env!("CARGO_PKG_VERSION").to_owned(),
            input: fs::canonicalize(&input.path).unwrap_or_else(|_| input.path.clone()),
            bytes: input.stamp.len(),
            modified: modified.map(|since| since.as_nanos()),
            rows: input.groups().collect(),
            column: column.to_owned(),
            into: into.to_owned(),
            options: format!("{options:?}"),
            schema: schema.map(str::to_owned),
        }
    }
}

/// The directory of the parts.
pub(super) struct Parts {
    folder: PathBuf,
    /// Locked while a run uses the directory.
    lock: File,
    /// Whether this run created it.
    new: bool,
}

impl Parts {
    /// Opens the directory beside `output`, or creates it.
    pub(super) fn open(output: &Path, manifest: &Manifest) -> Result<Self, TableError> {
        let folder = beside(output, ".parts");
        let failed = |error: io::Error| TableError::write(&folder, error);
        match fs::create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(failed(error));
            }
            _ => {}
        }
        let lock = File::create(folder.join("lock")).map_err(failed)?;
        lock.try_lock().map_err(|error| match error {
            fs::TryLockError::WouldBlock => TableError::Busy { path: output.to_owned() },
            fs::TryLockError::Error(error) => failed(error),
        })?;
        let path = folder.join("manifest.json");
        let new = match fs::read(&path) {
            Ok(text) => {
                let known: Option<Manifest> = serde_json::from_slice(&text).ok();
                if known.as_ref() != Some(manifest) {
                    return Err(TableError::OtherRun { folder });
                }
                false
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let draft = beside(&path, ".draft");
                let text = serde_json::to_vec(manifest).map_err(|error| failed(error.into()))?;
                fs::write(&draft, text).and_then(|()| fs::rename(&draft, &path)).map_err(failed)?;
                true
            }
            Err(error) => return Err(failed(error)),
        };
        Ok(Self { folder, lock, new })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) const fn is_new(&self) -> bool {
        self.new
    }

    /// Whether the part of a row group is finished: a part gets its name once it is complete.
    pub(super) fn is_done(&self, group: usize) -> bool {
        path_of(&self.folder, group).is_file()
    }

    /// Sums up the tallies of all parts.
    pub(super) fn tally(&self, groups: &[usize]) -> Result<Tally, TableError> {
        let mut sum = Tally::default();
        for &group in groups {
            let path = path_of(&self.folder, group);
            let file = File::open(&path).map_err(|error| TableError::write(&path, error))?;
            let known = metadata(&file).map_err(|error| broken(&path, &error))?;
            let pairs = known.file_metadata().key_value_metadata();
            let tally = pairs.into_iter().flatten().find(|it| it.key == TALLY);
            let tally = tally.and_then(|it| serde_json::from_str(it.value.as_deref()?).ok());
            sum.add(&tally.unwrap_or_default());
        }
        Ok(sum)
    }

    /// Removes the directory if this run created it.
    pub(super) fn discard(&mut self) {
        if self.new {
            self.clear();
        }
    }

    /// Removes the directory.
    pub(super) fn remove(self) {
        self.clear();
    }

    fn clear(&self) {
        let _ = self.lock.unlock();
        // A leftover only takes disk space.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Returns the path of the part of a row group.
pub(super) fn path_of(folder: &Path, group: usize) -> PathBuf {
    folder.join(format!("{group:06}.parquet"))
}
