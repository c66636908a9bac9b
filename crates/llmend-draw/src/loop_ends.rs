//! Pairs of loops and their ends, by node index.

use std::collections::HashMap;

use llmend_plan::{Node, NodeKind, NodeType, graph};

/// Loop nodes and the `EndLoop` nodes that name them.
pub(crate) struct LoopEnds {
    loops: HashMap<usize, usize>,
    /// The end of each loop; `None` if several nodes end it.
    ends: HashMap<usize, Option<usize>>,
}

impl LoopEnds {
    /// Collects the pairs among `nodes`.
    pub(crate) fn new(nodes: &[Node]) -> Self {
        let index = graph::index(nodes.iter().map(|node| node.id.as_str()));
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
