//! One-line summaries.

use std::fmt::Write as _;

use llmend::{
    calls::Reading,
    json::{Class, Diagnostic, Origin, Report, Severity, Status, line_column},
    plan::Document,
};

use crate::{
    outcome::{Fit, ReadPlan},
    render::{
        Named, counted, grouped,
        report::{status, worst_class},
    },
};

/// Rules and coercions that are named; the rest are counted.
const SHOWN_NAMES: usize = 6;

/// Returns the summary of a value, without a line end.
pub(crate) fn summary(
    source: Named<'_>,
    report: &Report,
    fit: Option<&Fit>,
    plan: Option<&ReadPlan>,
) -> String {
    let mut out = format!("llmend: {}", status(report, fit));
    if let Some(class) = worst_class(report, fit) {
        let _ = write!(out, " ({})", class.as_str());
    }
    let mut parts = Vec::new();
    if report.status == Status::Unchanged {
        parts.push("valid JSON".to_owned());
    }
    if !report.repairs.is_empty() {
        parts.push(names(report.repairs.iter().map(|repair| repair.rule.name()), "rule"));
    }
    if let Some(found) = found(report) {
        let (line, _) = line_column(source.text, report.candidate.span.start);
        parts.push(format!("{found} at line {line}"));
    }
    match fit {
        None => {}
        Some(fit) if !fit.violations.is_empty() => {
            let count = counted(fit.violations.len(), "violation");
            parts.push(format!("does not fit the schema ({count}, unchecked)"));
        }
        Some(fit) if fit.coercions.is_empty() => parts.push("fits the schema".to_owned()),
        Some(fit) => {
            let kinds = fit.coercions.iter().map(|coercion| coercion.kind.name());
            parts.push(format!("coerced by {}", names(kinds, "coercion")));
        }
    }
    parts.extend(plan.map(read_as));
    if !parts.is_empty() {
        let _ = write!(out, ": {}", parts.join("; "));
    }
    if let Some(cut) = report.cut {
        let (line, column) = line_column(source.text, cut);
        let _ = write!(out, "; cut off at line {line}, column {column}");
    }
    let is_warning =
        |row: &&Diagnostic| row.severity > Severity::Info && row.code != "extract/truncated";
    let warnings = report.diagnostics.iter().filter(is_warning).count();
    if warnings > 0 {
        let _ = write!(out, "; {}", counted(warnings, "warning"));
    }
    out
}

/// Describes the size and the dialect of a plan.
fn read_as(plan: &ReadPlan) -> String {
    let size = match &plan.document {
        Document::Plan(plan) => counted(plan.steps.len(), "step"),
        Document::Workflow(workflow) => {
            let nodes = counted(workflow.nodes.len(), "node");
            format!("{nodes} and {}", counted(workflow.edges.len(), "edge"))
        }
        other => other.what().to_owned(),
    };
    let mut out = format!("{size}, read as {}", plan.dialect);
    if plan.fixed > 0 {
        let _ = write!(out, "; {} fixed", counted(plan.fixed, "finding"));
    }
    out
}

/// Counts each name, the most frequent first.
pub(crate) fn tally<'n>(names: impl Iterator<Item = &'n str>) -> Vec<(&'n str, usize)> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for name in names {
        match counts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

/// Lists the most frequent names; the rest are counted as `noun`s.
pub(super) fn names<'n>(names: impl Iterator<Item = &'n str>, noun: &str) -> String {
    let counts = tally(names);
    let mut parts: Vec<String> =
        counts
            .iter()
            .take(SHOWN_NAMES)
            .map(|(name, count)| {
                if *count == 1 {
                    (*name).to_owned()
                } else {
                    format!("{name} ×{}", grouped(*count))
                }
            })
            .collect();
    if counts.len() > SHOWN_NAMES {
        parts.push(format!("{} in total", counted(counts.len(), noun)));
    }
    parts.join(", ")
}

/// Says where the value was found, unless it is the whole text.
pub(crate) const fn found(report: &Report) -> Option<&'static str> {
    Some(match report.candidate.origin {
        Origin::Whole => return None,
        Origin::Fence => "found in a code block",
        Origin::Wrapper => "found in a tag, call or assignment",
        Origin::Bare => "found in plain text",
        Origin::Unbraced => "found without enclosing braces",
        Origin::Escaped => "found in escaped text",
    })
}

/// The outcomes of the lines or rows of a batch, counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct BatchTally {
    unchanged: usize,
    extracted: usize,
    repaired: usize,
    coerced: usize,
    refused: usize,
    bad_lines: usize,
    truncated: usize,
    classes: [usize; Class::ALL.len()],
}

impl BatchTally {
    /// Counts a line with a value.
    pub(crate) fn of_value(report: &Report, fit: Option<&Fit>) -> Self {
        let mut tally = Self { truncated: usize::from(report.truncated()), ..Self::default() };
        match report.status {
            _ if fit.is_some_and(|fit| !fit.coercions.is_empty()) => tally.coerced = 1,
            Status::Unchanged => tally.unchanged = 1,
            Status::Extracted => tally.extracted = 1,
            Status::Repaired => tally.repaired = 1,
        }
        for (count, class) in tally.classes.iter_mut().zip(Class::ALL) {
            *count = usize::from(worst_class(report, fit) == Some(class));
        }
        tally
    }

    /// Counts a line whose answer was read for calls, with this status.
    pub(crate) fn of_reading(reading: &Reading, status: &str) -> Self {
        let mut tally = Self { truncated: usize::from(reading.truncated()), ..Self::default() };
        match status {
            "refused" => tally.refused = 1,
            "coerced" => tally.coerced = 1,
            "repaired" => tally.repaired = 1,
            "extracted" => tally.extracted = 1,
            _ => tally.unchanged = 1,
        }
        for (count, class) in tally.classes.iter_mut().zip(Class::ALL) {
            *count = usize::from(reading.class() == Some(class));
        }
        tally
    }

    /// Counts a line whose answer was refused.
    pub(crate) fn of_refusal() -> Self {
        Self { refused: 1, ..Self::default() }
    }

    /// Counts a line without an answer.
    pub(crate) fn of_bad_line() -> Self {
        Self { bad_lines: 1, ..Self::default() }
    }

    /// Adds the counts of `other`.
    pub(crate) fn add(&mut self, other: &Self) {
        self.unchanged += other.unchanged;
        self.extracted += other.extracted;
        self.repaired += other.repaired;
        self.coerced += other.coerced;
        self.refused += other.refused;
        self.bad_lines += other.bad_lines;
        self.truncated += other.truncated;
        for (count, more) in self.classes.iter_mut().zip(other.classes) {
            *count += more;
        }
    }

    /// Returns the number of lines.
    pub(crate) fn lines(&self) -> usize {
        self.unchanged
            + self.extracted
            + self.repaired
            + self.coerced
            + self.refused
            + self.bad_lines
    }
}

#[cfg(feature = "table")]
impl From<llmend_arrow::table::Tally> for BatchTally {
    fn from(tally: llmend_arrow::table::Tally) -> Self {
        Self {
            unchanged: tally.unchanged,
            extracted: tally.extracted,
            repaired: tally.repaired,
            coerced: tally.coerced,
            refused: tally.refused,
            bad_lines: tally.nulls,
            truncated: tally.truncated,
            classes: tally.classes,
        }
    }
}

/// Returns the summary of a batch of `noun`s, without a line end.
pub(crate) fn batch_summary(tally: &BatchTally, noun: &str) -> String {
    let mut parts = Vec::new();
    for (count, what) in [
        (tally.unchanged, "unchanged"),
        (tally.extracted, "extracted"),
        (tally.repaired, "repaired"),
        (tally.coerced, "coerced"),
        (tally.refused, "refused"),
        (tally.bad_lines, "unreadable"),
    ] {
        if count > 0 {
            parts.push(format!("{} {what}", grouped(count)));
        }
    }
    let mut out = format!("llmend: {}", counted(tally.lines(), noun));
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
