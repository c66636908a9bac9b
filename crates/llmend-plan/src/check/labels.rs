//! Edge labels against node types.

use crate::{
    NodeType,
    check::{
        CodeRow, Finding,
        flow_view::{FlowView, shown},
    },
};

pub(super) const CODES: [CodeRow; 1] = [CodeRow::error(
    "workflow/foreign-label",
    "an edge has a label that its node does not support",
)];

/// Checks all nodes except `Switch`, whose check knows the cases.
pub(super) fn check(view: &FlowView<'_>, found: &mut Vec<Finding>) {
    for (node, it) in view.workflow.nodes.iter().enumerate() {
        let kind = it.node_type();
        if kind == NodeType::Switch {
            continue;
        }
        for (at, edge) in view.out(node) {
            let Some(output) = edge.output.as_ref().filter(|output| output.owner() != kind) else {
                continue;
            };
            let owner = output.owner();
            let message = format!(
                "edge {} has label `{output}` of `{owner}` nodes, but starts at a `{kind}` node",
                shown(edge)
            );
            found.push(CODES[0].at(format!("/edges/{at}/output"), message));
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn rows() {
        crate::check::tests::of_flows(
            &super::CODES,
            &[
                ("a b", "a-true>b", "workflow/foreign-label@/edges/0/output"),
                ("L a E:L", "L-body>a a>E E-body>L", "workflow/foreign-label@/edges/2/output"),
                ("I a b", "I-true>a I-false>b I-body>b", "workflow/foreign-label@/edges/2/output"),
                ("L a E:L", "L-body>a a>E E>L", ""),
            ],
        );
    }
}
