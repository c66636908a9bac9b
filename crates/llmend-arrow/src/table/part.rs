//! The part of one row group.

use std::{
    fmt,
    fs::File,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use arrow_array::{Array, ArrayRef, RecordBatch};
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
    let path = path_of(folder, group);
    let draft = beside(&path, ".draft");
    let failed = |error: &dyn fmt::Display| TableError::write(&draft, error);
    let file = File::create(&draft).map_err(|error| failed(&error))?;
    let schema = Arc::new(Schema::new(vec![field(into)]));
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(None)
        .build();
    let mut writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties))
        .map_err(|error| failed(&error))?;
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
        let rows = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(rows) as ArrayRef]);
        rows.map_err(|error| failed(&error))
            .and_then(|rows| writer.write(&rows).map_err(|error| failed(&error)))?;
    }
    let counts = serde_json::to_string(&tally).map_err(|error| failed(&error))?;
    writer.append_key_value_metadata(KeyValue::new(TALLY.to_owned(), counts));
    let file = writer.into_inner().map_err(|error| failed(&error))?;
    publish(&file, &draft, &path)
}
