//! Flowcharts that llmend drew.
//!
//! They say so in a comment. The shape tells the kind of a node, and the second line of its text what it
//! does. Further comments give what a text cannot say: an id that Mermaid does not allow, a long name.

use std::collections::HashMap;

use crate::{
    Case, Condition, DEFAULT_MAX_ITERATIONS, Literal, Map, NodeKind, Output,
    dialect::mermaid::shape::Shape, read::written_condition,
};

/// What the comments of a flowchart say.
#[derive(Default)]
pub(super) struct Comments {
    /// Whether llmend drew the flowchart.
    pub(super) is_drawn: bool,
    ids: HashMap<String, String>,
    names: HashMap<String, String>,
}

impl Comments {
    /// Reads a comment: `drawn by llmend`, `n0 is "step 1"`, `n0 is named "…"`,
    /// `edge 3 is "…"`.
    pub(super) fn read(&mut self, comment: &str) {
        let comment = comment.trim();
        self.is_drawn |= comment == "drawn by llmend";
        let Some((node, says)) = comment.split_once(" is ").filter(|_| self.is_drawn) else {
            return;
        };
        let (names, text) = match says.strip_prefix("named ") {
            Some(text) => (&mut self.names, text),
            None => (&mut self.ids, says),
        };
        if let Ok(text) = serde_json::from_str(text) {
            names.insert(node.to_owned(), text);
        }
    }

    /// Returns the id of a node.
    pub(super) fn id(&self, node: &str) -> String {
        self.ids.get(node).cloned().unwrap_or_else(|| node.to_owned())
    }

    /// Returns the label of an edge, if it is too long for the drawing.
    pub(super) fn label(&self, edge: usize) -> Option<String> {
        self.ids.get(&format!("edge {edge}")).cloned()
    }

    /// Returns the name of a node, if it is too long for its text.
    pub(super) fn name(&self, node: &str) -> Option<String> {
        self.names.get(node).cloned()
    }
}

/// Returns the kind of a node of this shape, with what it does and the labels of its edges. `None` if it
/// is drawn for an id that no node has.
pub(super) fn kind(shape: Shape, title: &str, detail: &str, labels: &[String]) -> Option<NodeKind> {
    let says = if detail.is_empty() { title } else { detail };
    Some(match shape {
        Shape::Flag => return None,
        Shape::Stadium => {
            NodeKind::AiStep { prompt: says.to_owned(), allowed_tools: None, max_tool_calls: None }
        }
        Shape::Slanted => {
            let (kind, input) = says.split_once(' ').unwrap_or((says, ""));
            let (kind, input_ref) = (kind.to_owned(), input.to_owned());
            NodeKind::AiTransform { kind, input_ref, output_schema: None }
        }
        Shape::Hexagon if labels.iter().all(|label| matches!(label.as_str(), "true" | "false")) => {
            NodeKind::If { condition: condition(says) }
        }
        Shape::Hexagon => {
            let mut names: Vec<&String> =
                labels.iter().filter(|label| *label != "default").collect();
            names.dedup();
            let case = |name: &&String| Case {
                name: (*name).clone(),
                condition: written_condition::answered(title, Literal::Text((*name).clone())),
            };
            NodeKind::Switch { cases: names.iter().map(case).collect() }
        }
        Shape::Subroutine => {
            let rest = says.strip_prefix("at most ").unwrap_or_default();
            let (most, until) = rest.split_once(", until ").unwrap_or(("", says));
            let max_iterations = most.parse().unwrap_or(DEFAULT_MAX_ITERATIONS);
            NodeKind::Loop { exit_condition: condition(until), max_iterations }
        }
        Shape::Rounded => NodeKind::EndLoop { loop_id: says.to_owned() },
        _ => NodeKind::Tool { tool: says.to_owned(), arguments: Map::new() },
    })
}

/// Returns whether a text was shortened for the drawing.
pub(super) fn is_shortened(text: &str) -> bool {
    text.ends_with('…')
}

fn condition(text: &str) -> Condition {
    written_condition::parse(text)
        .unwrap_or_else(|| written_condition::answered(text, Literal::Bool(true)))
}

/// Returns the label of an edge from a node of this kind.
pub(super) fn output(kind: &NodeKind, label: &str) -> Option<Output> {
    Some(match (kind, label) {
        (NodeKind::If { .. }, "true") => Output::IfTrue,
        (NodeKind::If { .. }, "false") => Output::IfFalse,
        (NodeKind::Loop { .. }, "body") => Output::LoopBody,
        (NodeKind::Loop { .. }, "done") => Output::LoopDone,
        (NodeKind::Switch { .. }, "default") => Output::SwitchDefault,
        (NodeKind::Switch { .. }, name) => Output::SwitchCase { name: name.to_owned() },
        _ => return None,
    })
}
