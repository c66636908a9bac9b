//! The table of `llmend notations`.

use llmend::calls::Notation;
use serde::Serialize;

use crate::render::table::columns;

/// A row of `llmend notations --json`.
#[derive(Debug, Serialize)]
struct Row {
    name: &'static str,
    family: &'static str,
    models: &'static str,
    openers: &'static [&'static str],
    example: &'static str,
}

/// Returns the notations as a JSON array, with a line end.
pub(crate) fn json(notations: &[&'static Notation]) -> String {
    let rows: Vec<Row> = notations
        .iter()
        .map(|row| Row {
            name: row.name,
            family: row.family.as_str(),
            models: row.models,
            openers: row.openers,
            example: row.example,
        })
        .collect();
    let mut out = serde_json::to_string_pretty(&rows).unwrap_or_else(|_| "[]".to_owned());
    out.push('\n');
    out
}

/// Returns the notations as a table.
pub(crate) fn lines(notations: &[&'static Notation]) -> String {
    let rows = notations
        .iter()
        .map(|row| [row.name.to_owned(), row.family.as_str().to_owned(), row.models.to_owned()]);
    columns(["NOTATION", "FAMILY", "MODELS"], rows)
}

/// Returns the details of each notation.
pub(crate) fn cards(notations: &[&'static Notation]) -> String {
    let cards: Vec<String> = notations
        .iter()
        .map(|row| {
            let example: Vec<String> = row
                .example
                .lines()
                .map(|line| format!("    {line}").trim_end().to_owned())
                .collect();
            format!(
                "{}\n  {}\n  family    {}\n  models    {}\n  example\n{}\n",
                row.name,
                row.family.doc(),
                row.family.as_str(),
                row.models,
                example.join("\n"),
            )
        })
        .collect();
    cards.join("\n")
}
