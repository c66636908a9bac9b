//! Output and record of coercions.

use std::hash::Hash;

use llmend_json::{Class, Decimal, Span, Value};

use super::Coercer;
use super::conversion::Scalar;
use super::document::SourceNode;
use crate::cost::cost;
use crate::quote::{clipped, quoted};
use crate::{Coercion, CoercionKind};

/// A coercion whose result is not complete yet.
#[derive(Debug)]
pub(super) struct PendingCoercion {
    coercion: Coercion,
    /// Index of the new part in the coerced value; `None` for a removal.
    made: Option<usize>,
}

impl PendingCoercion {
    /// Returns the coercion with its result.
    pub(super) fn finished(self, fitted: &Value<'_>) -> Coercion {
        let Self { mut coercion, made } = self;
        if let Some(node) = made.and_then(|made| fitted.node(made)) {
            coercion.after = clipped(node);
        }
        coercion
    }
}

impl<'v> Coercer<'_, 'v> {
    /// Writes a part unchanged.
    pub(super) fn take(&mut self, at: SourceNode<'v>) {
        at.key().hash(&mut self.written);
        match at.document {
            None => self.builder.take(at.node),
            Some(_) => self.builder.take_placed(at.node, |span| at.place(span)),
        }
    }

    /// Writes a scalar that replaces the part at `span`.
    pub(super) fn write(&mut self, scalar: &Scalar, span: Span) {
        match scalar {
            Scalar::Null => self.builder.null(span),
            Scalar::Bool(value) => self.builder.bool(*value, span),
            Scalar::Number(digits) => self.builder.number(digits, span),
            Scalar::Text(text) => self.builder.string(text, span),
        }
        // Equal numbers have equal hashes, however they are written.
        match scalar.instance().digits().and_then(Decimal::parse) {
            Some(number) => number.hash(&mut self.written),
            None => quoted(scalar.instance()).hash(&mut self.written),
        }
    }

    /// Writes a key that replaces the one at `span`.
    pub(super) fn write_key(&mut self, key: &str, span: Span) {
        self.builder.key(key, span);
        key.hash(&mut self.written);
    }

    /// Returns whether the next part already has a coercion of this kind.
    pub(super) fn is_noted_here(&self, kind: CoercionKind) -> bool {
        let next = Some(self.builder.written().index());
        let mut here = self.pending.iter().rev().take_while(|pending| pending.made == next);
        here.any(|pending| pending.coercion.kind == kind)
    }

    /// Records that the next part replaces the part `at`.
    pub(super) fn note(&mut self, kind: CoercionKind, at: SourceNode<'v>) {
        self.note_with(kind, kind.class(), at);
    }

    /// Records the same with a class of its own.
    pub(super) fn note_with(&mut self, kind: CoercionKind, class: Class, at: SourceNode<'v>) {
        let made = Some(self.builder.written().index());
        self.push_pending(kind, class, Some(at.span()), clipped(at.node), made, None);
    }

    /// Records that the next part is added.
    pub(super) fn note_new(&mut self, kind: CoercionKind) {
        let made = Some(self.builder.written().index());
        self.push_pending(kind, kind.class(), None, String::new(), made, None);
    }

    /// Records that the part `at` is removed; `index` is its index in an array.
    pub(super) fn note_removed(
        &mut self,
        kind: CoercionKind,
        at: SourceNode<'v>,
        index: Option<usize>,
    ) {
        self.push_pending(kind, kind.class(), Some(at.span()), clipped(at.node), None, index);
    }

    /// Records that the next part replaces the array item at `index`.
    pub(super) fn note_item(&mut self, kind: CoercionKind, at: SourceNode<'v>, index: usize) {
        let made = Some(self.builder.written().index());
        self.push_pending(kind, kind.class(), Some(at.span()), clipped(at.node), made, Some(index));
    }

    fn push_pending(
        &mut self,
        kind: CoercionKind,
        class: Class,
        span: Option<Span>,
        before: String,
        made: Option<usize>,
        index: Option<usize>,
    ) {
        self.cost = self.cost.saturating_add(cost(kind));
        let (path, after) = (self.path.clone(), String::new());
        let coercion = Coercion { kind, class, path, span, before, after, index };
        self.pending.push(PendingCoercion { coercion, made });
    }
}
