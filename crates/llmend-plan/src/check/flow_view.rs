//! Workflow with indexed edges, for the checks.

use crate::{
    Edge, Node, NodeType, Options, Output, Workflow,
    check::subject::{Subject, SubjectItem},
    graph::{Arrow, Graph, names::IdIndex},
    infer::{Pairs, Structure},
};

/// A workflow with its edges as indices.
pub(super) struct FlowView<'w> {
    pub(super) workflow: &'w Workflow,
    pub(super) subject: Subject<'w>,
    /// The edges between known nodes, without those from a loop's end back to its loop.
    pub(super) forward: Graph,
    pub(super) pairs: Pairs,
    pub(super) structure: Structure,
    /// The indices of the outgoing edges of each node.
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
            items: nodes.iter().map(SubjectItem::of_node).collect(),
            names,
            waits: None,
            edges: workflow.edges.len(),
            options,
        };
        Self { workflow, subject, forward, pairs, structure, out }
    }

    /// Returns the nodes of the type `wanted`, with their indices.
    pub(super) fn of_type(&self, wanted: NodeType) -> impl Iterator<Item = (usize, &'w Node)> {
        let nodes = self.workflow.nodes.iter().enumerate();
        nodes.filter(move |(_, node)| node.node_type() == wanted)
    }

    /// Returns the outgoing edges of `node`, with their indices.
    pub(super) fn out(&self, node: usize) -> impl Iterator<Item = (usize, &'w Edge)> {
        let indexes = self.out.get(node).map(Vec::as_slice).unwrap_or_default();
        indexes.iter().filter_map(|at| Some((*at, self.workflow.edges.get(*at)?)))
    }

    /// Returns the indices of the outgoing edges of `node` with the label `label`.
    pub(super) fn labeled(&self, node: usize, label: &Output) -> Vec<usize> {
        let edges = self.out(node).filter(|(_, edge)| edge.output.as_ref() == Some(label));
        edges.map(|(at, _)| at).collect()
    }

    /// Returns the same indices without the first.
    pub(super) fn repeated(&self, node: usize, label: &Output) -> impl Iterator<Item = usize> {
        self.labeled(node, label).into_iter().skip(1)
    }

    /// Returns the outgoing edges of `node` without a label, with their indices.
    pub(super) fn unlabeled(&self, node: usize) -> impl Iterator<Item = (usize, &'w Edge)> {
        self.out(node).filter(|(_, edge)| edge.output.is_none())
    }

    /// Returns the index of the node that `edge` leads to.
    pub(super) fn to(&self, edge: &Edge) -> Option<usize> {
        self.subject.names.get(&edge.to)
    }

    /// Returns the type of a node.
    pub(super) fn node_type(&self, node: usize) -> Option<NodeType> {
        self.workflow.nodes.get(node).map(Node::node_type)
    }

    /// Returns whether `node` has no incoming edge except from the end of its loop.
    pub(super) fn is_entry(&self, node: usize) -> bool {
        self.forward.before(node).next().is_none()
    }
}

/// Formats an edge for a message.
pub(super) fn shown(edge: &Edge) -> String {
    let (from, to) = (&edge.from, &edge.to);
    format!("`{}` → `{}`", crate::graph::names::shown(from), crate::graph::names::shown(to))
}
