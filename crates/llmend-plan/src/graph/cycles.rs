//! Cycles of a graph.

use std::collections::{HashMap, VecDeque};

use crate::graph::{Arrow, Graph};

/// Returns a shortest cycle through the first item of each component of several items. Self-loops
/// are ignored.
pub(crate) fn cycles(graph: &Graph) -> Vec<Cycle> {
    let components = graph.components();
    let mut found = Vec::new();
    for members in &components.members {
        let [first, rest @ ..] = members.as_slice() else { continue };
        if rest.is_empty() {
            continue;
        }
        let number = components.of.get(*first);
        let inside = |item: usize| components.of.get(item) == number;
        if let Some(arrows) = shortest(graph, *first, inside) {
            found.push(Cycle { arrows, size: members.len() });
        }
    }
    found.sort_by_key(|cycle| cycle.arrows.first().map(|arrow| arrow.from));
    found
}

/// A cycle and the size of its component.
pub(crate) struct Cycle {
    /// The arrows of the cycle, in order.
    pub(crate) arrows: Vec<Arrow>,
    /// Number of items in its component.
    pub(crate) size: usize,
}

/// Returns the shortest path from `start` back to it through items that are `inside`.
fn shortest(graph: &Graph, start: usize, inside: impl Fn(usize) -> bool) -> Option<Vec<Arrow>> {
    let mut reached_by: HashMap<usize, Arrow> = HashMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(item) = open.pop_front() {
        for arrow in graph.after(item).filter(|arrow| inside(arrow.to) && arrow.to != item) {
            if arrow.to == start {
                return Some(trace_back(&reached_by, arrow, start));
            }
            reached_by.entry(arrow.to).or_insert_with(|| {
                open.push_back(arrow.to);
                arrow
            });
        }
    }
    None
}

fn trace_back(reached_by: &HashMap<usize, Arrow>, last: Arrow, start: usize) -> Vec<Arrow> {
    let mut arrows = vec![last];
    let mut item = last.from;
    while item != start {
        let Some(arrow) = reached_by.get(&item) else { break };
        arrows.push(*arrow);
        item = arrow.from;
    }
    arrows.reverse();
    arrows
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pairs = &'static [(usize, usize)];

    #[test]
    fn each_component_has_one_cycle() {
        let rows: [(usize, Pairs, &[&[usize]]); 5] = [
            (2, &[(0, 1)], &[]),
            (1, &[(0, 0)], &[]),
            (2, &[(1, 0), (0, 1)], &[&[0, 1]]),
            (4, &[(0, 1), (1, 2), (2, 3), (3, 0), (2, 0)], &[&[0, 1, 2]]),
            (5, &[(3, 4), (4, 3), (3, 3), (0, 1), (1, 0), (1, 3)], &[&[0, 1], &[3, 4]]),
        ];
        for (items, pairs, expected) in rows {
            let arrows = pairs.iter().enumerate().map(|(of, &(from, to))| Arrow { from, to, of });
            let found = cycles(&Graph::new(items, arrows));
            let found: Vec<Vec<usize>> =
                found.iter().map(|one| one.arrows.iter().map(|it| it.from).collect()).collect();
            assert_eq!(found, expected, "{pairs:?}");
        }
    }
}
