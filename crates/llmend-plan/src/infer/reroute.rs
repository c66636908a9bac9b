//! Does the body of a loop lead back to it past its end?

use std::collections::{HashMap, HashSet};

use crate::{
    NodeType, Output,
    infer::{
        About, REROUTED,
        flow::Flow,
        level,
        pairs::Pairs,
        structure::{Certainty, Structure},
    },
};

/// Lets edges that lead from a body straight back to the loop lead to the loop's end. The label
/// stays if the edge starts where the flow forks.
pub(super) fn infer(flow: &mut Flow, pairs: &Pairs, structure: &Structure) {
    let ends: HashMap<usize, usize> = pairs.all().into_iter().collect();
    for from in 0..flow.nodes().len() {
        let edges = flow.out(from);
        // Ends to which an edge leads from here, so that a second one would say nothing new.
        let mut led_to: HashSet<usize> = edges.iter().filter_map(|edge| flow.to(*edge)).collect();
        for edge in edges {
            let Some((of, end)) = flow.to(edge).and_then(|of| Some((of, *ends.get(&of)?))) else {
                continue;
            };
            let certainty = structure.certainty(of);
            if certainty == Certainty::Irregular || !structure.leads_back(from, of) {
                continue;
            }
            one(flow, edge, (from, end), &mut led_to, certainty == Certainty::Sure);
        }
    }
}

fn one(
    flow: &mut Flow,
    edge: usize,
    (from, end): (usize, usize),
    led_to: &mut HashSet<usize>,
    decided: bool,
) {
    let kind = flow.node_type(from);
    let is_done = flow.output(edge) == Some(&Output::LoopDone);
    // An end leads to its loop, or else is wrong in a way that is not for here; and a loop is not
    // done where it begins.
    if kind == Some(NodeType::EndLoop) || (is_done && flow.to(edge) == Some(from)) {
        return;
    }
    let doubt = if decided { "" } else { "; where the flow starts is not known" };
    let message = format!(
        "the edge {} leads back to the loop through `{}`, its end{doubt}",
        flow.shown(edge),
        flow.name(end)
    );
    flow.find(REROUTED, level(decided), About::Edge(edge), message);
    let forks = kind.is_some_and(NodeType::is_control);
    if !forks {
        flow.set_output(edge, None);
    }
    if !led_to.insert(end) && !forks {
        flow.remove(edge);
    } else {
        flow.set_to(edge, end);
    }
}
