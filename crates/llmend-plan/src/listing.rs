//! Table of all findings of plans, workflows and patches.

use llmend_json::Severity;

use crate::{
    check,
    code::{self, CodeRow, Elsewhere},
    infer::INFERENCES,
    patch::outcome,
};

/// When a finding is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum When {
    /// While an answer is read, or written in another dialect.
    Reading,
    /// While control flow is inferred.
    Inferring,
    /// While a plan or workflow is checked.
    Checking,
    /// While a patch is applied.
    Patching,
    /// While the catalog of tools is read.
    Catalog,
}

impl When {
    /// Returns the name used in tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Inferring => "inferring",
            Self::Checking => "checking",
            Self::Patching => "patching",
            Self::Catalog => "catalog",
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The stable code.
    pub code: &'static str,
    /// The highest severity of its findings.
    pub severity: Severity,
    /// When it is reported; the first occasion, if there are several.
    pub when: When,
    /// What it reports, in a sentence or a few words.
    pub about: &'static str,
    /// Whether its findings are fixed where they are reported, by another value in that place.
    pub local: bool,
    /// Whether its findings hold even if other steps, nodes or edges could not be read.
    pub standalone: bool,
}

/// Returns all findings, each code once, in the order in which they are reported.
///
/// ```
/// let cycle = llmend_plan::listing::rows().into_iter().find(|row| row.code == "plan/cycle");
/// assert_eq!(cycle.map(|row| row.severity), Some(llmend_json::Severity::Error));
/// ```
#[must_use]
pub fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (when, code) in all() {
        if let Some(known) = rows.iter_mut().find(|known| known.code == code.code) {
            known.severity = known.severity.max(code.severity);
            known.local |= code.local;
            known.standalone |= code.standalone;
        } else {
            let CodeRow { code, severity, about, local, standalone, elsewhere: _ } = code;
            rows.push(Row { code, severity, when, about, local, standalone });
        }
    }
    rows
}

/// Returns whether findings with `code` are fixed where they are reported.
#[must_use]
pub fn is_local(code: &str) -> bool {
    all().any(|(_, known)| known.code == code && known.local)
}

/// Returns whether findings with `code` hold even if other steps, nodes or edges could not be read.
pub(crate) fn is_standalone(code: &str) -> bool {
    all().any(|(_, known)| known.code == code && known.standalone)
}

/// Returns what becomes of findings with `code` in another tool's workflow.
pub(crate) fn elsewhere(code: &str) -> Elsewhere {
    let row = all().find(|(_, known)| known.code == code);
    row.map_or(Elsewhere::Same, |(_, row)| row.elsewhere)
}

fn all() -> impl Iterator<Item = (When, CodeRow)> {
    let inferred = INFERENCES.iter().map(|(code, about)| CodeRow::warning(code, about));
    let patched = outcome::FINDINGS.iter().map(|(code, about)| {
        let severity = match *code {
            outcome::THERE | outcome::BRIDGED => Severity::Warning,
            outcome::EDGE_REMOVED | outcome::NO_CHANGE => Severity::Info,
            _ => Severity::Error,
        };
        CodeRow::new(code, severity, about)
    });
    (code::READING.iter().map(|code| (When::Reading, *code)))
        .chain(inferred.map(|code| (When::Inferring, code)))
        .chain(check::codes().map(|code| (When::Checking, code)))
        .chain(patched.map(|code| (When::Patching, code)))
        .chain(crate::catalog::CODES.iter().map(|code| (When::Catalog, *code)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_has_an_area_and_a_description() {
        let rows = rows();
        for row in &rows {
            let (area, name) = row.code.split_once('/').expect(row.code);
            assert!(
                matches!(area, "plan" | "workflow" | "infer" | "patch" | "task" | "catalog"),
                "{area}"
            );
            assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{name}");
            assert!(!row.about.trim().is_empty(), "{}", row.code);
        }
        assert!(rows.iter().any(|row| row.when == When::Patching));
    }

    #[test]
    fn standalone_findings_come_from_checks() {
        let count = rows().iter().filter(|row| row.standalone).count();
        assert_eq!(count, 21);
        for row in rows().iter().filter(|row| row.standalone) {
            assert!(check::codes().any(|known| known.code == row.code), "{}", row.code);
        }
        assert_eq!(rows().iter().filter(|row| row.local).count(), 10);
    }
}
