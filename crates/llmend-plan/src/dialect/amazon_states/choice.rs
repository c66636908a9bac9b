//! `Choice` states.

use std::collections::HashSet;

use llmend_json::{Kind, Node};

use crate::{
    Case, Condition, Literal, Map, NodeKind, Operator, Output, ValueRef, code,
    findings::{Findings, shown},
    object::{
        Object, Part,
        Presence::{Nullable, Required},
    },
    read::{
        assembly::{Successor, place},
        written_condition,
    },
};

use super::{CHOICES, DEFAULT, NEXT};

/// Reads a `Choice`: an If if it has one rule, else a Switch whose cases go by the next states.
pub(super) fn read(
    object: &Object<'_>,
    extra: &mut Map,
    arrows: &mut Vec<Successor>,
    findings: &mut Findings,
) -> Option<NodeKind> {
    let list = object.list(CHOICES, Required, "array of rules", findings)?;
    let rules: Vec<Part<'_>> = list.items().collect();
    let (mut cases, mut names, mut whole) = (Vec::new(), HashSet::new(), true);
    for it in &rules {
        let rule = Object::new(it.clone(), object.strictness, findings)?;
        let next = rule.field(NEXT, Required, findings)?;
        let to = next.text(findings)?;
        let (condition, is_exact) = condition(it);
        if !is_exact {
            let message =
                format!("condition `{}` is kept as text", shown(&condition.left.to_string()));
            findings.warn(code::TEXT_CONDITION, &it.path, it.span(), message);
        }
        // What else a rule says is kept with the rules.
        whole &= is_exact && rule.node().len() <= 3;
        let mut name = to.clone();
        while !names.insert(name.clone()) {
            name = format!("{to} {}", names.len() + 1);
        }
        cases.push(Case { name: name.clone(), condition });
        let output = match rules.len() {
            1 => Output::IfTrue,
            _ => Output::SwitchCase { name },
        };
        arrows.push(Successor { to, output: Some(output), place: place(&next) });
    }
    if !whole {
        extra.insert("Choices".to_owned(), list.carried(findings));
    }
    if let Some(it) = object.field(DEFAULT, Nullable, findings) {
        let to = it.text(findings)?;
        let output = if rules.len() == 1 { Output::IfFalse } else { Output::SwitchDefault };
        arrows.push(Successor { to, output: Some(output), place: place(&it) });
    }
    Some(match <[Case; 1]>::try_from(cases) {
        Ok([case]) => NodeKind::If { condition: case.condition },
        Err(cases) => NodeKind::Switch { cases },
    })
}

/// Returns the condition of a rule, and whether it says all that the rule says.
fn condition(rule: &Part<'_>) -> (Condition, bool) {
    let node = rule.node;
    if let Some(text) = node.get("Condition").and_then(Node::str) {
        let inner = text.trim().strip_prefix("{%").and_then(|text| text.strip_suffix("%}"));
        let inner = inner.unwrap_or(text).trim();
        if let Some(found) = written_condition::parse(inner) {
            return (found, true);
        }
        return (written_condition::answered(inner, Literal::Bool(true)), false);
    }
    let negated = node.get("Not").filter(|_| node.len() <= 3);
    let found = match negated {
        Some(inner) => comparison(inner, 2).and_then(inverted),
        None => comparison(node, 4),
    };
    if let Some(found) = found {
        return (found, true);
    }
    let mut text = node.to_serde().value;
    if let Some(map) = text.as_object_mut() {
        map.retain(|name, _| !matches!(name.as_str(), "Next" | "Comment" | "Assign" | "Output"));
    }
    (written_condition::answered(&text.to_string(), Literal::Bool(true)), false)
}

/// Reads `{"Variable": "$.x", "NumericGreaterThan": 5}`.
fn comparison(node: Node<'_>, most: usize) -> Option<Condition> {
    let variable = |name: &str| ValueRef::Variable { name: name.to_owned() };
    let left = node.get("Variable").and_then(Node::str).filter(|_| node.len() <= most)?;
    let (operator, is_path, value) = node
        .members()
        .find_map(|(key, value)| operator(key.str()?).map(|(found, path)| (found, path, value)))?;
    let right = match value.kind() {
        Kind::String if is_path => variable(value.str()?),
        Kind::String => literal(Literal::Text(value.str()?.to_owned())),
        Kind::Bool => literal(Literal::Bool(value.bool()?)),
        Kind::Number => match value.to_serde().value {
            serde_json::Value::Number(number) => literal(Literal::Number(number)),
            _ => return None,
        },
        _ => return None,
    };
    Some(Condition { left: variable(left), operator, right: Some(right) })
}

fn literal(value: Literal) -> ValueRef {
    ValueRef::Literal { value }
}

/// Returns the operator of a comparison such as `NumericLessThanEqualsPath`, and whether it compares
/// with a path.
fn operator(name: &str) -> Option<(Operator, bool)> {
    let kinds = ["String", "Numeric", "Boolean", "Timestamp"];
    let rest = kinds.iter().find_map(|kind| name.strip_prefix(kind))?;
    let (rest, is_path) = match rest.strip_suffix("Path") {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    let operator = match rest {
        "Equals" => Operator::Equals,
        "LessThan" => Operator::LessThan,
        "GreaterThan" => Operator::GreaterThan,
        "LessThanEquals" => Operator::LessThanOrEqual,
        "GreaterThanEquals" => Operator::GreaterThanOrEqual,
        _ => return None,
    };
    Some((operator, is_path))
}

/// Returns the condition that holds where `condition` does not. Only equality is sure to hold for
/// values of every type.
fn inverted(condition: Condition) -> Option<Condition> {
    let operator = match condition.operator {
        Operator::Equals => Operator::NotEquals,
        _ => return None,
    };
    Some(Condition { operator, ..condition })
}
