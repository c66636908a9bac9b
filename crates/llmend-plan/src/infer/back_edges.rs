//! Does each loop's end lead back to its loop, once?

use crate::infer::{About, BACK_EDGE, flow::Flow, level, pairs::Pairs};

/// Adds what is missing, and takes away labels and repetitions.
pub(super) fn infer(flow: &mut Flow, pairs: &Pairs) {
    for (of, end) in pairs.all() {
        let back: Vec<usize> =
            flow.out(end).into_iter().filter(|edge| flow.to(*edge) == Some(of)).collect();
        let name = flow.name(of).to_owned();
        let Some((first, rest)) = back.split_first() else {
            let message = format!("from here, the flow goes back to `{name}`");
            if let Some(edge) = flow.add(end, of, end) {
                flow.find(BACK_EDGE, level(true), About::Edge(edge), message);
            }
            continue;
        };
        if flow.output(*first).is_some() {
            let message = format!("the edge {} has no choice, and so no label", flow.shown(*first));
            flow.find(BACK_EDGE, level(true), About::Edge(*first), message);
            flow.set_output(*first, None);
        }
        for edge in rest {
            let message = format!("the edge {} stands there once already", flow.shown(*edge));
            flow.find(BACK_EDGE, level(true), About::Edge(*edge), message);
            flow.remove(*edge);
        }
    }
}
