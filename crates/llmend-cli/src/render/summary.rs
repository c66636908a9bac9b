//! What is said about a result in one line?

use std::fmt::Write as _;

use llmend::{
    json::{Class, Diagnostic, Origin, Report, Severity, Status, line_column},
    plan::Document,
};

use serde::{Deserialize, Serialize};

use crate::{
    fitting::Fit,
    planning::Found,
    render::{
        Named, counted, grouped,
        report::{gravest, status},
    },
};

/// Rules and coercions that are named before the rest is only counted.
const SHOWN_NAMES: usize = 6;

/// The line, without a line end.
pub(crate) fn summary(
    source: Named<'_>,
    report: &Report,
    fit: Option<&Fit>,
    plan: Option<&Found>,
) -> String {
    let mut out = format!("llmend: {}", status(report, fit));
    if let Some(class) = gravest(report, fit) {
        let _ = write!(out, " ({})", class.as_str());
    }
    let mut parts = Vec::new();
    if report.status == Status::Unchanged {
        parts.push("the text is strict JSON".to_owned());
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
            parts.push(format!("it does not fit the schema, {count}, which was not to be checked"));
        }
        Some(fit) if fit.coercions.is_empty() => parts.push("it fits the schema".to_owned()),
        Some(fit) => {
            let kinds = fit.coercions.iter().map(|coercion| coercion.kind.name());
            parts.push(format!("made to fit the schema by {}", names(kinds, "coercion")));
        }
    }
    parts.extend(plan.map(read_as));
    if !parts.is_empty() {
        let _ = write!(out, ": {}", parts.join("; "));
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

/// How a plan was read, and how large it is.
fn read_as(plan: &Found) -> String {
    let size = match &plan.document {
        Document::Plan(plan) => counted(plan.steps.len(), "step"),
        Document::Workflow(workflow) => {
            let nodes = counted(workflow.nodes.len(), "node");
            format!("{nodes} and {}", counted(workflow.edges.len(), "edge"))
        }
        other => other.what().to_owned(),
    };
    let mut out = format!("{size}, read as {}", plan.dialect);
    if plan.put_right > 0 {
        let _ = write!(out, "; {} put right", counted(plan.put_right, "finding"));
    }
    out
}

/// Each name with how often it stands in `names`, the most frequent first.
pub(crate) fn tally(names: impl Iterator<Item = &'static str>) -> Vec<(&'static str, usize)> {
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

/// The most frequent of `names`; of more the rest is only counted, as so many `noun`s.
fn names(names: impl Iterator<Item = &'static str>, noun: &str) -> String {
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
        parts.push(format!("{} in all", counted(counts.len(), noun)));
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

/// How many lines or rows of a batch came to what.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
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
    /// One line with a value.
    pub(crate) fn of_value(report: &Report, fit: Option<&Fit>) -> Self {
        let mut tally = Self { truncated: usize::from(report.truncated()), ..Self::default() };
        match report.status {
            _ if fit.is_some_and(|fit| !fit.coercions.is_empty()) => tally.coerced = 1,
            Status::Unchanged => tally.unchanged = 1,
            Status::Extracted => tally.extracted = 1,
            Status::Repaired => tally.repaired = 1,
        }
        for (count, class) in tally.classes.iter_mut().zip(Class::ALL) {
            *count = usize::from(gravest(report, fit) == Some(class));
        }
        tally
    }

    #[cfg(feature = "table")]
    /// One row of a column.
    pub(crate) fn of_row(status: &str, class: Option<Class>, truncated: bool) -> Self {
        let mut tally = Self { truncated: usize::from(truncated), ..Self::default() };
        match status {
            "coerced" => tally.coerced = 1,
            "unchanged" => tally.unchanged = 1,
            "extracted" => tally.extracted = 1,
            "repaired" => tally.repaired = 1,
            _ => return Self::of_refusal(),
        }
        for (count, each) in tally.classes.iter_mut().zip(Class::ALL) {
            *count = usize::from(class == Some(each));
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
        self.coerced += other.coerced;
        self.refused += other.refused;
        self.bad_lines += other.bad_lines;
        self.truncated += other.truncated;
        for (count, more) in self.classes.iter_mut().zip(other.classes) {
            *count += more;
        }
    }

    /// How many lines there were.
    pub(crate) fn lines(&self) -> usize {
        self.unchanged
            + self.extracted
            + self.repaired
            + self.coerced
            + self.refused
            + self.bad_lines
    }
}

/// What is said about a batch in one line, without a line end. What was read one by one is called
/// `noun`.
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
