//! A value fitted to a schema.

use std::borrow::Cow;

use llmend_json::{Class, Diagnostic, Report, Value};
use llmend_schema::{Coercion, Violation};

use crate::{layout::rewritten, outcome::worst_class};

/// A value fitted to a schema, with its report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted {
    /// The value, coerced as far as possible. It fits if and only if `violations` is empty.
    pub value: Value<'static>,
    /// The report on the text. Its diagnostics include members that spell the name of an absent
    /// property differently.
    pub report: Report,
    /// The changes made to the value, in its order.
    pub coercions: Vec<Coercion>,
    /// Every violation that remains.
    pub violations: Vec<Violation>,
}

impl Fitted {
    /// Returns the worst class of the repairs, the choice of the candidate and the coercions.
    /// `None` without any.
    #[must_use]
    pub fn class(&self) -> Option<Class> {
        worst_class(&self.report, &self.coercions)
    }

    /// Returns the diagnostics: each violation, followed by those of the report.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let violations = self.violations.iter().map(Diagnostic::from);
        violations.chain(self.report.diagnostics.iter().cloned()).collect()
    }

    /// Returns the value as strict JSON. `answer` is the text that it was read from.
    ///
    /// Without coercions this is the repaired text, byte for byte. Otherwise unchanged parts keep
    /// their white space, and an object or array whose number of members changed is written
    /// compactly.
    #[must_use]
    pub fn json<'t>(&self, answer: &'t str) -> Cow<'t, str> {
        let json = self.report.output(answer);
        if self.coercions.is_empty() { json } else { rewritten(&json, &self.value).into() }
    }
}
