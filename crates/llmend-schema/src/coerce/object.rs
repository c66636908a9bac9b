//! What becomes of the members of an object, and of what stands where an object is wanted?

use llmend_json::{Kind, Node, push_token};

use super::Walk;
use super::document::At;
use super::keys::{Claim, claims, slips};
use crate::compile::{Plain, Shape};
use crate::instance::Part;
use crate::score::points;
use crate::{CoercionKind, NearMatch, OtherSpelling};

impl<'s, 'v> Walk<'s, 'v> {
    /// Writes an object, each member as the schema wants it; or what it is only a wrapper of.
    pub(super) fn object(&mut self, shape: &'s Shape, plain: &'s Plain, at: At<'v>) {
        if let Some(inner) = self.wrapper(plain, at)
            && self.unwrapped(shape, plain, at, inner)
        {
            return;
        }
        self.members(plain, at);
    }

    /// Writes what the only member of an object holds, unless the object is as cheaply what is
    /// wanted itself: false, and nothing is written.
    fn unwrapped(&mut self, shape: &'s Shape, plain: &'s Plain, at: At<'v>, inner: At<'v>) -> bool {
        let itself = self.rehearse(|walk| walk.members(plain, at));
        if itself.fits && itself.score <= points(CoercionKind::Unwrapped) {
            return false;
        }
        let unwrap = |walk: &mut Self| {
            walk.note(CoercionKind::Unwrapped, at);
            walk.fit_inner(shape, inner, |walk| walk.plain(shape, plain, inner));
        };
        let cheaper = self.attempt_or_undo(|walk| {
            unwrap(walk);
            walk.failed |= itself.fits && walk.score >= itself.score;
        });
        if cheaper || itself.fits || self.trying > 0 || !self.is_whole_within(plain, at, inner) {
            return cheaper;
        }
        // Only what is within has what is asked for, so what is wrong with that is worth telling.
        unwrap(self);
        true
    }

    /// Whether an object lacks what is required, and the one within it lacks nothing.
    fn is_whole_within(&mut self, plain: &'s Plain, at: At<'v>, inner: At<'v>) -> bool {
        let mut lacks = |node: Node<'v>| {
            let members: Vec<_> = node.members().collect();
            let keys: Vec<&str> =
                members.iter().map(|(key, _)| key.str().unwrap_or_default()).collect();
            let claims = self.claims(plain, &keys, &members);
            Self::lacks(plain, &claims)
        };
        inner.node.kind() == Kind::Object && lacks(at.node) && !lacks(inner.node)
    }

    /// What an object with one member holds, if that may be the object that is wanted.
    fn wrapper(&self, plain: &Plain, at: At<'v>) -> Option<At<'v>> {
        let (key, inner) = self.in_wrapper(at)?;
        let value = inner.node;
        let held = value.kind() == Kind::Object
            || value.str().is_some_and(|text| text.trim_start().starts_with('{'));
        (held && !super::array::is_known(plain, key) && !plain.properties.is_empty())
            .then_some(inner)
    }

    /// Writes the members of an object.
    fn members(&mut self, plain: &'s Plain, at: At<'v>) {
        let members: Vec<_> = at.node.members().collect();
        if !self.judge.pay(members.len()) {
            self.failed = true;
            return;
        }
        let keys: Vec<&str> =
            members.iter().map(|(key, _)| key.str().unwrap_or_default()).collect();
        let claims = self.claims(plain, &keys, &members);
        if self.trying > 0 && Self::lacks(plain, &claims) {
            self.failed = true;
            return;
        }
        self.builder.begin_object(at.span());
        for ((key, value), claim) in members.iter().zip(&claims) {
            if self.trying > 0 && self.failed {
                break;
            }
            let (key, value) = (at.of(*key), at.of(*value));
            match claim {
                Claim::Property(property, kind) => {
                    self.property(plain, *property, *kind, key, value);
                }
                Claim::Again(first) => {
                    let first = members.get(*first).map(|(_, value)| *value);
                    self.again(plain, key, value, first);
                }
                Claim::Free => self.free(plain, key, value),
            }
        }
        self.absent(plain, &claims, at);
        self.builder.end();
    }

    /// The property of each key.
    fn claims(
        &mut self,
        plain: &'s Plain,
        keys: &[&str],
        members: &[(Node<'v>, Node<'v>)],
    ) -> Vec<Claim> {
        let mut claims = claims(plain, keys, |at| {
            let (Some(key), Some((_, value))) = (keys.get(at), members.get(at)) else {
                return false;
            };
            let (asked, forbidden) = self.unnamed(plain, key);
            let shape = asked.and_then(|asked| self.shapes.get(asked as usize));
            let renames = self.options.on_other_spelling == OtherSpelling::Rename;
            !(forbidden || (renames && asked.is_none()))
                && shape.is_none_or(|shape| self.fits(shape, Part::Node(*value)))
        });
        if plain.closed && self.options.near == NearMatch::On {
            let judge = &mut self.judge;
            slips(plain, keys, &mut claims, &mut |steps| judge.pay(steps));
        }
        claims
    }

    fn property(
        &mut self,
        plain: &'s Plain,
        property: usize,
        kind: Option<CoercionKind>,
        key: At<'v>,
        value: At<'v>,
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

    /// Makes the path one token longer.
    pub(super) fn step_in(&mut self, token: &str) {
        push_token(&mut self.path, token);
    }

    /// Makes a list of one fitting object into that object.
    pub(super) fn object_from_item(
        &mut self,
        shape: &'s Shape,
        plain: &'s Plain,
        at: At<'v>,
    ) -> bool {
        let mut items = at.node.items();
        let (Some(item), None) = (items.next(), items.next()) else { return false };
        item.kind() == Kind::Object
            && self.attempt_or_undo(|walk| {
                walk.note(CoercionKind::ObjectFromItem, at);
                let inner = at.of(item);
                walk.fit_inner(shape, inner, |walk| walk.object(shape, plain, inner));
            })
    }

    /// Makes the value of the only property into the object.
    pub(super) fn single_property(&mut self, plain: &'s Plain, at: At<'v>) -> bool {
        let [property] = plain.properties.as_slice() else { return false };
        let nothing = at.node.is_null() || self.is_nothing(property.shape, at);
        if nothing || !(plain.closed || property.required) {
            return false;
        }
        self.attempt_or_undo(|walk| {
            walk.note(CoercionKind::SingleProperty, at);
            walk.builder.begin_object(at.span());
            let length = walk.path.len();
            walk.step_in(&property.name.text);
            walk.write_key(&property.name.text, llmend_json::Span::at(at.span().start));
            walk.enclosing(at, |walk| walk.fit(property.shape, at));
            walk.path.truncate(length);
            walk.builder.end();
        })
    }
}
