//! What becomes of a member that is no property, or the same one again?

use llmend_json::Node;

use super::Walk;
use super::document::At;
use crate::compile::{Id, Plain, ShapeId};
use crate::explain::MOST_TOLD;
use crate::instance::{Part, canonical};
use crate::wording::Place;
use crate::{CoercionKind, OnExtra, Violation};

impl<'s, 'v> Walk<'s, 'v> {
    /// Writes a member that the schema does not name.
    pub(super) fn free(&mut self, plain: &'s Plain, key: At<'v>, value: At<'v>) {
        let name = key.node.str().unwrap_or_default();
        let length = self.path.len();
        self.step_in(name);
        let (asked, forbidden) = self.unnamed(plain, name);
        match (forbidden, self.options.on_extra, asked) {
            (false, _, Some(shape)) => {
                self.take(key);
                self.fit(shape, value);
            }
            (false, _, None) => {
                self.take(key);
                self.take(value);
            }
            (true, OnExtra::Drop, _) => {
                self.note_left_out(CoercionKind::DroppedExtra, value, None);
            }
            (true, ..) => {
                self.take(key);
                self.take(value);
                self.tell_extra(plain, name, value);
            }
        }
        self.path.truncate(length);
    }

    /// What a member with a key that no property has is, if anything is said of it, and whether it
    /// is forbidden.
    pub(super) fn unnamed(&self, plain: &Plain, name: &str) -> (Option<ShapeId>, bool) {
        let pattern = plain.patterns.iter().find(|(id, at, _)| {
            let raw = self.judge.raw(*id);
            let pattern = raw.and_then(|raw| raw.patterns.get(*at));
            pattern.is_some_and(|(pattern, _)| pattern.is_valid(Part::Text(name)))
        });
        let forbidden = pattern.is_none()
            && (plain.closed
                || (self.options.on_extra == OnExtra::Fail
                    && plain.rest.is_none()
                    && !plain.properties.is_empty()));
        (pattern.map(|(.., shape)| *shape).or(plain.rest), forbidden)
    }

    fn tell_extra(&mut self, plain: &Plain, name: &str, value: At<'v>) {
        self.failed = true;
        if self.trying > 0 || self.violations.len() > MOST_TOLD {
            return;
        }
        let names = plain.properties.iter().map(|property| property.name.text.as_str());
        let near = self.judge.likely_name(name, plain.properties.len(), names.clone());
        let row = self.place(plain.closed_by.or(plain.named_by), value).extra(name, names, near);
        self.tell(row, value);
    }

    /// Writes nothing of a member that says the same again; one that says something else is told
    /// of, and stays.
    pub(super) fn again(
        &mut self,
        plain: &'s Plain,
        key: At<'v>,
        value: At<'v>,
        first: Option<Node<'v>>,
    ) {
        let length = self.path.len();
        self.step_in(key.node.str().unwrap_or_default());
        if first.is_some_and(|first| canonical(first) == canonical(value.node)) {
            self.note_left_out(CoercionKind::DuplicateMember, value, None);
        } else {
            self.take(key);
            self.take(value);
            let message = "two keys mean one property, and they say different things";
            let row = self.place(plain.named_by, value).again(message);
            self.tell(row, value);
        }
        self.path.truncate(length);
    }

    /// The part `at`, and the node that has something to say of it.
    pub(super) fn place(&self, node: Option<Id>, at: At<'v>) -> Place<'_, 'v> {
        let pointer = node.and_then(|id| self.judge.raw(id)).map_or("", |raw| raw.pointer.as_str());
        Place { pointer, part: Part::Node(at.node), path: &self.path }
    }

    /// Adds a violation by the part `at`, unless this is only an attempt.
    pub(super) fn tell(&mut self, row: Violation, at: At<'v>) {
        self.failed = true;
        if self.trying == 0 {
            self.violations.push(Violation { span: Some(at.span()), ..row });
        }
    }
}
