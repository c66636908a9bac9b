//! Which numbers of a schema are kept exactly?

use std::cmp::Ordering;

use llmend_json::{Kind, Node, Options, RuleSet, Search, Value};
use serde_json::{Map, Value as Json};

use crate::compile::join;
use crate::decimal::Decimal;

/// Characters of a number that a 64-bit float tells from every other one as short.
const SURE: usize = 15;

/// The first number of a schema's text that would not be kept as it is written, and where it
/// stands: a bound or a value that is another one than the author's decides wrongly, in silence.
pub(crate) fn rounded(text: &str) -> Option<(String, String)> {
    let options = Options { rules: RuleSet::NONE, search: Search::Off, ..Options::default() };
    let parsed = llmend_json::parse_with(text, &options).ok()?;
    let mut open = vec![(parsed.value.root(), String::new())];
    while let Some((node, pointer)) = open.pop() {
        match node.kind() {
            Kind::Number if is_rounded(node) => {
                return Some((node.number().unwrap_or_default().to_owned(), pointer));
            }
            Kind::Array => {
                let items = node.items().enumerate();
                open.extend(items.map(|(at, item)| (item, join(&pointer, &at.to_string()))));
            }
            Kind::Object => {
                let named =
                    node.members().map(|(key, value)| (key.str().unwrap_or_default(), value));
                // What is only shown to readers decides nothing.
                let asks = named.filter(|(key, _)| !matches!(*key, "examples" | "example"));
                open.extend(asks.map(|(key, value)| (value, join(&pointer, key))));
            }
            _ => {}
        }
    }
    None
}

fn is_rounded(node: Node<'_>) -> bool {
    let Some(digits) = node.number().filter(|digits| is_long(digits)) else { return false };
    let kept = digits.parse::<serde_json::Number>().ok().map(|number| number.to_string());
    kept.and_then(|kept| Decimal::read(&kept)) != Decimal::read(digits)
}

/// Whether a number has so many digits that comparing it as a float may be wrong.
pub(crate) fn is_long(digits: &str) -> bool {
    digits.len() > SURE
}

/// Whether a value has such a number.
pub(crate) fn has_long(value: &Value<'_>) -> bool {
    let parts = (0..value.parts()).filter_map(|at| value.node(at));
    parts.filter_map(Node::number).any(is_long)
}

/// A bound of a number.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) keyword: &'static str,
    limit: Decimal,
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
}

impl Bound {
    /// The bounds that a part of a schema has.
    pub(crate) fn all(map: &Map<String, Json>) -> Vec<Self> {
        // In draft 4 a word beside the bound says whether it is excluded.
        let excluded = |key: &str| map.get(key).and_then(Json::as_bool) == Some(true);
        let lower = if excluded("exclusiveMinimum") { Side::Above } else { Side::AtLeast };
        let upper = if excluded("exclusiveMaximum") { Side::Below } else { Side::AtMost };
        [
            ("minimum", lower),
            ("maximum", upper),
            ("exclusiveMinimum", Side::Above),
            ("exclusiveMaximum", Side::Below),
        ]
        .into_iter()
        .filter_map(|(keyword, side)| {
            let Json::Number(number) = map.get(keyword)? else { return None };
            let text = number.to_string();
            Some(Self { keyword, limit: Decimal::read(&text)?, text, side })
        })
        .collect()
    }

    /// Whether a number keeps it. One that is short was compared already, and rightly.
    pub(crate) fn allows(&self, digits: &str) -> bool {
        if !is_long(digits) {
            return true;
        }
        let Some(number) = Decimal::read(digits) else { return true };
        let order = number.cmp(&self.limit);
        match self.side {
            Side::AtLeast => order != Ordering::Less,
            Side::AtMost => order != Ordering::Greater,
            Side::Above => order == Ordering::Greater,
            Side::Below => order == Ordering::Less,
        }
    }

    /// What it asks for, and what is wrong with a number that does not keep it.
    pub(crate) const fn words(&self) -> (&'static str, &'static str) {
        match self.side {
            Side::AtLeast => ("at least", "less than"),
            Side::AtMost => ("at most", "more than"),
            Side::Above => ("more than", "not more than"),
            Side::Below => ("less than", "not less than"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::rounded;

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
            (r#"{"const":100000000000000000000000}"#, None),
            (r#"{"const":1.50000000000000000000}"#, None),
            (r#"{"const":"123456789012345678901234567890"}"#, None),
            (r#"{"examples":[123456789012345678901234567890]}"#, None),
        ] {
            let found = rounded(text).map(|(_, pointer)| pointer);
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
