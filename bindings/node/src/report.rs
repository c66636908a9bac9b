//! The JSON of a report.

use llmend_json::{Class, Diagnostic, Relocate as _, Repair, Report};
use serde::Serialize;

use crate::{UNIT, words::reword};

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
    /// Why the value may lack something.
    doubt: Option<Diagnostic>,
}

#[derive(Serialize)]
struct CandidateRow {
    start: usize,
    end: usize,
    origin: &'static str,
}

impl ReportRow {
    /// Creates the row of a report on `text`.
    pub(crate) fn new(mut report: Report, text: &str) -> Self {
        report.convert_offsets(text, UNIT);
        let (class, doubt) = (report.class, report.doubt(UNIT));
        Self::of(report, class, doubt)
    }

    /// Creates the row of a report whose places count [`UNIT`]. `class` is the worst, also of what was done to the value.
    pub(crate) fn of(mut report: Report, class: Option<Class>, doubt: Option<Diagnostic>) -> Self {
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
            doubt,
        }
    }
}
