//! What becomes of a member that is no property, or the same one again?

use llmend_json::{Node, Span};

use super::Walk;
use super::document::At;
use crate::compile::{Id, Plain, ShapeId, join};

use crate::explain::MOST_TOLD;
use crate::instance::{Part, canonical};
use crate::wording::one_of;
use crate::{CoercionKind, OnExtra, Violation};

/// A keyword, and where it stands in the schema.
struct Keyword {
    keyword: &'static str,
    place: String,
}

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
        if self.trying > 0 || self.violations.len() >= MOST_TOLD {
            return;
        }
        let names = plain.properties.iter().map(|property| property.name.text.as_str());
        let hint = match self.judge.likely_name(name, plain.properties.len(), names.clone()) {
            Some(near) => format!("leave it out, or write `{near}` if that was meant"),
            None => "leave it out".to_owned(),
        };
        let expected = one_of(names.map(|name| format!("`{name}`")));
        let message = format!("the property `{}` is not allowed", crate::clip::clipped(name));
        let place = self.keyword(plain.closed_by.or(plain.named_by), "additionalProperties");
        self.tell("schema/extra", place, message, expected, hint, value);
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
            let message = "two keys mean one property, and they say different things".to_owned();
            let hint = "keep the one that is meant".to_owned();
            let place = self.keyword(plain.named_by, "properties");
            self.tell("schema/duplicate-key", place, message, "one value".to_owned(), hint, value);
        }
        self.path.truncate(length);
    }

    /// Where a keyword of a node stands in the schema.
    fn keyword(&self, node: Option<Id>, keyword: &'static str) -> Keyword {
        let raw = node.and_then(|id| self.judge.raw(id));
        let place = raw.map_or_else(|| join("", keyword), |raw| join(&raw.pointer, keyword));
        Keyword { keyword, place }
    }

    fn tell(
        &mut self,
        code: &'static str,
        keyword: Keyword,
        message: String,
        expected: String,
        hint: String,
        value: At<'v>,
    ) {
        self.failed = true;
        if self.trying > 0 {
            return;
        }
        let span: Option<Span> = Some(value.span());
        self.violations.push(Violation {
            code,
            path: self.path.clone(),
            schema_path: keyword.place,
            keyword: keyword.keyword.to_owned(),
            message,
            expected,
            found: crate::clip::clipped(value.node),
            hint: Some(hint),
            span,
        });
    }
}
