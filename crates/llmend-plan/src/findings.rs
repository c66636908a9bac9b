//! What was found while something was read, and where do its parts stand?
//!
//! A problem is recorded and never stops the reading, so that all of them are found at once.

use llmend_json::{Diagnostic, Kind, Node, Severity, Span, preview};

use crate::{
    code,
    places::{ItemPlaces, Place},
};

/// Characters of a name that a message shows.
const SHOWN_CHARS: usize = 100;

/// What was found so far in the whole, or in one item of it.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    rows: Vec<Diagnostic>,
    /// Where the parts of the item stand.
    pub(crate) places: ItemPlaces,
}

impl Findings {
    pub(crate) fn push(&mut self, row: Diagnostic) {
        self.rows.push(row);
    }

    /// All findings in the order of the text.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        self.rows.sort_by_key(|row| row.span.map(|span| span.start));
        self.rows
    }

    /// Whether there is an error among them.
    pub(crate) fn failed(&self) -> bool {
        self.rows.iter().any(|row| row.severity == Severity::Error)
    }

    /// Takes over the findings of an item, and gives where its parts stand.
    pub(crate) fn absorb(&mut self, item: Self) -> ItemPlaces {
        self.rows.extend(item.rows);
        item.places
    }

    /// Takes over findings about a text that stands within another, all at the place of that text.
    pub(crate) fn take_at(&mut self, within: Self, span: Span) {
        self.rows.extend(within.rows.into_iter().map(|row| row.at(span)));
    }

    /// Makes warnings of the errors: what they are about is left out.
    pub(crate) fn leave_out(&mut self, label: &str) {
        for row in self.rows.iter_mut().filter(|row| row.severity == Severity::Error) {
            row.severity = Severity::Warning;
            row.message = format!("{label} is left out: {}", row.message);
        }
    }

    /// Notes where the part at the canonical path `part` of the item stands.
    pub(crate) fn note(&mut self, part: impl Into<String>, path: &str, span: Span) {
        let place = Place { path: Some(path.to_owned()), span };
        let part = part.into();
        if part.is_empty() {
            self.places.whole = Some(place);
        } else {
            self.places.parts.insert(part, place);
        }
    }

    /// Notes where the part at the canonical path `part` of the item stands in a text that is no
    /// JSON.
    pub(crate) fn note_text(&mut self, part: impl Into<String>, span: Span) {
        let (part, place) = (part.into(), Place { path: None, span });
        if part.is_empty() {
            self.places.whole = Some(place);
        } else {
            self.places.parts.insert(part, place);
        }
    }

    /// An error about the part at `path`.
    pub(crate) fn error(
        &mut self,
        code: &'static str,
        path: &str,
        span: Span,
        message: impl Into<String>,
    ) {
        self.push(Diagnostic::new(code, Severity::Error, message).at(span).on(path));
    }

    /// A warning about the part at `path`.
    pub(crate) fn warn(
        &mut self,
        code: &'static str,
        path: &str,
        span: Span,
        message: impl Into<String>,
    ) {
        self.push(Diagnostic::new(code, Severity::Warning, message).at(span).on(path));
    }

    /// A remark about the part at `path`.
    pub(crate) fn remark(
        &mut self,
        code: &'static str,
        path: &str,
        span: Span,
        message: impl Into<String>,
    ) {
        self.push(Diagnostic::new(code, Severity::Info, message).at(span).on(path));
    }

    pub(crate) fn wrong_type(&mut self, path: &str, node: Node<'_>, expected: &str) {
        let message = match path {
            "" => format!("the plan is to be {expected}, not {}", a(node.kind())),
            path => format!("`{}` is to be {expected}, not {}", shown(path), a(node.kind())),
        };
        self.error(code::WRONG_TYPE, path, node.span(), message);
    }
}

/// A kind of value with its article.
fn a(kind: Kind) -> String {
    match kind {
        Kind::Null => "null".to_owned(),
        Kind::Array | Kind::Object => format!("an {}", kind.as_str()),
        _ => format!("a {}", kind.as_str()),
    }
}

/// As much of `text` as a message shows.
pub(crate) fn shown(text: &str) -> &str {
    preview(text, SHOWN_CHARS)
}
