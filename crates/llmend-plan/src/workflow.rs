//! What is a workflow?

use std::{fmt, str::FromStr};

use llmend_json::UnknownName;
use serde::{Deserialize, Serialize};

use crate::{Condition, Map};

/// Nodes, and edges from one to the next, with branches and loops: what a [`Plan`](crate::Plan)
/// cannot say.
///
/// As JSON the fields stand in the order given here; absent and empty ones are left out, `nodes`
/// and `edges` excepted.
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
    /// The workflow's own name for itself, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What is to be reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<String>,
    /// What is to be done.
    pub nodes: Vec<Node>,
    /// What comes after what.
    #[serde(default)]
    pub edges: Vec<Edge>,
    /// What the dialect has no field for.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map,
}

/// One node of a [`Workflow`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// The name by which edges refer to it.
    pub id: String,
    /// What it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it does; its fields stand beside those of the node.
    #[serde(flatten)]
    pub kind: NodeKind,
    /// Whether it is run at all; true where nothing is said, and then left out.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub enabled: bool,
    /// How long it may take, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// How often it is run again when it fails; 0 where nothing is said.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retries: u32,
    /// What comes out of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_outcome: Option<String>,
    /// Where it stands in a picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// What the dialect has no field for.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map,
}

impl Node {
    /// A node that does `kind`, and nothing else said of it.
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

    /// The type of what it does.
    #[must_use]
    pub const fn node_type(&self) -> NodeType {
        self.kind.node_type()
    }
}

/// What a node does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum NodeKind {
    /// It uses a tool.
    Tool {
        /// Name of the tool.
        tool: String,
        /// What the tool is given.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        arguments: Map,
    },
    /// A model works on a task of its own.
    AiStep {
        /// The task.
        prompt: String,
        /// The tools that the model may use: all where nothing is said, none where it is empty.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        allowed_tools: Option<Vec<String>>,
        /// How often it may use tools.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_tool_calls: Option<u32>,
    },
    /// A model turns what another node gave into something else, without tools.
    AiTransform {
        /// The kind of change: `summarize`, `extract`, `classify`, as the model means it.
        kind: String,
        /// What is changed: `node.field`.
        input_ref: String,
        /// JSON Schema of what comes out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output_schema: Option<serde_json::Value>,
    },
    /// The way forks in two.
    If {
        /// Which of both is taken: [`Output::IfTrue`] where it holds.
        condition: Condition,
    },
    /// The way forks in several.
    Switch {
        /// The first case that holds is taken, [`Output::SwitchDefault`] where none does.
        cases: Vec<Case>,
    },
    /// What stands between here and the loop's end is repeated: at least once, since the condition
    /// is looked at from the second time on.
    Loop {
        /// Where it holds, the loop is done.
        exit_condition: Condition,
        /// Most repetitions; [`DEFAULT_MAX_ITERATIONS`] where nothing is said.
        #[serde(default = "max_iterations")]
        max_iterations: u32,
    },
    /// The end of what is repeated, from where an edge leads back to the loop.
    EndLoop {
        /// Id of the loop; empty where the model did not say, and then to be inferred.
        #[serde(default)]
        loop_id: String,
    },
}

/// Most repetitions of a loop that does not say.
pub const DEFAULT_MAX_ITERATIONS: u32 = 100;

/// One case of a [`NodeKind::Switch`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The name that the edge's [`Output::SwitchCase`] gives.
    pub name: String,
    /// Where it holds, the case is taken.
    pub condition: Condition,
}

/// An edge of a [`Workflow`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edge {
    /// Id of the node where it starts.
    pub from: String,
    /// Id of the node where it leads.
    pub to: String,
    /// When it is taken, where its node has a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
}

impl Edge {
    /// An edge without a label.
    #[must_use]
    pub fn new(from: impl Into<String>, to: impl Into<String>) -> Self {
        Self { from: from.into(), to: to.into(), output: None }
    }
}

/// The label of an edge: when it is taken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Output {
    /// The condition of an `If` holds.
    IfTrue,
    /// The condition of an `If` does not hold.
    IfFalse,
    /// The case of that name holds.
    SwitchCase {
        /// The case.
        name: String,
    },
    /// No case of a `Switch` holds.
    SwitchDefault,
    /// A loop goes on.
    LoopBody,
    /// A loop is done.
    LoopDone,
}

impl Output {
    /// The type of node that has such an output.
    #[must_use]
    pub const fn owner(&self) -> NodeType {
        match self {
            Self::IfTrue | Self::IfFalse => NodeType::If,
            Self::SwitchCase { .. } | Self::SwitchDefault => NodeType::Switch,
            Self::LoopBody | Self::LoopDone => NodeType::Loop,
        }
    }
}

/// As pictures and messages show it.
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

/// A place in a picture, in pixels, `y` downwards.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

/// A [`NodeKind`] without what belongs to it.
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

    /// The name that the canonical form, flags and configuration use.
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

    /// Whether it directs the flow instead of doing something.
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
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::ALL
            .into_iter()
            .find(|node_type| node_type.as_str() == name)
            .ok_or_else(|| UnknownName(name.to_owned()))
    }
}

impl NodeKind {
    /// The type alone.
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
