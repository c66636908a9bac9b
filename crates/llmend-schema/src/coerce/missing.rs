//! What becomes of a property that is required and absent?

use std::collections::HashSet;

use llmend_json::Span;
use serde_json::Value as Json;

use super::Walk;
use super::document::{At, Document};
use super::keys::Claim;
use crate::CoercionKind;
use crate::compile::{Plain, Property};
use crate::instance::Part;

impl<'s, 'v> Walk<'s, 'v> {
    /// Whether a required property without a default has no member, so that there is no use in
    /// looking at the others.
    pub(super) fn lacks(plain: &Plain, claims: &[Claim]) -> bool {
        let present = present(claims);
        let mut required = plain.properties.iter().enumerate().filter(|(_, one)| one.required);
        required.any(|(at, property)| property.default.is_none() && !present.contains(&at))
    }

    /// Writes the default of each property that is required and has no member, and tells of each
    /// that has no default: nothing is made up.
    pub(super) fn absent(&mut self, plain: &'s Plain, claims: &[Claim], at: At<'v>) {
        let present = present(claims);
        let all = plain.properties.iter().enumerate();
        for (_, property) in all.filter(|(at, one)| one.required && !present.contains(at)) {
            let end = Span::at(at.span().end);
            match &property.default {
                Some(default) if self.suits(property, default) => {
                    let length = self.path.len();
                    self.step_in(&property.name.text);
                    self.write_key(&property.name.text, end);
                    self.note_new(CoercionKind::Default);
                    self.take_from_schema(default, end);
                    self.path.truncate(length);
                }
                default => self.tell_missing(&property.name.text, default.as_ref(), plain, at),
            }
        }
    }

    /// Whether the schema's default is what the schema itself asks for.
    fn suits(&mut self, property: &Property, default: &Json) -> bool {
        let document = Document::of_schema(&default.to_string(), Span::at(0));
        let shape = self.shapes.get(property.shape as usize);
        let Some(document) = document.and_then(|document| self.keep(document)) else {
            return false;
        };
        shape.is_none_or(|shape| self.fits(shape, Part::Node(document.value.root())))
    }

    fn tell_missing(&mut self, name: &str, default: Option<&Json>, plain: &Plain, at: At<'v>) {
        self.failed = true;
        if self.trying > 0 {
            return;
        }
        let asked = plain.by_name.get(name).and_then(|at| plain.properties.get(*at));
        let shape = asked.and_then(|property| self.shapes.get(property.shape as usize));
        let raw =
            shape.and_then(|shape| shape.holds.first()).and_then(|holds| self.judge.raw(holds.id));
        let expected = raw.map_or_else(|| "any value".to_owned(), |raw| self.judge.wanted(raw));
        let mut row = self.place(plain.named_by, at).missing(name, &expected);
        if let (Some(default), Some(hint)) = (default, &mut row.hint) {
            let default = crate::clip::clipped(default);
            *hint = format!("{hint} (the schema's own default, {default}, is none)");
        }
        self.tell(row, at);
    }
}

/// The properties that have a member.
fn present(claims: &[Claim]) -> HashSet<usize> {
    claims
        .iter()
        .filter_map(|claim| match claim {
            Claim::Property(property, _) => Some(*property),
            _ => None,
        })
        .collect()
}
