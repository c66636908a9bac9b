//! The input of a subcommand.

#[cfg(any(feature = "table", feature = "models"))]
use std::path::Path;
use std::path::PathBuf;

use crate::input::Source;

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SourceFlags {
    /// The file to read; standard input if it is `-` or missing
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: Option<PathBuf>,
}

impl SourceFlags {
    /// Returns the file or standard input.
    pub(crate) fn source(&self) -> Source {
        Source::new(self.file.clone())
    }

    /// Returns the file, unless it is standard input.
    #[cfg(any(feature = "table", feature = "models"))]
    pub(crate) fn path(&self) -> Option<&Path> {
        self.file.as_deref().filter(|path| path.as_os_str() != "-")
    }

    /// Whether a file was named.
    #[cfg(feature = "models")]
    pub(crate) const fn is_given(&self) -> bool {
        self.file.is_some()
    }
}
