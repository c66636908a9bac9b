//! The table of `llmend rules`.

use std::fmt::Write as _;

use llmend::json::{Policy, Rule};
use serde::Serialize;

use crate::render::visible;

/// Characters of each side of an example that are shown.
const SHOWN_EXAMPLE: usize = 34;

/// A row of `llmend rules --json`.
#[derive(Debug, Serialize)]
struct Row {
    name: &'static str,
    class: &'static str,
    doc: String,
    policies: Vec<&'static str>,
    before: &'static str,
    after: &'static str,
}

/// Returns the rules as a JSON array, with a line end.
pub(crate) fn json(rules: &[Rule]) -> String {
    let rows: Vec<Row> = rules
        .iter()
        .map(|rule| Row {
            name: rule.name(),
            class: rule.class().as_str(),
            doc: sentence(*rule),
            policies: policies(*rule).map(Policy::as_str).collect(),
            before: rule.example().0,
            after: rule.example().1,
        })
        .collect();
    let mut out = serde_json::to_string_pretty(&rows).unwrap_or_else(|_| "[]".to_owned());
    out.push('\n');
    out
}

/// Returns the rules as a table.
pub(crate) fn lines(rules: &[Rule]) -> String {
    let rows = rules.iter().map(|rule| {
        let (before, after) = rule.example();
        let example =
            format!("{}  →  {}", visible(before, SHOWN_EXAMPLE), visible(after, SHOWN_EXAMPLE));
        [rule.name().to_owned(), rule.class().as_str().to_owned(), narrowest(*rule), example]
    });
    columns(["RULE", "CLASS", "FROM POLICY", "EXAMPLE"], rows)
}

/// Formats a table with aligned columns.
pub(crate) fn columns<const N: usize>(
    head: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) -> String {
    let cells: Vec<[String; N]> =
        std::iter::once(head.map(ToOwned::to_owned)).chain(rows).collect();
    let width = |column: usize| {
        cells.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let mut out = String::new();
    for row in &cells {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            // Writing to a string cannot fail.
            let _ = write!(line, "{cell:width$}  ");
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Returns the details of each rule.
pub(crate) fn cards(rules: &[Rule]) -> String {
    let cards: Vec<String> = rules
        .iter()
        .map(|rule| {
            let (before, after) = rule.example();
            let policies: Vec<&str> = policies(*rule).map(Policy::as_str).collect();
            format!(
                "{}\n  {}\n  class     {}\n  policies  {}\n  before    {}\n  after     {}\n",
                rule.name(),
                sentence(*rule),
                rule.class().as_str(),
                policies.join(", "),
                visible(before, usize::MAX),
                visible(after, usize::MAX),
            )
        })
        .collect();
    cards.join("\n")
}

/// Returns the description on one line.
fn sentence(rule: Rule) -> String {
    rule.doc().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the policies that enable a rule, from narrow to wide.
fn policies(rule: Rule) -> impl Iterator<Item = Policy> {
    Policy::ALL.into_iter().filter(move |policy| policy.rules().contains(rule))
}

fn narrowest(rule: Rule) -> String {
    policies(rule).next().map_or_else(|| "none".to_owned(), |policy| policy.as_str().to_owned())
}
