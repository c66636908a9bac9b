//! How is a plan to be read?

use std::collections::BTreeSet;

use llmend_json::choice;
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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

choice! {
    /// What becomes of a step that cannot be used: one that is malformed, of an unknown type, of a type
    /// that is switched off, or with an unknown tool.
    OnBadStep {
        /// There is no plan.
        Fail = "fail",
        /// It is left out, with a warning, and so are the edges that touch it.
        Drop = "drop",
        /// It is left out, with a warning, and those before it are joined to those after it, if it had
        /// no branches.
        Bridge = "bridge",
    }
}

choice! {
    /// What becomes of a tool's name that no tool has, but that is a slip of exactly one tool's name.
    #[derive(Default)]
    OnNearTool {
        /// The step is bad, and the finding suggests the name.
        #[default]
        Suggest = "suggest",
        /// The step uses that tool, with a warning.
        Rename = "rename",
    }
}

choice! {
    /// Whether names and types other than the canonical ones are read.
    Strictness {
        /// They are refused, and so are fields that are not known.
        Strict = "strict",
        /// Fields may have the names that models give them, a list may stand alone or be wrapped, ids
        /// may be numbers, and fields that are not known become metadata.
        Lenient = "lenient",
    }
}

#[cfg(test)]
mod tests {
    use super::{Catalog, Dialect, NodeType, OnBadStep, OnNearTool, Options, Strictness};
    use crate::{Gaps, Layout};

    #[test]
    fn every_choice_is_read_by_its_name() {
        macro_rules! each {
            ($($name:ident),+) => {$(
                for choice in $name::ALL {
                    assert_eq!(choice.as_str().parse(), Ok(choice));
                }
            )+};
        }
        each!(OnBadStep, OnNearTool, Strictness, Gaps, Layout);
    }

    #[test]
    fn options_that_were_kept_are_the_same_again() {
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
                most_items: 7,
            };
            let kept = serde_json::to_string(&options).unwrap();
            assert_eq!(serde_json::from_str::<Options>(&kept).unwrap(), options, "{kept}");
        }
    }
}
