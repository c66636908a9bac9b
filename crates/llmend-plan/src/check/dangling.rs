//! Edges to unknown nodes.

use crate::{
    Fix,
    check::{CodeRow, Finding, flow_view::FlowView},
    code,
    fix::End,
    graph::names::shown,
};

pub(super) const CODES: [CodeRow; 1] =
    [CodeRow::error(code::DANGLING_EDGE, "an edge refers to an unknown node")];

pub(super) fn check(view: &FlowView<'_>, found: &mut Vec<Finding>) {
    let names = &view.subject.names;
    for (at, edge) in view.workflow.edges.iter().enumerate() {
        for (end, id, part) in [(End::From, &edge.from, "from"), (End::To, &edge.to, "to")] {
            if names.get(id).is_some() {
                continue;
            }
            let message = format!("edge refers to unknown node `{}`", shown(id));
            let meant = names.ignoring_case(id);
            let fix =
                meant.map(|meant| Fix::RenameEnd { edge: at, end, to: names.id(meant).to_owned() });
            let path = format!("/edges/{at}/{part}");
            found.push(CODES[0].at(path, message).help(names.advice(id)).fix(fix));
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
                (
                    "a b",
                    "a>b b>c x>a",
                    "plan/dangling-edge@/edges/1/to plan/dangling-edge@/edges/2/from",
                ),
                ("a b", "a>B", "plan/dangling-edge@/edges/0/to+fix"),
            ],
        );
    }
}
