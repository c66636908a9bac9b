//! The Parquet file to read, and the column with the answers.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use llmend::json::nearest;
use parquet::{
    arrow::{
        ProjectionMask,
        arrow_reader::{
            ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
            ParquetRecordBatchReaderBuilder,
        },
    },
    basic::Type as Physical,
    errors::{ParquetError, Result as Read},
    file::metadata::{
        FileMetaData, PageIndexPolicy, ParquetMetaData, ParquetMetaDataBuilder, RowGroupMetaData,
    },
    schema::types::{SchemaDescriptor, Type},
};

use super::TableError;
use crate::Texts;

/// A Parquet file, and one of its columns.
#[derive(Clone)]
pub(super) struct Input {
    pub(super) path: PathBuf,
    /// The length and the modification time of the file.
    pub(super) stamp: fs::Metadata,
    known: ArrowReaderMetadata,
    /// The same with the column as bytes instead of strings.
    bytes: ArrowReaderMetadata,
    /// The index of the column.
    column: usize,
}

impl Input {
    /// Opens the file at `path` and finds its column.
    pub(super) fn open(path: &Path, column: &str) -> Result<Self, TableError> {
        let unreadable = |error: io::Error| TableError::read(path, error);
        let file = File::open(path).map_err(unreadable)?;
        let stamp = file.metadata().map_err(unreadable)?;
        if stamp.is_dir() {
            return Err(unreadable(io::ErrorKind::IsADirectory.into()));
        }
        let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Optional);
        let known =
            ArrowReaderMetadata::load(&file, options).map_err(|error| broken(path, &error))?;
        let fields = known.schema().fields();
        let texts = || fields.iter().filter(|field| Texts::are(field.data_type()));
        let found = fields.iter().enumerate().find(|(_, field)| field.name() == column);
        match found {
            Some((column, field)) if Texts::are(field.data_type()) => {
                let bytes = as_bytes(&known, column).map_err(|error| broken(path, &error))?;
                Ok(Self { path: path.to_owned(), stamp, known, bytes, column })
            }
            Some((_, field)) => {
                let found = field.data_type();
                let message = format!(
                    "column `{column}` is of the wrong type: expected string or binary, found {found}"
                );
                Err(TableError::Column { message, help: None })
            }
            None => {
                let message = format!("`{}` has no column `{column}`", path.display());
                let names: Vec<&str> = texts().map(|field| field.name().as_str()).collect();
                let help = match nearest(column, names.iter().copied()) {
                    Some(near) => format!("Did you mean `{near}`?"),
                    None if names.is_empty() => "It has no columns of strings.".to_owned(),
                    None => format!("Its columns of strings are: {}.", names.join(", ")),
                };
                Err(TableError::Column { message, help: Some(help) })
            }
        }
    }

    /// Fails if there is a column called `name`.
    pub(super) fn admits(&self, name: &str) -> Result<(), TableError> {
        if self.known.schema().fields().iter().all(|field| field.name() != name) {
            return Ok(());
        }
        let message = format!("`{}` already has a column `{name}`", self.path.display());
        let help = "Choose another name for the new column.".to_owned();
        Err(TableError::Column { message, help: Some(help) })
    }

    pub(super) fn metadata(&self) -> &ParquetMetaData {
        self.known.metadata()
    }

    pub(super) fn arrow(&self) -> &arrow_schema::Schema {
        self.known.schema()
    }

    /// Returns the row groups that are not empty, with their numbers of rows.
    pub(super) fn groups(&self) -> impl Iterator<Item = (usize, u64)> {
        let rows = self.metadata().row_groups().iter().map(RowGroupMetaData::num_rows);
        rows.map(|rows| u64::try_from(rows).unwrap_or_default())
            .enumerate()
            .filter(|(_, rows)| *rows > 0)
    }

    /// Opens the file again.
    pub(super) fn file(&self) -> Result<File, TableError> {
        File::open(&self.path).map_err(|error| TableError::read(&self.path, error))
    }

    /// Reads the answers of a row group in batches of `rows`, as bytes, so that one that is not UTF-8 does not
    /// make the others unreadable.
    pub(super) fn answers(
        &self,
        group: usize,
        rows: usize,
    ) -> Result<ParquetRecordBatchReader, TableError> {
        let mask = ProjectionMask::roots(self.bytes.parquet_schema(), [self.column]);
        let reader =
            ParquetRecordBatchReaderBuilder::new_with_metadata(self.file()?, self.bytes.clone())
                .with_row_groups(vec![group])
                .with_projection(mask)
                .with_batch_size(rows);
        reader.build().map_err(|error| broken(&self.path, &error))
    }
}

/// Returns the metadata of a file with the column at `place` declared as bytes.
fn as_bytes(known: &ArrowReaderMetadata, place: usize) -> Read<ArrowReaderMetadata> {
    let metadata = known.metadata();
    let file = metadata.file_metadata();
    let root = file.schema_descr().root_schema();
    let mut fields = root.get_fields().to_vec();
    if let Some(field) = fields.get_mut(place)
        && field.is_primitive()
        && field.get_physical_type() == Physical::BYTE_ARRAY
    {
        let repetition = field.get_basic_info().repetition();
        let bytes = Type::primitive_type_builder(field.name(), Physical::BYTE_ARRAY);
        *field = Arc::new(bytes.with_repetition(repetition).build()?);
    }
    let root = Type::group_type_builder(root.name()).with_fields(fields).build()?;
    let file = FileMetaData::new(
        file.version(),
        file.num_rows(),
        file.created_by().map(ToOwned::to_owned),
        None,
        Arc::new(SchemaDescriptor::new(Arc::new(root))),
        None,
    );
    let metadata = ParquetMetaDataBuilder::new(file)
        .set_row_groups(metadata.row_groups().to_vec())
        .set_offset_index(metadata.offset_index().cloned())
        .build();
    ArrowReaderMetadata::try_new(Arc::new(metadata), ArrowReaderOptions::new())
}

/// Converts an error of reading Parquet.
pub(super) fn broken(path: &Path, error: &ParquetError) -> TableError {
    let reason = match error {
        ParquetError::General(reason) | ParquetError::NYI(reason) | ParquetError::EOF(reason) => {
            reason.clone()
        }
        other => other.to_string(),
    };
    TableError::Parquet { what: format!("`{}` as Parquet", path.display()), reason }
}

/// Reads the metadata of a Parquet file.
pub(super) fn metadata(file: &File) -> Read<ParquetMetaData> {
    parquet::file::metadata::ParquetMetaDataReader::new()
        .with_page_index_policy(PageIndexPolicy::Optional)
        .parse_and_finish(file)
}
