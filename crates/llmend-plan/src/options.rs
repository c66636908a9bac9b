//! Options for reading plans.

use std::collections::BTreeSet;

use llmend_json::choice;
use serde::{Deserialize, Serialize};

use crate::{Catalog, Dialect, NodeType};

/// Options for reading plans, workflows and patches.
///
/// ```
/// use llmend_plan::{NodeType, OnBadStep, Options};
///
/// let options = Options {
///     on_bad_step: Some(OnBadStep::Drop),
///     disabled: [NodeType::AiStep].into(),
///     ..Options::default()
/// };
/// assert_eq!(options.max_items, 100_000);
/// # let _ = options;
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// The dialect of the source.
    pub dialect: Dialect,
    /// Whether only canonical names and types are accepted; [`Dialect::strictness`] by default.
    /// Applies to the canonical dialects and to that of `OpenManus`.
    pub strictness: Option<Strictness>,
    /// How to handle an invalid step, node, edge or entry; [`Dialect::on_bad_step`] by default.
    pub on_bad_step: Option<OnBadStep>,
    /// Node types that are rejected.
    pub disabled: BTreeSet<NodeType>,
    /// The available tools; if absent, any tool name is accepted.
    pub catalog: Option<Catalog>,
    /// How to handle an unknown tool name that is a near miss of exactly one tool.
    pub on_near_tool: OnNearTool,
    /// How to handle an argument that its tool's schema forbids.
    pub on_extra_argument: OnExtraArgument,
    /// Maximum number of steps or nodes, and of edges; 100,000 by default.
    pub max_items: usize,
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
            on_extra_argument: OnExtraArgument::default(),
            max_items: 100_000,
        }
    }
}

impl Dialect {
    /// Returns the default for [`Options::on_bad_step`]: Clickweave drops bad steps.
    #[must_use]
    pub const fn on_bad_step(self) -> OnBadStep {
        match self {
            Self::ClickweaveSteps | Self::ClickweaveGraph | Self::ClickweavePatch => {
                OnBadStep::Drop
            }
            _ => OnBadStep::Fail,
        }
    }

    /// Returns the default for [`Options::strictness`]: `OpenManus` is strict.
    #[must_use]
    pub const fn strictness(self) -> Strictness {
        match self {
            Self::OpenManus => Strictness::Strict,
            _ => Strictness::Lenient,
        }
    }
}

choice! {
    /// How to handle an invalid step: one that is malformed, of an unknown or disabled type, or with an
    /// unknown tool.
    OnBadStep {
        /// Reject the plan.
        Fail = "fail",
        /// Omit the step and the edges that touch it, with a warning.
        Drop = "drop",
        /// Omit the step with a warning, and connect its predecessors to its successor, unless it
        /// branches.
        Bridge = "bridge",
    }
}

choice! {
    /// How to handle an unknown tool name that is a near miss of exactly one tool.
    #[derive(Default)]
    OnNearTool {
        /// Treat the step as invalid, and suggest the tool.
        #[default]
        Suggest = "suggest",
        /// Use that tool, with a warning.
        Rename = "rename",
    }
}

choice! {
    /// How to handle an argument that its tool's schema forbids. Near misses of missing arguments are
    /// renamed first.
    #[derive(Default)]
    OnExtraArgument {
        /// Keep it, and report it.
        #[default]
        Keep = "keep",
        /// Omit it, with a warning.
        Drop = "drop",
    }
}

choice! {
    /// Whether names and types other than the canonical ones are accepted.
    Strictness {
        /// Reject them, and reject unknown fields.
        Strict = "strict",
        /// Accept the field names that models use, bare and wrapped lists, and numeric ids, and keep
        /// unknown fields as metadata.
        Lenient = "lenient",
    }
}

#[cfg(test)]
mod tests {
    use super::{
        Catalog, Dialect, NodeType, OnBadStep, OnExtraArgument, OnNearTool, Options, Strictness,
    };
    use crate::{Gaps, Layout};

    #[test]
    fn every_choice_parses_from_its_name() {
        macro_rules! each {
            ($($name:ident),+) => {$(
                for choice in $name::ALL {
                    assert_eq!(choice.as_str().parse(), Ok(choice));
                }
            )+};
        }
        each!(OnBadStep, OnNearTool, OnExtraArgument, Strictness, Gaps, Layout);
    }

    #[test]
    fn options_survive_a_round_trip_through_json() {
        let tools = serde_json::json!({"search": {"type": "object", "required": ["query"]}});
        let catalog = Catalog::read(&tools).unwrap();
        for dialect in Dialect::ALL {
            let options = Options {
                dialect,
                strictness: Some(Strictness::Strict),
                on_bad_step: Some(OnBadStep::Bridge),
                disabled: [NodeType::AiStep].into(),
                catalog: Some(catalog.clone()),
                on_near_tool: OnNearTool::Rename,
                on_extra_argument: OnExtraArgument::Drop,
                max_items: 7,
            };
            let json = serde_json::to_string(&options).unwrap();
            assert_eq!(serde_json::from_str::<Options>(&json).unwrap(), options, "{json}");
        }
    }
}
