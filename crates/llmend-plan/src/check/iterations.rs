//! Iteration limits of loops.

use crate::{
    NodeKind, NodeType,
    check::{CodeRow, Finding, flow_view::FlowView},
    graph::names::shown,
};

pub(super) const CODES: [CodeRow; 1] =
    [CodeRow::error("workflow/no-iterations", "a loop is limited to zero iterations").standalone()];

pub(super) fn check(view: &FlowView<'_>, found: &mut Vec<Finding>) {
    for (node, it) in view.of_type(NodeType::Loop) {
        if matches!(it.kind, NodeKind::Loop { max_iterations: 0, .. }) {
            let message = format!("loop `{}` is limited to zero iterations", shown(&it.id));
            let path = view.subject.path(node, "/max_iterations");
            found.push(CODES[0].at(path, message));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Options, check_workflow, sketch};

    #[test]
    fn rows() {
        for (most, expected) in [(0, vec!["/nodes/0/max_iterations"]), (1, vec![])] {
            let mut workflow = sketch::workflow("L a E:L", "L-body>a a>E E>L");
            if let crate::NodeKind::Loop { max_iterations, .. } = &mut workflow.nodes[0].kind {
                *max_iterations = most;
            }
            let found = check_workflow(&workflow, &Options::default());
            let paths: Vec<_> =
                found.iter().filter_map(|it| it.diagnostic.path.as_deref()).collect();
            assert_eq!(paths, expected);
        }
    }
}
