//! Violations with their messages.

use jsonschema::error::ValidationErrorKind;
use llmend_json::{Class, Node};

use crate::compile::{Bound, RawSchema};
use crate::instance::Instance;
use crate::keyword_message::of_validator;
use crate::pointer::join;
use crate::quote::{clipped, one_of, quoted};
use crate::{Coercion, Violation};

/// An instance and the schema node that it violates.
#[derive(Clone, Copy)]
pub(crate) struct Location<'a, 'v> {
    /// JSON Pointer of the schema node.
    pub(crate) pointer: &'a str,
    pub(crate) instance: Instance<'v>,
    /// JSON Pointer of the instance.
    pub(crate) path: &'a str,
}

impl Location<'_, '_> {
    /// Returns a violation of a keyword of the node.
    pub(crate) fn row(
        self,
        code: &'static str,
        keyword: &str,
        expected: &str,
        message: &str,
    ) -> Violation {
        let schema_path = join(self.pointer, keyword);
        let keyword = keyword.to_owned();
        Violation { schema_path, keyword, ..self.of_node(code, expected, message) }
    }

    /// Returns a violation of the node as a whole, such as the schema `false`.
    pub(crate) fn of_node(self, code: &'static str, expected: &str, message: &str) -> Violation {
        Violation {
            code,
            path: self.path.to_owned(),
            schema_path: self.pointer.to_owned(),
            keyword: String::new(),
            message: message.to_owned(),
            expected: expected.to_owned(),
            found: quoted(self.instance),
            hint: None,
            span: self.instance.node().map(Node::span),
        }
    }

    /// Returns the violation by an unexpected property. `near` is the property in `names` that was
    /// likely meant.
    pub(crate) fn extra<'n>(
        self,
        key: &str,
        names: impl Iterator<Item = &'n str>,
        near: Option<&str>,
    ) -> Violation {
        let message = format!("unexpected property `{}`", clipped(key));
        let expected = one_of(names.map(|name| format!("`{name}`")));
        let mut row = self.row("schema/extra", "additionalProperties", &expected, &message);
        row.hint = Some(match near {
            Some(near) => format!("remove it, or rename it to `{near}`"),
            None => "remove it".to_owned(),
        });
        row
    }

    /// Returns the violation by an object that lacks the property `key`.
    pub(crate) fn missing(self, key: &str, expected: &str) -> Violation {
        let message = format!("missing required property `{key}`");
        let mut row = self.row("schema/required", "required", expected, &message);
        row.hint = Some(format!("add `{key}`: {expected}"));
        row
    }

    /// Returns the violation by a second member for one property.
    pub(crate) fn duplicate(self, message: &str) -> Violation {
        let mut row = self.row("schema/duplicate-key", "properties", "one value", message);
        row.hint = Some("keep only the intended value".to_owned());
        row
    }
}

/// A mismatch between an instance and a schema node.
pub(crate) struct Mismatch<'a, 'v> {
    pub(crate) raw: &'a RawSchema,
    pub(crate) instance: Instance<'v>,
    pub(crate) path: &'a str,
}

impl Mismatch<'_, '_> {
    pub(crate) fn location(&self) -> Location<'_, '_> {
        Location { pointer: &self.raw.pointer, instance: self.instance, path: self.path }
    }

    pub(crate) fn row(
        &self,
        code: &'static str,
        keyword: &str,
        expected: &str,
        message: &str,
    ) -> Violation {
        self.location().row(code, keyword, expected, message)
    }

    /// Returns the violation of a numeric bound.
    pub(crate) fn bound(&self, bound: &Bound) -> Violation {
        let expected = format!("{} {}", bound.phrases().0, bound.text);
        let message = format!("expected {expected}, found {}", quoted(self.instance));
        self.row("schema/range", bound.keyword, &expected, &message)
    }

    /// Returns the violation of `type`, `enum` or `const`.
    pub(crate) fn wrong_value(&self) -> Violation {
        let of_type = match self.instance.digits() {
            Some(digits) => {
                self.raw.types.number() || (self.raw.types.integer() && self.raw.is_integer(digits))
            }
            None => self.raw.types.kind(self.instance.kind()),
        };
        match &self.raw.values {
            Some(values) => {
                let keyword = if self.raw.is_const { "const" } else { "enum" };
                let expected = one_of(values.iter().map(ToString::to_string));
                let message = format!("{} is not one of the allowed values", quoted(self.instance));
                self.row("schema/enum", keyword, &expected, &message)
            }
            None if of_type => {
                self.row("schema/type", "type", "another value", "value does not fit the schema")
            }
            None => {
                let expected = self.raw.types.list();
                let message = if self.instance.digits().is_some() && self.raw.types.integer() {
                    format!("expected {expected}, found {}", quoted(self.instance))
                } else {
                    format!("expected {expected}, found {}", self.instance.kind().as_str())
                };
                self.row("schema/type", "type", &expected, &message)
            }
        }
    }

    /// Returns the violation that the validator reported for a local keyword.
    pub(crate) fn local(&self, kind: &ValidationErrorKind) -> Violation {
        let found = quoted(self.instance);
        let (code, expected, message) = of_validator(kind, &found);
        self.row(code, kind.keyword(), &expected, &message)
    }
}

/// Returns the violation `schema/unsure` for a coercion whose class is worse than `most`.
pub(crate) fn unsure(coercion: &Coercion, most: Class) -> Violation {
    let Coercion { kind, class, path, span, before, after, .. } = coercion;
    let (done, hint) = match (before.is_empty(), after.is_empty()) {
        (true, _) => (format!("would add {after}"), format!("write {after} if that is intended")),
        (_, true) => (format!("would remove {before}"), "remove it".to_owned()),
        _ => {
            let done = format!("would change {before} to {after}");
            (done, format!("write {after} if that is intended"))
        }
    };
    let (kind, class, most) = (kind.name(), class.as_str(), most.as_str());
    Violation {
        code: "schema/unsure",
        path: path.clone(),
        schema_path: String::new(),
        keyword: String::new(),
        message: format!("`{kind}` {done}, but its class {class} exceeds the limit {most}"),
        expected: if after.is_empty() { "nothing".to_owned() } else { after.clone() },
        found: before.clone(),
        hint: Some(hint),
        span: *span,
    }
}
