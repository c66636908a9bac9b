//! `llmend batch --column`: a column of a Parquet file.

use std::num::NonZero;

use llmend_arrow::table::{TableError, TableJob, TableOutcome, repair_table};

use super::{progress, workers};
use crate::{
    engine::Engine,
    exit::{Exit, UsageError},
    files::Unusable,
    input::unreadable,
    outcome::Failure,
    render::{Color, counted, summary::batch_summary},
    schemas::{load, load_text},
};

#[derive(Debug, clap::Args)]
pub(super) struct ColumnArguments {
    /// The column with the answers; FILE is then Parquet
    #[arg(
        long,
        value_name = "NAME",
        requires = "output",
        conflicts_with_all = ["field", "schema_field", "form", "tools_field"],
        help_heading = "Parquet"
    )]
    column: Option<String>,
    /// The name of the new column
    #[arg(
        long,
        value_name = "NAME",
        default_value = DEFAULT,
        help_heading = "Parquet"
    )]
    into: String,
}

/// The default name of the new column.
const DEFAULT: &str = "llmend";

impl ColumnArguments {
    /// Whether a column was named.
    pub(super) const fn is_given(&self) -> bool {
        self.column.is_some()
    }

    /// Returns the name of the new column.
    #[cfg(feature = "models")]
    pub(super) fn new_column(&self) -> &str {
        &self.into
    }

    /// Whether the new column was given a name.
    pub(super) fn is_named(&self) -> bool {
        self.into != DEFAULT
    }
}

/// Repairs the column, if one was named. Returns the summary. A schema that cannot be loaded ends the command.
pub(super) fn run(
    arguments: &super::BatchArguments,
    engine: &Engine,
    color: Color,
) -> Result<Option<super::Ended>, UsageError> {
    let super::BatchArguments {
        table: ColumnArguments { column, into },
        output,
        source,
        schema,
        ..
    } = arguments;
    let (Some(column), Some(output)) = (column, output) else { return Ok(None) };
    let Some(input) = source.path() else {
        return Err("'--column' requires a FILE: Parquet cannot be read from standard input".into());
    };
    let options = schema.coercing.options(engine);
    let schema = schema.schema.as_deref();
    let schema = schema.map(|path| Ok((load(path, color)?, load_text(path, color)?)));
    let schema: Result<_, Box<Unusable>> = schema.transpose();
    let schema = match schema {
        Ok(schema) => schema,
        Err(unusable) => return Ok(Some(Err(Unusable::print(&unusable, color)))),
    };
    let threads = NonZero::new(workers(arguments)).unwrap_or(NonZero::<usize>::MIN);
    let job = TableJob { input, column, output, into, options, schema, threads };
    let mut progress = progress(arguments, None, "rows");
    let mut started = false;
    let repaired = repair_table(job, |done, total| {
        if !started {
            started = true;
            progress.expect(total);
        }
        progress.advance(done, usize::try_from(done).unwrap_or(usize::MAX));
    });
    progress.clear();
    Ok(Some(Ok(repaired.map(summary).map_err(|error| failure(&error)))))
}

/// Returns the summary of a table, without a line end.
fn summary(outcome: TableOutcome) -> String {
    let mut line = batch_summary(&outcome.tally.into(), "row");
    if outcome.resumed > 0 {
        line.push_str("; resumed after ");
        line.push_str(&counted(outcome.resumed, "row group"));
    }
    line
}

pub(super) fn failure(error: &TableError) -> Failure {
    let exit = match error {
        TableError::Read { path, error } => return unreadable(&path.display().to_string(), error),
        TableError::Column { .. }
        | TableError::Exists { .. }
        | TableError::Busy { .. }
        | TableError::OtherRun { .. } => Exit::Usage,
        _ => Exit::Io,
    };
    let failure = Failure::plain(exit, error.code(), error.to_string());
    Failure { hint: error.help().map(str::to_owned), ..failure }
}
