//! The JSON of a report.

use llmend_json::{Class, Diagnostic, Relocate as _, Repair, Report};
use serde::Serialize;

use crate::{place::Utf16, words::reword};

/// The report on a text. Its members are those of the command's `--report json`, in camel case.
#[derive(Serialize)]
pub(crate) struct ReportRow {
    status: &'static str,
    class: Option<&'static str>,
    truncated: bool,
    cut: Option<usize>,
    candidate: CandidateRow,
    repairs: Vec<Repair>,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Serialize)]
struct CandidateRow {
    start: usize,
    end: usize,
    origin: &'static str,
}

impl ReportRow {
    /// Creates the row of a report on `text`. `class` is the worst, also of what was done to the value.
    pub(crate) fn new(mut report: Report, class: Option<Class>, text: &str) -> Self {
        let units = Utf16::new(text);
        report.relocate(&mut |at| units.at(at));
        reword(&mut report.diagnostics);
        let span = report.candidate.span;
        let origin = report.candidate.origin.as_str();
        Self {
            status: report.status.as_str(),
            class: class.map(Class::as_str),
            truncated: report.truncated(),
            cut: report.cut,
            candidate: CandidateRow { start: span.start, end: span.end, origin },
            repairs: report.repairs,
            diagnostics: report.diagnostics,
        }
    }
}

/// Returns whether the value may lack something.
pub(crate) fn is_unsure(report: &Report, class: Option<Class>) -> bool {
    class == Some(Class::Loss) || report.truncated()
}
