//! Operands of conditions.

use crate::{
    Condition, Node, NodeKind,
    check::{CodeRow, Finding, flow_view::FlowView},
};

pub(super) const CODES: [CodeRow; 1] =
    [CodeRow::error("workflow/missing-operand", "a condition has no right operand").standalone()];

pub(super) fn check(view: &FlowView<'_>, found: &mut Vec<Finding>) {
    for (node, it) in view.workflow.nodes.iter().enumerate() {
        for (part, condition) in of(it) {
            if condition.right.is_none() && !condition.operator.is_unary() {
                let message = format!("condition `{condition}` has no right operand");
                found.push(CODES[0].at(view.subject.path(node, &part), message));
            }
        }
    }
}

/// Returns the conditions of a node with their JSON Pointers in it.
pub(super) fn of(node: &Node) -> Vec<(String, &Condition)> {
    match &node.kind {
        NodeKind::If { condition } => vec![("/condition".to_owned(), condition)],
        NodeKind::Loop { exit_condition, .. } => {
            vec![("/exit_condition".to_owned(), exit_condition)]
        }
        NodeKind::Switch { cases } => cases
            .iter()
            .enumerate()
            .map(|(nth, case)| (format!("/cases/{nth}/condition"), &case.condition))
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Operator, Options, check_workflow, sketch};

    #[test]
    fn rows() {
        let rows = [(Operator::Equals, vec!["/nodes/0/condition"]), (Operator::IsEmpty, vec![])];
        for (operator, expected) in rows {
            let mut workflow = sketch::workflow("I a b", "I-true>a I-false>b");
            if let crate::NodeKind::If { condition } = &mut workflow.nodes[0].kind {
                condition.operator = operator;
                condition.right = None;
            }
            let found = check_workflow(&workflow, &Options::default());
            let paths: Vec<_> =
                found.iter().filter_map(|it| it.diagnostic.path.as_deref()).collect();
            assert_eq!(paths, expected);
        }
    }
}
