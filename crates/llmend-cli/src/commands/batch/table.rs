//! `llmend batch --column`: a column of a Parquet file.

use std::path::{Path, PathBuf};

use clap::error::ErrorKind;

use super::{progress, workers};
use crate::{
    engine::{Engine, misuse},
    exit::{Exit, Failure},
    files::Unusable,
    render::{Colour, counted, summary::batch_summary},
    schemas::{load, load_text},
    table,
};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The column that holds the answers; then FILE is Parquet
    #[arg(
        long,
        value_name = "NAME",
        requires = "output",
        conflicts_with_all = ["field", "schema_field", "form"],
        help_heading = "A column of a Parquet file"
    )]
    column: Option<String>,
    /// The Parquet file to write
    #[arg(
        long,
        short,
        value_name = "FILE",
        requires = "column",
        value_hint = clap::ValueHint::FilePath,
        help_heading = "A column of a Parquet file"
    )]
    output: Option<PathBuf>,
    /// What the new column is called
    #[arg(
        long,
        value_name = "NAME",
        default_value = "llmend",
        requires = "column",
        help_heading = "A column of a Parquet file"
    )]
    into: String,
}

/// Repairs the column, if one was named. A schema that cannot be had ends the command.
pub(super) fn run(
    arguments: &super::Arguments,
    engine: &Engine,
    colour: Colour,
) -> Result<Option<Result<Result<String, Failure>, Exit>>, clap::Error> {
    let table = &arguments.table;
    let (Some(column), Some(output)) = (&table.column, &table.output) else { return Ok(None) };
    let files = (file(arguments)?, output.as_path());
    let order = order(arguments, files, column, engine, colour);
    Ok(Some(order.map(|order| {
        table::repair(order, progress(arguments, None, "rows")).map(|done| summary(&done))
    })))
}

/// The file of the table.
fn file(arguments: &super::Arguments) -> Result<&Path, clap::Error> {
    arguments.source.path().ok_or_else(|| {
        let message = "'--column' needs a FILE: Parquet cannot be read from standard input\n";
        misuse(ErrorKind::MissingRequiredArgument, message.to_owned())
    })
}

/// What is to be done to a table. A schema that cannot be had ends the command.
fn order<'a>(
    arguments: &'a super::Arguments,
    (input, output): (&'a Path, &'a Path),
    column: &'a str,
    engine: &Engine,
    colour: Colour,
) -> Result<table::Order<'a>, Exit> {
    let schema = arguments.schema.schema.as_deref();
    let schema = schema.map(|path| Ok((load(path, colour)?, load_text(path, colour)?)));
    let schema = schema.transpose().map_err(|none: Box<Unusable>| none.say(colour))?;
    let options = arguments.schema.coercing.options(engine);
    let workers = workers(arguments);
    Ok(table::Order {
        input,
        column,
        output,
        into: &arguments.table.into,
        options,
        schema,
        workers,
    })
}

/// What is said of a table in one line, without a line end.
fn summary(done: &table::Outcome) -> String {
    let mut line = batch_summary(&done.tally, "row");
    if done.found > 0 {
        line.push_str("; an earlier run had done ");
        line.push_str(&counted(done.found, "row group"));
    }
    line
}
