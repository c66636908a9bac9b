//! Successors of nodes that do not branch.

use crate::{
    check::{
        CodeRow, Finding,
        flow_view::{FlowView, shown},
    },
    code::Elsewhere,
    graph::names,
};

pub(super) const CODES: [CodeRow; 1] = [CodeRow::error(
    "workflow/several-successors",
    "a node that does not branch has several successors",
)
.elsewhere(Elsewhere::Warning)];

pub(super) fn check(view: &FlowView<'_>, found: &mut Vec<Finding>) {
    for (node, it) in view.workflow.nodes.iter().enumerate() {
        if it.node_type().is_control() {
            continue;
        }
        let mut edges = view.out(node);
        let Some((_, first)) = edges.next() else { continue };
        for (at, edge) in edges {
            let id = names::shown(&it.id);
            let message = format!(
                "node `{id}` does not branch but has several edges: {} and {}",
                shown(first),
                shown(edge)
            );
            let help = "Chain the successors, or branch with an If or a Switch.";
            found.push(CODES[0].at(format!("/edges/{at}"), message).help(Some(help.to_owned())));
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
                ("a b", "a>b", ""),
                ("a b c", "a>b a>c", "workflow/several-successors@/edges/1"),
                ("I b c", "I-true>b I-false>c", ""),
                (
                    "T b c d",
                    "T>b T>c T>d",
                    "workflow/several-successors@/edges/1 workflow/several-successors@/edges/2",
                ),
            ],
        );
    }
}
