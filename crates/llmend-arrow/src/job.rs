//! Repair of a whole column.

use std::{num::NonZero, ops::Range, thread};

use arrow_array::StructArray;
use arrow_schema::ArrowError;
use llmend::{FitOptions, Schema};

use crate::{Columns, Row, Texts};

/// The options for repairing columns.
#[derive(Clone, Debug)]
pub struct Job {
    /// How texts are repaired and values are coerced.
    pub options: FitOptions,
    /// The schema that each value has to fit.
    pub schema: Option<Schema>,
    /// The number of threads per column.
    pub threads: NonZero<usize>,
}

impl Default for Job {
    /// Returns the default options, without a schema, on one thread.
    fn default() -> Self {
        Self { options: FitOptions::default(), schema: None, threads: NonZero::<usize>::MIN }
    }
}

impl Job {
    /// Repairs all texts. Returns one row per text, in order; the row of a null is null. Fails if the rows exceed
    /// the capacity of an array.
    pub fn repair(&self, texts: &Texts) -> Result<StructArray, ArrowError> {
        let mut columns = Columns::new();
        self.extend(&mut columns, texts, 0..texts.len())?;
        columns.finish()
    }

    /// Repairs the texts in `range` and appends their rows: to work in steps, or to collect several arrays.
    pub fn extend(
        &self,
        columns: &mut Columns,
        texts: &Texts,
        range: Range<usize>,
    ) -> Result<(), ArrowError> {
        let rows = |range: Range<usize>| {
            let schema = self.schema.as_ref();
            range
                .map(move |at| texts.get(at).map(|text| Row::of_bytes(text, &self.options, schema)))
        };
        if self.threads.get() == 1 {
            return rows(range).try_for_each(|row| columns.push(row));
        }
        let end = range.end;
        let share = range.len().div_ceil(self.threads.get()).max(1);
        let parts: Vec<_> = thread::scope(|scope| {
            let rows = &rows;
            let starts = range.step_by(share).map(|start| start..end.min(start + share));
            let workers: Vec<_> =
                starts.map(|part| scope.spawn(move || rows(part).collect::<Vec<_>>())).collect();
            workers.into_iter().map(thread::ScopedJoinHandle::join).collect()
        });
        for part in parts {
            let rows =
                part.map_err(|_| ArrowError::ComputeError("a worker thread panicked".to_owned()))?;
            rows.into_iter().try_for_each(|row| columns.push(row))?;
        }
        Ok(())
    }
}
