//! The prompts of a run: the lines of a file, or a column of a table.

use std::{io::BufRead, path::Path};

#[cfg(feature = "table")]
use llmend_arrow::table::{TableError, TableTexts};

use crate::{
    commands::batch::line::{LineTask, text},
    input::{Source, unreadable},
    lines::next_line,
    outcome::Failure,
};

/// The first bytes of a Parquet file.
#[cfg(feature = "table")]
const PARQUET: &[u8] = b"PAR1";

/// The prompts, one after another.
pub(super) enum Prompts {
    Lines {
        input: Box<dyn BufRead>,
        name: String,
    },
    #[cfg(feature = "table")]
    Table(Box<TableTexts>),
}

/// A prompt.
pub(super) struct NextPrompt {
    /// `None` for a null of a table.
    pub(super) prompt: Result<Option<String>, Failure>,
    /// The bytes or rows that were read.
    pub(super) read: u64,
}

impl Prompts {
    /// Returns the next prompt. `None` at the end.
    pub(super) fn next(&mut self, task: &LineTask) -> Result<Option<NextPrompt>, Failure> {
        match self {
            Self::Lines { input, name } => {
                let line = next_line(input, task.strict.max_bytes);
                let line = line.map_err(|error| unreadable(name, &error))?;
                Ok(line
                    .map(|(line, read)| NextPrompt { prompt: text(task, &line).map(Some), read }))
            }
            #[cfg(feature = "table")]
            Self::Table(texts) => {
                let Some(text) = texts.next() else { return Ok(None) };
                let text = text.map_err(|error| failure(&error))?;
                let prompt = text.map(|text| crate::input::decode(&text).map(str::to_owned));
                Ok(Some(NextPrompt { prompt: prompt.transpose(), read: 1 }))
            }
        }
    }
}

/// Opens the lines of a file. Returns them with their length in bytes, if it is known.
pub(super) fn lines(source: &Source) -> Result<(Prompts, Option<u64>), Failure> {
    let (input, known) = source.open()?;
    let input = Box::new(std::io::BufReader::new(input));
    Ok((Prompts::Lines { input, name: source.name() }, known))
}

/// Whether a file is a table.
#[cfg(feature = "table")]
pub(super) fn is_table(path: &Path) -> bool {
    let mut start = [0; PARQUET.len()];
    let read = std::fs::File::open(path)
        .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut start));
    read.is_ok() && start == PARQUET
}

/// Whether a file is a table, which this build cannot read.
#[cfg(not(feature = "table"))]
pub(super) const fn is_table(_path: &Path) -> bool {
    false
}

/// Opens a column of a table. Returns it with its number of rows.
#[cfg(feature = "table")]
pub(super) fn column(
    path: &Path,
    column: &str,
    into: &str,
) -> Result<(Prompts, Option<u64>), Failure> {
    let texts = TableTexts::open(path, column, into).map_err(|error| failure(&error))?;
    let rows = texts.rows();
    Ok((Prompts::Table(Box::new(texts)), Some(rows)))
}

/// Converts an error of a table.
#[cfg(feature = "table")]
pub(super) fn failure(error: &TableError) -> Failure {
    crate::commands::batch::table::failure(error)
}
