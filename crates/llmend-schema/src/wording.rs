//! In which words is it said that a part does not fit?

use jsonschema::error::ValidationErrorKind;
use llmend_json::Node;

use crate::Violation;
use crate::clip::quoted;
use crate::compile::{Bound, Raw, join};
use crate::instance::Part;

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

/// A part that does not fit a node.
pub(crate) struct Told<'a, 'v> {
    pub(crate) raw: &'a Raw,
    pub(crate) part: Part<'v>,
    pub(crate) path: &'a str,
}

impl Told<'_, '_> {
    pub(crate) fn row(
        &self,
        code: &'static str,
        keyword: &str,
        expected: &str,
        message: &str,
    ) -> Violation {
        Violation {
            code,
            path: self.path.to_owned(),
            schema_path: if keyword.is_empty() {
                self.raw.pointer.clone()
            } else {
                join(&self.raw.pointer, keyword)
            },
            keyword: keyword.to_owned(),
            message: message.to_owned(),
            expected: expected.to_owned(),
            found: quoted(self.part),
            hint: None,
            span: self.part.node().map(Node::span),
        }
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
        let found = self.part.kind().as_str();
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
                let article = if found.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
                let found =
                    if found == "null" { "null".to_owned() } else { format!("{article} {found}") };
                let message = if self.part.digits().is_some() && self.raw.types.integer() {
                    format!("{} is no integer", quoted(self.part))
                } else {
                    format!("it is {found}, and {expected} is wanted")
                };
                self.row("schema/type", "type", &expected, &message)
            }
        }
    }

    /// What is asked of the value alone.
    pub(crate) fn local(&self, kind: &ValidationErrorKind) -> Violation {
        let found = quoted(self.part);
        let (code, expected, message) = limit(kind, &found).unwrap_or_else(|| form(kind, &found));
        self.row(code, kind.keyword(), &expected, &message)
    }
}

/// Code, what is expected, and what is wrong.
type Words = (&'static str, String, String);

/// A bound that is not kept.
fn limit(kind: &ValidationErrorKind, found: &str) -> Option<Words> {
    use ValidationErrorKind as K;
    let range =
        |asked: String, wrong: String| ("schema/range", asked, format!("{found} is {wrong}"));
    let length = |bound: &str, limit: u64, of: &str, wrong: &str| {
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
        K::MinLength { limit } => length("at least", *limit, "characters", "fewer"),
        K::MaxLength { limit } => length("at most", *limit, "characters", "more"),
        K::MinItems { limit } => length("at least", *limit, "items", "fewer"),
        K::MaxItems { limit } => length("at most", *limit, "items", "more"),
        K::MinProperties { limit } => length("at least", *limit, "members", "fewer"),
        K::MaxProperties { limit } => length("at most", *limit, "members", "more"),
        _ => return None,
    })
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
        K::Required { property } => (
            "schema/required",
            format!("the property {property}"),
            format!("the property {property} is missing, which another one requires"),
        ),
        other => (
            "schema/other",
            format!("what `{}` asks for", other.keyword()),
            format!("it violates `{}`", other.keyword()),
        ),
    }
}
