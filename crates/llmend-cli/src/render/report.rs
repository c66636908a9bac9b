//! What does a program read about a result? The object of `--report json` and of `batch`.

use llmend::{
    Coercion, Violation,
    asking::Ledger,
    json::{Candidate, Class, Diagnostic, Repair, Report},
    plan::Document,
};
use serde::Serialize;

use crate::{answer::Answer, exit::Failure, fitting::Fit, planning::Found};

/// The object. Its keys are written in this order, and all of them always, but for `line`, for
/// `coercions` and `violations`, which are there if a schema was asked for, and for `dialect` and
/// `plan`, which are there if a plan was, and for `ledger`, which is there if a model was asked.
#[derive(Debug, Serialize)]
pub(crate) struct Object<'a> {
    /// In `batch`, the number of the line that was read, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<usize>,
    pub(crate) status: &'static str,
    pub(crate) json: Option<&'a str>,
    pub(crate) truncated: bool,
    pub(crate) class: Option<Class>,
    pub(crate) candidate: Option<Place>,
    pub(crate) repairs: &'a [Repair],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) coercions: Option<&'a [Coercion]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) violations: Option<&'a [Violation]>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(crate) plan: Option<Planned<'a>>,
    pub(crate) diagnostics: Vec<&'a Diagnostic>,
    pub(crate) error: Option<Problem<'a>>,
    /// Where a model was asked, every attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ledger: Option<&'a Ledger>,
}

/// What was read of a plan.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Planned<'a> {
    /// How it was read; null if it could not be.
    dialect: Option<&'static str>,
    /// It in the canonical form, also where a check refuses it; null if there is none.
    plan: Option<&'a Document>,
}

/// What was read as the value.
#[derive(Debug, Serialize)]
pub(crate) struct Place {
    start: usize,
    end: usize,
    origin: &'static str,
}

/// Why there is no value.
#[derive(Debug, Serialize)]
pub(crate) struct Problem<'a> {
    code: &'a str,
    message: &'a str,
    start: Option<usize>,
    end: Option<usize>,
}

impl Place {
    fn of(report: &Report) -> Self {
        let Candidate { span, origin } = report.candidate;
        Self { start: span.start, end: span.end, origin: origin.as_str() }
    }
}

impl<'a> Object<'a> {
    /// The object for a value.
    pub(crate) fn of_value(report: &'a Report, json: &'a str, fit: Option<&'a Fit>) -> Self {
        Self {
            line: None,
            status: status(report, fit),
            json: Some(json),
            truncated: report.truncated(),
            class: gravest(report, fit),
            candidate: Some(Place::of(report)),
            repairs: &report.repairs,
            coercions: fit.map(|fit| fit.coercions.as_slice()),
            violations: fit.map(|fit| fit.violations.as_slice()),
            plan: None,
            diagnostics: report.diagnostics.iter().collect(),
            error: None,
            ledger: None,
        }
    }

    /// The object for an answer.
    pub(crate) fn of_answer(answer: &'a Answer<'_>) -> Self {
        let object = Self::of_value(&answer.report, &answer.json, answer.fit.as_ref());
        object.found(answer.plan.as_ref())
    }

    fn found(mut self, plan: Option<&'a Found>) -> Self {
        self.plan = plan.map(|plan| Planned {
            dialect: Some(plan.dialect.as_str()),
            plan: Some(&plan.document),
        });
        self
    }

    /// The object for what gave no value.
    pub(crate) fn of_failure(failure: &'a Failure) -> Self {
        let (report, fit) = (failure.report.as_deref(), failure.fit.as_deref());
        let object = Self {
            line: None,
            status: "refused",
            json: None,
            truncated: report.is_some_and(Report::truncated),
            class: report.and_then(|report| gravest(report, fit)),
            candidate: report.map(Place::of),
            repairs: report.map(|report| report.repairs.as_slice()).unwrap_or_default(),
            coercions: fit.map(|fit| fit.coercions.as_slice()),
            violations: fit.map(|fit| fit.violations.as_slice()),
            plan: None,
            diagnostics: failure
                .diagnostics
                .iter()
                .chain(report.into_iter().flat_map(|report| &report.diagnostics))
                .collect(),
            error: failure.reason().map(|reason| Problem {
                code: &reason.code,
                message: &reason.message,
                start: reason.span.map(|span| span.start),
                end: reason.span.map(|span| span.end),
            }),
            ledger: None,
        };
        object.found(failure.plan.as_deref())
    }

    /// The same object where a schema was asked for, whether it came to that or not.
    pub(crate) fn with_schema(mut self) -> Self {
        self.coercions.get_or_insert_default();
        self.violations.get_or_insert_default();
        self
    }

    /// The same object where a plan was asked for, whether it came to that or not.
    pub(crate) fn with_plan(mut self) -> Self {
        self.plan.get_or_insert_default();
        self
    }

    /// The same object with the account of what was asked.
    pub(crate) fn with_ledger(mut self, ledger: Option<&'a Ledger>) -> Self {
        self.ledger = ledger;
        self
    }

    /// The object on one line, with a line end.
    pub(crate) fn to_line(&self) -> String {
        written(serde_json::to_string(self))
    }

    /// The last line of a stream, with a line end: the object as its member "final".
    pub(crate) fn to_last_line(&self) -> String {
        format!("{{\"final\":{}}}\n", self.to_line().trim_end())
    }

    /// The object over several lines, with a line end.
    pub(crate) fn to_lines(&self) -> String {
        written(serde_json::to_string_pretty(self))
    }
}

/// What happened to the text and to the value that it says, in a word.
pub(crate) fn status(report: &Report, fit: Option<&Fit>) -> &'static str {
    match fit {
        Some(fit) if !fit.coercions.is_empty() => "coerced",
        _ => report.status.as_str(),
    }
}

/// How sure a value is: the gravest of what was done to the text and to the value.
pub(crate) fn gravest(report: &Report, fit: Option<&Fit>) -> Option<Class> {
    let coercions = fit.map(|fit| fit.coercions.as_slice()).unwrap_or_default();
    report.class.max(coercions.iter().map(|coercion| coercion.class).max())
}

/// Every key is a string and nothing refuses to be written, so that the fallback, which is JSON
/// as well, is never seen.
fn written(json: serde_json::Result<String>) -> String {
    let mut out = json.unwrap_or_else(|_| r#"{"status":"refused"}"#.to_owned());
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use llmend::json::{Diagnostic, Severity, Span};

    use super::Object;
    use crate::exit::{Exit, Failure};

    #[test]
    fn a_refusal_has_every_key_in_its_place() {
        let warning = Diagnostic::new("a/warning", Severity::Warning, "hm");
        let reason =
            Diagnostic::new("syntax/expression", Severity::Error, "no").at(Span::new(2, 5));
        let failure = Failure::new(Exit::Refused, vec![warning, reason]);
        let mut object = Object::of_failure(&failure);
        object.line = Some(7);
        assert_eq!(
            object.to_line(),
            concat!(
                r#"{"line":7,"status":"refused","json":null,"truncated":false,"class":null,"#,
                r#""candidate":null,"repairs":[],"diagnostics":[{"code":"a/warning","#,
                r#""severity":"warning","class":null,"path":null,"message":"hm","help":null,"#,
                r#""start":null,"end":null,"edit":null},{"code":"syntax/expression","#,
                r#""severity":"error","class":null,"path":null,"message":"no","help":null,"#,
                r#""start":2,"end":5,"edit":null}],"#,
                r#""error":{"code":"syntax/expression","message":"no","start":2,"end":5}}"#,
                "\n"
            )
        );
    }
}
