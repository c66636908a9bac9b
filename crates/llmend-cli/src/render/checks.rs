//! The table of `llmend checks`.

use llmend::plan::listing::{Row, rows};
use serde::Serialize;

use crate::render::table::columns;

/// A row of `llmend checks --json`.
#[derive(Debug, Serialize)]
struct Finding {
    code: &'static str,
    severity: &'static str,
    when: &'static str,
    doc: String,
}

/// Returns the findings as a JSON array, with a line end.
pub(crate) fn json() -> String {
    let rows: Vec<Finding> = rows()
        .iter()
        .map(|row| Finding {
            code: row.code,
            severity: row.severity.as_str(),
            when: row.when.as_str(),
            doc: description(row),
        })
        .collect();
    let mut out = serde_json::to_string_pretty(&rows).unwrap_or_else(|_| "[]".to_owned());
    out.push('\n');
    out
}

/// Returns the findings as a table.
pub(crate) fn lines() -> String {
    let rows = rows();
    let cells = rows.iter().map(|row| {
        let (when, severity) = (row.when.as_str().to_owned(), row.severity.as_str().to_owned());
        [row.code.to_owned(), severity, when, brief(row)]
    });
    columns(["CODE", "SEVERITY", "STAGE", "DESCRIPTION"], cells)
}

/// Returns the description on one line.
fn description(row: &Row) -> String {
    row.about.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the first clause of the description.
fn brief(row: &Row) -> String {
    let description = description(row);
    let ends = [description.find([':', ';']), description.find(". ")];
    let end = ends.into_iter().flatten().min().unwrap_or(description.len());
    description.get(..end).unwrap_or_default().trim_end_matches('.').to_owned()
}
