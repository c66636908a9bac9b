//! Inference of control flow that the model left implicit.
//!
//! Models draw the edges of loops and branches without labels, lead the last node of a body straight
//! back to its loop, or continue from the end of a loop. An inference that the structure of the graph
//! decides is reported as info. Other inferences are warnings that say what is uncertain, or are left
//! to the checks. A missing branch is never invented.

use llmend_json::{Diagnostic, Severity};

use crate::{Locations, NodeType, Workflow};

mod back_edges;
mod branches;
mod cases;
mod certainty;
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

pub(crate) use certainty::Certainty;
use flow::{Flow, Target};
pub(crate) use pairs::Pairs;
pub(crate) use structure::Structure;

/// A workflow with inferred control flow.
#[derive(Clone, Debug, PartialEq)]
pub struct Inference {
    /// The workflow, with the same nodes in the same order.
    pub workflow: Workflow,
    /// Positions of its parts in the source text.
    pub locations: Locations,
    /// One finding per inference, in the order they were made: info or warning.
    pub diagnostics: Vec<Diagnostic>,
}

/// The start of the flow was guessed.
pub const START: &str = "infer/start";
/// Nodes without any edges were connected in list order.
pub(crate) const LINEAR: &str = "infer/linear-edges";
/// An `EndLoop` was paired with its loop.
pub(crate) const PAIR: &str = "infer/end-loop-pair";
/// An edge from a loop was labeled body or done.
pub(crate) const LOOP_LABEL: &str = "infer/loop-label";
/// An edge from a loop to its own end was removed.
pub const DONE_INTO_END: &str = "infer/done-into-end";
/// An edge onward from the end of a loop became the loop's done edge, or was removed.
pub(crate) const ONWARD_FROM_END: &str = "infer/onward-from-end";
/// An edge from a loop's body back to the loop was rerouted through the loop's end.
pub(crate) const REROUTED: &str = "infer/rerouted";
/// The edge from a loop's end back to the loop was added, or lost its label or duplicates.
pub(crate) const BACK_EDGE: &str = "infer/back-edge";
/// An edge from an `If` was labeled true or false.
pub const IF_LABEL: &str = "infer/if-label";
/// An edge from a `Switch` was labeled with a case or the default.
pub const SWITCH_LABEL: &str = "infer/switch-label";

/// Every inference: its code and what it does.
pub(crate) const INFERENCES: [(&str, &str); 10] = [
    (LINEAR, "connects nodes in list order if there are no edges"),
    (START, "picks the start of the flow if every node has an incoming edge"),
    (PAIR, "pairs an EndLoop with its loop"),
    (LOOP_LABEL, "labels the body edge and the done edge of a loop"),
    (DONE_INTO_END, "removes an edge from a loop to its own end"),
    (ONWARD_FROM_END, "moves an edge onward from a loop's end to the loop"),
    (REROUTED, "reroutes an edge back to a loop through the loop's end"),
    (BACK_EDGE, "makes one unlabeled edge lead from a loop's end to the loop"),
    (IF_LABEL, "labels the true and the false edge of an If"),
    (SWITCH_LABEL, "labels the edges of a Switch with its cases"),
];

/// Infers the control flow of `workflow`, whose parts are located by `locations` in the source text.
///
/// ```
/// use llmend_plan::{Edge, Node, NodeKind, Output, Locations, Workflow, infer};
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
/// let inference = infer(workflow, Locations::default());
/// assert_eq!(inference.workflow.edges, [
///     Edge { output: Some(Output::LoopDone), ..Edge::new("again", "tell") },
///     Edge { output: Some(Output::LoopBody), ..Edge::new("again", "try") },
///     Edge::new("try", "end"),
///     Edge::new("end", "again"),
/// ]);
/// assert!(inference.diagnostics.iter().all(|row| row.severity == llmend_json::Severity::Info));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn infer(workflow: Workflow, locations: Locations) -> Inference {
    let mut flow = Flow::new(workflow);
    linear::infer(&mut flow);
    let pairs = pairs::infer(&mut flow);
    let structure = Structure::new(flow.nodes(), flow.arrows(), &pairs);
    report_guessed_starts(&mut flow, &structure);
    loop_labels::infer(&mut flow, &pairs, &structure);
    forward::infer(&mut flow, &pairs, &structure);
    reroute::infer(&mut flow, &pairs, &structure);
    back_edges::infer(&mut flow, &pairs);
    branches::infer(&mut flow);
    cases::infer(&mut flow);
    flow.finish(locations)
}

/// Reports each guessed start of the flow on which labels depend.
fn report_guessed_starts(flow: &mut Flow, structure: &Structure) {
    for node in &structure.guessed {
        if flow.node_type(*node) == Some(NodeType::Loop) {
            let name = flow.name(*node).to_owned();
            let message = format!(
                "assuming the flow starts at `{name}`: every node has an incoming edge, and the first loop is unknown"
            );
            flow.report(START, severity(false), Target::Node(*node, ""), message);
        }
    }
}

/// Returns the severity of an inference: info if the structure decides it, warning if it is a guess.
const fn severity(decided: bool) -> Severity {
    if decided { Severity::Info } else { Severity::Warning }
}
