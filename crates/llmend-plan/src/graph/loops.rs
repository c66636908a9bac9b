//! Which items are repeated together, and where does each such loop begin?
//!
//! The nesting forest of Havlak: items are visited in depth, and an arrow that leads back to an item
//! on the way there closes a loop, of which that item is the head. What gets to such an arrow without
//! passing the head is inside. A loop into which one also gets past its head has no certain
//! inside, and is marked so.

use crate::graph::Graph;

/// The loops of a graph.
pub(crate) struct Loops {
    /// For each item the head of the innermost loop around it; a head is not around itself.
    head: Vec<Option<usize>>,
    /// For each item its place in the order of the visit, and one past the last below it; nothing if
    /// it was not visited.
    visit: Vec<Option<(usize, usize)>>,
    /// The items into whose loop one gets past them.
    irregular: Vec<bool>,
}

impl Loops {
    /// The loops that one sees when one starts from `roots`, one after the other.
    pub(crate) fn new(graph: &Graph, roots: impl IntoIterator<Item = usize>) -> Self {
        let (order, visit) = visited(graph, roots);
        let mut loops =
            Self { head: vec![None; graph.len()], visit, irregular: vec![false; graph.len()] };
        let mut merged = Merged::new(graph.len());
        for head in order.into_iter().rev() {
            loops.collect(graph, head, &mut merged);
        }
        loops
    }

    /// Whether `item` is in the loop of `head`, next below it: inside no loop that is inside.
    pub(crate) fn is_right_inside(&self, item: usize, head: usize) -> bool {
        item == head || self.head.get(item).copied().flatten() == Some(head)
    }

    /// Whether an arrow from `item` to `head` leads back: every way that was taken to `item` passed
    /// `head`.
    pub(crate) fn leads_back(&self, item: usize, head: usize) -> bool {
        match (self.visit_of(item), self.visit_of(head)) {
            (Some((at, _)), Some((start, end))) => start <= at && at < end,
            _ => false,
        }
    }

    /// Whether one gets into the loop of `head` past it.
    pub(crate) fn is_irregular(&self, head: usize) -> bool {
        self.irregular.get(head).copied().unwrap_or(false)
    }

    /// Whether the item was visited.
    pub(crate) fn is_visited(&self, item: usize) -> bool {
        self.visit_of(item).is_some()
    }

    fn visit_of(&self, item: usize) -> Option<(usize, usize)> {
        self.visit.get(item).copied().flatten()
    }

    /// Finds what is inside the loop of `head`, and makes one item of it all.
    fn collect(&mut self, graph: &Graph, head: usize, merged: &mut Merged) {
        let mut open = Vec::new();
        for arrow in graph.before(head) {
            if arrow.from != head && self.leads_back(arrow.from, head) {
                self.enter(merged.find(arrow.from), head, &mut open);
            }
        }
        let mut inside = Vec::new();
        while let Some(item) = open.pop() {
            inside.push(item);
            for arrow in graph.before(item) {
                if self.leads_back(arrow.from, item) || !self.is_visited(arrow.from) {
                    continue;
                }
                let from = merged.find(arrow.from);
                if self.leads_back(from, head) {
                    self.enter(from, head, &mut open);
                } else if let Some(irregular) = self.irregular.get_mut(head) {
                    *irregular = true;
                }
            }
        }
        for item in inside {
            merged.join(item, head);
        }
    }

    fn enter(&mut self, item: usize, head: usize, open: &mut Vec<usize>) {
        if item == head {
            return;
        }
        if let Some(slot @ None) = self.head.get_mut(item) {
            *slot = Some(head);
            open.push(item);
        }
    }
}

type Visit = Option<(usize, usize)>;

/// The items in the order in which a visit in depth comes by, and where each stands in it.
fn visited(graph: &Graph, roots: impl IntoIterator<Item = usize>) -> (Vec<usize>, Vec<Visit>) {
    let mut order = Vec::with_capacity(graph.len());
    let mut visit: Vec<Visit> = vec![None; graph.len()];
    for root in roots {
        // Each entry is an item whose arrows are still to be followed, or just its end.
        let mut open = vec![(root, false)];
        while let Some((item, ends)) = open.pop() {
            let Some(slot) = visit.get_mut(item) else { continue };
            match slot {
                Some((_, end)) if ends => *end = order.len(),
                Some(_) => {}
                None => {
                    *slot = Some((order.len(), usize::MAX));
                    order.push(item);
                    open.push((item, true));
                    let from = open.len();
                    open.extend(graph.after(item).map(|arrow| (arrow.to, false)));
                    if let Some(added) = open.get_mut(from..) {
                        added.reverse();
                    }
                }
            }
        }
    }
    (order, visit)
}

/// Which items count as one.
struct Merged(Vec<usize>);

impl Merged {
    fn new(items: usize) -> Self {
        Self((0..items).collect())
    }

    /// The item that `item` counts as.
    fn find(&mut self, item: usize) -> usize {
        let mut at = item;
        while let Some(&next) = self.0.get(at).filter(|next| **next != at) {
            let after = self.0.get(next).copied().unwrap_or(next);
            if let Some(slot) = self.0.get_mut(at) {
                *slot = after;
            }
            at = next;
        }
        at
    }

    fn join(&mut self, item: usize, head: usize) {
        if let Some(slot) = self.0.get_mut(item) {
            *slot = head;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Arrow;

    type Pairs = &'static [(usize, usize)];

    fn loops(items: usize, pairs: &[(usize, usize)]) -> Loops {
        let arrows = pairs.iter().enumerate().map(|(of, &(from, to))| Arrow { from, to, of });
        Loops::new(&Graph::new(items, arrows), [0])
    }

    #[test]
    fn the_innermost_loop_around_each_item_is_found() {
        let rows: [(usize, Pairs, &[Option<usize>]); 4] = [
            (3, &[(0, 1), (1, 2)], &[None, None, None]),
            (4, &[(0, 1), (1, 2), (2, 1), (1, 3)], &[None, None, Some(1), None]),
            // A loop within a loop, and what comes after the inner one.
            (
                6,
                &[(0, 1), (1, 2), (2, 3), (3, 2), (2, 4), (4, 1), (1, 5)],
                &[None, None, Some(1), Some(2), Some(1), None],
            ),
            // Two ways through one loop.
            (
                5,
                &[(0, 1), (1, 2), (1, 3), (2, 4), (3, 4), (4, 0)],
                &[None, Some(0), Some(0), Some(0), Some(0)],
            ),
        ];
        for (items, pairs, expected) in rows {
            assert_eq!(loops(items, pairs).head, expected, "{pairs:?}");
        }
    }

    #[test]
    fn a_loop_with_a_second_way_in_is_irregular() {
        assert!(loops(4, &[(0, 1), (1, 2), (2, 1), (0, 2)]).irregular.contains(&true));
        assert!(!loops(4, &[(0, 1), (1, 2), (2, 1)]).irregular.contains(&true));
    }

    #[test]
    fn a_circle_of_one_is_no_one_elses() {
        let loops = loops(2, &[(0, 0), (0, 1)]);
        assert_eq!(loops.head, [None, None]);
        assert!(loops.leads_back(0, 0));
    }
}
