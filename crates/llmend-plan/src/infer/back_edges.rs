//! The edge from the end of a loop back to the loop.

use crate::infer::{BACK_EDGE, Target, flow::Flow, pairs::Pairs, severity};

/// Adds the edge where it is missing, and removes labels and duplicates.
pub(super) fn infer(flow: &mut Flow, pairs: &Pairs) {
    for (of, end) in pairs.all() {
        let back: Vec<usize> =
            flow.out(end).into_iter().filter(|edge| flow.to(*edge) == Some(of)).collect();
        let name = flow.name(of).to_owned();
        let Some((first, rest)) = back.split_first() else {
            let message = format!("added the edge back to `{name}`");
            if let Some(edge) = flow.add(end, of, end) {
                flow.report(BACK_EDGE, severity(true), Target::Edge(edge), message);
            }
            continue;
        };
        if flow.output(*first).is_some() {
            let message = format!(
                "removed the label of edge {}: an edge back to a loop has none",
                flow.shown(*first)
            );
            flow.report(BACK_EDGE, severity(true), Target::Edge(*first), message);
            flow.set_output(*first, None);
        }
        for edge in rest {
            let message = format!("removed duplicate edge {}", flow.shown(*edge));
            flow.report(BACK_EDGE, severity(true), Target::Edge(*edge), message);
            flow.remove(*edge);
        }
    }
}
