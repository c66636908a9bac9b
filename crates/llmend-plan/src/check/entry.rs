//! Where does the flow begin?

use crate::{
    NodeType,
    check::{Finding, Listed, flow_view::FlowView},
    graph::names::shown,
};

pub(super) const CODES: [Listed; 3] = [
    Listed::error(
        "workflow/no-entry",
        "an edge leads to every node, so that the flow begins nowhere",
    ),
    Listed::error("workflow/several-entries", "the flow begins at more than one node"),
    Listed::error("workflow/orphan", "no edge touches a node"),
];

pub(super) fn check(view: &FlowView<'_>, found: &mut Vec<Finding>) {
    let nodes = view.workflow.nodes.len();
    let mut entries: Vec<usize> = (0..nodes).filter(|node| view.is_entry(*node)).collect();
    if entries.is_empty() && nodes > 0 {
        found.push(CODES[0].at("/nodes", "an edge leads to every node: the flow begins nowhere"));
        return;
    }
    // The flow begins with the first that leads somewhere; the end of a loop is nobody's beginning.
    let leads_on = |node: &usize| view.out(*node).next().is_some();
    let is_end = |node: &usize| view.node_type(*node) == Some(NodeType::EndLoop);
    let place = entries
        .iter()
        .position(|node| leads_on(node) && !is_end(node))
        .or_else(|| entries.iter().position(|node| !is_end(node)))
        .unwrap_or(0);
    let first = if place < entries.len() { entries.remove(place) } else { return };
    let name = |node: usize| shown(view.subject.names.id(node));
    for entry in entries {
        let (path, it) = (view.subject.path(entry, ""), name(entry));
        let finding = if is_end(&entry) {
            let help = "lead the last node of the loop's body there";
            CODES[1]
                .at(path, format!("no edge leads to `{it}`, so that its loop has no way back"))
                .help(Some(help.to_owned()))
        } else if leads_on(&entry) || !view.out(first).any(|_| true) {
            let message =
                format!("the flow begins at `{}`, and no edge leads to `{it}`", name(first));
            CODES[1].at(path, message)
        } else {
            CODES[2].at(path, format!("no edge touches `{it}`"))
        };
        found.push(finding);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn rows() {
        // S3-28
        crate::check::tests::of_flows(
            &super::CODES,
            &[
                ("a b c", "a>b b>c", ""),
                ("a", "", ""),
                ("a b", "a>b b>a", "workflow/no-entry@/nodes"),
                ("a b c", "a>c b>c", "workflow/several-entries@/nodes/1"),
                ("a b c", "a>b", "workflow/orphan@/nodes/2"),
                ("a b", "", "workflow/several-entries@/nodes/1"),
                ("L a E:L", "L-body>a a>E E>L", ""),
                ("L a E:L", "L-body>a E>L", "workflow/several-entries@/nodes/2"),
            ],
        );
    }
}
