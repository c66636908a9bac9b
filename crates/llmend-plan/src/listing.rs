//! Which findings may there be of a plan, a workflow or a patch? One table of all of them.

use llmend_json::Severity;

use crate::{
    check::{self, Listed},
    code,
    infer::INFERENCES,
    patch::outcome,
};

/// When a finding is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum When {
    /// While an answer is read, or written in another dialect.
    Reading,
    /// While control flow is inferred.
    Inferring,
    /// While the whole is checked.
    Checking,
    /// While a patch is applied.
    Patching,
    /// While the catalog of tools is read.
    Catalog,
}

impl When {
    /// The word that tables use.
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

/// A finding that there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The stable code.
    pub code: &'static str,
    /// How much it matters, at most.
    pub severity: Severity,
    /// When it is made; of several occasions the first.
    pub when: When,
    /// What it says, in a sentence or in a few words.
    pub about: &'static str,
}

/// Every finding that there may be, each code once, in the order in which they are made.
///
/// ```
/// let cycle = llmend_plan::listing::rows().into_iter().find(|row| row.code == "plan/cycle");
/// assert_eq!(cycle.map(|row| row.severity), Some(llmend_json::Severity::Error));
/// ```
#[must_use]
pub fn rows() -> Vec<Row> {
    let listed =
        |when| move |Listed { code, severity, about }: Listed| Row { code, severity, when, about };
    let inferred =
        INFERENCES.iter().map(|(code, about)| Listed { code, severity: Severity::Warning, about });
    let patched = outcome::FINDINGS.iter().map(|(code, about)| Listed {
        code,
        severity: match *code {
            outcome::THERE | outcome::BRIDGED => Severity::Warning,
            outcome::EDGE_REMOVED | outcome::NO_CHANGE => Severity::Info,
            _ => Severity::Error,
        },
        about,
    });
    let all = (code::READING.iter().copied().map(listed(When::Reading)))
        .chain(inferred.map(listed(When::Inferring)))
        .chain(check::listed().map(listed(When::Checking)))
        .chain(patched.map(listed(When::Patching)))
        .chain(crate::catalog::CODES.iter().copied().map(listed(When::Catalog)));
    let mut rows: Vec<Row> = Vec::new();
    for row in all {
        match rows.iter_mut().find(|known| known.code == row.code) {
            Some(known) => known.severity = known.severity.max(row.severity),
            None => rows.push(row),
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_has_a_place_and_says_something() {
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
}
