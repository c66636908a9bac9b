//! How is a workflow shown?
//!
//! Each format is one function from a [`Workflow`] and the [`Marks`] of its findings to a text. A plan
//! is drawn as the workflow that [`Plan::to_workflow`](crate::Plan::to_workflow) makes of it. What
//! comes from a model is cut where it is long, freed of control characters and of those that turn the
//! direction of writing, and escaped as the format wants it: no name can end the place it stands in.
//!
//! An edge to a node that there is not is drawn too, to a node marked as missing.

use std::{fmt, str::FromStr};

use llmend_json::UnknownName;

use crate::{Document, Reviewed, Workflow};

mod dot;
mod label;
mod marks;
mod mermaid;
mod scene;
mod svg;
mod tree;

pub use dot::dot;
pub use marks::Marks;
pub use mermaid::mermaid;
pub use svg::svg;
pub use tree::tree;

/// A form in which workflows are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// A Mermaid flowchart: [`mermaid`].
    Mermaid,
    /// A Graphviz graph: [`dot`].
    Dot,
    /// A picture: [`svg`].
    Svg,
    /// Lines for a terminal: [`tree`].
    Tree,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Mermaid, Self::Dot, Self::Svg, Self::Tree];

    /// The name that flags use.
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
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::ALL
            .into_iter()
            .find(|format| format.as_str() == name)
            .ok_or_else(|| UnknownName(name.to_owned()))
    }
}

/// Draws `workflow` in `format`, with `marks` on what was found. The text ends with a line break.
///
/// ```
/// use llmend_plan::{Edge, Node, NodeKind, Workflow, draw::{Format, Marks, draw}};
///
/// let tool = |id: &str| Node::new(id, NodeKind::Tool { tool: "click".into(), arguments: Default::default() });
/// let workflow = Workflow {
///     name: Some("Log in".into()),
///     nodes: vec![tool("open"), tool("send")],
///     edges: vec![Edge::new("open", "send")],
///     ..Workflow::default()
/// };
/// assert_eq!(
///     draw(&workflow, &Marks::default(), Format::Tree),
///     "Log in\n├─ open · click\n└─ send · click\n",
/// );
/// ```
#[must_use]
pub fn draw(workflow: &Workflow, marks: &Marks, format: Format) -> String {
    match format {
        Format::Mermaid => mermaid(workflow, marks),
        Format::Dot => dot(workflow, marks),
        Format::Svg => svg(workflow, marks),
        Format::Tree => tree(workflow, marks),
    }
}

/// Draws the plan or workflow that was reviewed in `format`, with everything that was found in its
/// place; nothing of a patch or a task's report.
///
/// ```
/// use llmend_plan::{Options, draw::{Format, picture}, review};
///
/// let answer = "{steps: [{id: 'a', tool: 'look'}, {id: 'b', tool: 'tell', depends_on: ['a', 'c']}]}";
/// let reviewed = review(answer, &Options::default())?;
/// assert_eq!(
///     picture(&reviewed, Format::Tree).as_deref(),
///     Some("Plan\n├─ a · look\n├─ c · missing\n└─ b · tell  ← a, c  ✗ plan/unknown-dependency\n"),
/// );
/// # Ok::<(), llmend_plan::Error>(())
/// ```
#[must_use]
pub fn picture(reviewed: &Reviewed<Document>, format: Format) -> Option<String> {
    let findings = || reviewed.diagnostics.iter().cloned();
    match &reviewed.value {
        Document::Workflow(workflow) => {
            Some(draw(workflow, &Marks::located(findings(), &reviewed.places), format))
        }
        Document::Plan(plan) => {
            let mut converted = plan.to_workflow();
            if plan.objective.is_none() {
                converted.workflow.name = Some("Plan".to_owned());
            }
            let marks = Marks::located(findings(), &converted.places(&reviewed.places));
            Some(draw(&converted.workflow, &marks, format))
        }
        Document::Patch(_) | Document::TaskResult(_) => None,
    }
}

#[cfg(test)]
mod tests;
