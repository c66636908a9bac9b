//! Start nodes and isolated nodes.

use crate::{
    Locations, NodeType,
    check::{CodeRow, Finding, flow_view::FlowView},
    code::Elsewhere,
    graph::names::shown,
    locations::ENTRY,
};

pub(super) const CODES: [CodeRow; 3] = [
    CodeRow::error("workflow/no-entry", "every node has an incoming edge: the flow has no start")
        .elsewhere(Elsewhere::Warning),
    CodeRow::error("workflow/several-entries", "the flow has several start nodes")
        .elsewhere(Elsewhere::Warning),
    CodeRow::error("workflow/orphan", "a node has no edges").elsewhere(Elsewhere::Warning),
];

pub(super) fn check(view: &FlowView<'_>, found: &mut Vec<Finding>) {
    let nodes = view.workflow.nodes.len();
    let mut entries: Vec<usize> = (0..nodes).filter(|node| view.is_entry(*node)).collect();
    if entries.is_empty() && nodes > 0 {
        found.push(CODES[0].at("/nodes", "every node has an incoming edge: the flow has no start"));
        return;
    }
    // The flow starts at the first entry with an outgoing edge; the end of a loop is never its start.
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
            let help = "Add an edge from the last node of the loop's body.";
            CODES[1]
                .at(path, format!("EndLoop `{it}` has no incoming edge, so its loop never repeats"))
                .help(Some(help.to_owned()))
        } else if leads_on(&entry) || !view.out(first).any(|_| true) {
            let message =
                format!("the flow starts at `{}`, and no edge leads to `{it}`", name(first));
            CODES[1].at(path, message)
        } else {
            CODES[2].at(path, format!("node `{it}` has no edges"))
        };
        found.push(finding);
    }
}

/// Rewords a finding about a node at which the source says that the flow starts, and locates it there.
/// If the source says where a flow starts, a flow without another start has one.
pub(crate) fn of_stated(mut found: Finding, locations: &Locations) -> Option<Finding> {
    let row = &mut found.diagnostic;
    let mut nodes = locations.lists.get("nodes").into_iter().flatten();
    if row.code == CODES[0].code && nodes.any(|node| node.parts.contains_key(ENTRY)) {
        return None;
    }
    let path = row.path.as_deref().unwrap_or_default();
    let node = locations.item(path).filter(|(_, part)| part.is_empty());
    let is_entry = [CODES[1].code, CODES[2].code].contains(&&*row.code);
    if is_entry && node.is_some_and(|(node, _)| node.parts.contains_key(ENTRY)) {
        row.path = Some(format!("{path}{ENTRY}"));
        row.code = CODES[1].code.into();
        row.message = String::from("the flow has several starts, which run in parallel");
    }
    Some(found)
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
