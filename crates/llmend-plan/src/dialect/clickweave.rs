//! Clickweave's steps, conditions and edges.
//!
//! Its typed steps, such as a click, are tools here, as in the plans that its models write.

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Value, json};

use crate::{
    Case, Condition, Edge, Literal, Map, Node, NodeKind, NodeType, Output, ValueRef, losses::Losses,
};

/// Restricts the node at `path` to what a step can represent.
pub(crate) fn restrict(node: &mut Node, path: &str, losses: &mut Losses) {
    losses.take(&mut node.description, &format!("{path}/description"));
    losses.flag(&mut node.enabled, true, &format!("{path}/enabled"));
    losses.flag(&mut node.retries, 0, &format!("{path}/retries"));
    losses.take(&mut node.position, &format!("{path}/position"));
    losses.map(&mut node.metadata, &format!("{path}/metadata"));
    if node.node_type() != NodeType::AiStep {
        losses.take(&mut node.timeout_ms, &format!("{path}/timeout_ms"));
    }
    restrict_kind(&mut node.kind, path, losses);
}

/// Restricts the kind of a node to what a step can represent.
pub(crate) fn restrict_kind(kind: &mut NodeKind, path: &str, losses: &mut Losses) {
    match kind {
        NodeKind::If { condition } => unary(condition, &format!("{path}/condition"), losses),
        NodeKind::Loop { exit_condition, .. } => {
            unary(exit_condition, &format!("{path}/exit_condition"), losses);
        }
        NodeKind::Switch { cases } => {
            for (at, case) in cases.iter_mut().enumerate() {
                unary(&mut case.condition, &format!("{path}/cases/{at}/condition"), losses);
            }
        }
        NodeKind::AiTransform { output_schema, .. } if *output_schema == Some(Value::Null) => {
            losses.take(output_schema, &format!("{path}/output_schema"));
        }
        _ => {}
    }
}

/// Removes an empty right operand of a unary operator, since the written form always has one.
fn unary(condition: &mut Condition, path: &str, losses: &mut Losses) {
    let nothing = ValueRef::Literal { value: Literal::Text(String::new()) };
    if condition.operator.is_unary() && condition.right == Some(nothing) {
        losses.take(&mut condition.right, &format!("{path}/right"));
    }
}

/// Returns the loop id of an `EndLoop`.
pub(crate) fn loop_id(node: &Node) -> Option<&str> {
    match &node.kind {
        NodeKind::EndLoop { loop_id } => Some(loop_id),
        _ => None,
    }
}

/// The written form of a node.
pub(crate) struct ClickweaveStep<'n> {
    node: &'n Node,
    with_id: bool,
}

impl<'n> ClickweaveStep<'n> {
    /// Writes the id, as in a graph.
    pub(crate) fn with_id(node: &'n Node) -> Self {
        Self { node, with_id: true }
    }

    /// Omits the id, as in a list.
    pub(crate) fn bare(node: &'n Node) -> Self {
        Self { node, with_id: false }
    }
}

impl Serialize for ClickweaveStep<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if self.with_id {
            map.serialize_entry("id", &self.node.id)?;
        }
        fields(&self.node.kind, &mut map)?;
        if let Some(name) = &self.node.name {
            map.serialize_entry("name", name)?;
        }
        if let Some(timeout) = self.node.timeout_ms {
            map.serialize_entry("timeout_ms", &timeout)?;
        }
        if let Some(outcome) = &self.node.expected_outcome {
            map.serialize_entry("expected_outcome", outcome)?;
        }
        map.end()
    }
}

/// The written form of a node's kind.
pub(crate) struct ClickweaveKind<'n>(pub(crate) &'n NodeKind);

impl Serialize for ClickweaveKind<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        fields(self.0, &mut map)?;
        map.end()
    }
}

fn fields<M: SerializeMap>(kind: &NodeKind, map: &mut M) -> Result<(), M::Error> {
    map.serialize_entry("step_type", step_type(kind.node_type()))?;
    match kind {
        NodeKind::Tool { tool, arguments } => {
            map.serialize_entry("tool_name", tool)?;
            map.serialize_entry("arguments", arguments)
        }
        NodeKind::AiStep { prompt, allowed_tools, max_tool_calls } => {
            map.serialize_entry("prompt", prompt)?;
            if let Some(tools) = allowed_tools {
                map.serialize_entry("allowed_tools", tools)?;
            }
            match max_tool_calls {
                Some(most) => map.serialize_entry("max_tool_calls", most),
                None => Ok(()),
            }
        }
        NodeKind::AiTransform { kind, input_ref, output_schema } => {
            map.serialize_entry("kind", kind)?;
            map.serialize_entry("input_ref", input_ref)?;
            match output_schema {
                Some(schema) => map.serialize_entry("output_schema", schema),
                None => Ok(()),
            }
        }
        NodeKind::If { condition } => map.serialize_entry("condition", &compared(condition)),
        NodeKind::Switch { cases } => {
            let cases: Vec<Value> = cases.iter().map(case).collect();
            map.serialize_entry("cases", &cases)
        }
        NodeKind::Loop { exit_condition, max_iterations } => {
            map.serialize_entry("exit_condition", &compared(exit_condition))?;
            map.serialize_entry("max_iterations", max_iterations)
        }
        NodeKind::EndLoop { loop_id } => map.serialize_entry("loop_id", loop_id),
    }
}

const fn step_type(node_type: NodeType) -> &'static str {
    match node_type {
        NodeType::Tool => "Tool",
        NodeType::AiStep => "AiStep",
        NodeType::AiTransform => "AiTransform",
        NodeType::If => "If",
        NodeType::Switch => "Switch",
        NodeType::Loop => "Loop",
        NodeType::EndLoop => "EndLoop",
    }
}

fn case(case: &Case) -> Value {
    json!({"name": case.name, "condition": compared(&case.condition)})
}

fn compared(condition: &Condition) -> Value {
    let nothing = ValueRef::Literal { value: Literal::Text(String::new()) };
    let right = condition.right.as_ref().unwrap_or(&nothing);
    let operator = camel(condition.operator.as_str());
    json!({"left": value(&condition.left), "operator": operator, "right": value(right)})
}

/// Converts `not_equals` to `NotEquals`.
fn camel(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let mut chars = word.chars();
        chars
            .next()
            .map(|first| first.to_ascii_uppercase())
            .into_iter()
            .chain(chars)
            .collect::<String>()
    });
    words.collect()
}

fn value(value: &ValueRef) -> Value {
    match value {
        ValueRef::Variable { name } => json!({"type": "Variable", "name": name}),
        ValueRef::Literal { value } => {
            let value = match value {
                Literal::Bool(value) => json!({"type": "Bool", "value": value}),
                Literal::Number(value) => json!({"type": "Number", "value": value}),
                Literal::Text(value) => json!({"type": "String", "value": value}),
            };
            json!({"type": "Literal", "value": value})
        }
    }
}

/// The written form of an edge.
#[derive(Serialize)]
pub(crate) struct ClickweaveEdge<'e> {
    from: &'e str,
    to: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Map>,
}

impl<'e> ClickweaveEdge<'e> {
    pub(crate) fn new(edge: &'e Edge) -> Self {
        let output = edge.output.as_ref().map(|output| {
            let mut label = Map::new();
            let name = match output {
                Output::IfTrue => "IfTrue",
                Output::IfFalse => "IfFalse",
                Output::SwitchCase { .. } => "SwitchCase",
                Output::SwitchDefault => "SwitchDefault",
                Output::LoopBody => "LoopBody",
                Output::LoopDone => "LoopDone",
            };
            label.insert("type".to_owned(), name.into());
            if let Output::SwitchCase { name } = output {
                label.insert("name".to_owned(), name.as_str().into());
            }
            label
        });
        Self { from: &edge.from, to: &edge.to, output }
    }
}
