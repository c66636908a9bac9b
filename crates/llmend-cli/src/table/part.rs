//! What comes of the answers of one row group?

use std::{
    fs::File,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use arrow_array::{Array, ArrayRef, RecordBatch, StructArray, cast::AsArray};
use arrow_schema::Schema;
use llmend::Class;
use llmend_arrow::{Job, Texts, field};
use parquet::{
    arrow::ArrowWriter,
    basic::Compression,
    file::{metadata::KeyValue, properties::WriterProperties},
};

use super::{
    beside,
    input::Input,
    parts::{TALLY, path_of},
    settle, unwritten,
};
use crate::{
    exit::{Exit, Failure},
    render::summary::BatchTally,
};

/// Rows that are worked on at once by one thread.
const ROWS: usize = 1024;

/// Repairs the answers of a row group into a file of their own. Each that is done is counted.
pub(super) fn write(
    input: &Input,
    group: usize,
    job: &Job,
    into: &str,
    folder: &Path,
    done: &AtomicU64,
) -> Result<(), Failure> {
    let path = path_of(folder, group);
    let draft = beside(&path, ".draft");
    let failed = |error: &dyn std::fmt::Display| unwritten(&draft, error);
    let file = File::create(&draft).map_err(|error| failed(&error))?;
    let schema = Arc::new(Schema::new(vec![field(into)]));
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(None)
        .build();
    let mut writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties))
        .map_err(|error| failed(&error))?;
    let mut tally = BatchTally::default();
    for batch in input.answers(group, ROWS * job.threads.get())? {
        let batch = batch.map_err(|error| {
            let message =
                format!("cannot read row group {group} of `{}`: {error}", input.path.display());
            Failure::plain(Exit::Io, "input/parquet", message)
        })?;
        let texts = Texts::of(batch.column(0).as_ref()).map_err(|error| failed(&error))?;
        let rows = job.repair(&texts).map_err(|error| failed(&error))?;
        tally.add(&counted(&rows));
        done.fetch_add(rows.len() as u64, Ordering::Relaxed);
        let rows = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(rows) as ArrayRef]);
        rows.map_err(|error| failed(&error))
            .and_then(|rows| writer.write(&rows).map_err(|error| failed(&error)))?;
    }
    let told = serde_json::to_string(&tally).map_err(|error| failed(&error))?;
    writer.append_key_value_metadata(KeyValue::new(TALLY.to_owned(), told));
    let file = writer.into_inner().map_err(|error| failed(&error))?;
    settle(&file, &draft, &path)
}

/// How many rows came to what. A null is no answer, and counts as a row that cannot be read.
fn counted(rows: &StructArray) -> BatchTally {
    let mut tally = BatchTally::default();
    let column = |name| rows.column_by_name(name);
    let (Some(status), Some(class), Some(truncated)) =
        (column("status"), column("class"), column("truncated"))
    else {
        return tally;
    };
    let (status, class) = (status.as_string::<i32>(), class.as_string::<i32>());
    let truncated = truncated.as_boolean();
    for row in 0..rows.len() {
        if rows.is_null(row) {
            tally.add(&BatchTally::of_bad_line());
            continue;
        }
        let class = class.is_valid(row).then(|| class.value(row));
        let class = Class::ALL.into_iter().find(|it| Some(it.as_str()) == class);
        tally.add(&BatchTally::of_row(status.value(row), class, truncated.value(row)));
    }
    tally
}
