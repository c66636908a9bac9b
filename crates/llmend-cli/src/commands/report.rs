//! `llmend report`: which model breaks what, how often?

use std::path::PathBuf;
use std::time::SystemTime;

use clap::ValueEnum;
use llmend_gateway::report::{Filter, JournalError, html, parse_time, read};

use crate::{
    answer::finish,
    exit::Exit,
    output::say,
    render::{Colour, journal::table},
};

/// What its help ends with.
const EXAMPLES: &str = "\
Examples:
  llmend report exchanges.db                             tables for a person
  llmend report exchanges.db --format html > broke.html  a page with pictures, which needs nothing else
  llmend report exchanges.db --since 7d --model 'gpt-*'  what these models broke in a week
  llmend report exchanges.db --format json               the same for a program

A moment is a day (2026-11-22), a day and a time in UTC (2026-11-22T14:05Z), or how long ago it was
(30m, 12h, 7d, 2w).";

/// Report which model breaks what how often, of a journal that `llmend serve` has written
///
/// The gateway may be running, and write it meanwhile.
#[derive(Clone, Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The journal: what `llmend serve --journal FILE` has written
    #[arg(value_hint = clap::ValueHint::FilePath)]
    journal: PathBuf,
    /// In which form
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
    /// Only exchanges that began then or later
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    since: Option<u64>,
    /// Only exchanges that began before
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    until: Option<u64>,
    /// Only exchanges of models with this name, in which a `*` stands for any text
    #[arg(long, value_name = "PATTERN")]
    model: Option<String>,
}

/// In which form a report is written.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// Tables for a person
    #[default]
    Table,
    /// JSON for a program
    Json,
    /// A page with pictures, in one file
    Html,
}

fn moment(text: &str) -> Result<u64, String> {
    let message = "a moment is a day (2026-11-22), a day and a time in UTC (2026-11-22T14:05Z), or how \
                   long ago it was (30m, 12h, 7d, 2w)";
    parse_time(text, SystemTime::now()).ok_or_else(|| message.to_owned())
}

/// Does it.
pub(crate) fn run(arguments: &Arguments, colour: Colour) -> Exit {
    let Arguments { journal, format, since, until, model } = arguments;
    let filter = Filter { since_ms: *since, until_ms: *until, model: model.clone() };
    let report = match read(journal, &filter) {
        Ok(report) => report,
        Err(error) => {
            say(&format!("llmend: {}: {error}", journal.display()));
            return match error {
                JournalError::Foreign | JournalError::Newer(_) => Exit::Refused,
                _ => Exit::Io,
            };
        }
    };
    let text = match format {
        Format::Table => table(&report),
        Format::Json => {
            let mut json = serde_json::to_string_pretty(&report).unwrap_or_default();
            json.push('\n');
            json
        }
        Format::Html => {
            let name = journal.file_name().unwrap_or(journal.as_os_str());
            html(&report, &name.to_string_lossy())
        }
    };
    finish(&text, colour)
}
