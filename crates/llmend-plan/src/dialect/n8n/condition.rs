//! Conditions of n8n.

use llmend_json::{Kind, Node};

use crate::{
    Condition, Literal, Operator, ValueRef, code,
    findings::{Findings, shown},
    object::Part,
    read::written_condition,
};

/// Names of operations, in all versions of the nodes.
const OPERATIONS: [(&str, Operator); 22] = [
    ("equals", Operator::Equals),
    ("equal", Operator::Equals),
    ("notEquals", Operator::NotEquals),
    ("notEqual", Operator::NotEquals),
    ("gt", Operator::GreaterThan),
    ("larger", Operator::GreaterThan),
    ("after", Operator::GreaterThan),
    ("lt", Operator::LessThan),
    ("smaller", Operator::LessThan),
    ("before", Operator::LessThan),
    ("gte", Operator::GreaterThanOrEqual),
    ("largerEqual", Operator::GreaterThanOrEqual),
    ("afterOrEquals", Operator::GreaterThanOrEqual),
    ("lte", Operator::LessThanOrEqual),
    ("smallerEqual", Operator::LessThanOrEqual),
    ("beforeOrEquals", Operator::LessThanOrEqual),
    ("contains", Operator::Contains),
    ("notContains", Operator::NotContains),
    ("empty", Operator::IsEmpty),
    ("isEmpty", Operator::IsEmpty),
    ("notEmpty", Operator::IsNotEmpty),
    ("isNotEmpty", Operator::IsNotEmpty),
];

/// Reads the conditions in the parameters of an If.
pub(super) fn of(
    parameters: &Part<'_>,
    before: Option<&str>,
    findings: &mut Findings,
) -> Condition {
    let conditions = parameters.node.get("conditions");
    read(parameters, conditions, before, findings)
}

/// Reads the condition of a rule of a Switch. The first version has the left operand beside the rules.
pub(super) fn of_rule(
    rule: &Part<'_>,
    left: Option<Node<'_>>,
    before: Option<&str>,
    findings: &mut Findings,
) -> Condition {
    if let Some(left) = left.filter(|_| rule.node.get("conditions").is_none()) {
        let operation = rule.node.get("operation").and_then(Node::str).unwrap_or("equal");
        let found = comparison(left, operation, rule.node.get("value2"), before);
        return found.unwrap_or_else(|| as_text(rule, rule.node, findings));
    }
    read(rule, rule.node.get("conditions"), before, findings)
}

fn read(
    it: &Part<'_>,
    conditions: Option<Node<'_>>,
    before: Option<&str>,
    findings: &mut Findings,
) -> Condition {
    let Some(conditions) = conditions else { return as_text(it, it.node, findings) };
    // `{"conditions": [{"leftValue", "operator", "rightValue"}], "combinator"}`, or, in the first
    // version, `{"number": [{"value1", "operation", "value2"}]}`.
    let only = match conditions.get("conditions") {
        Some(list) => single(list.items()),
        None => single(conditions.members().flat_map(|(_, list)| list.items())),
    };
    let found = only.and_then(|only| {
        let operator = only.get("operator");
        let operation = operator.and_then(|it| it.str().or_else(|| it.get("operation")?.str()));
        if let Some(left) = only.get("leftValue") {
            unary(left, operation?, before)
                .or_else(|| comparison(left, operation?, only.get("rightValue"), before))
        } else {
            let operation = only.get("operation").and_then(Node::str).unwrap_or("equal");
            comparison(only.get("value1")?, operation, only.get("value2"), before)
        }
    });
    found.unwrap_or_else(|| as_text(it, conditions, findings))
}

fn single<'v>(mut nodes: impl Iterator<Item = Node<'v>>) -> Option<Node<'v>> {
    nodes.next().filter(|_| nodes.next().is_none())
}

/// Reads `true` and `false` of booleans, which have no right operand.
fn unary(left: Node<'_>, operation: &str, before: Option<&str>) -> Option<Condition> {
    let value = match operation {
        "true" => true,
        "false" => false,
        _ => return None,
    };
    let left = operand(left, before)?;
    let right = Some(ValueRef::Literal { value: Literal::Bool(value) });
    Some(Condition { left, operator: Operator::Equals, right })
}

fn comparison(
    left: Node<'_>,
    operation: &str,
    right: Option<Node<'_>>,
    before: Option<&str>,
) -> Option<Condition> {
    let operator = OPERATIONS.iter().find(|(name, _)| *name == operation)?.1;
    let left = operand(left, before)?;
    let right = match (operator.is_unary(), right) {
        (true, _) => None,
        // A value that is left out is an empty string.
        (false, None) => Some(ValueRef::Literal { value: Literal::Text(String::new()) }),
        (false, Some(right)) => Some(operand(right, before)?),
    };
    Some(Condition { left, operator, right })
}

/// Keeps the conditions as text, and reports that.
fn as_text(it: &Part<'_>, conditions: Node<'_>, findings: &mut Findings) -> Condition {
    let text = conditions.to_serde().value.to_string();
    let message = format!("condition `{}` is kept as text", shown(&text));
    findings.warn(code::TEXT_CONDITION, &it.path, it.span(), message);
    written_condition::answered(&text, Literal::Bool(true))
}

/// Reads an operand: a literal, or an expression `={{ $json.total }}` that is a path.
fn operand(node: Node<'_>, before: Option<&str>) -> Option<ValueRef> {
    let value = match node.kind() {
        Kind::Bool => Literal::Bool(node.bool()?),
        Kind::Number => match node.to_serde().value {
            serde_json::Value::Number(number) => Literal::Number(number),
            _ => return None,
        },
        Kind::String => {
            let text = node.str()?;
            let Some(inner) = text.trim().strip_prefix('=') else {
                return Some(ValueRef::Literal { value: Literal::Text(text.to_owned()) });
            };
            let inner = inner.trim().strip_prefix("{{")?.strip_suffix("}}")?.trim();
            return Some(ValueRef::Variable { name: variable(inner, before)? });
        }
        _ => return None,
    };
    Some(ValueRef::Literal { value })
}

/// Returns the variable of an expression: `node.field` where the node can be told.
fn variable(expression: &str, before: Option<&str>) -> Option<String> {
    let is_path =
        |path: &str| path.chars().all(|one| one.is_alphanumeric() || "_.-$[]\"'".contains(one));
    if let Some(rest) = expression.strip_prefix("$json") {
        let path = rest.strip_prefix('.').or_else(|| quoted_index(rest))?;
        let before = before.unwrap_or("$json");
        return is_path(path).then(|| format!("{before}.{path}"));
    }
    for (open, close) in [("$node[\"", "\"]"), ("$('", "')"), ("$(\"", "\")")] {
        let Some((name, rest)) = expression.strip_prefix(open).and_then(|it| it.split_once(close))
        else {
            continue;
        };
        let starts = [".json.", ".item.json.", ".first().json.", ".last().json."];
        let path = starts.iter().find_map(|start| rest.strip_prefix(start))?;
        return is_path(path).then(|| format!("{name}.{path}"));
    }
    let plain = expression.chars().all(|one| one.is_alphanumeric() || "_.-$".contains(one));
    (plain && expression.starts_with('$')).then(|| expression.to_owned())
}

/// Returns the name in `["name"]`.
fn quoted_index(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    let quoted =
        ['"', '\''].into_iter().find_map(|quote| inner.strip_prefix(quote)?.strip_suffix(quote));
    quoted.filter(|name| !name.contains(['"', '\'']))
}

#[cfg(test)]
mod tests {
    use super::variable;

    #[test]
    fn expressions_become_variables() {
        let rows = [
            ("$json.total", Some("HTTP Request.total")),
            ("$json[\"total\"]", Some("HTTP Request.total")),
            ("$json.body.items[0].id", Some("HTTP Request.body.items[0].id")),
            ("$node[\"Set\"].json.x", Some("Set.x")),
            ("$('Edit Fields').item.json.a.b", Some("Edit Fields.a.b")),
            ("$('Edit Fields').first().json.a", Some("Edit Fields.a")),
            ("$now.hour", Some("$now.hour")),
            ("$json.total + 1", None),
            ("$json.a.includes('x')", None),
            ("Math.random()", None),
        ];
        for (expression, expected) in rows {
            let found = variable(expression, Some("HTTP Request"));
            assert_eq!(found.as_deref(), expected, "{expression}");
        }
    }
}
