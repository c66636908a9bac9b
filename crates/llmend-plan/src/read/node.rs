//! Reading nodes.

use llmend_json::Kind;

use crate::{
    Case, Map, Node, NodeKind, NodeType, Position, code,
    findings::{Findings, shown},
    object::{
        Names, Object, Part,
        Presence::{Nullable, Required},
    },
    read::{
        condition::{self, folded},
        context::Context,
        json_text,
    },
};

pub(crate) const ID: Names = &["id", "node_id", "nodeId"];
pub(crate) const TYPE: Names = &["type", "step_type", "node_type", "stepType", "nodeType"];
pub(crate) const NAME: Names = &["name", "title", "label"];
pub(crate) const DESCRIPTION: Names = &["description"];
pub(crate) const ENABLED: Names = &["enabled"];
pub(crate) const TIMEOUT: Names = &["timeout_ms"];
pub(crate) const RETRIES: Names = &["retries"];
pub(crate) const OUTCOME: Names = &["expected_outcome", "expected_output"];
pub(crate) const POSITION: Names = &["position"];
/// Fields that every node may have.
const COMMON: [Names; 9] =
    [ID, TYPE, NAME, DESCRIPTION, ENABLED, TIMEOUT, RETRIES, OUTCOME, POSITION];

pub(crate) const TOOL: Names = &["tool", "tool_name", "toolName", "function"];
pub(crate) const ARGUMENTS: Names = &["arguments", "args", "inputs", "parameters", "params"];
pub(crate) const PROMPT: Names = &["prompt"];
pub(crate) const ALLOWED: Names = &["allowed_tools"];
pub(crate) const MAX_CALLS: Names = &["max_tool_calls"];
const KIND: Names = &["kind"];
pub(crate) const INPUT: Names = &["input_ref"];
pub(crate) const SCHEMA: Names = &["output_schema"];
pub(crate) const CONDITION: Names = &["condition"];
pub(crate) const CASES: Names = &["cases"];
const EXIT: Names = &["exit_condition", "condition"];
pub(crate) const MOST: Names = &["max_iterations"];
pub(crate) const LOOP: Names = &["loop_id"];

/// Whether an `EndLoop` must name its loop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoopId {
    /// It must.
    Required,
    /// It may be left to the inference.
    Inferred,
}

/// Reads a node; a missing id is empty. Returns `None` if its kind cannot be read.
pub(crate) fn read(
    it: &Part<'_>,
    loop_id: LoopId,
    context: &Context<'_>,
    findings: &mut Findings,
) -> Option<Node> {
    let object = Object::new(it.clone(), context.strictness, findings)?;
    let (kind, fields) = kind(&object, loop_id, findings)?;
    let mut node = Node {
        id: object.name(ID, Nullable, findings).unwrap_or_default(),
        name: object.text(NAME, Nullable, findings),
        description: object.text(DESCRIPTION, Nullable, findings),
        kind,
        enabled: object.bool(ENABLED, findings).unwrap_or(true),
        timeout_ms: object.count(TIMEOUT, findings),
        retries: object.count(RETRIES, findings).unwrap_or_default(),
        expected_outcome: object.text(OUTCOME, Nullable, findings),
        position: position(&object, findings),
        metadata: object.metadata(&[&COMMON, fields].concat(), findings),
    };
    let Node { kind, metadata, .. } = &mut node;
    admit(kind, metadata, &object, context, findings);
    Some(node)
}

/// Checks the type and the tool of a node.
fn admit(
    kind: &mut NodeKind,
    metadata: &Map,
    object: &Object<'_>,
    context: &Context<'_>,
    findings: &mut Findings,
) {
    let whole = Part::item(object.node(), object.path().to_owned());
    let tag = object.find(TYPE).unwrap_or_else(|| whole.clone());
    context.admit_type(kind.node_type(), &tag, findings);
    let NodeKind::Tool { tool, arguments } = kind else { return };
    let named = object.find(TOOL).unwrap_or(whole);
    let part = object.find(ARGUMENTS).map(|it| it.canonical).unwrap_or_default();
    context.admit_tool(tool, &named.path, named.span(), findings);
    context.fit(tool, metadata, arguments, &part, findings);
}

/// Reads the type of a node, or derives it from the fields of the node.
pub(crate) fn node_type(object: &Object<'_>, findings: &mut Findings) -> Option<NodeType> {
    let Some(tag) = object.find(TYPE) else {
        if object.find(TOOL).is_some() {
            return Some(NodeType::Tool);
        }
        if object.find(PROMPT).is_some() {
            return Some(NodeType::AiStep);
        }
        let _ = object.field(TYPE, Required, findings);
        return None;
    };
    let name = tag.clone().noted(findings).text(findings)?;
    type_of(&name, &tag, findings)
}

/// Returns the type of this name, at `tag`, or reports an unknown one.
pub(crate) fn type_of(name: &str, tag: &Part<'_>, findings: &mut Findings) -> Option<NodeType> {
    let wanted = folded(name);
    let found = NodeType::ALL.into_iter().find(|known| folded(known.as_str()) == wanted);
    let found = found.or_else(|| (wanted == "mcptoolcall").then_some(NodeType::Tool));
    if found.is_none() {
        let message = format!("unknown step type `{}`", shown(name));
        let allowed = NodeType::ALL.iter().map(|known| known.as_str());
        findings.unknown_word(code::UNKNOWN_TYPE, (&tag.path, tag.span()), message, allowed);
    }
    found
}

/// Reads the kind of a node, and returns it with its fields.
fn kind(
    object: &Object<'_>,
    loop_id: LoopId,
    findings: &mut Findings,
) -> Option<(NodeKind, &'static [Names])> {
    Some(match node_type(object, findings)? {
        NodeType::Tool => {
            let tool = object.text(TOOL, Required, findings)?;
            let arguments = json_text::map(object, ARGUMENTS, findings);
            (NodeKind::Tool { tool, arguments }, &[TOOL, ARGUMENTS])
        }
        NodeType::AiStep => {
            let prompt = object.text(PROMPT, Required, findings)?;
            let allowed = object.find(ALLOWED).filter(|it| !it.node.is_null());
            let allowed_tools = allowed.map(|_| object.texts(ALLOWED, Nullable, findings));
            let max_tool_calls = object.count(MAX_CALLS, findings);
            (
                NodeKind::AiStep { prompt, allowed_tools, max_tool_calls },
                &[PROMPT, ALLOWED, MAX_CALLS],
            )
        }
        NodeType::AiTransform => {
            let kind = object.text(KIND, Required, findings);
            let input_ref = object.text(INPUT, Required, findings);
            let schema = object.field(SCHEMA, Nullable, findings);
            let output_schema = schema.map(|it| it.carried(findings));
            let kind = NodeKind::AiTransform { kind: kind?, input_ref: input_ref?, output_schema };
            (kind, &[KIND, INPUT, SCHEMA])
        }
        NodeType::If => (
            NodeKind::If { condition: condition::read(object, CONDITION, findings)? },
            &[CONDITION],
        ),
        NodeType::Switch => (NodeKind::Switch { cases: cases(object, findings)? }, &[CASES]),
        NodeType::Loop => {
            let exit_condition = condition::read(object, EXIT, findings);
            let most = object.count(MOST, findings);
            let max_iterations = most.unwrap_or(crate::DEFAULT_MAX_ITERATIONS);
            (NodeKind::Loop { exit_condition: exit_condition?, max_iterations }, &[EXIT, MOST])
        }
        NodeType::EndLoop => {
            let presence = if loop_id == LoopId::Required { Required } else { Nullable };
            let named = object.name(LOOP, presence, findings);
            if named.is_none() && loop_id == LoopId::Required {
                return None;
            }
            (NodeKind::EndLoop { loop_id: named.unwrap_or_default() }, &[LOOP])
        }
    })
}

const CASE_NAME: Names = &["name"];

/// Reads the cases of a `Switch`.
pub(crate) fn cases(object: &Object<'_>, findings: &mut Findings) -> Option<Vec<Case>> {
    let list = object.list(CASES, Required, "array of cases", findings)?;
    let mut cases = Vec::new();
    let mut all = true;
    for it in list.items() {
        let case = Object::new(it, object.strictness, findings).and_then(|case| {
            let name = case.text(CASE_NAME, Required, findings);
            let condition = condition::read(&case, CONDITION, findings);
            case.forbid_unknown(&[CASE_NAME, CONDITION], findings);
            Some(Case { name: name?, condition: condition? })
        });
        all &= case.is_some();
        cases.extend(case);
    }
    all.then_some(cases)
}

/// Reads the position of a node in a drawing.
pub(crate) fn position(object: &Object<'_>, findings: &mut Findings) -> Option<Position> {
    let it = object.field(POSITION, Nullable, findings)?;
    let number = |name: &str| {
        let digits = it.node.get(name).and_then(llmend_json::Node::number)?;
        digits.parse::<f64>().ok().filter(|number| number.is_finite())
    };
    let found = (it.node.kind() == Kind::Object).then(|| (number("x"), number("y")));
    let Some((Some(x), Some(y))) = found else {
        findings.wrong_type(&it.path, it.node, "object with the numbers `x` and `y`");
        return None;
    };
    Some(Position { x, y })
}
