//! First and last nodes of subgraphs.

use std::collections::{HashMap, HashSet};

use crate::dialect::mermaid::chart::Chart;

/// The subgraphs that edges may refer to, by id.
pub(super) struct Groups<'t>(HashMap<&'t str, GroupEnds<'t>>);

/// Where a subgraph starts and ends.
pub(super) struct GroupEnds<'t> {
    /// Nodes to which no other in it leads.
    pub(super) first: Vec<&'t str>,
    /// Nodes that lead to no other in it.
    pub(super) last: Vec<&'t str>,
}

impl<'t> Groups<'t> {
    /// Collects the subgraphs of a chart. A node with a text is no subgraph.
    pub(super) fn new(chart: &Chart<'t>) -> Self {
        let used: HashSet<&str> =
            chart.edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
        let is_node = |id: &str| {
            let node = chart.index.get(id).and_then(|at| chart.nodes.get(*at));
            node.is_some_and(|node| node.label.is_some())
        };
        let mut after: HashMap<&str, Vec<&str>> = HashMap::new();
        let mut before: HashMap<&str, Vec<&str>> = HashMap::new();
        for edge in chart.edges.iter().filter(|edge| edge.from != edge.to) {
            after.entry(edge.from).or_default().push(edge.to);
            before.entry(edge.to).or_default().push(edge.from);
        }
        let mut groups = HashMap::new();
        for group in chart.groups.iter().filter(|it| used.contains(it.id) && !is_node(it.id)) {
            let mut seen = HashSet::new();
            let members: Vec<&str> = group
                .members
                .iter()
                .filter_map(|at| chart.nodes.get(*at))
                .map(|node| node.id)
                .filter(|id| *id != group.id && seen.insert(*id))
                .collect();
            let leads = |ways: &HashMap<&str, Vec<&str>>, id: &str| {
                ways.get(id).into_iter().flatten().any(|other| seen.contains(other))
            };
            let ends = |ways| {
                let ends: Vec<&str> =
                    members.iter().copied().filter(|id| !leads(ways, id)).collect();
                // In a circle, the first node that is written stands for all.
                if ends.is_empty() { members.iter().copied().take(1).collect() } else { ends }
            };
            groups.insert(group.id, GroupEnds { first: ends(&before), last: ends(&after) });
        }
        Self(groups)
    }

    /// Returns the subgraph with this id.
    pub(super) fn of(&self, id: &str) -> Option<&GroupEnds<'t>> {
        self.0.get(id)
    }
}
