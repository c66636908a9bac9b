//! What is said about a result in one line?

use std::fmt::Write as _;

use llmend::json::{Class, Diagnostic, Origin, Report, Rule, Severity, Status, line_column};

use crate::render::{Named, counted, grouped};

/// Rules that are named before the rest is only counted.
const NAMED_RULES: usize = 6;

/// The line, without a line end.
pub(crate) fn summary(source: Named<'_>, report: &Report) -> String {
    let mut out = format!("llmend: {}", report.status.as_str());
    if let Some(class) = report.class {
        let _ = write!(out, " ({})", class.as_str());
    }
    match report.status {
        Status::Unchanged => out.push_str(": the text is strict JSON"),
        Status::Extracted | Status::Repaired => {
            let mut parts = Vec::new();
            if !report.repairs.is_empty() {
                parts.push(rules(report));
            }
            if let Some(found) = found(report) {
                let (line, _) = line_column(source.text, report.candidate.span.start);
                parts.push(format!("{found} at line {line}"));
            }
            if !parts.is_empty() {
                let _ = write!(out, ": {}", parts.join("; "));
            }
        }
    }
    if let Some(cut) = report.cut {
        let (line, column) = line_column(source.text, cut);
        let _ = write!(out, "; the text was cut off at line {line}, column {column}");
    }
    let told = |row: &&Diagnostic| row.severity > Severity::Info && row.code != "extract/truncated";
    let warnings = report.diagnostics.iter().filter(told).count();
    if warnings > 0 {
        let _ = write!(out, "; {}", counted(warnings, "warning"));
    }
    out
}

/// Each rule with the number of its repairs, the most frequent first.
pub(crate) fn tally(rules: impl Iterator<Item = Rule>) -> Vec<(Rule, usize)> {
    let mut counts: Vec<(Rule, usize)> = Vec::new();
    for rule in rules {
        match counts.iter_mut().find(|(known, _)| *known == rule) {
            Some((_, count)) => *count += 1,
            None => counts.push((rule, 1)),
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

fn rules(report: &Report) -> String {
    let counts = tally(report.repairs.iter().map(|repair| repair.rule));
    let mut parts: Vec<String> =
        counts
            .iter()
            .take(NAMED_RULES)
            .map(|(rule, count)| {
                if *count == 1 { rule.to_string() } else { format!("{rule} ×{}", grouped(*count)) }
            })
            .collect();
    if counts.len() > NAMED_RULES {
        parts.push(format!("{} in all", counted(counts.len(), "rule")));
    }
    parts.join(", ")
}

/// Where the value was found, if it is not the whole text.
pub(crate) const fn found(report: &Report) -> Option<&'static str> {
    Some(match report.candidate.origin {
        Origin::Whole => return None,
        Origin::Fence => "found in a code block",
        Origin::Wrapper => "found in a tag, call or assignment",
        Origin::Bare => "found in the open text",
        Origin::Unbraced => "found without the braces around it",
        Origin::Escaped => "found under a layer of escapes",
    })
}

/// How many lines of a batch came to what.
#[derive(Clone, Debug, Default)]
pub(crate) struct BatchTally {
    unchanged: usize,
    extracted: usize,
    repaired: usize,
    refused: usize,
    bad_lines: usize,
    truncated: usize,
    classes: [usize; Class::ALL.len()],
}

impl BatchTally {
    /// One line with a value.
    pub(crate) fn of_value(report: &Report) -> Self {
        let mut tally = Self { truncated: usize::from(report.truncated()), ..Self::default() };
        match report.status {
            Status::Unchanged => tally.unchanged = 1,
            Status::Extracted => tally.extracted = 1,
            Status::Repaired => tally.repaired = 1,
        }
        for (count, class) in tally.classes.iter_mut().zip(Class::ALL) {
            *count = usize::from(report.class == Some(class));
        }
        tally
    }

    /// One line whose answer was refused.
    pub(crate) fn of_refusal() -> Self {
        Self { refused: 1, ..Self::default() }
    }

    /// One line that holds no answer.
    pub(crate) fn of_bad_line() -> Self {
        Self { bad_lines: 1, ..Self::default() }
    }

    /// Counts the lines of `other` as well.
    pub(crate) fn add(&mut self, other: &Self) {
        self.unchanged += other.unchanged;
        self.extracted += other.extracted;
        self.repaired += other.repaired;
        self.refused += other.refused;
        self.bad_lines += other.bad_lines;
        self.truncated += other.truncated;
        for (count, more) in self.classes.iter_mut().zip(other.classes) {
            *count += more;
        }
    }

    /// How many lines there were.
    pub(crate) fn lines(&self) -> usize {
        self.unchanged + self.extracted + self.repaired + self.refused + self.bad_lines
    }
}

/// What is said about a batch in one line, without a line end.
pub(crate) fn batch_summary(tally: &BatchTally) -> String {
    let mut parts = Vec::new();
    for (count, what) in [
        (tally.unchanged, "unchanged"),
        (tally.extracted, "extracted"),
        (tally.repaired, "repaired"),
        (tally.refused, "refused"),
        (tally.bad_lines, "unreadable"),
    ] {
        if count > 0 {
            parts.push(format!("{} {what}", grouped(count)));
        }
    }
    let mut out = format!("llmend: {}", counted(tally.lines(), "line"));
    if !parts.is_empty() {
        let _ = write!(out, ": {}", parts.join(", "));
    }
    let classes: Vec<String> = Class::ALL
        .iter()
        .zip(tally.classes)
        .filter(|(_, count)| *count > 0)
        .map(|(class, count)| format!("{} {}", grouped(count), class.as_str()))
        .collect();
    if !classes.is_empty() {
        let _ = write!(out, "; by class: {}", classes.join(", "));
    }
    if tally.truncated > 0 {
        let _ = write!(out, "; {} cut off", grouped(tally.truncated));
    }
    out
}
