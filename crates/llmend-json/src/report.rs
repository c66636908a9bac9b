//! What came of a text, and what was done to it?

use std::borrow::Cow;

use serde::Serialize;

use crate::{Class, Diagnostic, Repair, Span, Value};

/// Where a candidate was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The text is the value, with nothing but white space around it.
    Whole,
    /// Inside a code block.
    Fence,
    /// Inside a known tag, call or assignment.
    Wrapper,
    /// In the open text.
    Bare,
    /// Members without the braces around them.
    Unbraced,
    /// Under a layer of escapes over the whole value.
    Escaped,
}

impl Origin {
    /// Whether something around the value says that it is one.
    pub(crate) const fn is_wrapped(self) -> bool {
        matches!(self, Self::Fence | Self::Wrapper)
    }

    /// The word that reports print.
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

/// A part of the text that is read as the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its bytes.
    pub span: Span,
    /// Where it was found.
    pub origin: Origin,
}

/// What happened to the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The output equals the input.
    Unchanged,
    /// Only what surrounds the value went.
    Extracted,
    /// At least one repair was made.
    Repaired,
}

impl Status {
    /// The word that reports print.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Extracted => "extracted",
            Self::Repaired => "repaired",
        }
    }
}

/// Everything that is known of a result besides the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What happened to the text.
    pub status: Status,
    /// How sure the result is: the gravest of its repairs and of the choice of the candidate.
    /// `None` if there was neither.
    pub class: Option<Class>,
    /// Where the text was cut off, in bytes, if it was.
    pub cut: Option<usize>,
    /// What was read as the value.
    pub candidate: Candidate,
    /// Every edit, sorted by start and disjoint.
    pub repairs: Vec<Repair>,
    /// What else is worth knowing: surroundings, other candidates, duplicate keys.
    pub diagnostics: Vec<Diagnostic>,
}

impl Report {
    /// Whether the text was cut off.
    #[must_use]
    pub const fn truncated(&self) -> bool {
        self.cut.is_some()
    }

    /// The strict JSON that the repairs make of `text`, which this is the report on: a part of it,
    /// where nothing in that was changed.
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

/// A value, and how it was come by.
#[derive(Clone, Debug)]
pub struct Parsed<'t> {
    /// The value.
    pub value: Value<'t>,
    /// What was done.
    pub report: Report,
}

/// JSON text, and how it was come by.
#[derive(Clone, Debug)]
pub struct Repaired<'t> {
    /// Strict JSON; borrowed from the input where nothing in it was changed.
    pub text: Cow<'t, str>,
    /// What was done.
    pub report: Report,
}
