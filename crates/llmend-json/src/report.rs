//! Results of parsing and repairing, with the report of what was done.

use std::borrow::Cow;

use serde::Serialize;

use crate::{Class, Diagnostic, OffsetUnit, Repair, Severity, Span, Value};

/// Where a candidate was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The whole text, apart from white space.
    Whole,
    /// In a code block.
    Fence,
    /// In a known tag, call or assignment.
    Wrapper,
    /// In prose.
    Bare,
    /// Members without braces around them.
    Unbraced,
    /// Under a layer of escapes over the whole value.
    Escaped,
}

impl Origin {
    /// Returns whether a fence, tag, call or assignment marks the value.
    pub(crate) const fn is_wrapped(self) -> bool {
        matches!(self, Self::Fence | Self::Wrapper)
    }

    /// Returns the name that reports use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Fence => "fence",
            Self::Wrapper => "wrapper",
            Self::Bare => "bare",
            Self::Unbraced => "unbraced",
            Self::Escaped => "escaped",
        }
    }
}

/// A part of the text that may be the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Location in the text.
    pub span: Span,
    /// Where it was found.
    pub origin: Origin,
}

/// What was done to the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The output equals the input.
    Unchanged,
    /// Only text around the value was removed.
    Extracted,
    /// The value was repaired.
    Repaired,
}

impl Status {
    /// Returns the name that reports use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Extracted => "extracted",
            Self::Repaired => "repaired",
        }
    }
}

/// How a value was found and repaired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What was done to the text.
    pub status: Status,
    /// Worst class of the repairs and of the choice among candidates, and at least a guess if the
    /// value was repaired and an object has a key twice. `None` if there were no repairs and no choice.
    pub class: Option<Class>,
    /// Byte offset at which the text was cut off, if it was.
    pub cut: Option<usize>,
    /// The part of the text that was read as the value.
    pub candidate: Candidate,
    /// All repairs, sorted by start and disjoint.
    pub repairs: Vec<Repair>,
    /// Further findings: ignored text, other candidates, duplicate keys.
    pub diagnostics: Vec<Diagnostic>,
}

impl Report {
    /// Returns whether the text was cut off.
    #[must_use]
    pub const fn truncated(&self) -> bool {
        self.cut.is_some()
    }

    /// Returns whether the value may lack something: [`doubt`](Self::doubt) says why.
    #[must_use]
    pub fn is_unsure(&self) -> bool {
        self.class == Some(Class::Loss) || self.truncated()
    }

    /// Returns why the value may lack something: the text was cut off, or a part of it was discarded. `None` if
    /// neither. `unit` is the unit of this report's offsets, one of which the message names.
    ///
    /// ```
    /// use llmend_json::OffsetUnit;
    ///
    /// let report = llmend_json::parse("{'a': [1, 2")?.report;
    /// let doubt = report.doubt(OffsetUnit::Byte).unwrap();
    /// assert_eq!(doubt.code, "value/truncated");
    /// assert_eq!(doubt.message, "answer cut off at byte 11: the value may be incomplete");
    /// # Ok::<(), llmend_json::Error>(())
    /// ```
    #[must_use]
    pub fn doubt(&self, unit: OffsetUnit) -> Option<Diagnostic> {
        let row = |code, message| {
            let row = Diagnostic::new(code, Severity::Error, message);
            row.help("Ask again, or accept the value as it is.")
        };
        let unit = unit.noun();
        if let Some(at) = self.cut {
            let message = format!("answer cut off at {unit} {at}: the value may be incomplete");
            return Some(row("value/truncated", message).at(Span::at(at)));
        }
        if let Some(lost) = self.repairs.iter().find(|repair| repair.class() == Class::Loss) {
            let (at, rule) = (lost.span.start, lost.rule);
            let message =
                format!("content of the answer was discarded at {unit} {at} (rule `{rule}`)");
            return Some(row("value/loss", message).at(lost.span).class(Class::Loss));
        }
        let message = || "the value may be incomplete".to_owned();
        self.is_unsure().then(|| row("value/loss", message()).class(Class::Loss))
    }

    /// Returns the strict JSON that the repairs make of `text`, the text that this report is about.
    /// Borrows from `text` if there are no repairs.
    ///
    /// ```
    /// let text = "Sure: {'a': 1}";
    /// let parsed = llmend_json::parse(text)?;
    /// assert_eq!(parsed.report.output(text), "{\"a\": 1}");
    /// # Ok::<(), llmend_json::Error>(())
    /// ```
    #[must_use]
    pub fn output<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let span = self.candidate.span;
        if self.repairs.is_empty() {
            Cow::Borrowed(span.of(text))
        } else {
            Cow::Owned(crate::apply(text, span, &self.repairs))
        }
    }
}

/// A value with the report on it.
#[derive(Clone, Debug)]
pub struct Parsed<'t> {
    /// The value.
    pub value: Value<'t>,
    /// The report.
    pub report: Report,
}

/// JSON text with the report on it.
#[derive(Clone, Debug)]
pub struct Repaired<'t> {
    /// Strict JSON. Borrowed from the input if there are no repairs.
    pub text: Cow<'t, str>,
    /// The report.
    pub report: Report,
}
