//! Cycles of the flow outside of loops.

use crate::{
    NodeType,
    check::{CodeRow, Finding, cycle::spelled, flow_view::FlowView},
    code::Elsewhere,
    graph::cycles::cycles,
};

pub(super) const CODES: [CodeRow; 1] =
    [CodeRow::error("workflow/cycle", "the flow has a cycle outside of a loop")
        .elsewhere(Elsewhere::Warning)];

pub(super) fn check(view: &FlowView<'_>, found: &mut Vec<Finding>) {
    // Edges from the end of a loop belong to another check: one of them must lead back.
    let help = "Put repeated nodes between a Loop and its EndLoop.";
    let is_end = |node: usize| view.node_type(node) == Some(NodeType::EndLoop);
    let graph = view.forward.without(is_end);
    for cycle in cycles(&graph) {
        let Some(last) = cycle.arrows.last() else { continue };
        let way = spelled(&cycle, &view.subject.names);
        let message = format!("cycle outside of a loop: {way}");
        found.push(CODES[0].at(format!("/edges/{}", last.of), message).help(Some(help.to_owned())));
    }
    for node in 0..graph.len() {
        for arrow in graph.after(node).filter(|arrow| arrow.to == node) {
            let id = crate::graph::names::shown(view.subject.names.id(node));
            let message = format!("node `{id}` has an edge to itself");
            found.push(
                CODES[0].at(format!("/edges/{}", arrow.of), message).help(Some(help.to_owned())),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn rows() {
        // S3-26
        crate::check::tests::of_flows(
            &super::CODES,
            &[
                ("a b c", "a>b b>c c>b", "workflow/cycle@/edges/2"),
                ("a b", "a>b b>b", "workflow/cycle@/edges/1"),
                ("L a E:L", "L-body>a a>E E>L", ""),
                ("L M a F:M E:L", "L-body>M M-body>a a>F F>M M-done>E E>L", ""),
                ("x L a E:L", "x>L L-body>a a>L E>L", "workflow/cycle@/edges/2"),
            ],
        );
    }
}
