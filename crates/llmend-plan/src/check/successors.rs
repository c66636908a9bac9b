//! Does each regular node lead to one other at most?

use crate::{
    check::{
        Finding, Listed,
        flow_view::{FlowView, shown},
    },
    graph::names,
};

pub(super) const CODES: [Listed; 1] = [Listed::error(
    "workflow/several-successors",
    "a node that has no choice leads to several others",
)];

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
                "`{id}` has no choice, and leads on by {} and by {}",
                shown(first),
                shown(edge)
            );
            let help = "let one follow the other, or choose by an If or a Switch";
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
