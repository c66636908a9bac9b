//! Ends of loops.

use crate::{
    NodeKind, NodeType,
    check::{
        CodeRow, Finding,
        flow_view::{FlowView, shown},
    },
    graph::names,
};

pub(super) const CODES: [CodeRow; 4] = [
    CodeRow::error("workflow/unknown-loop", "an EndLoop refers to an unknown loop"),
    CodeRow::error(
        "workflow/end-loop-edge",
        "an EndLoop has other edges than one back to its loop",
    ),
    CodeRow::error("workflow/shared-loop", "two EndLoops end the same loop"),
    CodeRow::error("workflow/unpaired-loop", "a loop has no EndLoop"),
];

const HELP: &str = "Give the EndLoop exactly one edge, back to its loop.";

pub(super) fn check(view: &FlowView<'_>, found: &mut Vec<Finding>) {
    for (node, it) in view.of_type(NodeType::EndLoop) {
        let NodeKind::EndLoop { loop_id } = &it.kind else { continue };
        let id = names::shown(&it.id);
        let Some(of) = view.pairs.loop_of(node) else {
            let message = match loop_id.as_str() {
                "" => format!("EndLoop `{id}` names no loop"),
                other => {
                    format!("EndLoop `{id}` refers to unknown loop `{}`", names::shown(other))
                }
            };
            let help = view
                .subject
                .names
                .nearest(loop_id)
                .map(|near| format!("did you mean `{}`?", names::shown(near)));
            found.push(CODES[0].at(view.subject.path(node, "/loop_id"), message).help(help));
            continue;
        };
        let own = names::shown(loop_id);
        let (back, onward): (Vec<_>, Vec<_>) =
            view.out(node).partition(|(_, edge)| view.to(edge) == Some(of));
        if back.is_empty() {
            let message = format!("EndLoop `{id}` has no edge back to its loop `{own}`");
            found.push(
                CODES[1].at(view.subject.path(node, ""), message).help(Some(HELP.to_owned())),
            );
        }
        for (at, edge) in back.into_iter().skip(1).chain(onward) {
            let message = format!(
                "edge {} is not the one from the EndLoop of `{own}` back to it",
                shown(edge)
            );
            found.push(CODES[1].at(format!("/edges/{at}"), message).help(Some(HELP.to_owned())));
        }
    }
    for (node, it) in view.of_type(NodeType::Loop) {
        let id = names::shown(&it.id);
        match view.pairs.ends_of(node) {
            [] => {
                let message = format!("loop `{id}` has no EndLoop");
                found.push(CODES[3].at(view.subject.path(node, ""), message));
            }
            [_, others @ ..] => {
                for other in others {
                    let message = format!("loop `{id}` already has an EndLoop");
                    found.push(CODES[2].at(view.subject.path(*other, "/loop_id"), message));
                }
            }
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
                ("L a E:L", "L-body>a a>E E>L", ""),
                (
                    "L a E:x",
                    "L-body>a a>E E>L",
                    "workflow/unknown-loop@/nodes/2/loop_id workflow/unpaired-loop@/nodes/0",
                ),
                (
                    "L a E",
                    "L-body>a a>E E>L",
                    "workflow/unknown-loop@/nodes/2/loop_id workflow/unpaired-loop@/nodes/0",
                ),
                (
                    "L a E:a",
                    "L-body>a a>E E>L",
                    "workflow/unknown-loop@/nodes/2/loop_id workflow/unpaired-loop@/nodes/0",
                ),
                ("L a E:L", "L-body>a a>E", "workflow/end-loop-edge@/nodes/2"),
                ("L a E:L b", "L-body>a a>E E>L E>b", "workflow/end-loop-edge@/edges/3"),
                (
                    "L M a b E:L F:M",
                    "L-body>M M-body>a a>F F>L M-done>b b>E E>M",
                    "workflow/end-loop-edge@/nodes/4 workflow/end-loop-edge@/edges/6 workflow/end-loop-edge@/nodes/5 workflow/end-loop-edge@/edges/3",
                ),
                ("L a b E:L F:L", "L-body>a a>E E>L F>L", "workflow/shared-loop@/nodes/4/loop_id"),
                ("L a", "L-body>a", "workflow/unpaired-loop@/nodes/0"),
            ],
        );
    }
}
