//! Missing required properties.

use std::collections::HashSet;

use llmend_json::Span;
use serde_json::Value as Json;

use super::Coercer;
use super::document::{Document, SourceNode};
use super::keys::KeyMatch;
use crate::CoercionKind;
use crate::compile::{Plain, Property};
use crate::instance::Instance;

impl<'s, 'v> Coercer<'s, 'v> {
    /// Returns whether a required property without a default is missing, so that the other members
    /// need not be tried.
    pub(super) fn lacks(plain: &Plain, key_matches: &[KeyMatch]) -> bool {
        let present = present(key_matches);
        let mut required = plain.properties.iter().enumerate().filter(|(_, one)| one.required);
        required.any(|(at, property)| property.default.is_none() && !present.contains(&at))
    }

    /// Writes the default of each missing required property, and reports those without a default:
    /// no value is invented.
    pub(super) fn missing_properties(
        &mut self,
        plain: &'s Plain,
        key_matches: &[KeyMatch],
        at: SourceNode<'v>,
    ) {
        let present = present(key_matches);
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
                default => self.report_missing(&property.name.text, default.as_ref(), plain, at),
            }
        }
    }

    /// Returns whether a default fits its own schema.
    fn suits(&mut self, property: &Property, default: &Json) -> bool {
        let document = Document::of_schema(&default.to_string(), Span::at(0));
        let shape = self.shapes.get(property.shape as usize);
        let Some(document) = document.and_then(|document| self.keep(document)) else {
            return false;
        };
        shape.is_none_or(|shape| self.fits(shape, Instance::Node(document.value.root())))
    }

    fn report_missing(
        &mut self,
        name: &str,
        default: Option<&Json>,
        plain: &Plain,
        at: SourceNode<'v>,
    ) {
        self.failed = true;
        if self.attempts > 0 {
            return;
        }
        let target = plain.by_name.get(name).and_then(|at| plain.properties.get(*at));
        let shape = target.and_then(|property| self.shapes.get(property.shape as usize));
        let raw = shape
            .and_then(|shape| shape.holds.first())
            .and_then(|holds| self.evaluator.raw(holds.id));
        let expected =
            raw.map_or_else(|| "any value".to_owned(), |raw| self.evaluator.expected(raw));
        let mut row = self.location(plain.named_by, at).missing(name, &expected);
        if let (Some(default), Some(hint)) = (default, &mut row.hint) {
            let default = crate::quote::clipped(default);
            *hint = format!("{hint} (the schema's default {default} does not fit)");
        }
        self.report(row, at);
    }
}

/// Returns the properties that are present.
fn present(key_matches: &[KeyMatch]) -> HashSet<usize> {
    key_matches
        .iter()
        .filter_map(|key_match| match key_match {
            KeyMatch::Property(property, _) => Some(*property),
            _ => None,
        })
        .collect()
}
