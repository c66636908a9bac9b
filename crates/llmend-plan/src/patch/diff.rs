//! The difference of two workflows as a patch.

use std::collections::{HashMap, HashSet};

use crate::{Edge, Node, Patch, Update, Workflow};

/// Returns the patch that turns the nodes and edges of `before` into those of `after`. Both are
/// compared as sets, regardless of order, and must have unique ids and no edges to unknown nodes. Other
/// fields of the workflows are not compared.
///
/// ```
/// use llmend_plan::{Edge, Gaps, Workflow, apply, diff};
///
/// let before: Workflow = serde_json::from_value(serde_json::json!({
///     "nodes": [{"id": "a", "type": "tool", "tool": "x"}, {"id": "b", "type": "tool", "tool": "y"}],
///     "edges": [{"from": "a", "to": "b"}],
/// }))?;
/// let mut after = before.clone();
/// after.edges = vec![Edge::new("b", "a")];
/// let patch = diff(&before, &after);
/// assert_eq!(apply(&before, &patch, Gaps::Leave)?.or(before), after);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn diff(before: &Workflow, after: &Workflow) -> Patch {
    let old: HashMap<&str, &Node> = by_id(&before.nodes);
    let new: HashMap<&str, &Node> = by_id(&after.nodes);
    let (old_edges, new_edges): (HashSet<&Edge>, HashSet<&Edge>) =
        (before.edges.iter().collect(), after.edges.iter().collect());
    // The edges of a removed node are removed with it.
    let is_removed = |id: &str| old.contains_key(id) && !new.contains_key(id);
    let stays = |edge: &&Edge| !is_removed(&edge.from) && !is_removed(&edge.to);
    let mut seen = HashSet::new();
    let removed_edges =
        before.edges.iter().filter(|edge| !new_edges.contains(edge) && seen.insert(*edge));
    let mut seen_after = HashSet::new();
    let added_edges =
        after.edges.iter().filter(|edge| !old_edges.contains(edge) && seen_after.insert(*edge));
    let updates = after
        .nodes
        .iter()
        .filter(|node| old.get(node.id.as_str()).is_some_and(|other| *other != *node));
    Patch {
        remove_nodes: before
            .nodes
            .iter()
            .filter(|node| !new.contains_key(node.id.as_str()))
            .map(|node| node.id.clone())
            .collect(),
        update_nodes: updates.map(|node| Update::Replace(Box::new(node.clone()))).collect(),
        add_nodes: after
            .nodes
            .iter()
            .filter(|node| !old.contains_key(node.id.as_str()))
            .cloned()
            .collect(),
        remove_edges: removed_edges.filter(stays).cloned().collect(),
        add_edges: added_edges.cloned().collect(),
        ..Patch::default()
    }
}

fn by_id(nodes: &[Node]) -> HashMap<&str, &Node> {
    nodes.iter().map(|node| (node.id.as_str(), node)).collect()
}
