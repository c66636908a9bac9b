//! Common view of the steps of a plan and the nodes of a workflow.

use std::collections::HashSet;

use serde_json::Value;

use crate::{
    Catalog, Map, Node, NodeKind, Options, Step,
    graph::{Graph, names::IdIndex},
};

/// A list of steps or nodes, for the checks that apply to both.
pub(super) struct Subject<'s> {
    /// Name of the list in the canonical form.
    pub(super) list: &'static str,
    pub(super) items: Vec<SubjectItem<'s>>,
    pub(super) names: IdIndex<'s>,
    /// The dependencies of each item; `None` for a workflow, whose order is given by its edges.
    pub(super) waits: Option<Waits>,
    pub(super) edges: usize,
    pub(super) options: &'s Options,
}

/// The dependencies of steps.
pub(super) struct Waits {
    /// The indices of the steps that each step names.
    pub(super) named: Vec<HashSet<usize>>,
    /// Arrows from dependencies to dependents; an arrow's number is the index in `depends_on`.
    pub(super) graph: Graph,
}

/// A step or a node.
pub(super) struct SubjectItem<'s> {
    pub(super) id: &'s str,
    pub(super) tool: Option<&'s str>,
    /// The selected capability of the tool.
    pub(super) capability: Option<&'s str>,
    /// Name and value of the arguments field.
    pub(super) arguments: Option<(&'static str, &'s Map)>,
    /// Strings that may refer to other steps, with their fields.
    pub(super) texts: Vec<(&'static str, &'s str)>,
    /// Whether it has a result that others can use.
    pub(super) has_result: bool,
    /// Tools that an AI step may use.
    pub(super) allowed: &'s [String],
}

impl Subject<'_> {
    pub(super) fn catalog(&self) -> Option<&Catalog> {
        self.options.catalog.as_ref()
    }

    /// Returns the JSON Pointer of a part of an item.
    pub(super) fn path(&self, item: usize, part: &str) -> String {
        format!("/{}/{item}{part}", self.list)
    }
}

impl<'s> SubjectItem<'s> {
    pub(super) fn of_step(step: &'s Step) -> Self {
        Self {
            id: &step.id,
            tool: step.tool.as_deref(),
            capability: capability(&step.metadata),
            arguments: Some(("inputs", &step.inputs)),
            texts: step.description.iter().map(|text| ("description", text.as_str())).collect(),
            has_result: true,
            allowed: &[],
        }
    }

    pub(super) fn of_node(node: &'s Node) -> Self {
        let mut item = Self {
            id: &node.id,
            tool: None,
            capability: capability(&node.metadata),
            arguments: None,
            texts: node.description.iter().map(|text| ("description", text.as_str())).collect(),
            has_result: !node.node_type().is_control(),
            allowed: &[],
        };
        match &node.kind {
            NodeKind::Tool { tool, arguments } => {
                item.tool = Some(tool);
                item.arguments = Some(("arguments", arguments));
            }
            NodeKind::AiStep { prompt, allowed_tools, .. } => {
                item.texts.push(("prompt", prompt));
                item.allowed = allowed_tools.as_deref().unwrap_or_default();
            }
            _ => {}
        }
        item
    }
}

fn capability(metadata: &Map) -> Option<&str> {
    metadata.get("capability").and_then(Value::as_str)
}

/// Escapes a token of a JSON Pointer.
pub(super) fn token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
