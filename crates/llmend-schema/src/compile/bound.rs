//! Exact numeric bounds.
//!
//! The validator compares numbers as floats, which round `0.99999999999999999999` to 1. The
//! keywords that bound numbers are therefore implemented here, also for the validator.

use std::cmp::Ordering;

use jsonschema::{Keyword, ValidationError};
use llmend_json::{Decimal, Kind, Node};
use serde_json::{Map, Value as Json};

use crate::Error;
use crate::instance::{Instance, Tape};
use crate::pointer::join;

/// Number of characters up to which 64-bit floats distinguish all numbers.
const SURE: usize = 15;

/// Smallest float that represents several integers.
const COARSE: f64 = 9_007_199_254_740_992.0;

/// Role of a part of a schema.
#[derive(Clone, Copy)]
enum Role {
    /// A schema, or an array of schemas.
    Schema,
    /// An object of schemas with arbitrary names.
    Named,
    /// A value that instances are compared with.
    Compared,
}

impl Role {
    /// Returns the role of the member `key`; `None` for annotations.
    fn of(self, key: &str) -> Option<Self> {
        match (self, key) {
            (Self::Compared, _) => Some(Self::Compared),
            (Self::Named, _) => Some(Self::Schema),
            (Self::Schema, "examples" | "example") => None,
            (Self::Schema, "const" | "enum") => Some(Self::Compared),
            (
                Self::Schema,
                "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions",
            ) => Some(Self::Named),
            (Self::Schema, _) => Some(Self::Schema),
        }
    }
}

/// Checks that all numbers of a schema, or of a value that contains schemas, can be represented
/// exactly. A rounded bound or enum value would silently differ from the one that was written.
///
/// # Errors
///
/// Returns `schema/unusable` with the path of the first number in `node` that would be rounded.
/// Numbers in `examples` and `example` are not checked.
pub fn check_numbers(node: Node<'_>) -> Result<(), Error> {
    let mut open = vec![(node, String::new(), Role::Schema)];
    while let Some((node, path, role)) = open.pop() {
        match node.kind() {
            Kind::Number if is_rounded(node, role) => {
                let number = node.number().unwrap_or_default();
                return Err(Error::Schema {
                    message: format!("number {number} cannot be represented exactly"),
                    path,
                });
            }
            Kind::Array => {
                let items = node.items().enumerate();
                open.extend(items.map(|(at, item)| (item, join(&path, &at.to_string()), role)));
            }
            Kind::Object => open.extend(node.members().filter_map(|(key, value)| {
                let key = key.str().unwrap_or_default();
                Some((value, join(&path, key), role.of(key)?))
            })),
            _ => {}
        }
    }
    Ok(())
}

fn is_rounded(node: Node<'_>, role: Role) -> bool {
    let digits = node.number().unwrap_or_default();
    let kept = digits.parse::<serde_json::Number>().ok();
    // Bounds are compared by their digits, values as 64-bit numbers.
    let is_coarse = kept.as_ref().is_some_and(|kept| {
        kept.is_f64() && kept.as_f64().is_some_and(|kept| kept.abs() >= COARSE)
    });
    if is_coarse && matches!(role, Role::Compared) {
        return true;
    }
    let kept = kept.map(|number| number.to_string());
    digits.len() > SURE && kept.and_then(|kept| Decimal::parse(&kept)) != Decimal::parse(digits)
}

/// Keywords that bound numbers.
pub(crate) const KEYWORDS: [&str; 5] =
    ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/// A numeric bound.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub(crate) keyword: &'static str,
    limit: Decimal,
    /// The limit as a float, if floats compare as exactly.
    quick: Option<f64>,
    /// The limit as written.
    pub(crate) text: String,
    side: Side,
}

/// Direction of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    AtLeast,
    AtMost,
    Above,
    Below,
    MultipleOf,
}

impl Bound {
    /// Returns the bounds of a subschema.
    pub(crate) fn all(map: &Map<String, Json>) -> Vec<Self> {
        KEYWORDS.iter().filter_map(|keyword| Self::of(keyword, map)).collect()
    }

    /// Returns the bound that `keyword` defines in a subschema.
    pub(crate) fn of(keyword: &'static str, map: &Map<String, Json>) -> Option<Self> {
        // In draft 4, a boolean beside the bound makes it exclusive.
        let excluded = |key: &str| map.get(key).and_then(Json::as_bool) == Some(true);
        let side = match keyword {
            "minimum" if excluded("exclusiveMinimum") => Side::Above,
            "maximum" if excluded("exclusiveMaximum") => Side::Below,
            "minimum" => Side::AtLeast,
            "maximum" => Side::AtMost,
            "exclusiveMinimum" => Side::Above,
            "exclusiveMaximum" => Side::Below,
            _ => Side::MultipleOf,
        };
        let Json::Number(number) = map.get(keyword)? else { return None };
        let text = number.to_string();
        Some(Self { keyword, limit: Decimal::parse(&text)?, quick: quick(&text), text, side })
    }

    /// Returns whether a number is within the bound.
    pub(crate) fn allows(&self, digits: &str) -> bool {
        let order = match (quick(digits), self.quick) {
            (Some(number), Some(limit)) if self.side != Side::MultipleOf => {
                number.partial_cmp(&limit).unwrap_or(Ordering::Equal)
            }
            _ => {
                let Some(number) = Decimal::parse(digits) else { return true };
                if self.side == Side::MultipleOf {
                    return number.is_multiple_of(&self.limit);
                }
                number.cmp(&self.limit)
            }
        };
        match self.side {
            Side::AtLeast => order != Ordering::Less,
            Side::AtMost => order != Ordering::Greater,
            Side::Above => order == Ordering::Greater,
            Side::Below => order == Ordering::Less,
            Side::MultipleOf => true,
        }
    }

    /// Returns the phrases for the expectation and for its violation.
    pub(crate) const fn phrases(&self) -> (&'static str, &'static str) {
        match self.side {
            Side::AtLeast => ("at least", "less than"),
            Side::AtMost => ("at most", "more than"),
            Side::Above => ("more than", "not more than"),
            Side::Below => ("less than", "not less than"),
            Side::MultipleOf => ("a multiple of", "not a multiple of"),
        }
    }
}

/// Returns a number as a float, if such floats compare as the numbers do.
fn quick(digits: &str) -> Option<f64> {
    let sure = digits.len() <= SURE && !digits.contains(['e', 'E']);
    sure.then(|| digits.parse().ok()).flatten()
}

/// Implementation of a bound for the validator. Instances other than numbers are valid.
pub(crate) struct Exact(pub(crate) Option<Bound>);

impl<'i> Keyword<'i, Tape> for Exact {
    fn validate(&self, instance: Instance<'i>) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            return Ok(());
        }
        // The message is unused: violations are described by `Bound`.
        Err(ValidationError::custom("out of bounds"))
    }

    fn is_valid(&self, instance: Instance<'i>) -> bool {
        let (Some(bound), Some(digits)) = (&self.0, instance.digits()) else { return true };
        bound.allows(digits)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Bound, check_numbers};
    use crate::Error;

    #[test]
    fn numbers_that_would_be_rounded_are_found() {
        for (text, expected) in [
            (r#"{"const":123456789012345678901234567890}"#, Some("/const")),
            (r#"{"minimum":0.09999999999999999999999}"#, Some("/minimum")),
            (r#"{"a":[{"b/c":3.14159265358979323846}]}"#, Some("/a/0/b~1c")),
            (r#"{"maximum":18446744073709551615}"#, None),
            (r#"{"minimum":-9223372036854775808}"#, None),
            (r#"{"maximum":0.1,"multipleOf":0.01}"#, None),
            (r#"{"maximum":1e20}"#, None),
            (r#"{"maximum":1.7976931348623157e308}"#, None),
            (r#"{"const":100000000000000000000000}"#, Some("/const")),
            (r#"{"enum":[1,{"a":-1e30}]}"#, Some("/enum/1/a")),
            (r#"{"const":{"example":1e30}}"#, Some("/const/example")),
            (r#"{"properties":{"const":{"maximum":1e30}}}"#, None),
            (r#"{"properties":{"example":{"const":1e30}}}"#, Some("/properties/example/const")),
            (r#"{"enum":[1e15,9223372036854775807]}"#, None),
            (r#"{"minimum":1000000000000000000000000000000}"#, None),
            (r#"{"const":1.50000000000000000000}"#, None),
            (r#"{"const":"123456789012345678901234567890"}"#, None),
            (r#"{"examples":[123456789012345678901234567890]}"#, None),
        ] {
            let parsed = llmend_json::parse(text).expect("JSON");
            let found = match check_numbers(parsed.value.root()) {
                Err(Error::Schema { path, .. }) => Some(path),
                _ => None,
            };
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn bounds_are_kept_to_the_last_digit() {
        for (schema, kept, broken) in [
            (json!({"minimum": 0.1}), &["0.1", "1"][..], &["0.0999999999999999999", "-1"][..]),
            (json!({"exclusiveMaximum": 1}), &["0.99999999999999999999"], &["1", "1.0", "10e-1"]),
            (json!({"exclusiveMinimum": 0}), &["1e-400"], &["0", "-0.0", "0e9"]),
            (json!({"maximum": u64::MAX}), &["18446744073709551615"], &["18446744073709551616"]),
            (json!({"multipleOf": 0.01}), &["19.99", "4.35", "0", "1e3"], &["4.355", "1e-3"]),
            (json!({"multipleOf": 0.1}), &["0.3", "1.1", "-7"], &["0.30000000000000000001"]),
            (json!({"multipleOf": 3}), &["300000000000000000000", "-9"], &["1e400"]),
            (json!({"multipleOf": 7}), &["7e300", "49.0"], &["1e300", "300000000000000000002"]),
            (json!({"multipleOf": 2.5}), &["10", "1e2", "7.5"], &["2", "0.25"]),
        ] {
            let [bound] = Bound::all(schema.as_object().expect("object")).try_into().expect("one");
            for (numbers, expected) in [(kept, true), (broken, false)] {
                for number in numbers {
                    assert_eq!(Bound::allows(&bound, number), expected, "{number} under {schema}");
                }
            }
        }
    }
}
