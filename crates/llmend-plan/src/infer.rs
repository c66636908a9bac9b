//! What control flow did the model mean, where it did not say?
//!
//! Models draw the edges of loops and branches and leave out their labels, lead the end of a body
//! straight back to its loop, or go on from a loop's end. What the structure of the graph decides is
//! inferred at level info. What it does not decide is inferred with a warning that says what could
//! not be known, or left to the checks. A branch that is missing is never invented.

use llmend_json::{Diagnostic, Severity};

use crate::{NodeType, Places, Workflow};

mod back_edges;
mod branches;
mod cases;
mod flow;
mod forward;
mod linear;
mod loop_labels;
mod pairs;
mod reroute;
mod start;
mod structure;

#[cfg(test)]
mod tests;

use flow::{About, Flow};
pub(crate) use pairs::Pairs;
pub(crate) use structure::{Certainty, Structure};

/// A workflow with its control flow inferred.
#[derive(Clone, Debug, PartialEq)]
pub struct Inferred {
    /// The workflow. Its nodes are those that came, in their order.
    pub workflow: Workflow,
    /// Where its parts stand in the model's text.
    pub places: Places,
    /// One finding for each inference, in the order in which they were made; no errors.
    pub diagnostics: Vec<Diagnostic>,
}

/// Where the flow starts had to be guessed.
pub const START: &str = "infer/start";
/// Nodes that stand in a list with no edges at all follow one upon the other.
pub const LINEAR: &str = "infer/linear-edges";
/// Which loop an `EndLoop` ends.
pub const PAIR: &str = "infer/end-loop-pair";
/// An edge of a loop is its body, or what comes after it.
pub const LOOP_LABEL: &str = "infer/loop-label";
/// A loop's way out that leads to its own end goes.
pub const DONE_INTO_END: &str = "infer/done-into-end";
/// An edge onwards from a loop's end becomes the loop's way out, or goes.
pub const ONWARD_FROM_END: &str = "infer/onward-from-end";
/// An edge from a loop's body back to the loop leads through the loop's end.
pub const REROUTED: &str = "infer/rerouted";
/// An edge from a loop's end back to the loop: there is one, and it has no label.
pub const BACK_EDGE: &str = "infer/back-edge";
/// An edge of an `If` is for true, or for false.
pub const IF_LABEL: &str = "infer/if-label";
/// An edge of a `Switch` is for one of its cases, or for none of them.
pub const SWITCH_LABEL: &str = "infer/switch-label";

/// Everything that can be inferred: the code, and what it is about.
pub const INFERENCES: [(&str, &str); 10] = [
    (LINEAR, "nodes in a list without edges follow one upon the other"),
    (START, "where the flow starts, if an edge leads to each node"),
    (PAIR, "which loop an EndLoop ends"),
    (LOOP_LABEL, "which edge of a loop is its body, and which its way out"),
    (DONE_INTO_END, "a loop's way out does not lead to its own end"),
    (ONWARD_FROM_END, "what comes after a loop's end comes after the loop"),
    (REROUTED, "the way back from a loop's body leads through its end"),
    (BACK_EDGE, "one edge without a label leads from a loop's end to the loop"),
    (IF_LABEL, "which edge of an If is for true, and which for false"),
    (SWITCH_LABEL, "which edge of a Switch is for which case"),
];

/// Infers the control flow of `workflow`, whose parts stand at `places` in the model's text.
///
/// ```
/// use llmend_plan::{Edge, Node, NodeKind, Output, Places, Workflow, infer};
///
/// let workflow: Workflow = serde_json::from_value(serde_json::json!({
///     "nodes": [
///         {"id": "again", "type": "loop", "exit_condition": {
///             "left": {"type": "variable", "name": "try.ok"}, "operator": "equals",
///             "right": {"type": "literal", "value": true}}},
///         {"id": "try", "type": "tool", "tool": "press"},
///         {"id": "end", "type": "end_loop", "loop_id": "again"},
///         {"id": "tell", "type": "tool", "tool": "say"},
///     ],
///     "edges": [{"from": "again", "to": "tell"}, {"from": "again", "to": "try"}, {"from": "try", "to": "again"}],
/// }))?;
/// let inferred = infer(workflow, Places::default());
/// assert_eq!(inferred.workflow.edges, [
///     Edge { output: Some(Output::LoopDone), ..Edge::new("again", "tell") },
///     Edge { output: Some(Output::LoopBody), ..Edge::new("again", "try") },
///     Edge::new("try", "end"),
///     Edge::new("end", "again"),
/// ]);
/// assert!(inferred.diagnostics.iter().all(|row| row.severity == llmend_json::Severity::Info));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn infer(workflow: Workflow, places: Places) -> Inferred {
    let mut flow = Flow::new(workflow);
    linear::infer(&mut flow);
    let pairs = pairs::infer(&mut flow);
    let structure = flow.structure(&pairs);
    guessed(&mut flow, &structure);
    loop_labels::infer(&mut flow, &pairs, &structure);
    forward::infer(&mut flow, &pairs, &structure);
    reroute::infer(&mut flow, &pairs, &structure);
    back_edges::infer(&mut flow, &pairs);
    branches::infer(&mut flow);
    cases::infer(&mut flow);
    flow.finish(places)
}

/// Says where the flow is taken to start, where that is a guess on which labels depend.
fn guessed(flow: &mut Flow, structure: &Structure) {
    for node in &structure.guessed {
        if flow.node_type(*node) == Some(NodeType::Loop) {
            let name = flow.name(*node).to_owned();
            let message = format!(
                "the flow is taken to start at `{name}`; an edge leads to each node, and with which loop it starts is not known"
            );
            flow.find(START, level(false), About::Node(*node, ""), message);
        }
    }
}

/// The level of an inference: structure decides, or a guess is made.
const fn level(decided: bool) -> Severity {
    if decided { Severity::Info } else { Severity::Warning }
}
