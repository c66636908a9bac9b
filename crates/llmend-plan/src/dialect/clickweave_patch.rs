//! Clickweave's patch.

use llmend_json::{Kind, Node};
use serde::Serialize;

use crate::{
    Change, Dialect, Map, Patch, Update,
    dialect::{
        clickweave::{self, ClickweaveEdge, ClickweaveKind, ClickweaveStep},
        patch,
    },
    losses::Losses,
};

/// Keys that only Clickweave's patch has.
const MARKS: [&str; 3] = ["add", "remove_node_ids", "update"];

/// Detects which kind of patch `node` is, if any.
pub(super) fn detect(node: Node<'_>) -> Option<Dialect> {
    let has = |name: &str| node.get(name).is_some_and(|list| list.kind() == Kind::Array);
    if MARKS.into_iter().any(has) {
        return Some(Dialect::ClickweavePatch);
    }
    let marked = patch::ALL.into_iter().flatten().any(|name| has(name));
    let steps = node.get("add_nodes").into_iter().flat_map(Node::items);
    let typed = steps.into_iter().take(16).any(|item| item.get("step_type").is_some());
    marked.then_some(if typed { Dialect::ClickweavePatch } else { Dialect::Patch })
}

/// Restricts a patch to what the dialect can represent.
pub(crate) fn restrict(patch: &mut Patch, losses: &mut Losses) {
    losses.list(&mut patch.remove_edges, "/remove_edges");
    losses.list(&mut patch.insert_before, "/insert_before");
    for (at, node) in patch.add_nodes.iter_mut().enumerate() {
        clickweave::restrict(node, &format!("/add_nodes/{at}"), losses);
        losses.need_text(clickweave::loop_id(node), &format!("/add_nodes/{at}/loop_id"));
    }
    for (at, node) in patch.append_nodes.iter_mut().enumerate() {
        clickweave::restrict(node, &format!("/append_nodes/{at}"), losses);
        losses.need_text(clickweave::loop_id(node), &format!("/append_nodes/{at}/loop_id"));
        if !node.id.is_empty() {
            losses.lose(&format!("/append_nodes/{at}/id"));
            node.id.clear();
        }
    }
    for (at, update) in patch.update_nodes.iter_mut().enumerate() {
        let path = format!("/update_nodes/{at}");
        let mut change = match update {
            Update::Change(change) => change.clone(),
            Update::Replace(node) => {
                losses.lose(&path);
                let kind = Some(node.kind.clone());
                Box::new(Change {
                    id: node.id.clone(),
                    name: node.name.clone(),
                    kind,
                    ..Change::default()
                })
            }
        };
        restrict_change(&mut change, &format!("{path}/change"), losses);
        *update = Update::Change(change);
    }
}

fn restrict_change(change: &mut Change, path: &str, losses: &mut Losses) {
    losses.take(&mut change.description, &format!("{path}/description"));
    losses.take(&mut change.enabled, &format!("{path}/enabled"));
    losses.take(&mut change.timeout_ms, &format!("{path}/timeout_ms"));
    losses.take(&mut change.retries, &format!("{path}/retries"));
    losses.take(&mut change.expected_outcome, &format!("{path}/expected_outcome"));
    losses.take(&mut change.position, &format!("{path}/position"));
    losses.take(&mut change.metadata, &format!("{path}/metadata"));
    restrict_fields(change, path, losses);
    if let Some(kind) = &mut change.kind {
        clickweave::restrict_kind(kind, &format!("{path}/kind"), losses);
    }
    let says = change.name.is_some() || change.kind.is_some();
    if !says && change.tool.is_none() && change.arguments.is_none() {
        losses.refuse(path, "the dialect can represent nothing of this change");
    }
}

/// Removes the fields of a kind but a tool's: Clickweave only states a kind as a whole.
fn restrict_fields(change: &mut Change, path: &str, losses: &mut Losses) {
    losses.take(&mut change.node_type, &format!("{path}/type"));
    losses.take(&mut change.prompt, &format!("{path}/prompt"));
    losses.take(&mut change.allowed_tools, &format!("{path}/allowed_tools"));
    losses.take(&mut change.max_tool_calls, &format!("{path}/max_tool_calls"));
    losses.take(&mut change.transform, &format!("{path}/transform"));
    losses.take(&mut change.input_ref, &format!("{path}/input_ref"));
    losses.take(&mut change.output_schema, &format!("{path}/output_schema"));
    losses.take(&mut change.condition, &format!("{path}/condition"));
    losses.take(&mut change.exit_condition, &format!("{path}/exit_condition"));
    losses.take(&mut change.max_iterations, &format!("{path}/max_iterations"));
    losses.take(&mut change.cases, &format!("{path}/cases"));
    losses.take(&mut change.loop_id, &format!("{path}/loop_id"));
}

/// The written form of a patch.
#[derive(Serialize)]
pub(crate) struct ClickweavePatch<'p> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    add: Vec<ClickweaveStep<'p>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    add_nodes: Vec<ClickweaveStep<'p>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    add_edges: Vec<ClickweaveEdge<'p>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    remove_node_ids: &'p [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    update: Vec<ClickweaveChange<'p>>,
}

#[derive(Serialize)]
struct ClickweaveChange<'p> {
    node_id: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node_type: Option<ClickweaveKind<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'p Map>,
}

/// Converts a patch to its written form.
pub(crate) fn encode(patch: &Patch) -> ClickweavePatch<'_> {
    let changes = patch.update_nodes.iter().filter_map(|update| match update {
        Update::Change(change) => Some(ClickweaveChange {
            node_id: &change.id,
            name: change.name.as_deref(),
            node_type: change.kind.as_ref().map(ClickweaveKind),
            tool_name: change.tool.as_deref(),
            arguments: change.arguments.as_ref(),
        }),
        // `restrict` has turned these into changes.
        Update::Replace(_) => None,
    });
    ClickweavePatch {
        add: patch.append_nodes.iter().map(ClickweaveStep::bare).collect(),
        add_nodes: patch.add_nodes.iter().map(ClickweaveStep::with_id).collect(),
        add_edges: patch.add_edges.iter().map(ClickweaveEdge::new).collect(),
        remove_node_ids: &patch.remove_nodes,
        update: changes.collect(),
    }
}
