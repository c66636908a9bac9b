//! Edges onward from the end of a loop.

use std::collections::HashSet;

use crate::{
    Output,
    infer::{
        ONWARD_FROM_END, Target, certainty::Certainty, flow::Flow, pairs::Pairs, severity,
        structure::Structure,
    },
};

/// Moves or removes edges from the end of a loop to anything but the loop: an edge to what follows the
/// loop must start at the loop, and one into the body means the loop itself.
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
                "removed edge {}: the end of a loop leads back to the loop itself; the body may have been meant to repeat unconditionally",
                flow.shown(edge)
            );
            flow.report(ONWARD_FROM_END, severity(false), Target::Edge(edge), message);
            flow.remove(edge);
        }
        if done.is_empty() {
            move_to_loop(flow, of, &outside, structure.certainty(of) == Certainty::Sure);
        } else {
            remove_repeated(flow, &done, &outside);
        }
    }
}

/// Turns the only edge onward from the end of a loop into the loop's done edge.
fn move_to_loop(flow: &mut Flow, of: usize, outside: &[usize], decided: bool) {
    let [first, rest @ ..] = outside else { return };
    if rest.iter().any(|edge| flow.to(*edge) != flow.to(*first)) {
        return;
    }
    let loop_name = flow.name(of).to_owned();
    let doubt = if decided { "" } else { "; whether it does is uncertain" };
    let message = format!(
        "moved edge {} to start at `{loop_name}`: it follows the whole loop{doubt}",
        flow.shown(*first)
    );
    flow.set_from(*first, of);
    flow.set_output(*first, Some(Output::LoopDone));
    flow.report(ONWARD_FROM_END, severity(decided), Target::Edge(*first), message);
    for edge in rest {
        flow.remove(*edge);
    }
}

/// Removes edges to where a done edge of the loop leads already.
fn remove_repeated(flow: &mut Flow, done: &[usize], outside: &[usize]) {
    let reached: HashSet<usize> = done.iter().filter_map(|edge| flow.to(*edge)).collect();
    for edge in outside {
        if flow.to(*edge).is_some_and(|to| reached.contains(&to)) {
            let message = format!(
                "removed edge {}: the done edge of the loop leads there already",
                flow.shown(*edge)
            );
            flow.report(ONWARD_FROM_END, severity(true), Target::Edge(*edge), message);
            flow.remove(*edge);
        }
    }
}
