//! Findings of the checks, with their places.

use std::fmt;

/// Whether a finding fails the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Severity {
    Warning,
    Error,
}

/// One problem in the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) severity: Severity,
    /// From the root of the repository, with `/`.
    pub(crate) path: String,
    /// Counted from 1; absent if the finding is about the whole file.
    pub(crate) line: Option<usize>,
    pub(crate) message: String,
}

impl Finding {
    pub(crate) fn error(path: &str, line: Option<usize>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, path: path.to_owned(), line, message: message.into() }
    }

    pub(crate) fn warning(path: &str, line: Option<usize>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(path, line, message) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{severity}: {}", self.path)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::Finding;

    #[test]
    fn shows_severity_place_and_message() {
        let rows = [
            (Finding::error("a.rs", Some(3), "no"), "error: a.rs:3: no"),
            (Finding::warning("Cargo.lock", None, "hm"), "warning: Cargo.lock: hm"),
        ];
        for (finding, expected) in rows {
            assert_eq!(finding.to_string(), expected);
        }
    }
}
