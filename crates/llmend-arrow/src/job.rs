//! What is done with each text of a column, and by how many at once?

use std::{num::NonZero, ops::Range, thread};

use arrow_array::StructArray;
use arrow_schema::ArrowError;
use llmend::{FitOptions, Schema};

use crate::{Columns, Row, Texts};

/// What is done with each text: made once, used for any number of columns.
#[derive(Clone, Debug)]
pub struct Job {
    /// What may be done to a text and to its value.
    pub options: FitOptions,
    /// What each value has to fit.
    pub schema: Option<Schema>,
    /// How many work on one column at once.
    pub threads: NonZero<usize>,
}

impl Default for Job {
    /// The default options, no schema, one thread.
    fn default() -> Self {
        Self { options: FitOptions::default(), schema: None, threads: NonZero::<usize>::MIN }
    }
}

impl Job {
    /// The rows of all texts, in their order. The row of a null is null. An error means that they are
    /// more than an array can hold.
    pub fn repair(&self, texts: &Texts) -> Result<StructArray, ArrowError> {
        let mut columns = Columns::new();
        self.extend(&mut columns, texts, 0..texts.len())?;
        columns.finish()
    }

    /// Adds the rows of some texts: for whoever wants to look up from the work at times, or holds the
    /// rows of several arrays in one.
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
            let rows = part.map_err(|_| ArrowError::ComputeError("a worker failed".to_owned()))?;
            rows.into_iter().try_for_each(|row| columns.push(row))?;
        }
        Ok(())
    }
}
