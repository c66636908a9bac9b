//! The diagnostics of a report: ignored text, ignored values, and where the text is cut off.

use crate::{
    Candidate, Diagnostic, ErrorKind, Severity, Span,
    extract::{Build, FoundValue, Surroundings, choice::Selection},
    limits::MAX_DIAGNOSTICS,
};

/// The diagnostics of a report.
pub(super) struct ReportDiagnostics {
    pub(super) candidate: Candidate,
    pub(super) surroundings: Surroundings,
    pub(super) cut: Option<usize>,
    /// An escape of a control character that may be meant as a command.
    pub(super) command: Option<usize>,
    /// Length of the text.
    pub(super) bytes: usize,
}

/// The code of the row for text around the value.
pub(super) const SURROUNDINGS: &str = "extract/surroundings";

impl ReportDiagnostics {
    /// Returns the rows for the text around the value.
    pub(super) fn around(&self) -> impl Iterator<Item = Diagnostic> {
        let Span { start, end } = self.candidate.span;
        let around = [
            (self.surroundings.before && start > 0, Span::new(0, start)),
            (self.surroundings.after && end < self.bytes, Span::new(end, self.bytes)),
        ];
        around.into_iter().filter(|(there, _)| *there).map(|(_, span)| {
            let message = "ignored text around the value";
            Diagnostic::new(SURROUNDINGS, Severity::Info, message).at(span)
        })
    }

    /// Returns all rows.
    pub(super) fn of<B: Build>(
        &self,
        found: &[FoundValue<B>],
        selection: &Selection,
    ) -> Vec<Diagnostic> {
        let mut rows: Vec<Diagnostic> = self.around().collect();
        for (at, other) in found.iter().enumerate() {
            if selection.holds(at) {
                continue;
            }
            let row = Diagnostic::new(
                "extract/more-json",
                Severity::Warning,
                "ignored another value in the text",
            )
            .at(other.span)
            .help("Check that the right value was chosen, or ask for a single value.");
            rows.push(match selection.class {
                Some(class) => row.class(class),
                None => row,
            });
            if rows.len() == MAX_DIAGNOSTICS {
                break;
            }
        }
        if let Some(at) = self.command {
            let message = "`\\f` or `\\b` before a word is a control character in JSON";
            rows.push(
                Diagnostic::new("syntax/control-escape", Severity::Warning, message)
                    .at(Span::at(at))
                    .help("Escape the backslash if a command such as `\\frac` is meant."),
            );
        }
        if let Some(cut) = self.cut {
            rows.push(
                Diagnostic::new(
                    "extract/truncated",
                    Severity::Warning,
                    "the text is cut off before the value is complete",
                )
                .at(Span::at(cut))
                .help(ErrorKind::UnexpectedEnd.help()),
            );
        }
        rows
    }
}
