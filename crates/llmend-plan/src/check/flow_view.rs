//! How do the checks see a workflow?

use crate::{
    Edge, Node, NodeType, Options, Output, Workflow,
    check::subject::{Item, Subject},
    graph::{Arrow, Graph, names::IdIndex},
    infer::{Pairs, Structure},
};

/// A workflow with its edges in numbers.
pub(super) struct FlowView<'w> {
    pub(super) workflow: &'w Workflow,
    pub(super) subject: Subject<'w>,
    /// The edges between nodes that there are, by their index. One from a loop's end to its loop is
    /// left out: it leads back, as it must.
    pub(super) forward: Graph,
    pub(super) pairs: Pairs,
    pub(super) structure: Structure,
    /// For each node the indexes of the edges that start there.
    out: Vec<Vec<usize>>,
}

impl<'w> FlowView<'w> {
    pub(super) fn new(workflow: &'w Workflow, options: &'w Options) -> Self {
        let nodes = &workflow.nodes;
        let names = IdIndex::new(nodes.iter().map(|node| node.id.as_str()).collect());
        let pairs = Pairs::named(nodes);
        let mut out = vec![Vec::new(); nodes.len()];
        let mut arrows = Vec::new();
        for (of, edge) in workflow.edges.iter().enumerate() {
            let (from, to) = (names.get(&edge.from), names.get(&edge.to));
            if let Some(list) = from.and_then(|from| out.get_mut(from)) {
                list.push(of);
            }
            arrows.extend(from.zip(to).map(|(from, to)| Arrow { from, to, of }));
        }
        let structure = Structure::new(nodes, arrows.clone(), &pairs);
        arrows.retain(|arrow| pairs.loop_of(arrow.from) != Some(arrow.to));
        let forward = Graph::new(nodes.len(), arrows);
        let subject = Subject {
            list: "nodes",
            items: nodes.iter().map(Item::of_node).collect(),
            names,
            waits: None,
            edges: workflow.edges.len(),
            options,
        };
        Self { workflow, subject, forward, pairs, structure, out }
    }

    /// The nodes of that type, with their index.
    pub(super) fn of_type(&self, wanted: NodeType) -> impl Iterator<Item = (usize, &'w Node)> {
        let nodes = self.workflow.nodes.iter().enumerate();
        nodes.filter(move |(_, node)| node.node_type() == wanted)
    }

    /// The edges that start at `node`, with their index.
    pub(super) fn out(&self, node: usize) -> impl Iterator<Item = (usize, &'w Edge)> {
        let indexes = self.out.get(node).map(Vec::as_slice).unwrap_or_default();
        indexes.iter().filter_map(|at| Some((*at, self.workflow.edges.get(*at)?)))
    }

    /// The edges that start at `node` and have that label.
    pub(super) fn labelled(&self, node: usize, label: &Output) -> Vec<usize> {
        let edges = self.out(node).filter(|(_, edge)| edge.output.as_ref() == Some(label));
        edges.map(|(at, _)| at).collect()
    }

    /// The edges that start at `node` and have that label, but for the first.
    pub(super) fn repeated(&self, node: usize, label: &Output) -> impl Iterator<Item = usize> {
        self.labelled(node, label).into_iter().skip(1)
    }

    /// The edges that start at `node` and have no label, with their index.
    pub(super) fn unlabelled(&self, node: usize) -> impl Iterator<Item = (usize, &'w Edge)> {
        self.out(node).filter(|(_, edge)| edge.output.is_none())
    }

    /// The node where an edge leads.
    pub(super) fn to(&self, edge: &Edge) -> Option<usize> {
        self.subject.names.get(&edge.to)
    }

    /// The type of a node.
    pub(super) fn node_type(&self, node: usize) -> Option<NodeType> {
        self.workflow.nodes.get(node).map(Node::node_type)
    }

    /// Whether no edge leads to `node`, but for the one back from the end of a loop.
    pub(super) fn is_entry(&self, node: usize) -> bool {
        self.forward.before(node).next().is_none()
    }
}

/// An edge as a message shows it.
pub(super) fn shown(edge: &Edge) -> String {
    let (from, to) = (&edge.from, &edge.to);
    format!("`{}` → `{}`", crate::graph::names::shown(from), crate::graph::names::shown(to))
}
