//! Findings and locations recorded while reading.
//!
//! A problem is recorded and does not stop reading, so that all are found at once.

use llmend_json::{Diagnostic, Node, Severity, Span, preview};

use crate::{
    code,
    locations::{ItemLocations, Location},
};

/// Maximum characters of a name in a message.
const SHOWN_CHARS: usize = 100;

/// The findings in a document or in one of its items.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    rows: Vec<Diagnostic>,
    /// The locations of the parts of the item.
    pub(crate) locations: ItemLocations,
}

impl Findings {
    pub(crate) fn push(&mut self, row: Diagnostic) {
        self.rows.push(row);
    }

    /// Returns all findings in the order of the text.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        self.rows.sort_by_key(|row| row.span.map(|span| span.start));
        self.rows
    }

    /// Returns whether one of them is an error.
    pub(crate) fn failed(&self) -> bool {
        self.rows.iter().any(|row| row.severity == Severity::Error)
    }

    /// Takes the findings of an item and returns its locations.
    pub(crate) fn absorb(&mut self, item: Self) -> ItemLocations {
        self.rows.extend(item.rows);
        item.locations
    }

    /// Takes findings about a nested text, located at `span`, and the order of its keys.
    pub(crate) fn take_at(&mut self, mut within: Self, span: Span) {
        self.locations.order.append(&mut within.locations.order);
        self.rows.extend(within.rows.into_iter().map(|row| row.at(span)));
    }

    /// Lowers errors to warnings, since the item is omitted.
    pub(crate) fn omit(&mut self, label: &str) {
        for row in self.rows.iter_mut().filter(|row| row.severity == Severity::Error) {
            row.severity = Severity::Warning;
            row.message = format!("omitted {label}: {}", row.message);
        }
    }

    /// Records the location of the part at the canonical path `part` of the item.
    pub(crate) fn note(&mut self, part: impl Into<String>, path: &str, span: Span) {
        let place = Location { path: Some(path.to_owned()), span };
        let part = part.into();
        if part.is_empty() {
            self.locations.whole = Some(place);
        } else {
            self.locations.parts.insert(part, place);
        }
    }

    /// Records the location of the part at the canonical path `part` in a text that is not JSON.
    pub(crate) fn note_text(&mut self, part: impl Into<String>, span: Span) {
        let (part, place) = (part.into(), Location { path: None, span });
        if part.is_empty() {
            self.locations.whole = Some(place);
        } else {
            self.locations.parts.insert(part, place);
        }
    }

    /// Reports an error at `path`.
    pub(crate) fn error(
        &mut self,
        code: &'static str,
        path: &str,
        span: Span,
        message: impl Into<String>,
    ) {
        self.push(Diagnostic::new(code, Severity::Error, message).at(span).on(path));
    }

    /// Reports a word that is none of those allowed at `path`.
    pub(crate) fn unknown_word(
        &mut self,
        code: &'static str,
        (path, span): (&str, Span),
        message: String,
        allowed: impl IntoIterator<Item = &'static str>,
    ) {
        let allowed: Vec<String> = allowed.into_iter().map(|word| format!("`{word}`")).collect();
        let row = Diagnostic::new(code, Severity::Error, message);
        self.push(row.at(span).on(path).help(format!("Use one of {}.", allowed.join(", "))));
    }

    /// Reports a warning at `path`.
    pub(crate) fn warn(
        &mut self,
        code: &'static str,
        path: &str,
        span: Span,
        message: impl Into<String>,
    ) {
        self.push(Diagnostic::new(code, Severity::Warning, message).at(span).on(path));
    }

    /// Reports an info at `path`.
    pub(crate) fn remark(
        &mut self,
        code: &'static str,
        path: &str,
        span: Span,
        message: impl Into<String>,
    ) {
        self.push(Diagnostic::new(code, Severity::Info, message).at(span).on(path));
    }

    /// Reports a value of the wrong type.
    pub(crate) fn wrong_type(&mut self, path: &str, node: Node<'_>, expected: &str) {
        let found = node.kind().as_str();
        let message = match path {
            "" => format!("expected {expected}, found {found}"),
            path => format!("`{}`: expected {expected}, found {found}", shown(path)),
        };
        self.error(code::WRONG_TYPE, path, node.span(), message);
    }
}

/// Shortens `text` for a message.
pub(crate) fn shown(text: &str) -> &str {
    preview(text, SHOWN_CHARS)
}

/// Returns whether one of the findings is an error.
pub(crate) fn has_errors(rows: &[Diagnostic]) -> bool {
    rows.iter().any(|row| row.severity == Severity::Error)
}
