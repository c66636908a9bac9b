//! Does the `if` of a schema hold for a value that is still to be made to fit?

use llmend_json::{Builder, Kind};

use super::Walk;
use super::document::{At, Document};
use crate::compile::{Id, ShapeId};
use crate::instance::Part;

impl<'v> Walk<'_, 'v> {
    /// Whether the part `at` will fit the node `when` once it is what `made` wants, which is all
    /// that is asked of it besides the condition. It is the value that is meant that decides: a
    /// string that holds an object fits any `if` that is about the properties of objects.
    pub(super) fn condition(&mut self, when: Id, made: ShapeId, at: At<'v>) -> bool {
        let (value, index) = at.key();
        if let Some(known) = self.conditions.get(&(made, value, index)) {
            return *known;
        }
        let shape = self.shapes.get(made as usize);
        let as_it_stands = shape.is_none_or(|shape| self.fits(shape, Part::Node(at.node)));
        let node = if as_it_stands {
            at.node
        } else if let Some(fitted) = self.fitted(made, at) {
            fitted.value.root()
        } else {
            self.meant(at).node
        };
        let holds = self.judge.fits(when, Part::Node(node));
        if !self.judge.exhausted() {
            self.conditions.insert((made, value, index), holds);
        }
        holds
    }

    /// What the part `at` becomes where `shape` is wanted, if it can be made to fit.
    fn fitted(&mut self, shape: ShapeId, at: At<'v>) -> Option<&'v Document> {
        let mark = self.mark();
        let outer = std::mem::replace(&mut self.builder, Builder::new(self.base));
        let attempt = self.attempt(|walk| walk.fit(shape, at));
        let inner = std::mem::replace(&mut self.builder, outer);
        self.rewind(mark);
        let value = inner.finish().filter(|_| attempt.fits)?;
        if !self.judge.pay(value.parts()) {
            return None;
        }
        self.keep(Document::of_value(value, at.span()))
    }

    /// The object that a part holds, or is the list of, if it is none itself.
    fn meant(&mut self, at: At<'v>) -> At<'v> {
        let mut items = at.node.items();
        match (at.node.kind(), items.next(), items.next()) {
            (Kind::String, ..) => match self.document(at) {
                Some(document) => At { node: document.value.root(), document: Some(document) },
                None => at,
            },
            (Kind::Array, Some(only), None) => at.of(only),
            _ => at,
        }
    }
}
