//! What do the steps of a plan and the nodes of a workflow have in common?

use std::collections::HashSet;

use serde_json::Value;

use crate::{
    Catalog, Map, Node, NodeKind, Options, Step,
    graph::{Graph, names::IdIndex},
};

/// A list of steps or nodes, as the checks see it that both have.
pub(super) struct Subject<'s> {
    /// The name of the list in the canonical form.
    pub(super) list: &'static str,
    pub(super) items: Vec<Item<'s>>,
    pub(super) names: IdIndex<'s>,
    /// For each item those that it waits for, one after the other; nothing in a workflow, where the
    /// edges say what comes before.
    pub(super) waits: Option<Waits>,
    pub(super) edges: usize,
    pub(super) options: &'s Options,
}

/// What steps wait for.
pub(super) struct Waits {
    /// For each step the steps that it names, in numbers.
    pub(super) named: Vec<HashSet<usize>>,
    /// Arrows from what comes first. Each stands for the index of the dependency in its step.
    pub(super) graph: Graph,
}

/// A step or a node.
pub(super) struct Item<'s> {
    pub(super) id: &'s str,
    pub(super) tool: Option<&'s str>,
    /// Which of the tool's capabilities is meant.
    pub(super) capability: Option<&'s str>,
    /// What the tool is given, and the name of the field.
    pub(super) arguments: Option<(&'static str, &'s Map)>,
    /// Free texts that may refer to other steps, with their field.
    pub(super) texts: Vec<(&'static str, &'s str)>,
    /// Whether it gives something that others can use.
    pub(super) gives: bool,
    /// Tools that a task may use.
    pub(super) allowed: &'s [String],
}

impl Subject<'_> {
    pub(super) fn catalog(&self) -> Option<&Catalog> {
        self.options.catalog.as_ref()
    }

    /// JSON Pointer of a part of an item.
    pub(super) fn path(&self, item: usize, part: &str) -> String {
        format!("/{}/{item}{part}", self.list)
    }
}

impl<'s> Item<'s> {
    pub(super) fn of_step(step: &'s Step) -> Self {
        Self {
            id: &step.id,
            tool: step.tool.as_deref(),
            capability: capability(&step.metadata),
            arguments: Some(("inputs", &step.inputs)),
            texts: step.description.iter().map(|text| ("description", text.as_str())).collect(),
            gives: true,
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
            gives: !node.node_type().is_control(),
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

/// One token of a JSON Pointer.
pub(super) fn token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
