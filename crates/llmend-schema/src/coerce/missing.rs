//! What becomes of a property that is required and absent?

use std::collections::HashSet;

use llmend_json::Span;

use super::Walk;
use super::document::At;
use super::keys::Claim;
use crate::compile::{Plain, join};
use crate::{CoercionKind, Violation};

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
                Some(default) => {
                    let length = self.path.len();
                    self.step_in(&property.name);
                    self.write_key(&property.name, end);
                    self.note_new(CoercionKind::Default);
                    self.take_from_schema(default, end);
                    self.path.truncate(length);
                }
                None => self.tell_missing(&property.name, plain, at),
            }
        }
    }

    fn tell_missing(&mut self, name: &str, plain: &Plain, at: At<'v>) {
        self.failed = true;
        if self.trying > 0 {
            return;
        }
        let asked = plain.by_name.get(name).and_then(|at| plain.properties.get(*at));
        let shape = asked.and_then(|property| self.shapes.get(property.shape as usize));
        let raw =
            shape.and_then(|shape| shape.holds.first()).and_then(|holds| self.judge.raw(holds.id));
        let expected = raw.map_or_else(|| "any value".to_owned(), |raw| self.judge.wanted(raw));
        let pointer = raw.map_or("", |raw| raw.pointer.as_str());
        let above = pointer.rsplit_once("/properties/").map_or("", |(above, _)| above);
        self.violations.push(Violation {
            code: "schema/required",
            path: self.path.clone(),
            schema_path: join(above, "required"),
            keyword: "required".to_owned(),
            message: format!("the required property `{name}` is missing"),
            hint: Some(format!("add `{name}`: {expected}")),
            expected,
            found: crate::clip::clipped(at.node),
            span: Some(at.span()),
        });
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
