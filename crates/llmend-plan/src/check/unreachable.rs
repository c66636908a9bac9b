//! Unreachable nodes.

use crate::{
    check::{CodeRow, Finding, flow_view::FlowView},
    code::Elsewhere,
    graph::names::shown,
};

pub(super) const CODES: [CodeRow; 1] =
    [CodeRow::error("workflow/unreachable", "a node is unreachable from the start of the flow")
        .elsewhere(Elsewhere::Warning)];

pub(super) fn check(view: &FlowView<'_>, found: &mut Vec<Finding>) {
    let nodes = view.workflow.nodes.len();
    let entries: Vec<usize> = (0..nodes).filter(|node| view.is_entry(*node)).collect();
    if entries.is_empty() {
        // A flow without a start is reported by another check.
        return;
    }
    let reached = view.forward.reached(entries);
    for (node, _) in reached.iter().enumerate().filter(|(_, reached)| !**reached) {
        let id = shown(view.subject.names.id(node));
        let message = format!("node `{id}` is unreachable from the start of the flow");
        found.push(CODES[0].at(view.subject.path(node, ""), message));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn rows() {
        crate::check::tests::of_flows(
            &super::CODES,
            &[
                (
                    "a b c d",
                    "a>b c>d d>c",
                    "workflow/unreachable@/nodes/2 workflow/unreachable@/nodes/3",
                ),
                ("a b", "a>b", ""),
                ("a b", "a>b b>a", ""),
            ],
        );
    }
}
