//! Descriptions of the validator's errors.

use jsonschema::error::{TypeKind, ValidationErrorKind};

use crate::quote::{clipped, joined, one_of};

/// Code, expectation and message of a violation.
pub(crate) type Description = (&'static str, String, String);

/// Describes an error of the validator.
pub(crate) fn of_validator(kind: &ValidationErrorKind, found: &str) -> Description {
    limit(kind, found).unwrap_or_else(|| form(kind, found))
}

/// Describes a violated bound.
fn limit(kind: &ValidationErrorKind, found: &str) -> Option<Description> {
    use ValidationErrorKind as K;
    let range = |target: String| {
        let message = format!("expected {target}, found {found}");
        ("schema/range", target, message)
    };
    let length = |whole: &str, bound: &str, limit: u64, of: [&str; 2]| {
        let of = if limit == 1 { of[0] } else { of[1] };
        let wrong = if bound == "at least" { "fewer" } else { "more" };
        let expected = format!("{bound} {limit} {of}");
        ("schema/length", expected, format!("{whole} has {wrong} than {limit} {of}"))
    };
    let string = |bound, limit| length("string", bound, limit, ["character", "characters"]);
    let array = |bound, limit| length("array", bound, limit, ["item", "items"]);
    let object = |bound, limit| length("object", bound, limit, ["property", "properties"]);
    Some(match kind {
        K::Minimum { limit } => range(format!("at least {limit}")),
        K::Maximum { limit } => range(format!("at most {limit}")),
        K::ExclusiveMinimum { limit } => range(format!("more than {limit}")),
        K::ExclusiveMaximum { limit } => range(format!("less than {limit}")),
        K::MultipleOf { multiple_of } => range(format!("a multiple of {multiple_of}")),
        K::MinLength { limit } => string("at least", *limit),
        K::MaxLength { limit } => string("at most", *limit),
        K::MinItems { limit } => array("at least", *limit),
        K::MaxItems { limit } => array("at most", *limit),
        K::MinProperties { limit } => object("at least", *limit),
        K::MaxProperties { limit } => object("at most", *limit),
        _ => return None,
    })
}

/// Returns the expected types of an error.
pub(crate) fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(only) => only.as_str().to_owned(),
        TypeKind::Multiple(several) => one_of(several.iter().map(|one| one.as_str().to_owned())),
    }
}

/// Describes any other violated keyword.
fn form(kind: &ValidationErrorKind, found: &str) -> Description {
    use ValidationErrorKind as K;
    match kind {
        K::UniqueItems => {
            ("schema/unique", "unique items".into(), "array has duplicate items".into())
        }
        K::Pattern { pattern } => (
            "schema/pattern",
            format!("string that matches `{pattern}`"),
            format!("{found} does not match `{pattern}`"),
        ),
        K::BacktrackLimitExceeded { .. } | K::RegexEngineFailure { .. } => {
            ("limit/work", "a simpler pattern".into(), "pattern takes too long to match".into())
        }
        K::Format { format } => (
            "schema/format",
            format!("string in the format `{format}`"),
            format!("{found} is not in the format `{format}`"),
        ),
        K::Required { property } => {
            let key = property.as_str().map_or_else(|| property.to_string(), str::to_owned);
            (
                "schema/required",
                format!("property `{key}`"),
                format!("missing property `{key}`, which another property requires"),
            )
        }
        K::UnevaluatedProperties { unexpected } => {
            let names = joined(unexpected.iter().map(|key| format!("`{}`", clipped(key))), "and");
            let noun = if unexpected.len() == 1 { "property" } else { "properties" };
            (
                "schema/extra",
                "only properties that the schema describes".into(),
                format!("unexpected {noun} {names}"),
            )
        }
        K::UnevaluatedItems { unexpected } => (
            "schema/extra",
            "only items that the schema describes".into(),
            match unexpected.len() {
                1 => "1 unexpected item".into(),
                count => format!("{count} unexpected items"),
            },
        ),
        K::Type { kind } => {
            ("schema/type", types(kind), format!("expected {}, found {found}", types(kind)))
        }
        other => (
            "schema/other",
            format!("a value that satisfies `{}`", other.keyword()),
            format!("value violates `{}`", other.keyword()),
        ),
    }
}
