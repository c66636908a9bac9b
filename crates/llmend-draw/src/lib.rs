//! Drawings of workflows: SVG, Mermaid, Graphviz and terminal trees.
//!
//! Each format is one function that takes a [`Workflow`] and the [`Annotations`] of its findings, and
//! returns text. A plan is drawn as the workflow that [`Plan::to_workflow`](llmend_plan::Plan::to_workflow)
//! returns. Text from a model is shortened, stripped of control and bidirectional formatting characters,
//! and escaped for the format, so that no name can break out of its place.
//!
//! An edge to an unknown node is drawn to a placeholder marked as missing.

use std::{fmt, str::FromStr};

use llmend_json::UnknownChoice;

use llmend_plan::{Document, Reviewed, Workflow};

mod annotations;
mod dot;
mod label;
pub mod layout;
mod loop_ends;
mod mermaid;
mod scene;
#[cfg(test)]
#[path = "../../llmend-plan/src/sketch.rs"]
#[expect(dead_code, reason = "the tests of the other crate use the rest")]
mod sketch;
mod svg;
mod tree;

pub use annotations::Annotations;
pub use dot::dot;
pub use mermaid::mermaid;
pub use svg::svg;
pub use tree::tree;

/// An output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// A Mermaid flowchart: [`mermaid`].
    Mermaid,
    /// A Graphviz graph: [`dot`].
    Dot,
    /// An SVG image: [`svg`].
    Svg,
    /// A tree for the terminal: [`tree`].
    Tree,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Mermaid, Self::Dot, Self::Svg, Self::Tree];

    /// Returns the name used by flags and settings.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mermaid => "mermaid",
            Self::Dot => "dot",
            Self::Svg => "svg",
            Self::Tree => "tree",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, UnknownChoice> {
        UnknownChoice::find(name, &Self::ALL, Self::as_str)
    }
}

/// Draws `workflow` in `format`, with its findings. The text ends with a line break.
///
/// ```
/// use llmend_draw::{Annotations, Format, draw};
/// use llmend_plan::{Edge, Node, NodeKind, Workflow};
///
/// let tool = |id: &str| Node::new(id, NodeKind::Tool { tool: "click".into(), arguments: Default::default() });
/// let workflow = Workflow {
///     name: Some("Log in".into()),
///     nodes: vec![tool("open"), tool("send")],
///     edges: vec![Edge::new("open", "send")],
///     ..Workflow::default()
/// };
/// assert_eq!(
///     draw(&workflow, &Annotations::default(), Format::Tree),
///     "Log in\n├─ open · click\n└─ send · click\n",
/// );
/// ```
#[must_use]
pub fn draw(workflow: &Workflow, annotations: &Annotations, format: Format) -> String {
    match format {
        Format::Mermaid => mermaid(workflow, annotations),
        Format::Dot => dot(workflow, annotations),
        Format::Svg => svg(workflow, annotations),
        Format::Tree => tree(workflow, annotations),
    }
}

/// Draws the reviewed plan or workflow in `format`, with its findings. Returns `None` for a patch or a
/// task's result.
///
/// ```
/// use llmend_draw::{Format, draw_reviewed};
/// use llmend_plan::{Options, review};
///
/// let answer = "{steps: [{id: 'a', tool: 'look'}, {id: 'b', tool: 'tell', depends_on: ['a', 'c']}]}";
/// let reviewed = review(answer, &Options::default())?;
/// assert_eq!(
///     draw_reviewed(&reviewed, Format::Tree).as_deref(),
///     Some("Plan\n├─ a · look\n├─ c · missing\n└─ b · tell  ← a, c  ✗ plan/unknown-dependency\n"),
/// );
/// # Ok::<(), llmend_plan::Error>(())
/// ```
#[must_use]
pub fn draw_reviewed(reviewed: &Reviewed<Document>, format: Format) -> Option<String> {
    let findings = || reviewed.diagnostics.iter().cloned();
    match &reviewed.value {
        Document::Workflow(workflow) => {
            Some(draw(workflow, &Annotations::located(findings(), &reviewed.locations), format))
        }
        Document::Plan(plan) => {
            let mut converted = plan.to_workflow();
            if plan.objective.is_none() {
                converted.workflow.name = Some("Plan".to_owned());
            }
            let annotations =
                Annotations::located(findings(), &converted.locations(&reviewed.locations));
            Some(draw(&converted.workflow, &annotations, format))
        }
        Document::Patch(_) | Document::TaskResult(_) => None,
    }
}

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeCode;
