//! The JSON object of `--report json` and of `batch`.

use llmend::{
    Coercion, Violation,
    asking::Ledger,
    json::{Candidate, Class, Diagnostic, Repair, Report},
    plan::Document,
};
use serde::Serialize;

use super::ledger::Spending;
use crate::outcome::{Answer, Failure, Fit, ReadPlan};

/// The object. Its keys keep this order and are always present, except `line`; `coercions` and `violations`,
/// which need a schema; `dialect` and `plan`, which need a plan; `ledger`, which needs a model; and `currency`,
/// which needs a price with one.
#[derive(Debug, Serialize)]
pub(crate) struct ReportObject<'a> {
    /// The number of the input line in `batch`, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<usize>,
    pub(crate) status: &'static str,
    pub(crate) json: Option<&'a str>,
    pub(crate) truncated: bool,
    pub(crate) class: Option<Class>,
    pub(crate) candidate: Option<CandidateSpan>,
    pub(crate) repairs: &'a [Repair],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) coercions: Option<&'a [Coercion]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) violations: Option<&'a [Violation]>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(crate) plan: Option<Planned<'a>>,
    pub(crate) diagnostics: Vec<&'a Diagnostic>,
    pub(crate) error: Option<Problem<'a>>,
    /// Every attempt, if a model was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ledger: Option<&'a Ledger>,
    /// The currency of its costs, if one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<String>,
}

/// The plan in a report.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Planned<'a> {
    /// Null if no plan could be read.
    dialect: Option<&'static str>,
    /// The canonical form, also of a plan with errors; null if no plan could be read.
    plan: Option<&'a Document>,
}

/// The location of the value in the text.
#[derive(Debug, Serialize)]
pub(crate) struct CandidateSpan {
    start: usize,
    end: usize,
    origin: &'static str,
}

/// The reason for a refusal.
#[derive(Debug, Serialize)]
pub(crate) struct Problem<'a> {
    code: &'a str,
    message: &'a str,
    start: Option<usize>,
    end: Option<usize>,
}

impl<'a> Problem<'a> {
    pub(super) fn of(reason: &'a Diagnostic) -> Self {
        let span = reason.span;
        Self {
            code: &reason.code,
            message: &reason.message,
            start: span.map(|span| span.start),
            end: span.map(|span| span.end),
        }
    }
}

impl CandidateSpan {
    fn of(report: &Report) -> Self {
        let Candidate { span, origin } = report.candidate;
        Self { start: span.start, end: span.end, origin: origin.as_str() }
    }
}

impl<'a> ReportObject<'a> {
    /// Returns the object for a value.
    pub(crate) fn of_value(report: &'a Report, json: &'a str, fit: Option<&'a Fit>) -> Self {
        Self {
            line: None,
            status: status(report, fit),
            json: Some(json),
            truncated: report.truncated(),
            class: worst_class(report, fit),
            candidate: Some(CandidateSpan::of(report)),
            repairs: &report.repairs,
            coercions: fit.map(|fit| fit.coercions.as_slice()),
            violations: fit.map(|fit| fit.violations.as_slice()),
            plan: None,
            diagnostics: report.diagnostics.iter().collect(),
            error: None,
            ledger: None,
            currency: None,
        }
    }

    /// Returns the object for an answer.
    pub(crate) fn of_answer(answer: &'a Answer<'_>) -> Self {
        let object = Self::of_value(&answer.report, &answer.json, answer.fit.as_ref());
        object.plan(answer.plan.as_ref())
    }

    fn plan(mut self, plan: Option<&'a ReadPlan>) -> Self {
        self.plan = plan.map(|plan| Planned {
            dialect: Some(plan.dialect.as_str()),
            plan: Some(&plan.document),
        });
        self
    }

    /// Returns the object for a failure.
    pub(crate) fn of_failure(failure: &'a Failure) -> Self {
        let (report, fit) = (failure.report.as_deref(), failure.fit.as_deref());
        let object = Self {
            line: None,
            status: "refused",
            json: None,
            truncated: report.is_some_and(Report::truncated),
            class: report.and_then(|report| worst_class(report, fit)),
            candidate: report.map(CandidateSpan::of),
            repairs: report.map(|report| report.repairs.as_slice()).unwrap_or_default(),
            coercions: fit.map(|fit| fit.coercions.as_slice()),
            violations: fit.map(|fit| fit.violations.as_slice()),
            plan: None,
            diagnostics: failure
                .diagnostics
                .iter()
                .chain(report.into_iter().flat_map(|report| &report.diagnostics))
                .collect(),
            error: failure.reason().map(Problem::of),
            ledger: None,
            currency: None,
        };
        object.plan(failure.plan.as_deref())
    }

    /// Adds empty `coercions` and `violations` if they are missing.
    pub(crate) fn with_schema(mut self) -> Self {
        self.coercions.get_or_insert_default();
        self.violations.get_or_insert_default();
        self
    }

    /// Adds a null `dialect` and `plan` if they are missing.
    pub(crate) fn with_plan(mut self) -> Self {
        self.plan.get_or_insert_default();
        self
    }

    /// Adds the ledger, and the currency of its costs.
    pub(crate) fn with_spending(mut self, spending: Option<Spending<'a>>) -> Self {
        let Some(Spending { ledger, currency }) = spending else { return self };
        let named = Some(currency.to_string()).filter(|name| !name.is_empty());
        self.currency = named.filter(|_| ledger.cost.is_some());
        self.ledger = Some(ledger);
        self
    }

    /// Serializes the object on one line, with a line end.
    pub(crate) fn to_line(&self) -> String {
        written(serde_json::to_string(self))
    }

    /// Serializes the last line of a stream: an object with this one as its member "final".
    pub(crate) fn to_last_line(&self) -> String {
        format!("{{\"final\":{}}}\n", self.to_line().trim_end())
    }

    /// Serializes the object indented, with a line end.
    pub(crate) fn to_lines(&self) -> String {
        written(serde_json::to_string_pretty(self))
    }
}

/// Returns the status of a value: what happened to it, in a word.
pub(crate) fn status(report: &Report, fit: Option<&Fit>) -> &'static str {
    match fit {
        Some(fit) if !fit.coercions.is_empty() => "coerced",
        _ => report.status.as_str(),
    }
}

/// Returns the worst class of all repairs and coercions.
pub(crate) fn worst_class(report: &Report, fit: Option<&Fit>) -> Option<Class> {
    let coercions = fit.map(|fit| fit.coercions.as_slice()).unwrap_or_default();
    report.class.max(coercions.iter().map(|coercion| coercion.class).max())
}

/// Serialization cannot fail, since every key is a string; the fallback is never seen.
fn written(json: serde_json::Result<String>) -> String {
    let mut out = json.unwrap_or_else(|_| r#"{"status":"refused"}"#.to_owned());
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use llmend::json::{Diagnostic, Severity, Span};

    use super::ReportObject;
    use crate::{exit::Exit, outcome::Failure};

    #[test]
    fn a_refusal_has_every_key_in_order() {
        let warning = Diagnostic::new("a/warning", Severity::Warning, "hm");
        let reason =
            Diagnostic::new("syntax/expression", Severity::Error, "no").at(Span::new(2, 5));
        let failure = Failure::new(Exit::Refused, vec![warning, reason]);
        let mut object = ReportObject::of_failure(&failure);
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
