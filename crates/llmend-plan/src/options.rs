//! How is a plan to be read?

use std::{collections::BTreeSet, fmt, str::FromStr};

use llmend_json::UnknownName;
use serde::{Deserialize, Serialize};

use crate::{Catalog, Dialect, NodeType};

/// How a plan, a workflow or a patch is read.
///
/// ```
/// use llmend_plan::{NodeType, OnBadStep, Options};
///
/// let options = Options {
///     on_bad_step: Some(OnBadStep::Drop),
///     disabled: [NodeType::AiStep].into(),
///     ..Options::default()
/// };
/// assert_eq!(options.most_items, 100_000);
/// # let _ = options;
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How it is written.
    pub dialect: Dialect,
    /// Whether canonical names and types are insisted on; where nothing is said, what
    /// [`Dialect::strictness`] says. It concerns the canonical dialects and that of `OpenManus`.
    pub strictness: Option<Strictness>,
    /// What becomes of a step, node, edge or entry that cannot be used; where nothing is said, what
    /// [`Dialect::on_bad_step`] says.
    pub on_bad_step: Option<OnBadStep>,
    /// Types of nodes that are refused.
    pub disabled: BTreeSet<NodeType>,
    /// The tools that there are; where nothing is said, any name goes.
    pub catalog: Option<Catalog>,
    /// What becomes of a tool's name that is a slip of exactly one tool's.
    pub on_near_tool: OnNearTool,
    /// Most steps or nodes, and most edges; 100,000 where nothing is said.
    pub most_items: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            dialect: Dialect::Auto,
            strictness: None,
            on_bad_step: None,
            disabled: BTreeSet::new(),
            catalog: None,
            on_near_tool: OnNearTool::default(),
            most_items: 100_000,
        }
    }
}

/// What becomes of a step that cannot be used: one that is malformed, of an unknown type, of a type
/// that is switched off, or with an unknown tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnBadStep {
    /// There is no plan.
    Fail,
    /// It is left out, with a warning, and so are the edges that touch it.
    Drop,
    /// It is left out, with a warning, and those before it are joined to those after it, if it had
    /// no branches.
    Bridge,
}

impl OnBadStep {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Fail, Self::Drop, Self::Bridge];

    /// The name that flags and configuration use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Drop => "drop",
            Self::Bridge => "bridge",
        }
    }
}

impl fmt::Display for OnBadStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for OnBadStep {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::ALL
            .into_iter()
            .find(|policy| policy.as_str() == name)
            .ok_or_else(|| UnknownName(name.to_owned()))
    }
}

/// What becomes of a tool's name that no tool has, but that is a slip of exactly one tool's name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnNearTool {
    /// The step is bad, and the finding suggests the name.
    #[default]
    Suggest,
    /// The step uses that tool, with a warning.
    Rename,
}

/// Whether names and types other than the canonical ones are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strictness {
    /// They are refused, and so are fields that are not known.
    Strict,
    /// Fields may have the names that models give them, a list may stand alone or be wrapped, ids
    /// may be numbers, and fields that are not known become metadata.
    Lenient,
}
