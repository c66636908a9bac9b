//! What is to change in a workflow?

use serde::{Deserialize, Serialize};

use crate::{Edge, Map, Node, NodeKind, Position};

mod apply;
mod diff;
mod entries;
mod of_plan;
pub mod outcome;
mod rfc6902;

#[cfg(test)]
mod tests;

pub use apply::apply;
pub use diff::diff;
pub use of_plan::{Dependency, PlanPatch, apply_to_plan, diff_plans};
pub use outcome::{Changed, Gaps, NotApplied, Patched, no_change};

/// A change of a [`Workflow`](crate::Workflow), in the order in which its parts are applied.
///
/// A patch is data: that an id exists, or does not exist yet, is seen when it is applied. An empty
/// one changes nothing, and is never what came of keys that nobody understood.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Patch {
    /// Ids of nodes that go, and with them the edges that touch them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove_nodes: Vec<String>,
    /// Nodes that change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub update_nodes: Vec<Update>,
    /// Nodes that come.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add_nodes: Vec<Node>,
    /// Nodes that come after the last one there is, in a line. Their ids may be empty, and are made
    /// up when the patch is applied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub append_nodes: Vec<Node>,
    /// Edges that go, label included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove_edges: Vec<Edge>,
    /// Edges that come.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add_edges: Vec<Edge>,
    /// Where added nodes are put into the flow: the added node's id, and the id of the node before
    /// which it comes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub insert_before: Vec<Insertion>,
}

impl Patch {
    /// Whether there is nothing to change.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A change of one node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Update {
    /// The node of the same id becomes this one.
    Replace(Box<Node>),
    /// Some of what a node says becomes something else.
    Change(Box<Change>),
}

impl Update {
    /// Id of the node that changes.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::Replace(node) => &node.id,
            Self::Change(change) => &change.id,
        }
    }
}

/// What of a node becomes something else; what is absent stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Change {
    /// Id of the node.
    pub id: String,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<NodeKind>,
    /// Name of its tool, where it uses one; not beside `kind`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What its tool is given, all of it; not beside `kind`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Map>,
    /// Whether it is run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// How long it may take, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// How often it is run again when it fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retries: Option<u32>,
    /// What comes out of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_outcome: Option<String>,
    /// Where it stands in a picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
}

/// An added node's place in the flow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Insertion {
    /// Id of the added node.
    pub node: String,
    /// Id of the node that comes after it.
    pub before: String,
}
