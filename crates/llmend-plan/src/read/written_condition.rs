//! Conditions that are written as text: `n1.count >= 3`, or a question.

use crate::{Condition, Literal, Operator, ValueRef};

/// Operators in words and signs; of two that begin alike, the longer comes first.
const OPERATORS: [(&str, Operator); 18] = [
    (" does not contain ", Operator::NotContains),
    (" is not empty", Operator::IsNotEmpty),
    (" is empty", Operator::IsEmpty),
    (" contains ", Operator::Contains),
    ("!==", Operator::NotEquals),
    ("===", Operator::Equals),
    ("!=", Operator::NotEquals),
    ("<>", Operator::NotEquals),
    ("==", Operator::Equals),
    (">=", Operator::GreaterThanOrEqual),
    ("<=", Operator::LessThanOrEqual),
    ("≥", Operator::GreaterThanOrEqual),
    ("≤", Operator::LessThanOrEqual),
    ("≠", Operator::NotEquals),
    (">", Operator::GreaterThan),
    ("<", Operator::LessThan),
    ("=", Operator::Equals),
    (" equals ", Operator::Equals),
];

/// Returns the condition that `text` states, if it compares a variable with a value.
pub(crate) fn parse(text: &str) -> Option<Condition> {
    let text = text.trim().trim_end_matches('?').trim_end();
    let (left, operator, right) = split(text)?;
    let left = variable(left)?;
    let right = match (operator.is_unary(), right) {
        (true, "") => None,
        (false, right) => Some(operand(right)?),
        (true, _) => return None,
    };
    Some(Condition { left, operator, right })
}

/// Returns the condition that the question `text` has this answer.
pub(crate) fn answered(text: &str, answer: Literal) -> Condition {
    Condition {
        left: ValueRef::Literal { value: Literal::Text(text.to_owned()) },
        operator: Operator::Equals,
        right: Some(ValueRef::Literal { value: answer }),
    }
}

/// Splits `text` at its only operator.
fn split(text: &str) -> Option<(&str, Operator, &str)> {
    let (mut quote, mut found, mut at) = (None, None, 0);
    while let Some(one) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..)?;
        match quote {
            Some(open) if one == open => quote = None,
            Some(_) => {}
            None if matches!(one, '"' | '\'') => quote = Some(one),
            None if ["&&", "||", " and ", " or "].iter().any(|word| rest.starts_with(word)) => {
                return None;
            }
            None => {
                if let Some((sign, operator)) =
                    OPERATORS.iter().find(|(sign, _)| rest.starts_with(sign))
                {
                    if found.replace((at, at + sign.len(), *operator)).is_some() {
                        return None;
                    }
                    at += sign.len();
                    continue;
                }
            }
        }
        at += one.len_utf8();
    }
    let (start, end, operator) = found?;
    Some((text.get(..start)?.trim(), operator, text.get(end..)?.trim()))
}

/// Returns the variable of this name, which is a path without spaces.
fn variable(text: &str) -> Option<ValueRef> {
    let braced = text.strip_prefix("{{").and_then(|inner| inner.strip_suffix("}}"));
    let name = braced.unwrap_or(text).trim();
    let is_part = |one: char| one.is_alphanumeric() || "_-.$[]#/@".contains(one);
    let starts = name.starts_with(|one: char| one.is_alphabetic() || one == '_' || one == '$');
    (starts && name.chars().all(is_part)).then(|| ValueRef::Variable { name: name.to_owned() })
}

/// Returns the right operand: a literal, or a variable with a sign.
fn operand(text: &str) -> Option<ValueRef> {
    let quoted = ['"', '\''].into_iter().find_map(|quote| {
        let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.contains(quote)).then_some(inner)
    });
    if let Some(inner) = quoted {
        return Some(text_literal(inner));
    }
    if text.starts_with('$') || text.starts_with("{{") {
        return variable(text);
    }
    Some(match serde_json::from_str(text) {
        Ok(serde_json::Value::Number(number)) => {
            ValueRef::Literal { value: Literal::Number(number) }
        }
        Ok(serde_json::Value::Bool(value)) => ValueRef::Literal { value: Literal::Bool(value) },
        _ if text.is_empty() || text.contains(['"', '\'', '(', ')', '{', '}', '…']) => {
            return None;
        }
        _ => text_literal(text),
    })
}

fn text_literal(text: &str) -> ValueRef {
    ValueRef::Literal { value: Literal::Text(text.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_are_read() {
        let rows = [
            ("n1.count ≥ 3", Some("n1.count ≥ 3")),
            ("count>5?", Some("count > 5")),
            ("$statusCode == 200", Some("$statusCode = 200")),
            ("$steps.a.outputs.n != \"x y\"", Some("$steps.a.outputs.n ≠ \"x y\"")),
            ("{{ a.b }} === true", Some("a.b = true")),
            ("a.b is empty", Some("a.b is empty")),
            ("a.b does not contain \"a > b\"", Some("a.b does not contain \"a > b\"")),
            ("status = done", Some("status = \"done\"")),
            ("$.a <= $.b", Some("$.a ≤ $.b")),
            ("open_next.subject contains \"inv…", None),
            ("Is the count > 5?", None),
            ("a > 1 && b < 2", None),
            ("1 < x < 3", None),
            ("a >", None),
            ("> 5", None),
            ("Is it valid?", None),
            ("f(x) > 5", None),
            ("", None),
        ];
        for (text, expected) in rows {
            let found = parse(text).map(|condition| condition.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
