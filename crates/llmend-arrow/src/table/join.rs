//! The output file, joined from the columns of the input and the new one.

use std::{fs::File, path::Path, sync::Arc};

use arrow_schema::Schema;
use parquet::{
    arrow::{ARROW_SCHEMA_META_KEY, ArrowSchemaConverter, add_encoded_arrow_schema_to_metadata},
    bloom_filter::Sbbf,
    column::writer::ColumnCloseResult,
    errors::{ParquetError, Result as Written},
    file::{
        metadata::ParquetMetaData,
        properties::WriterProperties,
        writer::{SerializedFileWriter, SerializedRowGroupWriter},
    },
    schema::types::{Type, TypePtr},
};

use super::{
    TableError,
    input::{Input, broken, metadata},
    parts::{Parts, path_of},
    publish,
};
use crate::field;

/// Writes the output by copying the encoded columns of the input and of the parts.
pub(super) fn join(
    input: &Input,
    parts: &Parts,
    into: &str,
    output: &Path,
) -> Result<(), TableError> {
    let draft = parts.folder().join("output.draft");
    let failed = |error: ParquetError| TableError::write(output, error);
    let theirs = input.file()?;
    let properties = properties(input, into);
    let root = root(input, into).map_err(failed)?;
    let pages = Pages::of(input.metadata());
    let file = File::create(&draft).map_err(|error| TableError::write(&draft, error))?;
    let mut writer = SerializedFileWriter::new(file, root, Arc::new(properties)).map_err(failed)?;
    for (group, _) in input.groups() {
        let path = path_of(parts.folder(), group);
        let part = File::open(&path).map_err(|error| TableError::write(&path, error))?;
        let known = metadata(&part).map_err(|error| broken(&path, &error))?;
        let mut row_group = writer.next_row_group().map_err(failed)?;
        append(&mut row_group, &theirs, input.metadata(), group, pages)
            .and_then(|()| append(&mut row_group, &part, &known, 0, pages))
            .and_then(|()| row_group.close().map(|_| ()))
            .map_err(failed)?;
    }
    let file = writer.into_inner().map_err(failed)?;
    publish(&file, &draft, output)
}

/// Whether a file has page indexes. It has them for all columns or for none, so the new column does as the input
/// does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pages {
    Indexed,
    Unindexed,
}

impl Pages {
    fn of(known: &ParquetMetaData) -> Self {
        if known.offset_index().is_some() { Self::Indexed } else { Self::Unindexed }
    }
}

/// Appends all columns of a row group of a file, unread.
fn append(
    row_group: &mut SerializedRowGroupWriter<'_, File>,
    file: &File,
    known: &ParquetMetaData,
    group: usize,
    pages: Pages,
) -> Written<()> {
    let metadata = known.row_group(group);
    let is_indexed = pages == Pages::Indexed;
    let columns_of = known.column_index().and_then(|index| index.get(group));
    let columns_of = columns_of.filter(|_| is_indexed);
    let offsets_of = known.offset_index().and_then(|index| index.get(group));
    let offsets_of = offsets_of.filter(|_| is_indexed);
    for (at, column) in metadata.columns().iter().enumerate() {
        let close = ColumnCloseResult {
            bytes_written: u64::try_from(column.compressed_size()).unwrap_or_default(),
            rows_written: u64::try_from(metadata.num_rows()).unwrap_or_default(),
            metadata: column.clone(),
            bloom_filter: Sbbf::read_from_column_chunk(column, file)?,
            column_index: columns_of.and_then(|row| row.get(at)).cloned(),
            offset_index: offsets_of.and_then(|row| row.get(at)).cloned(),
        };
        row_group.append_column(file, close)?;
    }
    Ok(())
}

/// Returns the schema of the input with the new column at its end.
fn root(input: &Input, into: &str) -> Written<TypePtr> {
    let theirs = input.metadata().file_metadata().schema_descr();
    let ours = ArrowSchemaConverter::new().convert(&Schema::new(vec![field(into)]))?;
    let fields = theirs.root_schema().get_fields().iter().chain(ours.root_schema().get_fields());
    let root = Type::group_type_builder(theirs.name()).with_fields(fields.cloned().collect());
    root.build().map(Arc::new)
}

/// Returns the key-value metadata of the input, with the Arrow schema extended by the new column.
fn properties(input: &Input, into: &str) -> WriterProperties {
    let pairs = input.metadata().file_metadata().key_value_metadata();
    let pairs = pairs.cloned().unwrap_or_default();
    let is_typed = pairs.iter().any(|it| it.key == ARROW_SCHEMA_META_KEY);
    let mut properties = WriterProperties::builder().set_key_value_metadata(Some(pairs)).build();
    if is_typed {
        let theirs = input.arrow();
        let fields = theirs.fields().iter().cloned().chain([field(into)]);
        let whole =
            Schema::new_with_metadata(fields.collect::<Vec<_>>(), theirs.metadata().clone());
        add_encoded_arrow_schema_to_metadata(&whole, &mut properties);
    }
    properties
}
