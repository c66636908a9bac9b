//! What was changed, and how does one do it again?

use std::borrow::Cow;

use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::{Class, Rule, Span};

/// One edit: the bytes at `span` in the caller's text give way to `replacement`.
///
/// An insertion has an empty span, a removal an empty replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// Why the text was changed.
    pub rule: Rule,
    /// What was changed, in bytes of the caller's text.
    pub span: Span,
    /// What stands there now.
    pub replacement: Cow<'static, str>,
}

impl Repair {
    /// How sure the edit is.
    #[must_use]
    pub const fn class(&self) -> Class {
        self.rule.class()
    }
}

impl Serialize for Repair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_struct("Repair", 5)?;
        row.serialize_field("rule", self.rule.name())?;
        row.serialize_field("class", self.class().as_str())?;
        row.serialize_field("start", &self.span.start)?;
        row.serialize_field("end", &self.span.end)?;
        row.serialize_field("replacement", &self.replacement)?;
        row.end()
    }
}

/// The text that results when `repairs` are carried out on the part of `original` that
/// `candidate` covers.
///
/// `repairs` are sorted by start and disjoint, as every report has them. Edits outside of
/// `candidate` are skipped.
///
/// ```
/// let answer = "Sure: {'a': 1}";
/// let repaired = llmend_json::repair(answer)?;
/// let report = &repaired.report;
/// assert_eq!(llmend_json::apply(answer, report.candidate.span, &report.repairs), repaired.text);
/// # Ok::<(), llmend_json::Error>(())
/// ```
#[must_use]
pub fn apply(original: &str, candidate: Span, repairs: &[Repair]) -> String {
    let grown: usize = repairs.iter().map(|repair| repair.replacement.len()).sum();
    let mut out = String::with_capacity(candidate.len() + grown);
    let mut at = candidate.start;
    for repair in repairs {
        if repair.span.start < at || repair.span.end > candidate.end {
            continue;
        }
        out.push_str(Span::new(at, repair.span.start).of(original));
        out.push_str(&repair.replacement);
        at = repair.span.end;
    }
    out.push_str(Span::new(at, candidate.end).of(original));
    out
}
