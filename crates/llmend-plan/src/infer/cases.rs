//! Labels of the edges of a `Switch`.

use std::collections::HashSet;

use crate::{
    NodeKind, NodeType, Output,
    infer::{SWITCH_LABEL, Target, flow::Flow, severity},
};

/// Labels the unlabeled edges of every `Switch` with the cases that have no edge yet, in order, if
/// there are as many edges as such cases, or one more for the default.
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
                format!("case `{}`", crate::graph::names::shown(name))
            }
            _ => "default".to_owned(),
        };
        let message = if decided {
            format!("labeled edge {shown} {what}: no other case is left")
        } else {
            format!(
                "labeled edge {shown} {what} by the order of the cases; which edge belongs to which case is unknown"
            )
        };
        flow.report(SWITCH_LABEL, severity(decided), Target::Edge(*edge), message);
        flow.set_output(*edge, Some(output));
    }
}
