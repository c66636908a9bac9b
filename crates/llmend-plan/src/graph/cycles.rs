//! Which way leads back to where it starts?

use std::collections::{HashMap, VecDeque};

use crate::graph::{Arrow, Graph};

/// A shortest circle through the first item of each component that has one, as its arrows in order.
/// Circles of one arrow are left out, unless they are the component's only ones.
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

/// One circle, and how many items are entangled with it.
pub(crate) struct Cycle {
    /// The way round.
    pub(crate) arrows: Vec<Arrow>,
    /// All items of its component.
    pub(crate) size: usize,
}

/// The shortest way from `start` back to it, of which every item is `inside`.
fn shortest(graph: &Graph, start: usize, inside: impl Fn(usize) -> bool) -> Option<Vec<Arrow>> {
    let mut came: HashMap<usize, Arrow> = HashMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(item) = open.pop_front() {
        for arrow in graph.after(item).filter(|arrow| inside(arrow.to) && arrow.to != item) {
            if arrow.to == start {
                return Some(traced(&came, arrow, start));
            }
            came.entry(arrow.to).or_insert_with(|| {
                open.push_back(arrow.to);
                arrow
            });
        }
    }
    None
}

fn traced(came: &HashMap<usize, Arrow>, last: Arrow, start: usize) -> Vec<Arrow> {
    let mut arrows = vec![last];
    let mut item = last.from;
    while item != start {
        let Some(arrow) = came.get(&item) else { break };
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
    fn each_component_gives_one_circle() {
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
