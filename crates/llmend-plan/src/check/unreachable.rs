//! Does a way lead to each node?

use crate::{
    check::{Finding, Listed, flow_view::FlowView},
    graph::names::shown,
};

pub(super) const CODES: [Listed; 1] =
    [Listed::error("workflow/unreachable", "no way leads to a node from where the flow begins")];

pub(super) fn check(view: &FlowView<'_>, found: &mut Vec<Finding>) {
    let nodes = view.workflow.nodes.len();
    let entries: Vec<usize> = (0..nodes).filter(|node| view.is_entry(*node)).collect();
    if entries.is_empty() {
        // That the flow begins nowhere is of another check.
        return;
    }
    let reached = view.forward.reached(entries);
    for (node, _) in reached.iter().enumerate().filter(|(_, reached)| !**reached) {
        let id = shown(view.subject.names.id(node));
        let message = format!("no way leads to `{id}` from where the flow begins");
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
