//! The part of one row group.

use std::{
    fmt,
    fs::File,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::Schema;
use parquet::{
    arrow::ArrowWriter,
    basic::Compression,
    file::{metadata::KeyValue, properties::WriterProperties},
};

use super::{
    TableError, Tally, beside,
    input::Input,
    parts::{TALLY, path_of},
    publish,
};
use crate::{Job, Texts, field};

/// Rows per batch and thread.
const ROWS: usize = 1024;

/// Repairs a row group into a file. Counts finished rows in `done`, and gives up between two batches once
/// `stopped` is set.
pub(super) fn write(
    input: &Input,
    group: usize,
    job: &Job,
    into: &str,
    folder: &Path,
    done: &AtomicU64,
    stopped: &AtomicBool,
) -> Result<(), TableError> {
    let mut part = PartWriter::create(group, into, folder)?;
    let failed = |error: &dyn fmt::Display| TableError::write(folder, error);
    let mut tally = Tally::default();
    for batch in input.answers(group, ROWS * job.threads.get())? {
        if stopped.load(Ordering::Relaxed) {
            return Ok(());
        }
        let batch = batch.map_err(|error| TableError::Parquet {
            what: format!("row group {group} of `{}`", input.path.display()),
            reason: error.to_string(),
        })?;
        let texts = Texts::of(batch.column(0).as_ref()).map_err(|error| failed(&error))?;
        let rows = job.repair(&texts).map_err(|error| failed(&error))?;
        tally.add(&Tally::of(&rows));
        done.fetch_add(rows.len() as u64, Ordering::Relaxed);
        part.write(rows)?;
    }
    part.finish(&tally)
}

/// A writer of the rows of one row group.
pub(super) struct PartWriter {
    path: PathBuf,
    draft: PathBuf,
    schema: Arc<Schema>,
    writer: ArrowWriter<File>,
}

impl PartWriter {
    /// Creates the draft of a part.
    pub(super) fn create(group: usize, into: &str, folder: &Path) -> Result<Self, TableError> {
        let path = path_of(folder, group);
        let draft = beside(&path, ".draft");
        let file = File::create(&draft).map_err(|error| TableError::write(&draft, error))?;
        let schema = Arc::new(Schema::new(vec![field(into)]));
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(None)
            .build();
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties))
            .map_err(|error| TableError::write(&draft, error))?;
        Ok(Self { path, draft, schema, writer })
    }

    /// Appends rows.
    pub(super) fn write(&mut self, rows: StructArray) -> Result<(), TableError> {
        let rows = RecordBatch::try_new(Arc::clone(&self.schema), vec![Arc::new(rows) as ArrayRef])
            .map_err(|error| TableError::write(&self.draft, error))?;
        self.writer.write(&rows).map_err(|error| TableError::write(&self.draft, error))
    }

    /// Completes the part.
    pub(super) fn finish(mut self, tally: &Tally) -> Result<(), TableError> {
        let failed = |error: &dyn fmt::Display| TableError::write(&self.draft, error);
        let counts = serde_json::to_string(tally).map_err(|error| failed(&error))?;
        self.writer.append_key_value_metadata(KeyValue::new(TALLY.to_owned(), counts));
        let file = self.writer.into_inner().map_err(|error| failed(&error))?;
        publish(&file, &self.draft, &self.path)
    }
}
