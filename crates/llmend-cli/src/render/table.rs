//! How does the table of rules look?

use std::fmt::Write as _;

use llmend::json::{Policy, Rule};
use serde::Serialize;

use crate::render::visible;

/// Characters of an example's side that are shown.
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

/// The rules as an array of objects, with a line end.
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

/// A line a rule, under a head.
pub(crate) fn lines(rules: &[Rule]) -> String {
    let rows = rules.iter().map(|rule| {
        let (before, after) = rule.example();
        let example =
            format!("{}  →  {}", visible(before, SHOWN_EXAMPLE), visible(after, SHOWN_EXAMPLE));
        [rule.name().to_owned(), rule.class().as_str().to_owned(), narrowest(*rule), example]
    });
    let head = ["RULE", "CLASS", "FROM POLICY", "EXAMPLE"].map(ToOwned::to_owned);
    let cells: Vec<[String; 4]> = std::iter::once(head).chain(rows).collect();
    let width = |column: usize| {
        cells.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    let (name, class, policy) = (width(0), width(1), width(2));
    let mut out = String::new();
    for [a, b, c, d] in &cells {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{a:name$}  {b:class$}  {c:policy$}  {d}");
    }
    out
}

/// All that is known of each rule.
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

/// What a rule does, on one line.
fn sentence(rule: Rule) -> String {
    rule.doc().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The policies that allow a rule, from narrow to wide.
fn policies(rule: Rule) -> impl Iterator<Item = Policy> {
    Policy::ALL.into_iter().filter(move |policy| policy.rules().contains(rule))
}

fn narrowest(rule: Rule) -> String {
    policies(rule).next().map_or_else(|| "none".to_owned(), |policy| policy.as_str().to_owned())
}
