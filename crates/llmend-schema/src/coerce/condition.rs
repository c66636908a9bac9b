//! Evaluation of `if` on values that are still to be coerced.

use llmend_json::{Builder, Kind};

use super::Coercer;
use super::document::{Document, SourceNode};
use crate::compile::{Id, ShapeId};
use crate::instance::Instance;

impl<'v> Coercer<'_, 'v> {
    /// Returns whether the part `at` fits the node `when` once it is coerced to `made`, the
    /// constraints outside the condition. The intended value decides: a string that holds an object
    /// would fit any `if` about properties.
    pub(super) fn condition(&mut self, when: Id, made: ShapeId, at: SourceNode<'v>) -> bool {
        let (value, index) = at.key();
        if let Some(known) = self.conditions.get(&(made, value, index)) {
            return *known;
        }
        let shape = self.shapes.get(made as usize);
        let as_it_stands = shape.is_none_or(|shape| self.fits(shape, Instance::Node(at.node)));
        let node = if as_it_stands {
            at.node
        } else if let Some(fitted) = self.fitted(made, at) {
            fitted.value.root()
        } else {
            self.intended(at).node
        };
        let holds = self.evaluator.fits(when, Instance::Node(node));
        if !self.evaluator.exhausted() {
            self.conditions.insert((made, value, index), holds);
        }
        holds
    }

    /// Coerces the part `at` to a shape; `None` if it cannot fit.
    fn fitted(&mut self, shape: ShapeId, at: SourceNode<'v>) -> Option<&'v Document> {
        let mark = self.mark();
        let outer = std::mem::replace(&mut self.builder, Builder::new(self.base));
        let attempt = self.attempt(|coercer| coercer.fit(shape, at));
        let inner = std::mem::replace(&mut self.builder, outer);
        self.rewind(mark);
        let value = inner.finish().filter(|_| attempt.fits)?;
        if !self.evaluator.spend(value.parts()) {
            return None;
        }
        self.keep(Document::of_value(value, at.span()))
    }

    /// Returns the object in a string or single-item array, or the part itself.
    fn intended(&mut self, at: SourceNode<'v>) -> SourceNode<'v> {
        let mut items = at.node.items();
        match (at.node.kind(), items.next(), items.next()) {
            (Kind::String, ..) => match self.document(at) {
                Some(document) => {
                    SourceNode { node: document.value.root(), document: Some(document) }
                }
                None => at,
            },
            (Kind::Array, Some(only), None) => at.of(only),
            _ => at,
        }
    }
}
