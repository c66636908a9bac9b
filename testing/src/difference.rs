//! Kinds of difference between the value on which two engines agree and the answer of a third.

use std::collections::BTreeSet;

use crate::case::Answer;
use crate::data::Data;

/// Names how `ours` differs from `theirs`: by the refusal, or by the parts that differ.
#[must_use]
pub fn kind(theirs: &Data, ours: &Answer) -> String {
    match ours {
        Answer::Refused(code) => format!("refused {code}"),
        Answer::NotJson(_) => "no JSON".to_owned(),
        Answer::Value(ours) => {
            let mut found = BTreeSet::new();
            parts(theirs, ours, &mut found);
            let names: Vec<&str> = found.into_iter().collect();
            if names.len() > 2 { "several".to_owned() } else { names.join(" and ") }
        }
    }
}

/// Adds the kind of each part that differs.
fn parts(theirs: &Data, ours: &Data, found: &mut BTreeSet<&'static str>) {
    match (theirs, ours) {
        _ if theirs.same(ours) => {}
        (Data::Map(a), Data::Map(b)) => {
            for (key, _) in a {
                match (theirs.get(key), ours.get(key)) {
                    (Some(one), Some(other)) => parts(one, other, found),
                    (one, _) => drop(found.insert(missing(one))),
                }
            }
            let more = b.iter().filter(|(key, _)| theirs.get(key).is_none());
            found.extend(more.map(|(_, value)| added(value)));
        }
        (Data::List(a), Data::List(b)) if a.len() == b.len() => {
            a.iter().zip(b).for_each(|(one, other)| parts(one, other, found));
        }
        _ => drop(found.insert(part(theirs, ours))),
    }
}

fn missing(value: Option<&Data>) -> &'static str {
    match value {
        Some(Data::Null) => "no member for null",
        Some(Data::Text(text)) if text.is_empty() => "no member for an empty string",
        _ => "fewer members",
    }
}

fn added(value: &Data) -> &'static str {
    if *value == Data::Null { "null member" } else { "more members" }
}

fn part(theirs: &Data, ours: &Data) -> &'static str {
    match (theirs, ours) {
        (Data::Text(one), Data::Text(other)) => strings(one, other),
        (Data::Text(text), Data::Null) if text.is_empty() => "null for an empty string",
        (Data::Text(_), Data::Null | Data::Bool(_) | Data::Number(_)) => "scalar for a string",
        (Data::Null | Data::Bool(_) | Data::Number(_), Data::Text(_)) => "string for a scalar",
        (Data::List(items), _) if items.iter().any(|item| item.same(ours)) => "item of the list",
        (_, Data::List(items)) if items.iter().any(|item| item.same(theirs)) => "in a list",
        (Data::List(one), Data::List(other)) if other.len() > one.len() => "longer list",
        (Data::List(_), Data::List(_)) => "shorter list",
        (Data::List(_) | Data::Map(_), Data::List(_) | Data::Map(_)) => "other container",
        (Data::List(_) | Data::Map(_), _) => "scalar for a container",
        (_, Data::List(_) | Data::Map(_)) => "container for a scalar",
        _ => "other scalar",
    }
}

fn strings(theirs: &str, ours: &str) -> &'static str {
    let without = |text: &str, gone: fn(char) -> bool| text.replace(gone, "");
    let equal = |gone: fn(char) -> bool| without(theirs, gone) == without(ours, gone);
    if equal(char::is_whitespace) {
        "white space"
    } else if equal(|c| c == '\\') {
        "backslash"
    } else if equal(|c| "\"'“”‘’".contains(c)) {
        "quote"
    } else if ours.contains(theirs) {
        "longer string"
    } else if theirs.contains(ours) {
        "shorter string"
    } else {
        "other string"
    }
}

#[cfg(test)]
mod tests {
    use super::kind;
    use crate::case::Answer;
    use crate::data::Data;

    #[test]
    fn differences_are_named_by_their_parts() {
        for (theirs, ours, name) in [
            (r#"{"a":""}"#, r#"{"a":null}"#, "null for an empty string"),
            (r#"{"a":""}"#, "{}", "no member for an empty string"),
            (r#"{"a":1}"#, "{}", "fewer members"),
            ("{}", r#"{"a":null}"#, "null member"),
            (r#"["1"]"#, "[1]", "scalar for a string"),
            ("[1]", r#"["1"]"#, "string for a scalar"),
            (r#"["a b"]"#, r#"["ab"]"#, "white space"),
            (r#"["a"]"#, r#"["a\""]"#, "quote"),
            (r#"["a"]"#, r#"["a, b"]"#, "longer string"),
            ("[1,2]", "[1]", "shorter list"),
            ("[1,2]", "1", "item of the list"),
            ("[1,2]", r#"{"a":1}"#, "other container"),
            (r#"{"a":1,"b":"x"}"#, r#"{"b":"x,"}"#, "fewer members and longer string"),
            (r#"{"a":1,"b":"x","c":1}"#, r#"{"b":"x,","c":"1"}"#, "several"),
        ] {
            let [theirs, ours] = [theirs, ours].map(|text| Data::read(text).unwrap());
            assert_eq!(kind(&theirs, &Answer::Value(ours)), name);
        }
        let refused = Answer::Refused("syntax/ambiguous".to_owned());
        assert_eq!(kind(&Data::Null, &refused), "refused syntax/ambiguous");
    }
}
