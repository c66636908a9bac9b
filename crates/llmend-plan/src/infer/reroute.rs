//! Edges from the body of a loop back to the loop that bypass its end.

use std::collections::{HashMap, HashSet};

use crate::{
    NodeType, Output,
    infer::{
        REROUTED, Target, certainty::Certainty, flow::Flow, pairs::Pairs, severity,
        structure::Structure,
    },
};

/// Reroutes edges from a body back to the loop through the loop's end. An edge keeps its label if its
/// source branches.
pub(super) fn infer(flow: &mut Flow, pairs: &Pairs, structure: &Structure) {
    let ends: HashMap<usize, usize> = pairs.all().into_iter().collect();
    for from in 0..flow.nodes().len() {
        let edges = flow.out(from);
        // Nodes that `from` leads to already, so that a second edge would be a duplicate.
        let mut targets: HashSet<usize> = edges.iter().filter_map(|edge| flow.to(*edge)).collect();
        for edge in edges {
            let Some((of, end)) = flow.to(edge).and_then(|of| Some((of, *ends.get(&of)?))) else {
                continue;
            };
            let certainty = structure.certainty(of);
            if certainty == Certainty::Irregular || !structure.leads_back(from, of) {
                continue;
            }
            reroute(flow, edge, (from, end), &mut targets, certainty == Certainty::Sure);
        }
    }
}

fn reroute(
    flow: &mut Flow,
    edge: usize,
    (from, end): (usize, usize),
    targets: &mut HashSet<usize>,
    decided: bool,
) {
    let kind = flow.node_type(from);
    let is_done = flow.output(edge) == Some(&Output::LoopDone);
    // The edge of an `EndLoop` is handled elsewhere, and the done edge of a loop cannot be its own
    // back edge.
    if kind == Some(NodeType::EndLoop) || (is_done && flow.to(edge) == Some(from)) {
        return;
    }
    let doubt = if decided { "" } else { "; the start of the flow is unknown" };
    let message = format!(
        "rerouted edge {} through `{}`, the end of the loop{doubt}",
        flow.shown(edge),
        flow.name(end)
    );
    flow.report(REROUTED, severity(decided), Target::Edge(edge), message);
    let branches = kind.is_some_and(NodeType::is_control);
    if !branches {
        flow.set_output(edge, None);
    }
    if !targets.insert(end) && !branches {
        flow.remove(edge);
    } else {
        flow.set_to(edge, end);
    }
}
