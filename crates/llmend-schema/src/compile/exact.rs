//! How are the numbers of a schema kept, and compared, to their last digit?
//!
//! The validator compares numbers as floats, and `0.99999999999999999999` is one to a float. So the
//! keywords that bound a number are ours, in the validator too.

use std::cmp::Ordering;

use jsonschema::{Keyword, ValidationError};
use llmend_json::{Decimal, Kind, Node};
use serde_json::{Map, Value as Json};

use crate::Error;
use crate::compile::join;
use crate::instance::{Part, Tape};

/// Characters of a number that a 64-bit float tells from every other one as short.
const SURE: usize = 15;

/// From here on a 64-bit float stands for several whole numbers.
const COARSE: f64 = 9_007_199_254_740_992.0;

/// What a part of a schema is.
#[derive(Clone, Copy)]
enum Role {
    /// A schema, or a list of schemas.
    Schema,
    /// Schemas by names that are the author's.
    Named,
    /// A value that another one is compared with.
    Compared,
}

impl Role {
    /// The role of the member `key`, unless it only is shown to readers.
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

/// Refuses a schema, or a value that holds schemas, of which a number would not be kept as it is
/// written, or would be taken for others: a bound or a value that is another one than the author's
/// decides wrongly, in silence.
///
/// # Errors
///
/// `schema/unusable`, with the place of the first such number in `node`. Those below `examples` and
/// `example` are only shown to readers, and decide nothing.
pub fn check_numbers(node: Node<'_>) -> Result<(), Error> {
    let mut open = vec![(node, String::new(), Role::Schema)];
    while let Some((node, path, role)) = open.pop() {
        match node.kind() {
            Kind::Number if is_rounded(node, role) => {
                let number = node.number().unwrap_or_default();
                return Err(Error::Schema {
                    message: format!("the number {number} would be rounded"),
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
    // Bounds are compared by their digits, values as 64 bits hold them.
    let is_coarse = kept.as_ref().is_some_and(|kept| {
        kept.is_f64() && kept.as_f64().is_some_and(|kept| kept.abs() >= COARSE)
    });
    if is_coarse && matches!(role, Role::Compared) {
        return true;
    }
    let kept = kept.map(|number| number.to_string());
    digits.len() > SURE && kept.and_then(|kept| Decimal::parse(&kept)) != Decimal::parse(digits)
}

/// The keywords that bound a number.
pub(crate) const KEYWORDS: [&str; 5] =
    ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/// A bound of a number.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub(crate) keyword: &'static str,
    limit: Decimal,
    /// The limit, where a float holds it as surely.
    quick: Option<f64>,
    /// What it is written as.
    pub(crate) text: String,
    side: Side,
}

/// What a bound asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    AtLeast,
    AtMost,
    Above,
    Below,
    MultipleOf,
}

impl Bound {
    /// The bounds that a part of a schema has.
    pub(crate) fn all(map: &Map<String, Json>) -> Vec<Self> {
        KEYWORDS.iter().filter_map(|keyword| Self::of(keyword, map)).collect()
    }

    /// The bound that `keyword` is in a part of a schema.
    pub(crate) fn of(keyword: &'static str, map: &Map<String, Json>) -> Option<Self> {
        // In draft 4 a word beside the bound says whether it is excluded.
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

    /// Whether a number keeps it.
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

    /// What it asks for, and what is wrong with a number that does not keep it.
    pub(crate) const fn words(&self) -> (&'static str, &'static str) {
        match self.side {
            Side::AtLeast => ("at least", "less than"),
            Side::AtMost => ("at most", "more than"),
            Side::Above => ("more than", "not more than"),
            Side::Below => ("less than", "not less than"),
            Side::MultipleOf => ("a multiple of", "no multiple of"),
        }
    }
}

/// A number as a float, where that compares with others of this kind as its digits do.
fn quick(digits: &str) -> Option<f64> {
    let sure = digits.len() <= SURE && !digits.contains(['e', 'E']);
    sure.then(|| digits.parse().ok()).flatten()
}

/// A keyword that asks nothing of what is no number, and of draft 4 where it is a word beside one.
pub(crate) struct Exact(pub(crate) Option<Bound>);

impl<'i> Keyword<'i, Tape> for Exact {
    fn validate(&self, part: Part<'i>) -> Result<(), ValidationError<'i>> {
        if self.is_valid(part) {
            return Ok(());
        }
        // Nobody reads it: what is said of a bound, `Bound` knows.
        Err(ValidationError::custom("out of bounds"))
    }

    fn is_valid(&self, part: Part<'i>) -> bool {
        let (Some(bound), Some(digits)) = (&self.0, part.digits()) else { return true };
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
