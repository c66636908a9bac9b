//! A value read into a type, and how far it can be trusted.

use llmend_json::{Class, Report, Rule};
use llmend_schema::Coercion;

/// A value with its report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome<T> {
    /// The value.
    pub value: T,
    /// The report on the text.
    pub report: Report,
    /// The changes made to the value to fit a schema; empty without a schema.
    pub coercions: Vec<Coercion>,
}

impl<T> Outcome<T> {
    /// Returns the worst class of the repairs, the choice of the candidate and the coercions.
    /// `None` without any.
    #[must_use]
    pub fn class(&self) -> Option<Class> {
        worst_class(&self.report, &self.coercions)
    }

    /// Returns whether the value may lack something: content was discarded or replaced, or the
    /// answer was cut off.
    #[must_use]
    pub fn is_unsure(&self) -> bool {
        self.class() == Some(Class::Loss) || self.report.truncated()
    }
}

/// Returns the worst class of what was done to a text and its value.
pub(crate) fn worst_class(report: &Report, coercions: &[Coercion]) -> Option<Class> {
    report.class.max(coercions.iter().map(|coercion| coercion.class).max())
}

/// Returns whether the plan of this report needs a second look: content was discarded, or the text
/// was cut off and took more than one closer to complete.
pub(crate) fn needs_second_look(report: &Report) -> bool {
    let closers: usize = report
        .repairs
        .iter()
        .filter(|repair| repair.rule == Rule::MissingCloser)
        .map(|repair| repair.replacement.len())
        .sum();
    let broken_off = report.repairs.iter().any(|repair| repair.rule.is_cut());
    report.class == Some(Class::Loss) || (report.truncated() && (broken_off || closers > 1))
}

/// Explains in one sentence what makes the value of this report unsure.
pub(crate) fn unsure_reason(report: &Report, coercions: &[Coercion]) -> String {
    let lost = report.repairs.iter().find(|repair| repair.class() == Class::Loss);
    let dropped = coercions.iter().find(|coercion| coercion.class == Class::Loss);
    match (report.cut, lost, dropped) {
        (Some(at), _, _) => {
            format!("answer cut off at byte {at}: the value may be incomplete")
        }
        (None, Some(repair), _) => format!(
            "content of the answer was discarded at byte {} (rule `{}`)",
            repair.span.start, repair.rule
        ),
        (None, None, Some(coercion)) => format!(
            "content of the answer was discarded at `{}` (coercion `{}`)",
            coercion.path,
            coercion.kind.name()
        ),
        (None, None, None) => "the value may be incomplete".to_owned(),
    }
}
