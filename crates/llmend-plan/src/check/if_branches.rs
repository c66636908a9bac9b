//! Edges of `If` nodes.

use crate::{
    NodeType, Output,
    check::{
        CodeRow, Finding,
        flow_view::{FlowView, shown},
    },
    code::Elsewhere,
    graph::names,
};

pub(super) const CODES: [CodeRow; 2] = [
    CodeRow::error("workflow/missing-branch", "an If has no edge for true or for false")
        .elsewhere(Elsewhere::Warning),
    CodeRow::error(
        "workflow/extra-branch",
        "an If has an edge that is not its only one for true or false",
    )
    .elsewhere(Elsewhere::Warning),
];

pub(super) fn check(view: &FlowView<'_>, found: &mut Vec<Finding>) {
    for (node, it) in view.of_type(NodeType::If) {
        let id = names::shown(&it.id);
        for output in [Output::IfTrue, Output::IfFalse] {
            if view.labeled(node, &output).is_empty() {
                let message = format!("If `{id}` has no edge with label `{output}`");
                let help = format!("Add an edge with label `{output}` from `{id}`.");
                found.push(CODES[0].at(view.subject.path(node, ""), message).help(Some(help)));
            }
            for edge in view.repeated(node, &output) {
                let message = format!("If `{id}` has another edge with label `{output}`");
                found.push(CODES[1].at(format!("/edges/{edge}"), message));
            }
        }
        for (at, edge) in view.unlabeled(node) {
            let message = format!("edge {} starts at an If and has no label", shown(edge));
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
