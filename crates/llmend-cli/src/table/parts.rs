//! What is done already, and is it part of the same work?

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use llmend::FitOptions;
use serde::{Deserialize, Serialize};

use super::{
    beside,
    input::{Input, broken, metadata},
    unwritten,
};
use crate::{
    exit::{Exit, Failure},
    render::summary::BatchTally,
};

/// Where a part says how many of its rows came to what.
pub(super) const TALLY: &str = "llmend.tally";

/// Of what the parts are parts. Parts of anything else are not put together with them.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    llmend: String,
    input: PathBuf,
    bytes: u64,
    /// When the input was changed, in nanoseconds since 1970.
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

/// The folder of what is done.
pub(super) struct Parts {
    folder: PathBuf,
    /// Held while somebody works here.
    lock: File,
    /// Whether nobody had begun.
    new: bool,
}

impl Parts {
    /// The folder beside `output`, which is made if nobody had begun.
    pub(super) fn open(output: &Path, asked: &Manifest) -> Result<Self, Failure> {
        let folder = beside(output, ".parts");
        let failed = |error: io::Error| unwritten(&folder, error);
        match fs::create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(failed(error));
            }
            _ => {}
        }
        let lock = File::create(folder.join("lock")).map_err(failed)?;
        lock.try_lock().map_err(|error| match error {
            fs::TryLockError::WouldBlock => {
                let message = format!("another run works on `{}`", output.display());
                Failure::plain(Exit::Usage, "output/busy", message)
            }
            fs::TryLockError::Error(error) => failed(error),
        })?;
        let path = folder.join("manifest.json");
        let new = match fs::read(&path) {
            Ok(text) => {
                let known: Option<Manifest> = serde_json::from_slice(&text).ok();
                if known.as_ref() != Some(asked) {
                    return Err(another(&folder));
                }
                false
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let draft = beside(&path, ".draft");
                let text = serde_json::to_vec(asked).map_err(|error| failed(error.into()))?;
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

    /// Whether the part of a row group is there: a part has its name only once it is whole.
    pub(super) fn is_done(&self, group: usize) -> bool {
        path_of(&self.folder, group).is_file()
    }

    /// How many rows of all parts came to what.
    pub(super) fn tally(&self, groups: &[usize]) -> Result<BatchTally, Failure> {
        let mut sum = BatchTally::default();
        for &group in groups {
            let path = path_of(&self.folder, group);
            let file = File::open(&path).map_err(|error| unwritten(&path, error))?;
            let known = metadata(&file).map_err(|error| broken(&path, &error))?;
            let told = known.file_metadata().key_value_metadata();
            let told = told.into_iter().flatten().find(|it| it.key == TALLY);
            let told = told.and_then(|it| serde_json::from_str(it.value.as_deref()?).ok());
            sum.add(&told.unwrap_or_default());
        }
        Ok(sum)
    }

    /// Leaves no trace where nothing was done.
    pub(super) fn give_up(&mut self) {
        if self.new {
            self.clear();
        }
    }

    /// Takes the folder away, once what is in it stands in the output.
    pub(super) fn remove(self) {
        self.clear();
    }

    fn clear(&self) {
        let _ = self.lock.unlock();
        // What stays costs room, and nothing else.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn another(folder: &Path) -> Failure {
    let message = format!(
        "`{}` holds what was done of other work: another input, other settings or another llmend",
        folder.display()
    );
    Failure::plain(Exit::Usage, "output/parts", message)
        .hint("Run that again as it was to go on with it, or remove the folder to begin anew.")
}

/// Where the part of a row group is.
pub(super) fn path_of(folder: &Path, group: usize) -> PathBuf {
    folder.join(format!("{group:06}.parquet"))
}
