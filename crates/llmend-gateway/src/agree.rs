//! Comparison of JSON texts by their values.

use llmend::json::{Decimal, Kind, Node};

use crate::splice::exact;

/// Whether two texts have the same value, apart from white space, the order of members and the
/// notation of numbers. Texts nested deeper than `depth` have to be identical.
pub(crate) fn agree(one: &str, other: &str, depth: usize) -> bool {
    let same = |one, other| {
        let (Ok(one), Ok(other)) = (exact(one, depth), exact(other, depth)) else { return false };
        is_same(one.root(), other.root())
    };
    one.trim() == other.trim() || same(one, other)
}

fn is_same(one: Node<'_>, other: Node<'_>) -> bool {
    let mut left = vec![(one, other)];
    while let Some((one, other)) = left.pop() {
        if one.kind() != other.kind() || one.len() != other.len() {
            return false;
        }
        match one.kind() {
            Kind::Array => left.extend(one.items().zip(other.items())),
            Kind::Object => {
                let both = members(one).into_iter().zip(members(other));
                for ((key, value), (other_key, other_value)) in both {
                    if key != other_key {
                        return false;
                    }
                    left.push((value, other_value));
                }
            }
            Kind::Number if !is_same_number(one.number(), other.number()) => return false,
            _ if one.str() != other.str() || one.bool() != other.bool() => return false,
            _ => {}
        }
    }
    true
}

/// Returns the members sorted by key. Members of one key keep their order, since readers differ in
/// which they take.
fn members(object: Node<'_>) -> Vec<(&str, Node<'_>)> {
    let members = object.members();
    let mut members: Vec<_> =
        members.map(|(key, value)| (key.str().unwrap_or_default(), value)).collect();
    members.sort_by_key(|(key, _)| *key);
    members
}

/// Compares numbers by their exact value. Zero keeps its sign, and numbers that [`Decimal`] cannot represent
/// exactly are equal only if they are written alike.
fn is_same_number(one: Option<&str>, other: Option<&str>) -> bool {
    let (Some(one), Some(other)) = (one, other) else { return one == other };
    let exact = |text: &str| Decimal::parse(text).filter(Decimal::is_exact);
    let is_equal = || exact(one).is_some_and(|number| Some(number) == exact(other));
    one == other || (one.starts_with('-') == other.starts_with('-') && is_equal())
}

#[cfg(test)]
mod tests {
    use super::agree;

    #[test]
    fn texts_agree_by_their_content() {
        let rows = [
            ("", " \n", true),
            ("words", " words", true),
            ("words", "other", false),
            (r#"{"a":1,"b":[true,null]}"#, r#"{ "b": [true, null], "a": 1 }"#, true),
            (r#"{"a":[1,2]}"#, r#"{"a":[2,1]}"#, false),
            (r#"{"a":1}"#, r#"{"a":1,"b":null}"#, false),
            (r#"{"a":"\u0041"}"#, r#"{"a":"A"}"#, true),
            (r#"{"a":"1"}"#, r#"{"a":1}"#, false),
            (r#"{"a":true}"#, r#"{"a":false}"#, false),
            // To the last digit, whatever a machine makes of them.
            ("12345678901234567890123", "12345678901234567890124", false),
            ("12345678901234567890123", "12345678901234567890123.0", true),
            ("0.1", "0.10000000000000000001", false),
            ("1.50", "15e-1", true),
            ("100", "1E+2", true),
            ("-0", "0", false),
            ("0.0", "0e7", true),
            ("-1", "1", false),
            ("1e99999999999999999999", "1e99999999999999999998", false),
            // Of two members of one name, readers take different ones.
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#, false),
            (r#"{"a":1,"a":2}"#, r#"{"a":2,"a":1}"#, false),
            (r#"{"b":0,"a":1,"a":2}"#, r#"{"a":1,"a":2,"b":0}"#, true),
            // Too deep to be read.
            ("[[[[1]]]]", "[[[[ 1]]]]", false),
            ("{'a': 1}", "{'a':1}", false),
        ];
        for (one, other, expected) in rows {
            assert_eq!(agree(one, other, 3), expected, "{one} {other}");
            assert_eq!(agree(other, one, 3), expected, "{other} {one}");
        }
    }
}
