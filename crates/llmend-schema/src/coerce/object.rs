//! Coercion to objects.

use llmend_json::{Kind, Node, push_token};

use super::Coercer;
use super::document::SourceNode;
use super::keys::{KeyMatch, match_keys, match_typos};
use crate::compile::{Plain, Shape};
use crate::cost::cost;
use crate::instance::Instance;
use crate::{CoercionKind, NearMatch, OtherSpelling};

impl<'s, 'v> Coercer<'s, 'v> {
    /// Coerces the members of an object, or removes a wrapper around the expected object.
    pub(super) fn object(&mut self, shape: &'s Shape, plain: &'s Plain, at: SourceNode<'v>) {
        if let Some(inner) = self.wrapper(shape, plain, at)
            && self.unwrapped(shape, plain, at, inner)
        {
            return;
        }
        self.members(plain, at);
    }

    /// Replaces an object by the value of its only member, unless the object itself fits as
    /// cheaply; returns false in that case, with nothing written.
    fn unwrapped(
        &mut self,
        shape: &'s Shape,
        plain: &'s Plain,
        at: SourceNode<'v>,
        inner: SourceNode<'v>,
    ) -> bool {
        let itself = self.dry_run(|coercer| coercer.members(plain, at));
        if itself.fits && itself.cost <= cost(CoercionKind::Unwrapped) {
            return false;
        }
        let unwrap = |coercer: &mut Self| {
            coercer.note(CoercionKind::Unwrapped, at);
            coercer.fit_inner(shape, inner, |coercer| coercer.plain(shape, plain, inner));
        };
        let cheaper = self.attempt_or_undo(|coercer| {
            unwrap(coercer);
            coercer.failed |= itself.fits && coercer.cost >= itself.cost;
        });
        if cheaper || itself.fits || self.attempts > 0 || !self.is_whole_within(plain, at, inner) {
            return cheaper;
        }
        // Only the inner object has the expected properties, so its violations are the useful ones.
        unwrap(self);
        true
    }

    /// Returns whether an object lacks required properties that the one inside it has.
    fn is_whole_within(
        &mut self,
        plain: &'s Plain,
        at: SourceNode<'v>,
        inner: SourceNode<'v>,
    ) -> bool {
        let mut lacks = |node: Node<'v>| {
            let members: Vec<_> = node.members().collect();
            let keys: Vec<&str> =
                members.iter().map(|(key, _)| key.str().unwrap_or_default()).collect();
            let key_matches = self.match_keys(plain, &keys, &members);
            Self::lacks(plain, &key_matches)
        };
        inner.node.kind() == Kind::Object && lacks(at.node) && !lacks(inner.node)
    }

    /// Returns the value of the only member, if it may be the expected object.
    fn wrapper(&self, shape: &Shape, plain: &Plain, at: SourceNode<'v>) -> Option<SourceNode<'v>> {
        let (key, inner) = self.in_wrapper(shape, at)?;
        let value = inner.node;
        let held = value.kind() == Kind::Object
            || value.str().is_some_and(|text| text.trim_start().starts_with('{'));
        (held && !super::array::is_known(plain, key) && !plain.properties.is_empty())
            .then_some(inner)
    }

    /// Writes the members of an object.
    fn members(&mut self, plain: &'s Plain, at: SourceNode<'v>) {
        let members: Vec<_> = at.node.members().collect();
        if !self.evaluator.spend(members.len()) {
            self.failed = true;
            return;
        }
        let keys: Vec<&str> =
            members.iter().map(|(key, _)| key.str().unwrap_or_default()).collect();
        let key_matches = self.match_keys(plain, &keys, &members);
        if self.attempts > 0 && Self::lacks(plain, &key_matches) {
            self.failed = true;
            return;
        }
        self.builder.begin_object(at.span());
        for ((key, value), key_match) in members.iter().zip(&key_matches) {
            if self.attempts > 0 && self.failed {
                break;
            }
            let (key, value) = (at.of(*key), at.of(*value));
            match key_match {
                KeyMatch::Property(property, kind) => {
                    self.property(plain, *property, *kind, key, value);
                }
                KeyMatch::Duplicate(first) => {
                    let first = members.get(*first).map(|(_, value)| *value);
                    self.duplicate_member(plain, key, value, first);
                }
                KeyMatch::Unknown => self.other_member(plain, key, value),
            }
        }
        self.missing_properties(plain, &key_matches, at);
        self.builder.end();
    }

    /// Matches the keys to properties.
    fn match_keys(
        &mut self,
        plain: &'s Plain,
        keys: &[&str],
        members: &[(Node<'v>, Node<'v>)],
    ) -> Vec<KeyMatch> {
        let mut key_matches = match_keys(plain, keys, |at| {
            let (Some(key), Some((_, value))) = (keys.get(at), members.get(at)) else {
                return false;
            };
            let (target, forbidden) = self.unnamed(plain, key);
            let shape = target.and_then(|target| self.shapes.get(target as usize));
            let renames = self.options.on_other_spelling == OtherSpelling::Rename;
            !(forbidden || (renames && target.is_none()))
                && shape.is_none_or(|shape| self.fits(shape, Instance::Node(*value)))
        });
        if plain.closed && self.options.near == NearMatch::On {
            let evaluator = &mut self.evaluator;
            match_typos(plain, keys, &mut key_matches, &mut |steps| evaluator.spend(steps));
        }
        key_matches
    }

    fn property(
        &mut self,
        plain: &'s Plain,
        property: usize,
        kind: Option<CoercionKind>,
        key: SourceNode<'v>,
        value: SourceNode<'v>,
    ) {
        let Some(property) = plain.properties.get(property) else { return };
        let length = self.path.len();
        self.step_in(&property.name.text);
        match kind {
            None => self.take(key),
            Some(kind) => {
                self.note(kind, key);
                self.write_key(&property.name.text, key.span());
            }
        }
        self.fit(property.shape, value);
        self.path.truncate(length);
    }

    /// Extends the path by one token.
    pub(super) fn step_in(&mut self, token: &str) {
        push_token(&mut self.path, token);
    }

    /// Replaces an array of one fitting object by the object.
    pub(super) fn object_from_item(
        &mut self,
        shape: &'s Shape,
        plain: &'s Plain,
        at: SourceNode<'v>,
    ) -> bool {
        let mut items = at.node.items();
        let (Some(item), None) = (items.next(), items.next()) else { return false };
        item.kind() == Kind::Object
            && self.attempt_or_undo(|coercer| {
                coercer.note(CoercionKind::ObjectFromItem, at);
                let inner = at.of(item);
                coercer.fit_inner(shape, inner, |coercer| coercer.object(shape, plain, inner));
            })
    }

    /// Wraps a value in an object as its only property.
    pub(super) fn single_property(&mut self, plain: &'s Plain, at: SourceNode<'v>) -> bool {
        let [property] = plain.properties.as_slice() else { return false };
        let nothing = at.node.is_null() || self.is_placeholder(property.shape, at);
        if nothing || !(plain.closed || property.required) {
            return false;
        }
        self.attempt_or_undo(|coercer| {
            coercer.note(CoercionKind::SingleProperty, at);
            coercer.builder.begin_object(at.span());
            let length = coercer.path.len();
            coercer.step_in(&property.name.text);
            coercer.write_key(&property.name.text, llmend_json::Span::at(at.span().start));
            coercer.enclosing(at, |coercer| coercer.fit(property.shape, at));
            coercer.path.truncate(length);
            coercer.builder.end();
        })
    }
}
