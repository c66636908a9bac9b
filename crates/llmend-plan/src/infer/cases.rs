//! Which edge of a `Switch` is for which case?

use std::collections::HashSet;

use crate::{
    NodeKind, NodeType, Output,
    infer::{About, SWITCH_LABEL, flow::Flow, level},
};

/// Labels the edges of every `Switch` by what is left: the case that has no edge yet, or no case at
/// all. Several that are left are labelled in their order, if there are as many edges as cases, or
/// one more for the default.
pub(super) fn infer(flow: &mut Flow) {
    for node in flow.of_type(NodeType::Switch) {
        let edges = flow.out(node);
        let taken: HashSet<Output> =
            edges.iter().filter_map(|edge| flow.output(*edge).cloned()).collect();
        let open: Vec<usize> =
            edges.into_iter().filter(|edge| flow.output(*edge).is_none()).collect();
        if open.is_empty() {
            continue;
        }
        let Some(NodeKind::Switch { cases }) = flow.nodes().get(node).map(|node| &node.kind) else {
            continue;
        };
        let mut seen = HashSet::new();
        let cases = cases.iter().filter(|case| seen.insert(case.name.as_str()));
        let mut left: Vec<Output> =
            cases.map(|case| Output::SwitchCase { name: case.name.clone() }).collect();
        let declared: HashSet<Output> = left.iter().cloned().collect();
        let is_known =
            |output: &Output| *output == Output::SwitchDefault || declared.contains(output);
        if !taken.iter().all(is_known) {
            continue;
        }
        left.retain(|output| !taken.contains(output));
        if open.len() == left.len() + 1 && !taken.contains(&Output::SwitchDefault) {
            left.push(Output::SwitchDefault);
        }
        if open.len() == left.len() {
            label(flow, &open, left);
        }
    }
}

fn label(flow: &mut Flow, open: &[usize], left: Vec<Output>) {
    let decided = open.len() == 1;
    for (edge, output) in open.iter().zip(left) {
        let shown = flow.shown(*edge);
        let what = match &output {
            Output::SwitchCase { name } => {
                format!("the case `{}`", crate::graph::names::shown(name))
            }
            _ => "the default".to_owned(),
        };
        let message = if decided {
            format!("the edge {shown} is for {what}: there is nothing else left")
        } else {
            format!(
                "the edge {shown} is taken for {what}, by the order of the cases; which edge is for which case is not known"
            )
        };
        flow.find(SWITCH_LABEL, level(decided), About::Edge(*edge), message);
        flow.set_output(*edge, Some(output));
    }
}
