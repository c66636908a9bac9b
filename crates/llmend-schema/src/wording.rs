//! In which words is it said that a part does not fit?

use jsonschema::error::{TypeKind, ValidationErrorKind};
use llmend_json::{Class, Kind, Node};

use crate::clip::{clipped, quoted};
use crate::compile::{Bound, Raw, join};
use crate::instance::Part;
use crate::{Coercion, Violation};

/// Most values of an enumeration, and keys of an object, that a sentence names.
pub(crate) const MOST_NAMED: usize = 12;

/// `a, b or c`.
pub(crate) fn one_of(words: impl Iterator<Item = String>) -> String {
    let mut words: Vec<String> = words.take(MOST_NAMED + 1).collect();
    if words.len() > MOST_NAMED {
        words.truncate(MOST_NAMED);
        return format!("{} or another", words.join(", "));
    }
    match words.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

/// A part, and the node of the schema that it was held against.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a, 'v> {
    /// JSON Pointer of the node in the schema.
    pub(crate) pointer: &'a str,
    pub(crate) part: Part<'v>,
    /// JSON Pointer of the part in the value.
    pub(crate) path: &'a str,
}

impl Place<'_, '_> {
    /// A violation of a keyword of the node.
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

    /// A violation of the node itself, which is no object of keywords.
    pub(crate) fn of_node(self, code: &'static str, expected: &str, message: &str) -> Violation {
        Violation {
            code,
            path: self.path.to_owned(),
            schema_path: self.pointer.to_owned(),
            keyword: String::new(),
            message: message.to_owned(),
            expected: expected.to_owned(),
            found: quoted(self.part),
            hint: None,
            span: self.part.node().map(Node::span),
        }
    }

    /// The part is the value of a key that is not allowed beside `names`; `near` is one of them that
    /// was likely meant.
    pub(crate) fn extra<'n>(
        self,
        key: &str,
        names: impl Iterator<Item = &'n str>,
        near: Option<&str>,
    ) -> Violation {
        let message = format!("the property `{}` is not allowed", clipped(key));
        let expected = one_of(names.map(|name| format!("`{name}`")));
        let mut row = self.row("schema/extra", "additionalProperties", &expected, &message);
        row.hint = Some(match near {
            Some(near) => format!("leave it out, or write `{near}` if that was meant"),
            None => "leave it out".to_owned(),
        });
        row
    }

    /// The part is an object that lacks a property, which would be `expected`.
    pub(crate) fn missing(self, key: &str, expected: &str) -> Violation {
        let message = format!("the required property `{key}` is missing");
        let mut row = self.row("schema/required", "required", expected, &message);
        row.hint = Some(format!("add `{key}`: {expected}"));
        row
    }

    /// The part is the value of a key that means a property which stood there before.
    pub(crate) fn again(self, message: &str) -> Violation {
        let mut row = self.row("schema/duplicate-key", "properties", "one value", message);
        row.hint = Some("keep the one that is meant".to_owned());
        row
    }
}

/// A part that does not fit a node.
pub(crate) struct Told<'a, 'v> {
    pub(crate) raw: &'a Raw,
    pub(crate) part: Part<'v>,
    pub(crate) path: &'a str,
}

impl Told<'_, '_> {
    pub(crate) fn place(&self) -> Place<'_, '_> {
        Place { pointer: &self.raw.pointer, part: self.part, path: self.path }
    }

    pub(crate) fn row(
        &self,
        code: &'static str,
        keyword: &str,
        expected: &str,
        message: &str,
    ) -> Violation {
        self.place().row(code, keyword, expected, message)
    }

    /// Beyond a bound.
    pub(crate) fn bound(&self, bound: &Bound) -> Violation {
        let (asked, wrong) = bound.words();
        let expected = format!("{asked} {}", bound.text);
        let message = format!("{} is {wrong} {}", quoted(self.part), bound.text);
        self.row("schema/range", bound.keyword, &expected, &message)
    }

    /// Not of the types, or none of the values.
    pub(crate) fn wrong_value(&self) -> Violation {
        let of_type = match self.part.digits() {
            Some(digits) => {
                self.raw.types.number() || (self.raw.types.integer() && self.raw.is_integer(digits))
            }
            None => self.raw.types.kind(self.part.kind()),
        };
        match &self.raw.values {
            Some(values) => {
                let keyword = if self.raw.is_const { "const" } else { "enum" };
                let expected = one_of(values.iter().map(ToString::to_string));
                let message =
                    format!("{} is none of the values that are allowed", quoted(self.part));
                self.row("schema/enum", keyword, &expected, &message)
            }
            None if of_type => self.row("schema/type", "type", "another value", "it does not fit"),
            None => {
                let expected = self.raw.types.words();
                let message = if self.part.digits().is_some() && self.raw.types.integer() {
                    format!("{} is no integer", quoted(self.part))
                } else {
                    format!("it is {}, and {expected} is wanted", a_kind(self.part.kind()))
                };
                self.row("schema/type", "type", &expected, &message)
            }
        }
    }

    /// What is asked of the value alone.
    pub(crate) fn local(&self, kind: &ValidationErrorKind) -> Violation {
        let found = quoted(self.part);
        let (code, expected, message) = of_validator(kind, &found);
        self.row(code, kind.keyword(), &expected, &message)
    }
}

/// A coercion that is graver than it may be.
pub(crate) fn unsure(coercion: &Coercion, most: Class) -> Violation {
    let Coercion { kind, class, path, span, before, after, .. } = coercion;
    let (done, hint) = match (before.is_empty(), after.is_empty()) {
        (true, _) => (format!("{after} would be added"), format!("write {after} if it is meant")),
        (_, true) => (format!("{before} would be left out"), "leave it out".to_owned()),
        _ => (format!("{before} would become {after}"), format!("write {after} if it is meant")),
    };
    let (kind, class, most) = (kind.name(), class.as_str(), most.as_str());
    Violation {
        code: "schema/unsure",
        path: path.clone(),
        schema_path: String::new(),
        keyword: String::new(),
        message: format!("{done} by `{kind}`, a {class}, and {most} is the most that is allowed"),
        expected: if after.is_empty() { "nothing".to_owned() } else { after.clone() },
        found: before.clone(),
        hint: Some(hint),
        span: *span,
    }
}

/// What a part is, such as `an array`.
pub(crate) const fn a_kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

/// Code, what is expected, and what is wrong.
pub(crate) type Words = (&'static str, String, String);

/// What the validator found, where it alone judges.
pub(crate) fn of_validator(kind: &ValidationErrorKind, found: &str) -> Words {
    limit(kind, found).unwrap_or_else(|| form(kind, found))
}

/// A bound that is not kept.
fn limit(kind: &ValidationErrorKind, found: &str) -> Option<Words> {
    use ValidationErrorKind as K;
    let range =
        |asked: String, wrong: String| ("schema/range", asked, format!("{found} is {wrong}"));
    let length = |bound: &str, limit: u64, of: &str, wrong: &str| {
        let of = if limit == 1 { of.to_owned() } else { format!("{of}s") };
        let expected = format!("{bound} {limit} {of}");
        ("schema/length", expected, format!("it has {wrong} than {limit} {of}"))
    };
    Some(match kind {
        K::Minimum { limit } => range(format!("at least {limit}"), format!("less than {limit}")),
        K::Maximum { limit } => range(format!("at most {limit}"), format!("more than {limit}")),
        K::ExclusiveMinimum { limit } => {
            range(format!("more than {limit}"), format!("not more than {limit}"))
        }
        K::ExclusiveMaximum { limit } => {
            range(format!("less than {limit}"), format!("not less than {limit}"))
        }
        K::MultipleOf { multiple_of } => {
            range(format!("a multiple of {multiple_of}"), format!("no multiple of {multiple_of}"))
        }
        K::MinLength { limit } => length("at least", *limit, "character", "fewer"),
        K::MaxLength { limit } => length("at most", *limit, "character", "more"),
        K::MinItems { limit } => length("at least", *limit, "item", "fewer"),
        K::MaxItems { limit } => length("at most", *limit, "item", "more"),
        K::MinProperties { limit } => length("at least", *limit, "member", "fewer"),
        K::MaxProperties { limit } => length("at most", *limit, "member", "more"),
        _ => return None,
    })
}

/// The types that the validator asks for.
pub(crate) fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(only) => only.as_str().to_owned(),
        TypeKind::Multiple(several) => one_of(several.iter().map(|one| one.as_str().to_owned())),
    }
}

/// A form that is not kept.
fn form(kind: &ValidationErrorKind, found: &str) -> Words {
    use ValidationErrorKind as K;
    match kind {
        K::UniqueItems => {
            ("schema/unique", "items that differ".into(), "two of its items are equal".into())
        }
        K::Pattern { pattern } => (
            "schema/pattern",
            format!("text that matches `{pattern}`"),
            format!("{found} does not match `{pattern}`"),
        ),
        K::BacktrackLimitExceeded { .. } | K::RegexEngineFailure { .. } => (
            "limit/work",
            "a pattern that can be matched".into(),
            "to match the pattern takes too long".into(),
        ),
        K::Format { format } => (
            "schema/format",
            format!("text of the format `{format}`"),
            format!("{found} is not of the format `{format}`"),
        ),
        K::Required { property } => {
            let key = property.as_str().map_or_else(|| property.to_string(), str::to_owned);
            (
                "schema/required",
                format!("the property `{key}`"),
                format!("the property `{key}` is missing, which another one requires"),
            )
        }
        K::UnevaluatedProperties { unexpected } => {
            let names = one_of(unexpected.iter().map(|key| format!("`{}`", clipped(key))));
            let only = if unexpected.len() == 1 { "property" } else { "properties" };
            (
                "schema/extra",
                "only properties that the schema names".into(),
                format!("the {only} {names} may not stand here"),
            )
        }
        K::UnevaluatedItems { unexpected } => (
            "schema/extra",
            "only items that the schema describes".into(),
            format!("{} of its items may not stand here", unexpected.len()),
        ),
        K::Type { kind } => {
            ("schema/type", types(kind), format!("{found} is not of the type that is wanted"))
        }
        other => (
            "schema/other",
            format!("what `{}` asks for", other.keyword()),
            format!("it violates `{}`", other.keyword()),
        ),
    }
}
