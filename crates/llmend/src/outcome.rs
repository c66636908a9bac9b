//! A value read into a type, and how far it can be trusted.

use llmend_json::{Class, Diagnostic, OffsetUnit, Relocate, Report, Rule, Severity};
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

    /// Returns why the value is unsure, or `None` if it is not. `unit` is the unit of the report's
    /// offsets, one of which the message names.
    #[must_use]
    pub fn doubt(&self, unit: OffsetUnit) -> Option<Diagnostic> {
        doubt(&self.report, &self.coercions, unit)
    }
}

impl<T> Relocate for Outcome<T> {
    fn relocate(&mut self, to: &mut impl FnMut(usize) -> usize) {
        self.report.relocate(to);
        self.coercions.relocate(to);
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

/// Returns why a value of this report may lack something: see [`Outcome::doubt`].
fn doubt(report: &Report, coercions: &[Coercion], unit: OffsetUnit) -> Option<Diagnostic> {
    let of_text = report.doubt(unit);
    let Some(dropped) = coercions.iter().find(|coercion| coercion.class == Class::Loss) else {
        return of_text;
    };
    of_text.filter(|row| row.span.is_some()).or_else(|| {
        let message = format!(
            "content of the answer was discarded at `{}` (coercion `{}`)",
            dropped.path,
            dropped.kind.name()
        );
        let row = Diagnostic::new("value/loss", Severity::Error, message)
            .help("Ask again, or accept the value as it is.");
        let row = row.on(dropped.path.clone()).class(Class::Loss);
        Some(Diagnostic { span: dropped.span, ..row })
    })
}

/// Explains in one sentence what makes the value of this report unsure.
pub(crate) fn unsure_reason(report: &Report, coercions: &[Coercion]) -> String {
    doubt(report, coercions, OffsetUnit::Byte).map(|row| row.message).unwrap_or_default()
}
