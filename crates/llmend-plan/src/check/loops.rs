//! Does each loop have a body that comes back, and at most one way out?

use crate::{
    NodeType, Output,
    check::{
        Finding, Listed,
        flow_view::{FlowView, shown},
    },
    graph::names,
    infer::Certainty,
};

pub(super) const CODES: [Listed; 6] = [
    Listed::error("workflow/loop-without-body", "a loop has no body"),
    Listed::error("workflow/loop-with-two-bodies", "a loop has more than one body"),
    Listed::error("workflow/loop-with-two-exits", "a loop has more than one way out"),
    Listed::error(
        "workflow/unlabelled-loop-edge",
        "an edge of a loop is neither its body nor its way out",
    ),
    Listed::error(
        "workflow/body-does-not-return",
        "from the body of a loop, no way leads to its end",
    ),
    Listed::error("workflow/exit-returns", "the way out of a loop leads back into it"),
];

pub(super) fn check(view: &FlowView<'_>, found: &mut Vec<Finding>) {
    for (node, it) in view.of_type(NodeType::Loop) {
        let id = names::shown(&it.id);
        if view.labelled(node, &Output::LoopBody).is_empty() {
            let message = format!("the loop `{id}` has no body");
            let help = "one of its edges is to have the label for the body";
            found.push(
                CODES[0].at(view.subject.path(node, ""), message).help(Some(help.to_owned())),
            );
        }
        for edge in view.repeated(node, &Output::LoopBody) {
            let message = format!("the loop `{id}` has another body");
            found.push(CODES[1].at(format!("/edges/{edge}"), message));
        }
        // That a loop has no way out is allowed: then the flow ends with it.
        for edge in view.repeated(node, &Output::LoopDone) {
            let message = format!("the loop `{id}` has another way out");
            found.push(CODES[2].at(format!("/edges/{edge}"), message));
        }
        for (at, edge) in view.unlabelled(node) {
            let message = format!(
                "the edge {} does not say whether it is the body of the loop, or the way out",
                shown(edge)
            );
            found.push(CODES[3].at(format!("/edges/{at}"), message));
        }
        if view.structure.certainty(node) == Certainty::Sure {
            returns(view, node, found);
        }
    }
}

/// What comes after the body is to lead back, and what comes after the way out is not.
fn returns(view: &FlowView<'_>, node: usize, found: &mut Vec<Finding>) {
    let id = names::shown(view.subject.names.id(node));
    for (at, edge) in view.out(node) {
        let Some(to) = view.to(edge) else { continue };
        let inside = view.structure.is_inside(to, node);
        match &edge.output {
            // With two ends, of which is told elsewhere, there is no telling where to come back to.
            Some(Output::LoopBody) if !inside && view.pairs.end_of(node).is_some() => {
                let message = format!(
                    "from the body of `{id}`, which begins with {}, no way leads back to the loop",
                    shown(edge)
                );
                found.push(CODES[4].at(format!("/edges/{at}"), message));
            }
            Some(Output::LoopDone) if inside => {
                let message = format!(
                    "the edge {} is the way out of `{id}`, and leads back into it",
                    shown(edge)
                );
                found.push(CODES[5].at(format!("/edges/{at}"), message));
            }
            _ => {}
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
                ("L I E:L F:L", "L-body>I I-true>E I-false>F E>L F>L", ""),
                ("L a E:L b", "L-body>a a>E E>L L-done>b", ""),
                ("L a E:L", "L-body>a a>E E>L", ""),
                ("L b E:L", "L-done>b E>L", "workflow/loop-without-body@/nodes/0"),
                (
                    "L a b E:L",
                    "L-body>a L-body>b a>E b>E E>L",
                    "workflow/loop-with-two-bodies@/edges/1",
                ),
                (
                    "L a b c E:L",
                    "L-body>a a>E E>L L-done>b L-done>c",
                    "workflow/loop-with-two-exits@/edges/4",
                ),
                ("L a b E:L", "L-body>a a>E E>L L>b", "workflow/unlabelled-loop-edge@/edges/3"),
                (
                    "L a b E:L",
                    "L-body>b a>E E>L L-done>a",
                    "workflow/body-does-not-return@/edges/0 workflow/exit-returns@/edges/3",
                ),
            ],
        );
    }
}
