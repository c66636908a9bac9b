//! Do nodes without any edges follow one upon the other?

use crate::infer::{About, LINEAR, flow::Flow, level};

/// A list with loops or branches in it, and with no edge at all, is a flat plan: each node is
/// followed by the next. Nodes without control flow may as well stand side by side, and are left to
/// the checks.
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
    let message = "there are no edges: each node is followed by the next in the list; what else may have been meant is not known";
    flow.find(LINEAR, level(false), About::Node(0, ""), message);
}
