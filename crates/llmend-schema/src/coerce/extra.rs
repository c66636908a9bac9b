//! Additional and duplicate members.

use llmend_json::Node;

use super::Coercer;
use super::document::SourceNode;
use crate::compile::{Id, Plain, ShapeId};
use crate::diagnose::MAX_VIOLATIONS;
use crate::instance::{Instance, canonical};
use crate::message::Location;
use crate::{CoercionKind, OnExtra, Violation};

impl<'s, 'v> Coercer<'s, 'v> {
    /// Writes a member that is not a property.
    pub(super) fn other_member(
        &mut self,
        plain: &'s Plain,
        key: SourceNode<'v>,
        value: SourceNode<'v>,
    ) {
        let name = key.node.str().unwrap_or_default();
        let length = self.path.len();
        self.step_in(name);
        let (target, forbidden) = self.unnamed(plain, name);
        match (forbidden, self.options.on_extra, target) {
            (false, _, Some(shape)) => {
                self.take(key);
                self.enclosing(value, |coercer| coercer.fit(shape, value));
            }
            (false, _, None) => {
                self.take(key);
                self.take(value);
            }
            (true, OnExtra::Drop, _) => {
                self.note_removed(CoercionKind::DroppedExtra, value, None);
            }
            (true, ..) => {
                self.take(key);
                self.take(value);
                self.report_extra(plain, name, value);
            }
        }
        self.path.truncate(length);
    }

    /// Returns the shape of a member that is not a property, if the schema describes it, and
    /// whether the member is forbidden.
    pub(super) fn unnamed(&self, plain: &Plain, name: &str) -> (Option<ShapeId>, bool) {
        let pattern = plain.patterns.iter().find(|(id, at, _)| {
            let raw = self.evaluator.raw(*id);
            let pattern = raw.and_then(|raw| raw.patterns.get(*at));
            pattern.is_some_and(|(pattern, _)| pattern.is_valid(Instance::Text(name)))
        });
        let forbidden = pattern.is_none()
            && (plain.closed
                || (self.options.on_extra == OnExtra::Fail
                    && plain.rest.is_none()
                    && !plain.properties.is_empty()));
        (pattern.map(|(.., shape)| *shape).or(plain.rest), forbidden)
    }

    fn report_extra(&mut self, plain: &Plain, name: &str, value: SourceNode<'v>) {
        self.failed = true;
        if self.attempts > 0 || self.violations.len() > MAX_VIOLATIONS {
            return;
        }
        let names = plain.properties.iter().map(|property| property.name.text.as_str());
        let near = self.evaluator.likely_name(name, plain.properties.len(), names.clone());
        let row = self.location(plain.closed_by.or(plain.named_by), value).extra(name, names, near);
        self.report(row, value);
    }

    /// Removes a duplicate member with an equal value; reports and keeps one with a different
    /// value.
    pub(super) fn duplicate_member(
        &mut self,
        plain: &'s Plain,
        key: SourceNode<'v>,
        value: SourceNode<'v>,
        first: Option<Node<'v>>,
    ) {
        let length = self.path.len();
        self.step_in(key.node.str().unwrap_or_default());
        if first.is_some_and(|first| canonical(first) == canonical(value.node)) {
            self.note_removed(CoercionKind::DuplicateMember, value, None);
        } else {
            self.take(key);
            self.take(value);
            let message = "two keys with different values stand for one property";
            let row = self.location(plain.named_by, value).duplicate(message);
            self.report(row, value);
        }
        self.path.truncate(length);
    }

    /// Returns the location of the part `at` under a node.
    pub(super) fn location(&self, node: Option<Id>, at: SourceNode<'v>) -> Location<'_, 'v> {
        let pointer =
            node.and_then(|id| self.evaluator.raw(id)).map_or("", |raw| raw.pointer.as_str());
        Location { pointer, instance: Instance::Node(at.node), path: &self.path }
    }

    /// Records a violation by the part `at`, unless within an attempt.
    pub(super) fn report(&mut self, row: Violation, at: SourceNode<'v>) {
        self.failed = true;
        if self.attempts == 0 {
            self.violations.push(Violation { span: Some(at.span()), ..row });
        }
    }
}
