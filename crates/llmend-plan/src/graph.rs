//! Directed graph of items, as the checks and the drawings of plans use it.
//!
//! Items are identified by their index in their list. Nothing here recurses, since a plan may be a
//! chain of a hundred thousand steps.
//!
//! ```
//! use llmend_plan::graph::{Arrow, Graph, index};
//!
//! let index = index(["boil", "pour"]);
//! let graph = Graph::new(2, [Arrow { from: index["boil"], to: index["pour"], of: 0 }]);
//! let after: Vec<usize> = graph.after(0).map(|arrow| arrow.to).collect();
//! assert_eq!(after, [1]);
//! ```

use std::collections::HashMap;

use petgraph::{
    Direction,
    algo::kosaraju_scc,
    graph::{DiGraph, EdgeIndex, NodeIndex},
    visit::EdgeRef,
};

pub(crate) mod cycles;
pub(crate) mod loops;
pub(crate) mod names;

/// A directed graph. Each arrow carries the index of what it represents.
#[derive(Clone, Debug)]
pub struct Graph {
    inner: DiGraph<(), usize, usize>,
}

/// A directed edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// Index of the source item.
    pub from: usize,
    /// Index of the target item.
    pub to: usize,
    /// Index of what it represents, such as an edge of a workflow.
    pub of: usize,
}

impl Graph {
    /// Builds the graph of `items` items. Arrows from or to other items are ignored.
    pub fn new(items: usize, arrows: impl IntoIterator<Item = Arrow>) -> Self {
        let mut arrows: Vec<Arrow> = arrows.into_iter().collect();
        // petgraph iterates over the latest arrow first.
        arrows.reverse();
        let mut inner = DiGraph::with_capacity(items, arrows.len());
        for _ in 0..items {
            inner.add_node(());
        }
        for Arrow { from, to, of } in arrows {
            if from < items && to < items {
                let _: EdgeIndex<usize> =
                    inner.add_edge(NodeIndex::new(from), NodeIndex::new(to), of);
            }
        }
        Self { inner }
    }

    /// Returns the graph without the arrows from the items that `from` selects.
    pub(crate) fn without(&self, from: impl Fn(usize) -> bool) -> Self {
        let items = (0..self.len()).filter(|item| !from(*item));
        Self::new(self.len(), items.flat_map(|item| self.after(item)))
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.inner.node_count()
    }

    /// Returns whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the arrows from `item`, in order.
    pub fn after(&self, item: usize) -> impl Iterator<Item = Arrow> + '_ {
        self.inner.edges_directed(NodeIndex::new(item), Direction::Outgoing).map(arrow)
    }

    /// Returns the arrows to `item`, in order.
    pub fn before(&self, item: usize) -> impl Iterator<Item = Arrow> + '_ {
        self.inner.edges_directed(NodeIndex::new(item), Direction::Incoming).map(arrow)
    }

    /// Returns the strongly connected components.
    pub(crate) fn components(&self) -> Components {
        let mut of = vec![0; self.len()];
        let components = kosaraju_scc(&self.inner);
        let mut members = Vec::with_capacity(components.len());
        for (number, component) in components.into_iter().enumerate() {
            let mut items: Vec<usize> = component.into_iter().map(NodeIndex::index).collect();
            items.sort_unstable();
            for item in &items {
                if let Some(slot) = of.get_mut(*item) {
                    *slot = number;
                }
            }
            members.push(items);
        }
        Components { of, members }
    }

    /// Returns for each item whether it is reachable from one of `starts`, which are themselves.
    pub(crate) fn reached(&self, starts: impl IntoIterator<Item = usize>) -> Vec<bool> {
        let mut reached = vec![false; self.len()];
        let mut open: Vec<usize> = starts.into_iter().collect();
        while let Some(item) = open.pop() {
            match reached.get_mut(item) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            open.extend(self.after(item).map(|arrow| arrow.to));
        }
        reached
    }
}

fn arrow(edge: petgraph::graph::EdgeReference<'_, usize, usize>) -> Arrow {
    Arrow { from: edge.source().index(), to: edge.target().index(), of: *edge.weight() }
}

/// The strongly connected components of a graph.
pub(crate) struct Components {
    /// The number of each item's component. A component has a lower number than those from which it
    /// is reachable.
    pub(crate) of: Vec<usize>,
    /// The items of each component, in order.
    pub(crate) members: Vec<Vec<usize>>,
}

/// Maps each id to the first item that has it.
pub fn index<'i>(ids: impl IntoIterator<Item = &'i str>) -> HashMap<&'i str, usize> {
    let mut index = HashMap::new();
    for (at, id) in ids.into_iter().enumerate() {
        index.entry(id).or_insert(at);
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(items: usize, pairs: &[(usize, usize)]) -> Graph {
        let arrows = pairs.iter().enumerate().map(|(of, &(from, to))| Arrow { from, to, of });
        Graph::new(items, arrows)
    }

    #[test]
    fn arrows_keep_their_order() {
        let graph = graph(3, &[(0, 1), (0, 2), (0, 1), (0, 7), (2, 1)]);
        let after: Vec<_> = graph.after(0).map(|arrow| (arrow.to, arrow.of)).collect();
        assert_eq!(after, [(1, 0), (2, 1), (1, 2)]);
        let before: Vec<_> = graph.before(1).map(|arrow| (arrow.from, arrow.of)).collect();
        assert_eq!(before, [(0, 0), (0, 2), (2, 4)]);
    }

    #[test]
    fn components_are_in_order() {
        let components = graph(4, &[(0, 1), (1, 2), (2, 1), (2, 3)]).components();
        assert_eq!(components.members.len(), 3);
        assert_eq!(components.of[1], components.of[2]);
        assert!(components.of[3] < components.of[1] && components.of[1] < components.of[0]);
    }

    #[test]
    fn reached_items_are_marked() {
        assert_eq!(graph(4, &[(0, 1), (2, 0), (1, 0)]).reached([0]), [true, true, false, false]);
    }
}
