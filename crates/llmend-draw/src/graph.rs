//! Directed graphs over node indices.

use std::collections::HashMap;

use llmend_plan::{Node, NodeKind, NodeType};

/// A directed graph.
pub(crate) struct Graph {
    outgoing: Vec<Vec<Arrow>>,
    incoming: Vec<Vec<Arrow>>,
}

/// An arrow between two items of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrow {
    /// Index of the source.
    pub(crate) from: usize,
    /// Index of the target.
    pub(crate) to: usize,
    /// Index of the edge that the arrow represents.
    pub(crate) of: usize,
}

impl Graph {
    /// Builds a graph of `items` items, ignoring arrows whose ends are out of range.
    pub(crate) fn new(items: usize, arrows: impl IntoIterator<Item = Arrow>) -> Self {
        let mut graph =
            Self { outgoing: vec![Vec::new(); items], incoming: vec![Vec::new(); items] };
        for arrow in arrows {
            if arrow.from >= items || arrow.to >= items {
                continue;
            }
            if let Some(outgoing) = graph.outgoing.get_mut(arrow.from) {
                outgoing.push(arrow);
            }
            if let Some(incoming) = graph.incoming.get_mut(arrow.to) {
                incoming.push(arrow);
            }
        }
        graph
    }

    /// Returns the number of items.
    pub(crate) fn len(&self) -> usize {
        self.outgoing.len()
    }

    /// Returns the arrows that start at `item`, in insertion order.
    pub(crate) fn outgoing(&self, item: usize) -> impl Iterator<Item = Arrow> + '_ {
        self.outgoing.get(item).into_iter().flatten().copied()
    }

    /// Returns the arrows that end at `item`, in insertion order.
    pub(crate) fn incoming(&self, item: usize) -> impl Iterator<Item = Arrow> + '_ {
        self.incoming.get(item).into_iter().flatten().copied()
    }
}

/// Maps each id to the index of the first node that has it.
pub(crate) fn index(nodes: &[Node]) -> HashMap<&str, usize> {
    let mut index = HashMap::new();
    for (at, node) in nodes.iter().enumerate() {
        index.entry(node.id.as_str()).or_insert(at);
    }
    index
}

/// Loop nodes and the `EndLoop` nodes that name them, by node index.
pub(crate) struct LoopEnds {
    loops: HashMap<usize, usize>,
    /// The end of each loop; `None` if several nodes end it.
    ends: HashMap<usize, Option<usize>>,
}

impl LoopEnds {
    /// Collects the pairs among `nodes`.
    pub(crate) fn new(nodes: &[Node]) -> Self {
        let index = index(nodes);
        let mut pairs = Self { loops: HashMap::new(), ends: HashMap::new() };
        for (end, node) in nodes.iter().enumerate() {
            let NodeKind::EndLoop { loop_id } = &node.kind else { continue };
            let Some(&of) = index.get(loop_id.as_str()) else { continue };
            if nodes.get(of).is_some_and(|node| node.node_type() == NodeType::Loop) {
                pairs.loops.insert(end, of);
                pairs.ends.entry(of).and_modify(|one| *one = None).or_insert(Some(end));
            }
        }
        pairs
    }

    /// Returns the loop that `end` closes.
    pub(crate) fn loop_of(&self, end: usize) -> Option<usize> {
        self.loops.get(&end).copied()
    }

    /// Returns the only node that closes the loop `of`.
    pub(crate) fn end_of(&self, of: usize) -> Option<usize> {
        self.ends.get(&of).copied().flatten()
    }
}
