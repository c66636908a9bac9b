//! Labels of the edges of an `If`.

use crate::{
    NodeType, Output,
    infer::{IF_LABEL, Target, flow::Flow, severity},
};

/// Labels the two edges of every `If`: the second if one is labeled, both by their order if none is.
/// A missing branch stays missing.
pub(super) fn infer(flow: &mut Flow) {
    for node in flow.of_type(NodeType::If) {
        let edges = flow.out(node);
        let outputs: Vec<Option<Output>> =
            edges.iter().map(|edge| flow.output(*edge).cloned()).collect();
        let ([first, second], [one, other]) = (edges.as_slice(), outputs.as_slice()) else {
            continue;
        };
        match (one, other) {
            (None, None) => label_by_order(flow, *first, *second),
            (Some(known), None) => label_other(flow, *second, known),
            (None, Some(known)) => label_other(flow, *first, known),
            (Some(_), Some(_)) => {}
        }
    }
}

fn label_by_order(flow: &mut Flow, first: usize, second: usize) {
    let decided = flow.to(first).is_some() && flow.to(first) == flow.to(second);
    for (edge, output) in [(first, Output::IfTrue), (second, Output::IfFalse)] {
        let shown = flow.shown(edge);
        let message = if decided {
            format!("labeled edge {shown} {output}: both edges lead to the same node")
        } else {
            format!(
                "labeled edge {shown} {output} by order; which edge is the true branch is unknown"
            )
        };
        flow.report(IF_LABEL, severity(decided), Target::Edge(edge), message);
        flow.set_output(edge, Some(output));
    }
}

fn label_other(flow: &mut Flow, edge: usize, known: &Output) {
    let output = match known {
        Output::IfTrue => Output::IfFalse,
        Output::IfFalse => Output::IfTrue,
        _ => return,
    };
    let message = format!("labeled edge {} {output}: the other edge is {known}", flow.shown(edge));
    flow.report(IF_LABEL, severity(true), Target::Edge(edge), message);
    flow.set_output(edge, Some(output));
}
