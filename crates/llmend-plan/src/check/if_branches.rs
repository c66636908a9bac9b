//! Does each `If` have one edge for true and one for false?

use crate::{
    NodeType, Output,
    check::{
        Finding, Listed,
        flow_view::{FlowView, shown},
    },
    graph::names,
};

pub(super) const CODES: [Listed; 2] = [
    Listed::error("workflow/missing-branch", "an If has no edge for true, or none for false"),
    Listed::error(
        "workflow/extra-branch",
        "an If has more edges than one for true and one for false",
    ),
];

pub(super) fn check(view: &FlowView<'_>, found: &mut Vec<Finding>) {
    for (node, it) in view.of_type(NodeType::If) {
        let id = names::shown(&it.id);
        for output in [Output::IfTrue, Output::IfFalse] {
            if view.labelled(node, &output).is_empty() {
                let message = format!("the If `{id}` has no edge for {output}");
                let help = format!("add an edge from `{id}` with the label for {output}");
                found.push(CODES[0].at(view.subject.path(node, ""), message).help(Some(help)));
            }
            for edge in view.repeated(node, &output) {
                let message = format!("the If `{id}` has another edge for {output}");
                found.push(CODES[1].at(format!("/edges/{edge}"), message));
            }
        }
        for (at, edge) in view.unlabelled(node) {
            let message = format!("the edge {} has no label, and starts at an If", shown(edge));
            found.push(CODES[1].at(format!("/edges/{at}"), message));
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn rows() {
        // S3-25
        crate::check::tests::of_flows(
            &super::CODES,
            &[
                ("I a b", "I-true>a I-false>b", ""),
                ("I a", "I-true>a", "workflow/missing-branch@/nodes/0"),
                ("I", "", "workflow/missing-branch@/nodes/0 workflow/missing-branch@/nodes/0"),
                (
                    "I a b c",
                    "I-true>a I-false>b I-true>c I>c",
                    "workflow/extra-branch@/edges/2 workflow/extra-branch@/edges/3",
                ),
            ],
        );
    }
}
