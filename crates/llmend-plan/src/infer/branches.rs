//! Which edge of an `If` is for true, and which for false?

use crate::{
    NodeType, Output,
    infer::{About, IF_LABEL, flow::Flow, level},
};

/// Labels the edges of every `If`: the other where one is labelled, by their order where none is.
/// A branch that is missing stays so.
pub(super) fn infer(flow: &mut Flow) {
    for node in flow.of_type(NodeType::If) {
        let edges = flow.out(node);
        let outputs: Vec<Option<Output>> =
            edges.iter().map(|edge| flow.output(*edge).cloned()).collect();
        let ([first, second], [one, other]) = (edges.as_slice(), outputs.as_slice()) else {
            continue;
        };
        match (one, other) {
            (None, None) => by_order(flow, *first, *second),
            (Some(known), None) => the_other(flow, *second, known),
            (None, Some(known)) => the_other(flow, *first, known),
            (Some(_), Some(_)) => {}
        }
    }
}

fn by_order(flow: &mut Flow, first: usize, second: usize) {
    let decided = flow.to(first).is_some() && flow.to(first) == flow.to(second);
    for (edge, output) in [(first, Output::IfTrue), (second, Output::IfFalse)] {
        let shown = flow.shown(edge);
        let message = if decided {
            format!("the edge {shown} is for {output}: both lead to the same node")
        } else {
            format!(
                "the edge {shown} is taken for {output}, by the order of both; which one is for true is not known"
            )
        };
        flow.find(IF_LABEL, level(decided), About::Edge(edge), message);
        flow.set_output(edge, Some(output));
    }
}

fn the_other(flow: &mut Flow, edge: usize, known: &Output) {
    let output = match known {
        Output::IfTrue => Output::IfFalse,
        Output::IfFalse => Output::IfTrue,
        _ => return,
    };
    let message =
        format!("the edge {} is for {output}: the other is for {known}", flow.shown(edge));
    flow.find(IF_LABEL, level(true), About::Edge(edge), message);
    flow.set_output(edge, Some(output));
}
