//! The change of one node.

use crate::{Change, Map, Node, NodeKind, NodeType, graph::names::shown};

/// Applies `change` to `node`. What cannot be applied was refused before.
pub(super) fn apply(node: &mut Node, change: &Change) {
    if let Ok(kind) = kind_after(change, node) {
        node.kind = kind;
    }
    node.name = change.name.clone().or_else(|| node.name.take());
    node.description = change.description.clone().or_else(|| node.description.take());
    node.enabled = change.enabled.unwrap_or(node.enabled);
    node.timeout_ms = change.timeout_ms.or(node.timeout_ms);
    node.retries = change.retries.unwrap_or(node.retries);
    node.expected_outcome =
        change.expected_outcome.clone().or_else(|| node.expected_outcome.take());
    node.position = change.position.or(node.position);
    if let Some(metadata) = &change.metadata {
        node.metadata.clone_from(metadata);
    }
}

/// Returns what `node` does after `change`, or why the change does not apply to it.
pub(super) fn kind_after(change: &Change, node: &Node) -> Result<NodeKind, String> {
    let id = shown(&node.id);
    let stated = stated(change);
    if let Some(kind) = &change.kind {
        let same = change.node_type.is_none_or(|wanted| wanted == kind.node_type());
        return match stated.first() {
            Some(name) => Err(format!("the update of `{id}` sets both `kind` and `{name}`")),
            None if same => Ok(kind.clone()),
            None => Err(format!("the update of `{id}` sets two types")),
        };
    }
    let wanted = change.node_type.unwrap_or(node.node_type());
    let known = fields(wanted);
    if let Some(name) = stated.iter().find(|name| !known.contains(name)) {
        return Err(format!("`{id}` is of type `{wanted}`, which has no `{name}`"));
    }
    if change.condition.is_some() && change.exit_condition.is_some() {
        return Err(format!("the update of `{id}` sets both `condition` and `exit_condition`"));
    }
    let mut kind = if wanted == node.node_type() {
        node.kind.clone()
    } else {
        first(wanted, change).ok_or_else(|| {
            let before = node.node_type();
            format!("`{id}` is of type `{before}`; to become `{wanted}`, it must be stated whole")
        })?
    };
    set(&mut kind, change);
    Ok(kind)
}

/// Returns the names of the fields of a kind that `change` states.
fn stated(change: &Change) -> Vec<&'static str> {
    let fields = [
        ("tool", change.tool.is_some()),
        ("arguments", change.arguments.is_some()),
        ("prompt", change.prompt.is_some()),
        ("allowed_tools", change.allowed_tools.is_some()),
        ("max_tool_calls", change.max_tool_calls.is_some()),
        ("transform", change.transform.is_some()),
        ("input_ref", change.input_ref.is_some()),
        ("output_schema", change.output_schema.is_some()),
        ("condition", change.condition.is_some()),
        ("exit_condition", change.exit_condition.is_some()),
        ("max_iterations", change.max_iterations.is_some()),
        ("cases", change.cases.is_some()),
        ("loop_id", change.loop_id.is_some()),
    ];
    fields.into_iter().filter(|(_, is)| *is).map(|(name, _)| name).collect()
}

/// Returns the fields of a type of node.
const fn fields(node_type: NodeType) -> &'static [&'static str] {
    match node_type {
        NodeType::Tool => &["tool", "arguments"],
        NodeType::AiStep => &["prompt", "allowed_tools", "max_tool_calls"],
        NodeType::AiTransform => &["transform", "input_ref", "output_schema"],
        NodeType::If => &["condition"],
        NodeType::Switch => &["cases"],
        NodeType::Loop => &["condition", "exit_condition", "max_iterations"],
        NodeType::EndLoop => &["loop_id"],
    }
}

/// Returns a node's first kind of this type, if `change` states what that needs.
fn first(node_type: NodeType, change: &Change) -> Option<NodeKind> {
    Some(match node_type {
        NodeType::Tool => NodeKind::Tool { tool: change.tool.clone()?, arguments: Map::new() },
        NodeType::AiStep => NodeKind::AiStep {
            prompt: change.prompt.clone()?,
            allowed_tools: None,
            max_tool_calls: None,
        },
        NodeType::AiTransform => NodeKind::AiTransform {
            kind: change.transform.clone()?,
            input_ref: change.input_ref.clone()?,
            output_schema: None,
        },
        NodeType::If => NodeKind::If { condition: change.condition.clone()? },
        NodeType::Switch => NodeKind::Switch { cases: change.cases.clone()? },
        NodeType::Loop => NodeKind::Loop {
            exit_condition: change.exit_condition.as_ref().or(change.condition.as_ref())?.clone(),
            max_iterations: crate::DEFAULT_MAX_ITERATIONS,
        },
        NodeType::EndLoop => NodeKind::EndLoop { loop_id: change.loop_id.clone()? },
    })
}

/// Sets the stated fields of a kind.
fn set(kind: &mut NodeKind, change: &Change) {
    fn put<T: Clone>(old: &mut T, new: Option<&T>) {
        if let Some(new) = new {
            old.clone_from(new);
        }
    }
    match kind {
        NodeKind::Tool { tool, arguments } => {
            put(tool, change.tool.as_ref());
            put(arguments, change.arguments.as_ref());
        }
        NodeKind::AiStep { prompt, allowed_tools, max_tool_calls } => {
            put(prompt, change.prompt.as_ref());
            *allowed_tools = change.allowed_tools.clone().or_else(|| allowed_tools.take());
            *max_tool_calls = change.max_tool_calls.or(*max_tool_calls);
        }
        NodeKind::AiTransform { kind, input_ref, output_schema } => {
            put(kind, change.transform.as_ref());
            put(input_ref, change.input_ref.as_ref());
            *output_schema = change.output_schema.clone().or_else(|| output_schema.take());
        }
        NodeKind::If { condition } => put(condition, change.condition.as_ref()),
        NodeKind::Switch { cases } => put(cases, change.cases.as_ref()),
        NodeKind::Loop { exit_condition, max_iterations } => {
            put(exit_condition, change.exit_condition.as_ref().or(change.condition.as_ref()));
            put(max_iterations, change.max_iterations.as_ref());
        }
        NodeKind::EndLoop { loop_id } => put(loop_id, change.loop_id.as_ref()),
    }
}
