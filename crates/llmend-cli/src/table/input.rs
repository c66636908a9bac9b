//! Which Parquet file is read, and where in it are the answers?

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::Arc,
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
    basic::Type as Physical,
    errors::{ParquetError, Result as Read},
    file::metadata::{
        FileMetaData, PageIndexPolicy, ParquetMetaData, ParquetMetaDataBuilder, RowGroupMetaData,
    },
    schema::types::{SchemaDescriptor, Type},
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
    /// The same, but for the column: its texts are read as bytes.
    bytes: ArrowReaderMetadata,
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
                let bytes = as_bytes(&known, column).map_err(|error| broken(path, &error))?;
                Ok(Self { path: path.to_owned(), stamp, known, bytes, column })
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

    /// The answers of a row group, some rows at a time, as bytes: one that is not UTF-8 is for whoever
    /// reads it to refuse, and makes nothing of the others unreadable.
    pub(super) fn answers(
        &self,
        group: usize,
        rows: usize,
    ) -> Result<ParquetRecordBatchReader, Failure> {
        let mask = ProjectionMask::roots(self.bytes.parquet_schema(), [self.column]);
        let reader =
            ParquetRecordBatchReaderBuilder::new_with_metadata(self.file()?, self.bytes.clone())
                .with_row_groups(vec![group])
                .with_projection(mask)
                .with_batch_size(rows);
        reader.build().map_err(|error| broken(&self.path, &error))
    }
}

/// What is known of a file, had nobody said that its column at `place` holds texts.
fn as_bytes(known: &ArrowReaderMetadata, place: usize) -> Read<ArrowReaderMetadata> {
    let metadata = known.metadata();
    let told = metadata.file_metadata();
    let root = told.schema_descr().root_schema();
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
        told.version(),
        told.num_rows(),
        told.created_by().map(ToOwned::to_owned),
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
