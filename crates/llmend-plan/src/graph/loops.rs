//! Loops of a graph, by Havlak's loop nesting forest.
//!
//! In a depth-first search, an arrow to an item on the current path closes a loop whose head is that
//! item. The body is everything that reaches the arrow without passing the head. A loop that can also
//! be entered past its head has no definite body and is marked irregular.

use crate::graph::Graph;

/// The loops of a graph.
pub(crate) struct Loops {
    /// The head of the innermost loop around each item. A head is not inside its own loop.
    head: Vec<Option<usize>>,
    /// The position of each visited item in preorder, and one past its last descendant.
    visit: Vec<Option<(usize, usize)>>,
    /// Whether each item heads a loop that can be entered past it.
    irregular: Vec<bool>,
}

impl Loops {
    /// Finds the loops of a search that starts at `roots`, in order.
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

    /// Returns whether `item` is in the loop of `head` and in no loop nested in it.
    pub(crate) fn is_right_inside(&self, item: usize, head: usize) -> bool {
        item == head || self.head.get(item).copied().flatten() == Some(head)
    }

    /// Returns whether an arrow from `item` to `head` is a back edge: `head` is an ancestor of `item`
    /// in the search tree.
    pub(crate) fn leads_back(&self, item: usize, head: usize) -> bool {
        match (self.visit_of(item), self.visit_of(head)) {
            (Some((at, _)), Some((start, end))) => start <= at && at < end,
            _ => false,
        }
    }

    /// Returns whether the loop of `head` can be entered past it.
    pub(crate) fn is_irregular(&self, head: usize) -> bool {
        self.irregular.get(head).copied().unwrap_or(false)
    }

    /// Returns whether the search reached the item.
    pub(crate) fn is_visited(&self, item: usize) -> bool {
        self.visit_of(item).is_some()
    }

    fn visit_of(&self, item: usize) -> Option<(usize, usize)> {
        self.visit.get(item).copied().flatten()
    }

    /// Finds the body of the loop of `head` and merges it into the head.
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

/// Returns the items in preorder of a depth-first search, and the position of each.
fn visited(graph: &Graph, roots: impl IntoIterator<Item = usize>) -> (Vec<usize>, Vec<Visit>) {
    let mut order = Vec::with_capacity(graph.len());
    let mut visit: Vec<Visit> = vec![None; graph.len()];
    for root in roots {
        // Each entry is an item whose arrows are yet to be followed, or the end of an item.
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

/// A union-find structure of merged items.
struct Merged(Vec<usize>);

impl Merged {
    fn new(items: usize) -> Self {
        Self((0..items).collect())
    }

    /// Returns the item into which `item` was merged.
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
    fn finds_the_innermost_loop_around_each_item() {
        let rows: [(usize, Pairs, &[Option<usize>]); 4] = [
            (3, &[(0, 1), (1, 2)], &[None, None, None]),
            (4, &[(0, 1), (1, 2), (2, 1), (1, 3)], &[None, None, Some(1), None]),
            // A nested loop, and an item after the inner one.
            (
                6,
                &[(0, 1), (1, 2), (2, 3), (3, 2), (2, 4), (4, 1), (1, 5)],
                &[None, None, Some(1), Some(2), Some(1), None],
            ),
            // Two paths through one loop.
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
    fn a_loop_with_a_second_entry_is_irregular() {
        assert!(loops(4, &[(0, 1), (1, 2), (2, 1), (0, 2)]).irregular.contains(&true));
        assert!(!loops(4, &[(0, 1), (1, 2), (2, 1)]).irregular.contains(&true));
    }

    #[test]
    fn a_self_loop_has_no_other_items() {
        let loops = loops(2, &[(0, 0), (0, 1)]);
        assert_eq!(loops.head, [None, None]);
        assert!(loops.leads_back(0, 0));
    }
}
