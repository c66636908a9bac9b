//! How does the table of findings look?

use llmend::plan::listing::{Row, rows};
use serde::Serialize;

use crate::render::table::columns;

/// A row of `llmend checks --json`.
#[derive(Debug, Serialize)]
struct Shown {
    code: &'static str,
    severity: &'static str,
    when: &'static str,
    doc: String,
}

/// The findings as an array of objects, with a line end.
pub(crate) fn json() -> String {
    let rows: Vec<Shown> = rows()
        .iter()
        .map(|row| Shown {
            code: row.code,
            severity: row.severity.as_str(),
            when: row.when.as_str(),
            doc: words(row),
        })
        .collect();
    let mut out = serde_json::to_string_pretty(&rows).unwrap_or_else(|_| "[]".to_owned());
    out.push('\n');
    out
}

/// A line a finding, under a head.
pub(crate) fn lines() -> String {
    let rows = rows();
    let cells = rows.iter().map(|row| {
        let (when, severity) = (row.when.as_str().to_owned(), row.severity.as_str().to_owned());
        [row.code.to_owned(), severity, when, brief(row)]
    });
    columns(["CODE", "SEVERITY", "FOUND WHILE", "MEANS"], cells)
}

/// What a finding says, on one line.
fn words(row: &Row) -> String {
    row.about.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The same in a few words, for a line of a table.
fn brief(row: &Row) -> String {
    let words = words(row);
    let ends = [words.find([':', ';']), words.find(". ")];
    let end = ends.into_iter().flatten().min().unwrap_or(words.len());
    words.get(..end).unwrap_or_default().trim_end_matches('.').to_owned()
}
