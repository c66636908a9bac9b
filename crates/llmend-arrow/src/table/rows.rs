//! The texts of a column, and rows of the caller's own beside them.

use std::{fs, path::Path, vec};

use llmend::FitOptions;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;

use super::{
    TableError, Tally,
    input::Input,
    join,
    part::PartWriter,
    parts::{Manifest, Parts},
};
use crate::{Columns, Row, Texts};

/// Rows per batch.
const ROWS: usize = 1024;

/// The texts of a column of a Parquet file, in order, as bytes that should be UTF-8; `None` for a null.
pub struct TableTexts {
    input: Input,
    groups: vec::IntoIter<usize>,
    reader: Option<ParquetRecordBatchReader>,
    /// The current batch, and its next row.
    batch: Option<(Texts, usize)>,
}

impl TableTexts {
    /// Opens the file at `path`. Fails if it lacks the column, or has one called `into`.
    pub fn open(path: &Path, column: &str, into: &str) -> Result<Self, TableError> {
        let input = Input::open(path, column)?;
        input.admits(into)?;
        let groups: Vec<usize> = input.groups().map(|(group, _)| group).collect();
        Ok(Self { input, groups: groups.into_iter(), reader: None, batch: None })
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> u64 {
        self.input.groups().map(|(_, rows)| rows).sum()
    }

    /// Reads the next batch. `None` at the end.
    fn read(&mut self) -> Option<Result<Texts, TableError>> {
        loop {
            if let Some(batch) = self.reader.as_mut().and_then(Iterator::next) {
                let broken = |reason: String| TableError::Parquet {
                    what: format!("`{}`", self.input.path.display()),
                    reason,
                };
                let texts = batch.map_err(|error| broken(error.to_string())).and_then(|batch| {
                    Texts::of(batch.column(0).as_ref()).map_err(|error| broken(error.to_string()))
                });
                return Some(texts);
            }
            let group = self.groups.next()?;
            match self.input.answers(group, ROWS) {
                Ok(reader) => self.reader = Some(reader),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl Iterator for TableTexts {
    type Item = Result<Option<Vec<u8>>, TableError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((texts, at)) = &mut self.batch
                && *at < texts.len()
            {
                *at += 1;
                return Some(Ok(texts.get(*at - 1).map(<[u8]>::to_vec)));
            }
            match self.read()? {
                Ok(texts) => self.batch = Some((texts, 0)),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Writes a Parquet file with the columns of `input` and a new one called `into`. `row` returns the row with an
/// index, from 0 and in order; `None` is a null. The output appears as a whole.
pub fn write_table(
    input: &Path,
    column: &str,
    output: &Path,
    into: &str,
    mut row: impl FnMut(u64) -> Result<Option<Row>, TableError>,
) -> Result<(), TableError> {
    let input = Input::open(input, column)?;
    input.admits(into)?;
    if fs::exists(output).unwrap_or(true) {
        return Err(TableError::Exists { path: output.to_owned() });
    }
    // Never the parts of a repaired column.
    let manifest = Manifest::new(&input, column, into, &FitOptions::default(), Some(""));
    let parts = Parts::open(output, &manifest)?;
    let mut next = 0;
    for (group, rows) in input.groups() {
        let mut part = PartWriter::create(group, into, parts.folder())?;
        let end = next + rows;
        while next < end {
            let stop = end.min(next + ROWS as u64);
            let mut columns = Columns::new();
            for index in next..stop {
                columns.push(row(index)?).map_err(|error| TableError::write(output, error))?;
            }
            next = stop;
            part.write(columns.finish().map_err(|error| TableError::write(output, error))?)?;
        }
        part.finish(&Tally::default())?;
    }
    join::join(&input, &parts, into, output)?;
    parts.remove();
    Ok(())
}
