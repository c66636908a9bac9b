//! Arithmetic in place of values.

use serde_json::Value;

use crate::{
    check::{
        CodeRow, Finding,
        subject::{Subject, token},
    },
    code::Elsewhere,
    graph::names::shown,
    reference,
};

pub(super) const CODES: [CodeRow; 1] =
    [CodeRow::error("plan/expression", "arithmetic where a value is expected")
        .elsewhere(Elsewhere::Unreported)
        .local()
        .standalone()];

/// Keys under which models write a computation.
const KEYS: [&str; 5] = ["expression", "expr", "$expr", "formula", "calculation"];

const HELP: &str = "Give the value itself, or compute it in a step of its own.";

pub(super) fn check(subject: &Subject<'_>, found: &mut Vec<Finding>) {
    for (at, item) in subject.items.iter().enumerate() {
        let Some((field, arguments)) = item.arguments else { continue };
        let schema = item.tool.and_then(|tool| subject.catalog()?.arguments(tool, item.capability));
        let properties = schema.and_then(|schema| schema.get("properties"));
        for (name, value) in arguments {
            let wanted = properties.and_then(|all| all.get(name));
            let path = subject.path(at, &format!("/{field}/{}", token(name)));
            let help = Some(HELP.to_owned());
            let name = shown(name);
            match wanted {
                Some(wanted) if hides_one(value, wanted) => {
                    let message = format!("`{name}`: expected number, found arithmetic");
                    found.push(CODES[0].at(path, message).help(help));
                }
                // Without a schema, a string may be meant literally, unless it computes with the
                // results of other steps.
                None if is_computation(value) || computes_with_steps(value) => {
                    let message = format!("`{name}` is arithmetic, which is never evaluated");
                    found.push(CODES[0].at(path, message).help(help).only_warning());
                }
                _ => {}
            }
        }
    }
}

/// Returns whether `value` is arithmetic where the JSON Schema `wanted` expects a number.
pub(super) fn hides_one(value: &Value, wanted: &Value) -> bool {
    let is_number = |name: &Value| matches!(name.as_str(), Some("number" | "integer"));
    let numeric = match wanted.get("type") {
        Some(Value::Array(names)) => names.iter().any(is_number),
        Some(name) => is_number(name),
        None => false,
    };
    numeric && (value.as_str().is_some_and(is_arithmetic) || is_computation(value))
}

/// Returns whether `value` is an object with an expression as its only member.
fn is_computation(value: &Value) -> bool {
    let Some((name, inner)) =
        value.as_object().filter(|map| map.len() == 1).and_then(|map| map.iter().next())
    else {
        return false;
    };
    KEYS.contains(&name.to_lowercase().as_str()) && inner.as_str().is_some_and(is_arithmetic)
}

/// Returns whether `value` computes with the results of other steps.
fn computes_with_steps(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| is_arithmetic(text) && !reference::references(text).is_empty())
}

/// Returns whether `text` consists of operands (numbers, names and references) and the operators
/// `+ - * / % ^` and brackets between them. A minus or slash alone may be part of a date, a range or a
/// path, unless it has a space after it or a reference beside it.
fn is_arithmetic(text: &str) -> bool {
    let (mut operands, mut certain, mut wants_operand) = (0_usize, false, true);
    let mut rest = text.trim();
    let mut depth = 0_i32;
    while let Some(sign) = rest.chars().next() {
        if sign == ' ' {
            rest = rest.trim_start();
        } else if wants_operand {
            if let Some(inner) = rest.strip_prefix(['(', '-', '+']) {
                depth += i32::from(sign == '(');
                rest = inner;
                continue;
            }
            let Some(length) = operand(rest) else { return false };
            certain |= rest.starts_with("{{");
            rest = rest.get(length..).unwrap_or_default();
            (operands, wants_operand) = (operands + 1, false);
        } else if sign == ')' {
            depth -= 1;
            if depth < 0 {
                return false;
            }
            rest = rest.get(1..).unwrap_or_default();
        } else if let Some(after) = rest.strip_prefix(['*', '/', '+', '-', '%', '^', '×', '÷']) {
            certain |= !matches!(sign, '-' | '/') || after.starts_with(' ');
            (rest, wants_operand) = (after, true);
        } else {
            return false;
        }
    }
    operands > 1 && !wants_operand && certain && depth == 0
}

/// Returns the length of the operand at the start of `rest`.
fn operand(rest: &str) -> Option<usize> {
    if let Some(inner) = rest.strip_prefix("{{") {
        return inner.find("}}").map(|end| end + 4);
    }
    let length = rest
        .find(|one: char| !(one.is_alphanumeric() || matches!(one, '_' | '.' | '$')))
        .unwrap_or(rest.len());
    (length > 0).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::is_arithmetic;

    #[test]
    fn rows() {
        // S1-10
        crate::check::tests::of_plans(
            &super::CODES,
            &[
                (
                    r#"[{"id": "a", "tool": "search", "inputs": {"query": "2 * 3", "most": "2 * 3"}}]"#,
                    "plan/expression@/steps/0/inputs/most",
                ),
                (
                    r#"[{"id": "a", "tool": "search", "inputs": {"query": "x", "most": {"expression": "100 * price"}}}]"#,
                    "plan/expression@/steps/0/inputs/most",
                ),
                (
                    r#"[{"id": "a", "inputs": {"x": {"expression": "100 * price"}}}]"#,
                    "plan/expression@/steps/0/inputs/x",
                ),
                (
                    r#"[{"id": "a"}, {"id": "b", "depends_on": ["a"], "inputs": {"x": "{{a.price}} * 2"}}]"#,
                    "plan/expression@/steps/1/inputs/x",
                ),
                (r#"[{"id": "a", "tool": "calculator", "inputs": {"expression": "100 * 3"}}]"#, ""),
            ],
        );
    }

    #[test]
    fn arithmetic_differs_from_text() {
        // S1-10, S1-11
        let rows = [
            ("100 * price", true),
            ("2+2", true),
            ("(a + b) * 3", true),
            ("{{s1.response.price}} * 2", true),
            ("{{s1.response.price}}-1", true),
            ("10 / 4", true),
            ("-5", false),
            ("5 * 3 apples", false),
            ("2024-01-02", false),
            ("a/b", false),
            ("src/*/a", false),
            ("**bold**", false),
            ("C++", false),
            ("well-known", false),
            ("{{s1.response}}", false),
            ("a * (b", false),
            ("", false),
        ];
        for (text, expected) in rows {
            assert_eq!(is_arithmetic(text), expected, "{text}");
        }
    }
}
