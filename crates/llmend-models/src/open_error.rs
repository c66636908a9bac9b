//! The error of opening a model.

use std::io;
use std::path::PathBuf;

use crate::key::KeyError;
use crate::replay::ReplayError;

/// The reason why a model cannot be opened. No request was sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The key is missing or unusable.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The key contains characters that cannot be sent.
    #[error("the key contains invalid characters")]
    UnusableKey,
    /// A header cannot be sent.
    #[error("the header {0:?} has an invalid name or value")]
    BadHeader(String),
    /// The HTTP client cannot be created.
    #[error("cannot create the HTTP client: {0}")]
    Client(String),
    /// The record cannot be read.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The record cannot be written.
    #[error("cannot write the record {}: {error}", file.display())]
    Record {
        /// The file.
        file: PathBuf,
        /// What went wrong.
        #[source]
        error: io::Error,
    },
    /// The file of refusals cannot be read, or is another file.
    #[error("cannot keep refusals in {}: {error}", file.display())]
    Refusals {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        #[source]
        error: io::Error,
    },
}
