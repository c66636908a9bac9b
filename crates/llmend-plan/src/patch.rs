//! Patches of workflows and plans.

use serde::{Deserialize, Serialize};

use crate::{Case, Condition, Edge, Map, Node, NodeKind, NodeType, Position};

mod apply;
mod change;
mod diff;
mod documents;
mod entries;
pub(crate) mod outcome;
mod plan_patch;
mod rfc6902;

#[cfg(test)]
mod tests;

pub use apply::apply;
pub use diff::diff;
pub use documents::{DocumentDiff, DocumentPatch, check_ids, diff_documents};
pub use outcome::{AppliedPatch, Gaps, PatchError, PatchOutcome, no_change};
pub use plan_patch::{Dependency, PlanPatch, apply_to_plan, diff_plans};

/// A patch of a [`Workflow`](crate::Workflow), to be applied by [`apply`].
///
/// Ids are not checked until the patch is applied. An empty patch changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Patch {
    /// Ids of nodes to remove, together with their edges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove_nodes: Vec<String>,
    /// Nodes to change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub update_nodes: Vec<Update>,
    /// Nodes to add.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add_nodes: Vec<Node>,
    /// Nodes to append in a line after the last node. An empty id is replaced by a new one when the
    /// patch is applied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub append_nodes: Vec<Node>,
    /// Edges to remove; labels must match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove_edges: Vec<Edge>,
    /// Edges to add.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add_edges: Vec<Edge>,
    /// Added nodes to insert into the flow before other nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub insert_before: Vec<Insertion>,
}

impl Patch {
    /// Returns whether the patch changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// An update of one node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Update {
    /// Replaces the node of the same id.
    Replace(Box<Node>),
    /// Changes some fields of a node.
    Change(Box<Change>),
}

impl Update {
    /// Returns the id of the updated node.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::Replace(node) => &node.id,
            Self::Change(change) => &change.id,
        }
    }
}

/// New values of fields of a node; absent fields keep their value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Change {
    /// Id of the node.
    pub id: String,
    /// Display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the node is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What the node does, as a whole; not together with the fields of a kind below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<NodeKind>,
    /// Type of the node. If it is another than the node has, the fields below must make up a whole kind.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub node_type: Option<NodeType>,
    /// Tool of a tool node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// All arguments of a tool node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Map>,
    /// Task of a model's step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Tools that a model's step may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_tools: Option<Vec<String>>,
    /// Maximum number of tool calls of a model's step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tool_calls: Option<u32>,
    /// Kind of a transformation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transform: Option<String>,
    /// Input of a transformation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_ref: Option<String>,
    /// JSON Schema of the output of a transformation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<serde_json::Value>,
    /// Condition of an `If`, or the one that ends a loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<Condition>,
    /// Condition that ends a loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_condition: Option<Condition>,
    /// Maximum number of iterations of a loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u32>,
    /// All cases of a `Switch`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cases: Option<Vec<Case>>,
    /// Id of the loop that an `EndLoop` ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loop_id: Option<String>,
    /// Whether the node runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Time limit in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// How many times a failed node is retried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retries: Option<u32>,
    /// The expected result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_outcome: Option<String>,
    /// Position in a drawing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// All metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map>,
}

/// The insertion of an added node into the flow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Insertion {
    /// Id of the added node.
    pub node: String,
    /// Id of the node before which it is inserted.
    pub before: String,
}
