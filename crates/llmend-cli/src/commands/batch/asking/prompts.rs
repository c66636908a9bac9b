//! The prompts of a run: the lines of a file, or a column of a table.

use std::{
    io::{BufRead, BufReader},
    path::Path,
};

use llmend::json::nearest;
#[cfg(feature = "table")]
use llmend_arrow::table::{TableError, TableTexts};

use crate::{
    commands::batch::{
        BatchArguments,
        line::{LineTask, Members, members, text},
    },
    exit::Exit,
    input::{Source, unreadable},
    lines::next_line,
    outcome::Failure,
    render::visible,
};

/// Characters of a name that are shown.
const SHOWN_NAME: usize = 40;

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

/// The prompts, with their length in bytes or rows, if it is known.
pub(super) type OpenPrompts = (Prompts, Option<u64>);

/// Opens the prompts of a run. Fails if there is no such column, or no line has such a member.
pub(super) fn open(
    arguments: &BatchArguments,
    input: &Path,
    task: &LineTask,
) -> Result<OpenPrompts, Failure> {
    #[cfg(feature = "table")]
    if is_table(input) {
        let name = task.field.as_deref().unwrap_or_default();
        return column(input, name, arguments.table.new_column());
    }
    let _ = input;
    let source = arguments.source.source();
    check(&source, task)?;
    let (input, known) = source.open()?;
    let input = Box::new(BufReader::new(input));
    Ok((Prompts::Lines { input, name: source.name() }, known))
}

/// Fails if there are lines, but none with the member of the prompt: its name is wrong.
fn check(source: &Source, task: &LineTask) -> Result<(), Failure> {
    let mut input = BufReader::new(source.open()?.0);
    let mut known: Option<Vec<String>> = None;
    let mut is_empty = true;
    let failed = |error| unreadable(&source.name(), &error);
    while let Some((line, _)) = next_line(&mut input, task.strict.max_bytes).map_err(failed)? {
        is_empty = false;
        match members(task, &line) {
            Some(Members::WithField) => return Ok(()),
            Some(Members::Without(names)) if known.is_none() => known = Some(names),
            _ => {}
        }
    }
    if is_empty {
        return Ok(());
    }
    let field = task.field.as_deref().unwrap_or_default();
    let failure =
        Failure::plain(Exit::Usage, "input/field", format!("no line has the member `{field}`"));
    let Some(names) = known else { return Err(failure) };
    let near = nearest(field, names.iter().map(String::as_str));
    let near = near.map_or_else(String::new, |near| format!("Did you mean `{near}`? "));
    let names: Vec<_> =
        names.iter().map(|name| format!("`{}`", visible(name, SHOWN_NAME))).collect();
    let has = if names.is_empty() { "no members".to_owned() } else { names.join(", ") };
    Err(failure.hint(format!("{near}The first object has {has}.")))
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
fn column(path: &Path, column: &str, into: &str) -> Result<OpenPrompts, Failure> {
    let texts = TableTexts::open(path, column, into).map_err(|error| failure(&error))?;
    let rows = texts.rows();
    Ok((Prompts::Table(Box::new(texts)), Some(rows)))
}

/// Converts an error of a table.
#[cfg(feature = "table")]
pub(super) fn failure(error: &TableError) -> Failure {
    crate::commands::batch::table::failure(error)
}
