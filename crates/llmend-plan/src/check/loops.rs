//! Body and exit of loops.

use crate::{
    NodeType, Output,
    check::{
        CodeRow, Finding,
        flow_view::{FlowView, shown},
    },
    graph::names,
    infer::Certainty,
};

pub(super) const CODES: [CodeRow; 6] = [
    CodeRow::error("workflow/loop-without-body", "a loop has no body edge"),
    CodeRow::error("workflow/loop-with-two-bodies", "a loop has several body edges"),
    CodeRow::error("workflow/loop-with-two-exits", "a loop has several exit edges"),
    CodeRow::error(
        "workflow/unlabeled-loop-edge",
        "an edge of a loop is labeled neither as body nor as exit",
    ),
    CodeRow::error("workflow/body-does-not-return", "the body of a loop never returns to it"),
    CodeRow::error("workflow/exit-returns", "the exit of a loop leads back into it"),
];

pub(super) fn check(view: &FlowView<'_>, found: &mut Vec<Finding>) {
    for (node, it) in view.of_type(NodeType::Loop) {
        let id = names::shown(&it.id);
        if view.labeled(node, &Output::LoopBody).is_empty() {
            let message = format!("loop `{id}` has no body edge");
            let help = "Label one of its edges as the body.";
            found.push(
                CODES[0].at(view.subject.path(node, ""), message).help(Some(help.to_owned())),
            );
        }
        for edge in view.repeated(node, &Output::LoopBody) {
            let message = format!("loop `{id}` has another body edge");
            found.push(CODES[1].at(format!("/edges/{edge}"), message));
        }
        // A loop without an exit is allowed: the flow ends with it.
        for edge in view.repeated(node, &Output::LoopDone) {
            let message = format!("loop `{id}` has another exit edge");
            found.push(CODES[2].at(format!("/edges/{edge}"), message));
        }
        for (at, edge) in view.unlabeled(node) {
            let message = format!(
                "edge {} starts at a loop and is labeled neither as body nor as exit",
                shown(edge)
            );
            found.push(CODES[3].at(format!("/edges/{at}"), message));
        }
        if view.structure.certainty(node) == Certainty::Sure {
            check_returns(view, node, found);
        }
    }
}

/// Checks that the body returns to the loop, and that the exit does not.
fn check_returns(view: &FlowView<'_>, node: usize, found: &mut Vec<Finding>) {
    let id = names::shown(view.subject.names.id(node));
    for (at, edge) in view.out(node) {
        let Some(to) = view.to(edge) else { continue };
        let inside = view.structure.is_inside(to, node);
        match &edge.output {
            // A loop with two ends is reported elsewhere; where its body returns to is unknown.
            Some(Output::LoopBody) if !inside && view.pairs.end_of(node).is_some() => {
                let message = format!(
                    "the body of loop `{id}`, which starts with edge {}, never returns to the loop",
                    shown(edge)
                );
                found.push(CODES[4].at(format!("/edges/{at}"), message));
            }
            Some(Output::LoopDone) if inside => {
                let message = format!(
                    "edge {} is the exit of loop `{id}` and leads back into it",
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
                ("L a b E:L", "L-body>a a>E E>L L>b", "workflow/unlabeled-loop-edge@/edges/3"),
                (
                    "L a b E:L",
                    "L-body>b a>E E>L L-done>a",
                    "workflow/body-does-not-return@/edges/0 workflow/exit-returns@/edges/3",
                ),
            ],
        );
    }
}
