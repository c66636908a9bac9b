//! Reading conditions.

use llmend_json::Kind;

use crate::{
    Condition, Literal, Operator, ValueRef, code,
    findings::{Findings, shown},
    object::{Names, Object, Part, Presence},
    reference,
};

const LEFT: Names = &["left", "lhs"];
const OPERATOR: Names = &["operator", "op", "comparison"];
const RIGHT: Names = &["right", "rhs", "value"];

/// Operator signs, which models write instead of names.
const SIGNS: [(&str, Operator); 8] = [
    ("=", Operator::Equals),
    ("==", Operator::Equals),
    ("!=", Operator::NotEquals),
    ("<>", Operator::NotEquals),
    (">", Operator::GreaterThan),
    ("<", Operator::LessThan),
    (">=", Operator::GreaterThanOrEqual),
    ("<=", Operator::LessThanOrEqual),
];

/// The side of an operand. A bare string is a variable on the left and a literal on the right.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// Folds case and removes separators, so that `AiStep`, `ai_step` and `AI step` are equal.
pub(crate) fn folded(name: &str) -> String {
    name.chars().filter(|one| one.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Reads the condition in the field `names`.
pub(crate) fn read(
    object: &Object<'_>,
    names: Names,
    findings: &mut Findings,
) -> Option<Condition> {
    let it = object.field(names, Presence::Required, findings)?;
    of(it, object, findings)
}

/// Reads the condition at `it`.
pub(crate) fn of(it: Part<'_>, around: &Object<'_>, findings: &mut Findings) -> Option<Condition> {
    let object = Object::new(it, around.strictness, findings)?;
    let left = object.field(LEFT, Presence::Required, findings);
    let left = left.and_then(|it| value(&it, Side::Left, &object, findings));
    let operator = operator(&object, findings);
    let unary = operator.is_some_and(Operator::is_unary);
    let presence = if unary { Presence::Nullable } else { Presence::Required };
    let right = object.field(RIGHT, presence, findings);
    let given = right.is_some();
    let right = right.and_then(|it| value(&it, Side::Right, &object, findings));
    object.forbid_unknown(&[LEFT, OPERATOR, RIGHT], findings);
    let empty = ValueRef::Literal { value: Literal::Text(String::new()) };
    let right = right.filter(|right| !unary || *right != empty);
    (unary || right.is_some() || !given).then_some(())?;
    Some(Condition { left: left?, operator: operator?, right })
}

fn operator(object: &Object<'_>, findings: &mut Findings) -> Option<Operator> {
    let it = object.field(OPERATOR, Presence::Required, findings)?;
    let name = it.text(findings)?;
    let sign = SIGNS.iter().find(|(sign, _)| *sign == name.trim()).map(|(_, operator)| *operator);
    let found = sign.or_else(|| {
        Operator::ALL.into_iter().find(|operator| folded(operator.as_str()) == folded(&name))
    });
    if found.is_none() {
        let message = format!("unknown operator `{}`", shown(&name));
        let allowed = Operator::ALL.iter().map(|known| known.as_str());
        findings.unknown_word(code::UNKNOWN_OPERATOR, (&it.path, it.span()), message, allowed);
    }
    found
}

fn value(
    it: &Part<'_>,
    side: Side,
    around: &Object<'_>,
    findings: &mut Findings,
) -> Option<ValueRef> {
    match it.node.kind() {
        Kind::Object => tagged(it, around, findings),
        Kind::String => Some(bare(it.node.str().unwrap_or_default(), side)),
        _ => Some(ValueRef::Literal { value: literal(it, findings)? }),
    }
}

/// Reads an untagged string: a variable on the left or if it is a reference, otherwise a literal.
fn bare(text: &str, side: Side) -> ValueRef {
    match reference::only(text) {
        Some(found) => {
            let dot = if found.field.is_empty() { "" } else { "." };
            ValueRef::Variable { name: format!("{}{dot}{}", found.step, found.field) }
        }
        None if side == Side::Left => ValueRef::Variable { name: text.to_owned() },
        None => ValueRef::Literal { value: Literal::Text(text.to_owned()) },
    }
}

const TYPE: Names = &["type"];
const NAME: Names = &["name", "variable"];
const VALUE: Names = &["value"];
const NODE: Names = &["node", "node_id"];
const FIELD: Names = &["field", "path"];

/// Reads `{"type": "variable", "name": …}`, `{"type": "literal", "value": …}` or the output of a node,
/// `{"node": …, "field": …}`.
fn tagged(it: &Part<'_>, around: &Object<'_>, findings: &mut Findings) -> Option<ValueRef> {
    let object = Object::new(it.clone(), around.strictness, findings)?;
    if object.find(TYPE).is_none() && object.find(NODE).is_some() {
        let node = object.name(NODE, Presence::Required, findings)?;
        let field = object.text(FIELD, Presence::Nullable, findings);
        object.forbid_unknown(&[NODE, FIELD], findings);
        let name = field.map_or_else(|| node.clone(), |field| format!("{node}.{field}"));
        return Some(ValueRef::Variable { name });
    }
    let tag = object.field(TYPE, Presence::Required, findings)?;
    let name = tag.text(findings)?;
    match folded(&name).as_str() {
        "variable" => {
            object.forbid_unknown(&[TYPE, NAME], findings);
            let name = object.text(NAME, Presence::Required, findings)?;
            Some(ValueRef::Variable { name })
        }
        "literal" => {
            object.forbid_unknown(&[TYPE, VALUE], findings);
            let it = object.field(VALUE, Presence::Required, findings)?;
            Some(ValueRef::Literal { value: literal(&it, findings)? })
        }
        _ => {
            let message = format!("expected `variable` or `literal`, found `{}`", shown(&name));
            findings.error(code::UNKNOWN_TYPE, &tag.path, tag.span(), message);
            None
        }
    }
}

/// Reads a literal, which may be tagged with its type: `{"type": "Bool", "value": true}`.
fn literal(it: &Part<'_>, findings: &mut Findings) -> Option<Literal> {
    let inner = it.node.get("value").filter(|_| {
        let tag = it.node.get("type").and_then(llmend_json::Node::str).map(folded);
        matches!(tag.as_deref(), Some("string" | "number" | "bool" | "boolean"))
    });
    let node = inner.unwrap_or(it.node);
    let found = match node.kind() {
        Kind::Bool => node.bool().map(Literal::Bool),
        Kind::String => node.str().map(|text| Literal::Text(text.to_owned())),
        Kind::Number => match crate::object::carried(node, &it.path, findings) {
            serde_json::Value::Number(number) => Some(Literal::Number(number)),
            _ => None,
        },
        _ => None,
    };
    if found.is_none() {
        findings.wrong_type(&it.path, node, "string, number or boolean");
    }
    found
}
