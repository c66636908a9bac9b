//! The tables of `llmend report`.

use std::fmt::Write as _;

use llmend_gateway::report::{ModelReport, Outcome, Report};

use crate::render::visible;

/// Characters of a model's name that are shown.
const SHOWN_NAME: usize = 40;

/// The maximum number of findings per model.
const MOST_FINDINGS: usize = 10;

/// Returns a table of the models and one of their findings.
pub(crate) fn table(report: &Report) -> String {
    let (Some(first), Some(last)) = (&report.first, &report.last) else {
        return "No matching exchanges.\n".to_owned();
    };
    let mut out = format!("{} exchanges, from {first} to {last}\n\n", report.exchanges);
    out.push_str(&models(report));
    let findings = findings(report);
    if !findings.is_empty() {
        out.push('\n');
        out.push_str(&findings);
    }
    out
}

fn models(report: &Report) -> String {
    let head = [
        "MODEL",
        "EXCHANGES",
        "UNCHANGED",
        "REPAIRED",
        "CUT OFF",
        "REFUSED",
        "NO ANSWER",
        "PASSED",
        "RETRIED",
        "TOKENS IN",
        "TOKENS OUT",
        "COST",
        "MS",
    ];
    let row = |model: &ModelReport, name: String| {
        let no_answer = [Outcome::Failed, Outcome::Rejected, Outcome::ClientGone];
        let numbers = [
            model.exchanges,
            model.count(Outcome::Unchanged),
            model.count(Outcome::Repaired),
            model.count(Outcome::Truncated),
            model.count(Outcome::Refused),
            no_answer.into_iter().map(|outcome| model.count(outcome)).sum(),
            model.count(Outcome::Passthrough),
            model.asked_again,
            model.tokens_in,
            model.tokens_out,
        ];
        let cost = model.cost.clone().unwrap_or_else(|| "-".to_owned());
        let numbers = numbers.map(|number| number.to_string()).into_iter();
        let last = [cost, model.median_ms.to_string()];
        std::iter::once(name).chain(numbers).chain(last).collect()
    };
    let mut rows: Vec<Vec<String>> = vec![head.map(str::to_owned).to_vec()];
    let named = report.models.iter();
    rows.extend(named.map(|model| row(model, visible(&model.model, SHOWN_NAME))));
    if report.models.len() > 1 {
        rows.push(row(&report.all, "(all)".to_owned()));
    }
    let mut out = aligned(&rows, 1);
    if report.more_models > 0 {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "… and {} more models", report.more_models);
    }
    for model in &report.models {
        if let Some(line) = model.calls_line() {
            let _ = writeln!(out, "{}: {line}", visible(&model.model, SHOWN_NAME));
        }
    }
    out
}

fn findings(report: &Report) -> String {
    let head = ["MODEL", "RULE OR CODE", "CLASS", "EXCHANGES", "PERCENT", "COUNT"];
    let mut rows: Vec<Vec<String>> = vec![head.map(str::to_owned).to_vec()];
    for model in &report.models {
        for finding in model.findings.iter().take(MOST_FINDINGS) {
            rows.push(vec![
                visible(&model.model, SHOWN_NAME),
                visible(&finding.name, SHOWN_NAME),
                finding.class_word().to_owned(),
                finding.exchanges.to_string(),
                of_hundred(finding.exchanges, model.inspected()),
                finding.count.to_string(),
            ]);
        }
    }
    if rows.len() == 1 { String::new() } else { aligned(&rows, 3) }
}

/// Returns a percentage with one decimal, rounded to nearest.
fn of_hundred(count: u64, of: u64) -> String {
    if of == 0 {
        return "-".to_owned();
    }
    let tenths = (u128::from(count) * 2000 + u128::from(of)) / (u128::from(of) * 2);
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Formats rows with aligned columns: the first `words` to the left, the others to the right.
fn aligned(rows: &[Vec<String>], words: usize) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..rows.first().map_or(0, Vec::len)).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for ((cell, width), column) in row.iter().zip(&widths).zip(0..) {
            // Writing to a string cannot fail.
            let _ = if column < words {
                write!(line, "{cell:<width$}  ")
            } else {
                write!(line, "{cell:>width$}  ")
            };
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{aligned, of_hundred};

    #[test]
    fn words_begin_and_numbers_end_below_each_other() {
        let rows = [["A", "N"], ["bcd", "12"], ["é", "345"]];
        let rows: Vec<Vec<String>> =
            rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
        assert_eq!(aligned(&rows, 1), "A      N\nbcd   12\né    345\n");
        assert_eq!(aligned(&[], 1), "");
    }

    #[test]
    fn shares_are_rounded_to_the_nearest() {
        for (count, of, expected) in
            [(1, 3, "33.3"), (2, 3, "66.7"), (3, 3, "100.0"), (0, 3, "0.0"), (1, 0, "-")]
        {
            assert_eq!(of_hundred(count, of), expected);
        }
    }
}
