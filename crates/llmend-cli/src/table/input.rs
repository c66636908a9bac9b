//! Which Parquet file is read, and where in it are the answers?

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use llmend::json::nearest;
use llmend_arrow::Texts;
use parquet::{
    arrow::{
        ProjectionMask,
        arrow_reader::{
            ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
            ParquetRecordBatchReaderBuilder,
        },
    },
    errors::{ParquetError, Result as Read},
    file::metadata::{PageIndexPolicy, ParquetMetaData, RowGroupMetaData},
};

use crate::{
    exit::{Exit, Failure},
    input::unreadable,
};

/// A Parquet file, and one of its columns.
#[derive(Clone)]
pub(super) struct Input {
    pub(super) path: PathBuf,
    /// What the system says of the file: how long it is, and when it was changed.
    pub(super) stamp: fs::Metadata,
    known: ArrowReaderMetadata,
    /// The place of the column among those of the table.
    column: usize,
}

impl Input {
    /// The file at `path`, and its column of this name.
    pub(super) fn open(path: &Path, column: &str) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| unreadable(&name, &error))?;
        let stamp = file.metadata().map_err(|error| unreadable(&name, &error))?;
        if stamp.is_dir() {
            return Err(unreadable(&name, &std::io::ErrorKind::IsADirectory.into()));
        }
        let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Optional);
        let known =
            ArrowReaderMetadata::load(&file, options).map_err(|error| broken(path, &error))?;
        let fields = known.schema().fields();
        let texts = || fields.iter().filter(|field| Texts::are(field.data_type()));
        let found = fields.iter().enumerate().find(|(_, field)| field.name() == column);
        match found {
            Some((column, field)) if Texts::are(field.data_type()) => {
                Ok(Self { path: path.to_owned(), stamp, known, column })
            }
            Some((_, field)) => {
                let message = format!(
                    "the column `{column}` holds no texts: it is of type {}",
                    field.data_type()
                );
                Err(Failure::plain(Exit::Usage, "input/column", message))
            }
            None => {
                let message = format!("`{name}` has no column `{column}`");
                let failure = Failure::plain(Exit::Usage, "input/column", message);
                let names: Vec<&str> = texts().map(|field| field.name().as_str()).collect();
                Err(match nearest(column, names.iter().copied()) {
                    Some(meant) => failure.hint(format!("Did you mean `{meant}`?")),
                    None if names.is_empty() => failure.hint("None of its columns holds texts."),
                    None => failure.hint(format!("Its texts are in: {}.", names.join(", "))),
                })
            }
        }
    }

    /// Whether a column of this name can be added.
    pub(super) fn admits(&self, name: &str) -> Result<(), Failure> {
        if self.known.schema().fields().iter().all(|field| field.name() != name) {
            return Ok(());
        }
        let message = format!("`{}` has a column `{name}` already", self.path.display());
        Err(Failure::plain(Exit::Usage, "input/column", message)
            .hint("Name another for the result with `--into`."))
    }

    pub(super) fn metadata(&self) -> &ParquetMetaData {
        self.known.metadata()
    }

    pub(super) fn arrow(&self) -> &arrow_schema::Schema {
        self.known.schema()
    }

    /// The row groups that have rows, and how many each.
    pub(super) fn groups(&self) -> impl Iterator<Item = (usize, u64)> {
        let rows = self.metadata().row_groups().iter().map(RowGroupMetaData::num_rows);
        rows.map(|rows| u64::try_from(rows).unwrap_or_default())
            .enumerate()
            .filter(|(_, rows)| *rows > 0)
    }

    /// The file, with a cursor of its own.
    pub(super) fn file(&self) -> Result<File, Failure> {
        File::open(&self.path).map_err(|error| unreadable(&self.path.display().to_string(), &error))
    }

    /// The answers of a row group, some rows at a time.
    pub(super) fn answers(
        &self,
        group: usize,
        rows: usize,
    ) -> Result<ParquetRecordBatchReader, Failure> {
        let mask = ProjectionMask::roots(self.known.parquet_schema(), [self.column]);
        let reader =
            ParquetRecordBatchReaderBuilder::new_with_metadata(self.file()?, self.known.clone())
                .with_row_groups(vec![group])
                .with_projection(mask)
                .with_batch_size(rows);
        reader.build().map_err(|error| broken(&self.path, &error))
    }
}

/// The failure to understand a Parquet file.
pub(super) fn broken(path: &Path, error: &ParquetError) -> Failure {
    let reason = match error {
        ParquetError::General(reason) | ParquetError::NYI(reason) | ParquetError::EOF(reason) => {
            reason.clone()
        }
        other => other.to_string(),
    };
    let message = format!("cannot read `{}` as Parquet: {reason}", path.display());
    Failure::plain(Exit::Io, "input/parquet", message)
}

/// The metadata of the Parquet file at `path`.
pub(super) fn metadata(file: &File) -> Read<ParquetMetaData> {
    parquet::file::metadata::ParquetMetaDataReader::new()
        .with_page_index_policy(PageIndexPolicy::Optional)
        .parse_and_finish(file)
}
