//! What was written, and what is noted of it?

use std::hash::Hash;

use llmend_json::{Class, Decimal, Span, Value};

use super::Walk;
use super::document::At;
use super::reading::Scalar;
use crate::clip::{clipped, quoted};
use crate::score::points;
use crate::{Coercion, CoercionKind};

/// A coercion whose result is still being written.
#[derive(Debug)]
pub(super) struct Draft {
    coercion: Coercion,
    /// Number of the part in the fitted value that it made; nothing if it left something out.
    made: Option<usize>,
}

impl Draft {
    /// The coercion, with what it came to.
    pub(super) fn finished(self, fitted: &Value<'_>) -> Coercion {
        let Self { mut coercion, made } = self;
        if let Some(node) = made.and_then(|made| fitted.node(made)) {
            coercion.after = clipped(node);
        }
        coercion
    }
}

impl<'v> Walk<'_, 'v> {
    /// Takes a part over as it stands.
    pub(super) fn take(&mut self, at: At<'v>) {
        at.key().hash(&mut self.written);
        match at.document {
            None => self.builder.take(at.node),
            Some(_) => self.builder.take_placed(at.node, |span| at.place(span)),
        }
    }

    /// Writes a scalar that stands for what was at `span`.
    pub(super) fn write(&mut self, scalar: &Scalar, span: Span) {
        match scalar {
            Scalar::Null => self.builder.null(span),
            Scalar::Bool(value) => self.builder.bool(*value, span),
            Scalar::Number(digits) => self.builder.number(digits, span),
            Scalar::Text(text) => self.builder.string(text, span),
        }
        // Equal numbers are one result, however they are written.
        match scalar.part().digits().and_then(Decimal::parse) {
            Some(number) => number.hash(&mut self.written),
            None => quoted(scalar.part()).hash(&mut self.written),
        }
    }

    /// Writes a key, in place of the one at `at`.
    pub(super) fn write_key(&mut self, key: &str, span: Span) {
        self.builder.key(key, span);
        key.hash(&mut self.written);
    }

    /// Whether what is written next is on record as made in this way already.
    pub(super) fn is_noted_here(&self, kind: CoercionKind) -> bool {
        let next = Some(self.builder.written().index());
        let mut here = self.drafts.iter().rev().take_while(|draft| draft.made == next);
        here.any(|draft| draft.coercion.kind == kind)
    }

    /// Notes that the part `at` is made into what is written next.
    pub(super) fn note(&mut self, kind: CoercionKind, at: At<'v>) {
        self.note_with(kind, kind.class(), at);
    }

    /// Notes the same, with a class of its own.
    pub(super) fn note_with(&mut self, kind: CoercionKind, class: Class, at: At<'v>) {
        let made = Some(self.builder.written().index());
        self.draft(kind, class, Some(at.span()), clipped(at.node), made, None);
    }

    /// Notes that what is written next takes the place of nothing.
    pub(super) fn note_new(&mut self, kind: CoercionKind) {
        let made = Some(self.builder.written().index());
        self.draft(kind, kind.class(), None, String::new(), made, None);
    }

    /// Notes that the part `at` is left out; `index` is its place in a list.
    pub(super) fn note_left_out(&mut self, kind: CoercionKind, at: At<'v>, index: Option<usize>) {
        self.draft(kind, kind.class(), Some(at.span()), clipped(at.node), None, index);
    }

    /// Notes that the item with this place in its list becomes what is written next.
    pub(super) fn note_item(&mut self, kind: CoercionKind, at: At<'v>, index: usize) {
        let made = Some(self.builder.written().index());
        self.draft(kind, kind.class(), Some(at.span()), clipped(at.node), made, Some(index));
    }

    fn draft(
        &mut self,
        kind: CoercionKind,
        class: Class,
        span: Option<Span>,
        before: String,
        made: Option<usize>,
        index: Option<usize>,
    ) {
        self.score = self.score.saturating_add(points(kind));
        let (path, after) = (self.path.clone(), String::new());
        let coercion = Coercion { kind, class, path, span, before, after, index };
        self.drafts.push(Draft { coercion, made });
    }
}
