//! Edges of a list of nodes that has none.

use crate::infer::{LINEAR, Target, flow::Flow, severity};

/// Connects the nodes in list order if there are no edges at all, but loops or branches. Nodes
/// without control flow may be meant to be independent, and are left to the checks.
pub(super) fn infer(flow: &mut Flow) {
    let nodes = flow.nodes().len();
    if nodes < 2
        || !flow.has_no_edges()
        || !flow.nodes().iter().any(|node| node.node_type().is_control())
    {
        return;
    }
    for (from, to) in (0..nodes).zip(1..nodes) {
        flow.add(from, to, to);
    }
    let message = "no edges: connected the nodes in list order; another flow may have been meant";
    flow.report(LINEAR, severity(false), Target::Node(0, ""), message);
}
