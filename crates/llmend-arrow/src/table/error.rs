//! Errors of repairing a Parquet file.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// Why a Parquet file could not be repaired.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The input could not be read.
    #[error("cannot read `{}`: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The input, or a part of an earlier run, is not valid Parquet.
    #[error("cannot read {what}: {reason}")]
    Parquet {
        /// The file, and what of it.
        what: String,
        /// What the Parquet reader reported.
        reason: String,
    },
    /// The input has no such column, or it is of the wrong type.
    #[error("{message}")]
    Column {
        /// What is wrong.
        message: String,
        /// What to do about it.
        help: Option<String>,
    },
    /// A file could not be written.
    #[error("cannot write `{}`: {reason}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system or the Parquet writer reported.
        reason: String,
    },
    /// The output exists.
    #[error("`{}` already exists", path.display())]
    Exists {
        /// The output.
        path: PathBuf,
    },
    /// Another run is writing the same output.
    #[error("another run is writing `{}`", path.display())]
    Busy {
        /// The output.
        path: PathBuf,
    },
    /// The directory beside the output holds the parts of a different run.
    #[error(
        "`{}` belongs to a run with another input, other settings or another version of llmend",
        folder.display()
    )]
    OtherRun {
        /// The directory.
        folder: PathBuf,
    },
    /// The threads could not be started.
    #[error("cannot start {count} threads: {error}")]
    Threads {
        /// How many were needed.
        count: usize,
        /// The error of the operating system.
        error: io::Error,
    },
}

impl TableError {
    /// Returns a stable code, such as `input/column`.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Read { .. } => "input/failed",
            Self::Parquet { .. } => "input/parquet",
            Self::Column { .. } => "input/column",
            Self::Write { .. } => "output/failed",
            Self::Exists { .. } => "output/exists",
            Self::Busy { .. } => "output/busy",
            Self::OtherRun { .. } => "output/parts",
            Self::Threads { .. } => "output/threads",
        }
    }

    /// Returns what to do about the error.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Column { help, .. } => help.as_deref(),
            Self::Exists { .. } => Some("Remove it, or choose another output."),
            Self::OtherRun { .. } => Some(
                "Repeat that run unchanged to resume it, or remove the directory to start over.",
            ),
            _ => None,
        }
    }

    pub(super) fn read(path: &Path, error: io::Error) -> Self {
        Self::Read { path: path.to_owned(), error }
    }

    pub(super) fn write(path: &Path, error: impl fmt::Display) -> Self {
        Self::Write { path: path.to_owned(), reason: error.to_string() }
    }
}
