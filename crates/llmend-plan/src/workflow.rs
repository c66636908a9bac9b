//! The canonical workflow: nodes, and edges with branches and loops.

use std::{fmt, str::FromStr};

use llmend_json::UnknownChoice;
use serde::{Deserialize, Serialize};

use crate::{Condition, Map};

/// Nodes and the edges between them, with the branches and loops that a [`Plan`](crate::Plan)
/// cannot express.
///
/// In JSON, fields keep the order given here. Absent and empty fields are omitted, except for
/// `nodes` and `edges`.
///
/// ```
/// use llmend_plan::{Edge, Node, NodeKind, Output, Workflow};
///
/// let node = Node::new("n1", NodeKind::Tool { tool: "click".to_owned(), arguments: Default::default() });
/// let edge = Edge { output: Some(Output::LoopBody), ..Edge::new("n0", "n1") };
/// let workflow = Workflow { nodes: vec![node], edges: vec![edge], ..Workflow::default() };
/// assert_eq!(
///     serde_json::to_value(&workflow)?,
///     serde_json::json!({
///         "nodes": [{"id": "n1", "type": "tool", "tool": "click"}],
///         "edges": [{"from": "n0", "to": "n1", "output": {"type": "loop_body"}}],
///     })
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workflow {
    /// Id of the workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<String>,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The edges.
    #[serde(default)]
    pub edges: Vec<Edge>,
    /// Fields of the source for which the canonical form has none.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map,
}

/// One node of a [`Workflow`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Name by which edges refer to this node.
    pub id: String,
    /// Display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the node is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What the node does. In JSON, its fields are members of the node itself.
    #[serde(flatten)]
    pub kind: NodeKind,
    /// Whether the node runs; true by default, and omitted from JSON when true.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub enabled: bool,
    /// Time limit in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// How many times a failed node is retried; 0 by default.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retries: u32,
    /// The expected result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_outcome: Option<String>,
    /// Position in a drawing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// Fields of the source for which the canonical form has none.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map,
}

impl Node {
    /// Returns an enabled node of this kind, without any of the optional fields.
    #[must_use]
    pub fn new(id: impl Into<String>, kind: NodeKind) -> Self {
        Self {
            id: id.into(),
            name: None,
            description: None,
            kind,
            enabled: true,
            timeout_ms: None,
            retries: 0,
            expected_outcome: None,
            position: None,
            metadata: Map::new(),
        }
    }

    /// Returns the type of the node.
    #[must_use]
    pub const fn node_type(&self) -> NodeType {
        self.kind.node_type()
    }
}

/// What a node does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum NodeKind {
    /// Calls a tool.
    Tool {
        /// Name of the tool.
        tool: String,
        /// Arguments of the tool.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        arguments: Map,
    },
    /// Lets a model work on a task.
    AiStep {
        /// The task.
        prompt: String,
        /// Tools that the model may use: all if absent, none if empty.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        allowed_tools: Option<Vec<String>>,
        /// Maximum number of tool calls.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_tool_calls: Option<u32>,
    },
    /// Lets a model transform the output of another node, without tools.
    AiTransform {
        /// Kind of transformation, such as `summarize`, `extract` or `classify`.
        kind: String,
        /// The input, as `node.field`.
        input_ref: String,
        /// JSON Schema of the output.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output_schema: Option<serde_json::Value>,
    },
    /// Takes one of two branches.
    If {
        /// Selects [`Output::IfTrue`] if it holds, otherwise [`Output::IfFalse`].
        condition: Condition,
    },
    /// Takes one of several branches.
    Switch {
        /// The first case that holds is taken; [`Output::SwitchDefault`] if none does.
        cases: Vec<Case>,
    },
    /// Repeats the nodes up to its [`EndLoop`](Self::EndLoop). The body runs at least once: the
    /// condition is evaluated from the second time on.
    Loop {
        /// Ends the loop when it holds.
        exit_condition: Condition,
        /// Maximum number of iterations; [`DEFAULT_MAX_ITERATIONS`] by default.
        #[serde(default = "max_iterations")]
        max_iterations: u32,
    },
    /// Ends the body of a loop; an edge leads from here back to the loop.
    EndLoop {
        /// Id of the loop; empty if the source does not name it and [`infer`](crate::infer()) has to.
        #[serde(default)]
        loop_id: String,
    },
}

/// Maximum number of iterations of a loop that does not set one.
pub const DEFAULT_MAX_ITERATIONS: u32 = 100;

/// One case of a [`NodeKind::Switch`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Name to which the [`Output::SwitchCase`] of an edge refers.
    pub name: String,
    /// Selects the case if it holds.
    pub condition: Condition,
}

/// An edge of a [`Workflow`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edge {
    /// Id of the source node.
    pub from: String,
    /// Id of the target node.
    pub to: String,
    /// The branch that the edge belongs to, if its source branches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
}

impl Edge {
    /// Returns an edge without a label.
    #[must_use]
    pub fn new(from: impl Into<String>, to: impl Into<String>) -> Self {
        Self { from: from.into(), to: to.into(), output: None }
    }
}

/// The label of an edge: the branch of its source node that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Output {
    /// The condition of an `If` holds.
    IfTrue,
    /// The condition of an `If` does not hold.
    IfFalse,
    /// The named case of a `Switch` holds.
    SwitchCase {
        /// Name of the case.
        name: String,
    },
    /// No case of a `Switch` holds.
    SwitchDefault,
    /// A loop runs its body.
    LoopBody,
    /// A loop is done.
    LoopDone,
}

impl Output {
    /// Returns the type of node that has this output.
    #[must_use]
    pub const fn owner(&self) -> NodeType {
        match self {
            Self::IfTrue | Self::IfFalse => NodeType::If,
            Self::SwitchCase { .. } | Self::SwitchDefault => NodeType::Switch,
            Self::LoopBody | Self::LoopDone => NodeType::Loop,
        }
    }
}

/// Writes the label as drawings and messages show it.
impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::IfTrue => "true",
            Self::IfFalse => "false",
            Self::SwitchCase { name } => name,
            Self::SwitchDefault => "default",
            Self::LoopBody => "body",
            Self::LoopDone => "done",
        })
    }
}

/// A position in a drawing, in pixels, with `y` pointing down.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// Distance from the left edge.
    pub x: f64,
    /// Distance from the top edge.
    pub y: f64,
}

/// A [`NodeKind`] without its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeType {
    /// [`NodeKind::Tool`]
    Tool,
    /// [`NodeKind::AiStep`]
    AiStep,
    /// [`NodeKind::AiTransform`]
    AiTransform,
    /// [`NodeKind::If`]
    If,
    /// [`NodeKind::Switch`]
    Switch,
    /// [`NodeKind::Loop`]
    Loop,
    /// [`NodeKind::EndLoop`]
    EndLoop,
}

impl NodeType {
    /// All types.
    pub const ALL: [Self; 7] = [
        Self::Tool,
        Self::AiStep,
        Self::AiTransform,
        Self::If,
        Self::Switch,
        Self::Loop,
        Self::EndLoop,
    ];

    /// Returns the name that JSON, flags and configuration use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::AiStep => "ai_step",
            Self::AiTransform => "ai_transform",
            Self::If => "if",
            Self::Switch => "switch",
            Self::Loop => "loop",
            Self::EndLoop => "end_loop",
        }
    }

    /// Returns whether the node directs the flow instead of doing work.
    #[must_use]
    pub const fn is_control(self) -> bool {
        matches!(self, Self::If | Self::Switch | Self::Loop | Self::EndLoop)
    }
}

impl fmt::Display for NodeType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for NodeType {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, UnknownChoice> {
        UnknownChoice::find(name, &Self::ALL, Self::as_str)
    }
}

impl NodeKind {
    /// Returns the type of the node.
    #[must_use]
    pub const fn node_type(&self) -> NodeType {
        match self {
            Self::Tool { .. } => NodeType::Tool,
            Self::AiStep { .. } => NodeType::AiStep,
            Self::AiTransform { .. } => NodeType::AiTransform,
            Self::If { .. } => NodeType::If,
            Self::Switch { .. } => NodeType::Switch,
            Self::Loop { .. } => NodeType::Loop,
            Self::EndLoop { .. } => NodeType::EndLoop,
        }
    }
}

const fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_yes(value: &bool) -> bool {
    *value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_zero(value: &u32) -> bool {
    *value == 0
}

const fn max_iterations() -> u32 {
    DEFAULT_MAX_ITERATIONS
}
