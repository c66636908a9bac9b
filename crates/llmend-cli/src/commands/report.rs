//! `llmend report`: statistics of a gateway journal.

use std::path::PathBuf;
use std::time::SystemTime;

use clap::ValueEnum;
use llmend_gateway::report::{Filter, JournalError, html, parse_time, read};

use crate::{
    configuration::ModelPrices,
    exit::{Exit, UsageError},
    output::eprint,
    presentation::finish,
    render::{Color, journal::table},
};

const EXAMPLES: &str = "\
Examples:
  llmend report exchanges.db                             show tables
  llmend report exchanges.db --format html > broke.html  write a self-contained page with charts
  llmend report exchanges.db --since 7d --model 'gpt-*'  report on some models of the last week
  llmend report exchanges.db --format json               the same as JSON
  llmend report exchanges.db --config llmend.toml        with the costs at the prices of this file

Costs are those of the reported tokens at the prices in the sections `[models.NAME]` of your llmend.toml, the
project's, and --config.

WHEN is a date (2026-11-22), a date and time in UTC (2026-11-22T14:05Z), or an age (30m, 12h, 7d, 2w).";

/// Report how often each model's output needed repair, from a journal of `llmend serve`
///
/// The gateway may be running and writing to the journal.
#[derive(Clone, Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub(crate) struct ReportArguments {
    /// The journal that `llmend serve --journal FILE` writes
    #[arg(value_hint = clap::ValueHint::FilePath)]
    journal: PathBuf,
    /// The output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
    /// Only include exchanges that started at this time or later
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    since: Option<u64>,
    /// Only include exchanges that started before this time
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    until: Option<u64>,
    /// A file with prices in the sections `[models.NAME]`, as for `llmend serve`
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    config: Option<PathBuf>,
    /// Only include models with this name; `*` matches any text
    #[arg(long, value_name = "PATTERN")]
    model: Option<String>,
}

/// The output format.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// Tables for the terminal
    #[default]
    Table,
    /// JSON
    Json,
    /// A self-contained page with charts
    Html,
}

fn moment(text: &str) -> Result<u64, String> {
    let message = "expected a date (2026-11-22), a date and time in UTC (2026-11-22T14:05Z), or an age \
                   (30m, 12h, 7d, 2w)";
    parse_time(text, SystemTime::now()).ok_or_else(|| message.to_owned())
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &ReportArguments, color: Color) -> Result<Exit, UsageError> {
    let ReportArguments { journal, format, since, until, config, model } = arguments;
    let prices = ModelPrices::load(config.as_deref())?;
    let filter = Filter { since_ms: *since, until_ms: *until, model: model.clone() };
    let report = match read(journal, &filter, &|model| prices.of(model)) {
        Ok(report) => report,
        Err(error) => {
            eprint(&format!("llmend: {}: {error}", journal.display()));
            return Ok(match error {
                JournalError::Foreign | JournalError::Newer(_) => Exit::Refused,
                _ => Exit::Io,
            });
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
    Ok(finish(&text, color))
}
