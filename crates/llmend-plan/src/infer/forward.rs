//! What does an edge mean that goes on from a loop's end?

use std::collections::HashSet;

use crate::{
    Output,
    infer::{
        About, ONWARD_FROM_END,
        flow::Flow,
        level,
        pairs::Pairs,
        structure::{Certainty, Structure},
    },
};

/// After a loop's end comes the loop, and nothing else. An edge to what comes after the loop starts
/// at the loop; one to the start of the body means the loop.
pub(super) fn infer(flow: &mut Flow, pairs: &Pairs, structure: &Structure) {
    for (of, end) in pairs.all() {
        let onward: Vec<usize> =
            flow.out(end).into_iter().filter(|edge| flow.to(*edge) != Some(of)).collect();
        if onward.is_empty() {
            continue;
        }
        let done: Vec<usize> = flow
            .out(of)
            .into_iter()
            .filter(|edge| flow.output(*edge) == Some(&Output::LoopDone))
            .collect();
        let (inside, outside): (Vec<usize>, Vec<usize>) = onward.into_iter().partition(|edge| {
            flow.to(*edge).is_some_and(|to| structure.is_inside(to, of) || to == end)
        });
        for edge in inside {
            let message = format!(
                "the edge {} is left out: from its end, a loop goes on with its beginning; that it was to be repeated without that is not excluded",
                flow.shown(edge)
            );
            flow.find(ONWARD_FROM_END, level(false), About::Edge(edge), message);
            flow.remove(edge);
        }
        if done.is_empty() {
            moved(flow, of, &outside, structure.certainty(of) == Certainty::Sure);
        } else {
            repeated(flow, &done, &outside);
        }
    }
}

/// Makes the loop's way out of the one edge that goes on from its end.
fn moved(flow: &mut Flow, of: usize, outside: &[usize], decided: bool) {
    let [first, rest @ ..] = outside else { return };
    if rest.iter().any(|edge| flow.to(*edge) != flow.to(*first)) {
        return;
    }
    let loop_name = flow.name(of).to_owned();
    let doubt = if decided { "" } else { "; whether it does is not known" };
    let message = format!(
        "the edge {} comes after the whole loop, and starts at `{loop_name}`{doubt}",
        flow.shown(*first)
    );
    flow.set_from(*first, of);
    flow.set_output(*first, Some(Output::LoopDone));
    flow.find(ONWARD_FROM_END, level(decided), About::Edge(*first), message);
    for edge in rest {
        flow.remove(*edge);
    }
}

/// Leaves out what the loop's way out says already.
fn repeated(flow: &mut Flow, done: &[usize], outside: &[usize]) {
    let reached: HashSet<usize> = done.iter().filter_map(|edge| flow.to(*edge)).collect();
    for edge in outside {
        if flow.to(*edge).is_some_and(|to| reached.contains(&to)) {
            let message = format!(
                "the edge {} is left out: the loop leads there where it is done",
                flow.shown(*edge)
            );
            flow.find(ONWARD_FROM_END, level(true), About::Edge(*edge), message);
            flow.remove(*edge);
        }
    }
}
