//! How is Clickweave's patch told, and how is it written?

use llmend_json::{Kind, Node};
use serde::Serialize;

use crate::{
    Change, Dialect, Map, Patch, Update,
    dialect::{
        clickweave::{self, EdgeShape, KindShape, StepShape},
        patch,
    },
    write::Losses,
};

/// Keys that only Clickweave's patch has.
const MARKS: [&str; 3] = ["add", "remove_node_ids", "update"];

/// Which of the two patches `node` is, if it is one.
pub(super) fn of(node: Node<'_>) -> Option<Dialect> {
    let has = |name: &str| node.get(name).is_some_and(|list| list.kind() == Kind::Array);
    if MARKS.into_iter().any(has) {
        return Some(Dialect::ClickweavePatch);
    }
    let marked = patch::ALL.into_iter().flatten().any(|name| has(name));
    let steps = node.get("add_nodes").into_iter().flat_map(Node::items);
    let theirs = steps.into_iter().take(16).any(|item| item.get("step_type").is_some());
    marked.then_some(if theirs { Dialect::ClickweavePatch } else { Dialect::Patch })
}

/// Leaves of the patch what the dialect carries.
pub(crate) fn keep(patch: &mut Patch, losses: &mut Losses) {
    losses.list(&mut patch.remove_edges, "/remove_edges");
    losses.list(&mut patch.insert_before, "/insert_before");
    for (at, node) in patch.add_nodes.iter_mut().enumerate() {
        clickweave::keep(node, &format!("/add_nodes/{at}"), losses);
        losses.need_text(clickweave::loop_id(node), &format!("/add_nodes/{at}/loop_id"));
    }
    for (at, node) in patch.append_nodes.iter_mut().enumerate() {
        clickweave::keep(node, &format!("/append_nodes/{at}"), losses);
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
        keep_change(&mut change, &format!("{path}/change"), losses);
        *update = Update::Change(change);
    }
}

fn keep_change(change: &mut Change, path: &str, losses: &mut Losses) {
    losses.take(&mut change.description, &format!("{path}/description"));
    losses.take(&mut change.enabled, &format!("{path}/enabled"));
    losses.take(&mut change.timeout_ms, &format!("{path}/timeout_ms"));
    losses.take(&mut change.retries, &format!("{path}/retries"));
    losses.take(&mut change.expected_outcome, &format!("{path}/expected_outcome"));
    losses.take(&mut change.position, &format!("{path}/position"));
    if let Some(kind) = &mut change.kind {
        clickweave::kind(kind, &format!("{path}/kind"), losses);
    }
    let says = change.name.is_some() || change.kind.is_some();
    if !says && change.tool.is_none() && change.arguments.is_none() {
        losses.refuse(path, "nothing is left of this change");
    }
}

/// The patch as Clickweave has it.
#[derive(Serialize)]
pub(crate) struct Shape<'p> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    add: Vec<StepShape<'p>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    add_nodes: Vec<StepShape<'p>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    add_edges: Vec<EdgeShape<'p>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    remove_node_ids: &'p [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    update: Vec<ChangeShape<'p>>,
}

#[derive(Serialize)]
struct ChangeShape<'p> {
    node_id: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node_type: Option<KindShape<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'p Map>,
}

/// The patch as it is written.
pub(crate) fn shape(patch: &Patch) -> Shape<'_> {
    let changes = patch.update_nodes.iter().filter_map(|update| match update {
        Update::Change(change) => Some(ChangeShape {
            node_id: &change.id,
            name: change.name.as_deref(),
            node_type: change.kind.as_ref().map(KindShape),
            tool_name: change.tool.as_deref(),
            arguments: change.arguments.as_ref(),
        }),
        // What is kept has none.
        Update::Replace(_) => None,
    });
    Shape {
        add: patch.append_nodes.iter().map(StepShape::bare).collect(),
        add_nodes: patch.add_nodes.iter().map(StepShape::with_id).collect(),
        add_edges: patch.add_edges.iter().map(EdgeShape::new).collect(),
        remove_node_ids: &patch.remove_nodes,
        update: changes.collect(),
    }
}
