//! The workflow under inference.

use std::collections::HashMap;

use llmend_json::{Diagnostic, Severity};

use crate::{
    Edge, Locations, Node, NodeKind, NodeType, Output, Workflow,
    graph::{self, Arrow, names::shown},
    infer::Inference,
    locations::Source,
};

/// The workflow, its edges by node index, and the findings so far.
pub(super) struct Flow {
    workflow: Workflow,
    edges: Vec<FlowEdge>,
    /// The edges from each node, removed ones included.
    out: Vec<Vec<usize>>,
    findings: Vec<(Diagnostic, Target)>,
}

/// An edge of the workflow under inference.
struct FlowEdge {
    /// Index of the source node, if it exists.
    from: Option<usize>,
    /// Index of the target node, if it exists.
    to: Option<usize>,
    edge: Edge,
    source: Source,
    removed: bool,
}

/// The subject of a finding.
pub(super) enum Target {
    /// A part of a node, as a JSON Pointer into the node.
    Node(usize, &'static str),
    /// An edge.
    Edge(usize),
}

impl Flow {
    pub(super) fn new(mut workflow: Workflow) -> Self {
        let index = graph::index(workflow.nodes.iter().map(|node| node.id.as_str()));
        let edges = std::mem::take(&mut workflow.edges).into_iter().enumerate();
        let edges: Vec<FlowEdge> = edges
            .map(|(at, edge)| FlowEdge {
                from: index.get(edge.from.as_str()).copied(),
                to: index.get(edge.to.as_str()).copied(),
                edge,
                source: Source::Kept(at),
                removed: false,
            })
            .collect();
        let mut out = vec![Vec::new(); workflow.nodes.len()];
        for (at, flow_edge) in edges.iter().enumerate() {
            if let Some(list) = flow_edge.from.and_then(|from| out.get_mut(from)) {
                list.push(at);
            }
        }
        Self { workflow, edges, out, findings: Vec::new() }
    }

    pub(super) fn nodes(&self) -> &[Node] {
        &self.workflow.nodes
    }

    /// Returns the indexes of the nodes of this type.
    pub(super) fn of_type(&self, wanted: NodeType) -> Vec<usize> {
        let nodes = self.nodes().iter().enumerate();
        nodes.filter(|(_, node)| node.node_type() == wanted).map(|(at, _)| at).collect()
    }

    pub(super) fn node_type(&self, node: usize) -> Option<NodeType> {
        self.nodes().get(node).map(Node::node_type)
    }

    /// Returns the id of a node, shortened for a message.
    pub(super) fn name(&self, node: usize) -> &str {
        self.nodes().get(node).map(|node| shown(&node.id)).unwrap_or_default()
    }

    /// Returns whether there are no edges.
    pub(super) fn has_no_edges(&self) -> bool {
        self.edges.is_empty()
    }

    /// Returns whether the edges connect the nodes in list order, and nothing else.
    pub(super) fn is_line(&self) -> bool {
        let starts = self.edges.iter().enumerate();
        self.edges.len() + 1 == self.nodes().len()
            && starts.into_iter().all(|(at, flow_edge)| {
                flow_edge.from == Some(at)
                    && flow_edge.to == Some(at + 1)
                    && flow_edge.edge.output.is_none()
            })
    }

    /// Returns the edges from `node`.
    pub(super) fn out(&self, node: usize) -> Vec<usize> {
        let all = self.out.get(node).map(Vec::as_slice).unwrap_or_default();
        all.iter()
            .copied()
            .filter(|at| self.edges.get(*at).is_some_and(|edge| !edge.removed))
            .collect()
    }

    /// Returns the index of the target node of an edge.
    pub(super) fn to(&self, edge: usize) -> Option<usize> {
        self.edges.get(edge).and_then(|flow_edge| flow_edge.to)
    }

    /// Returns the label of an edge.
    pub(super) fn output(&self, edge: usize) -> Option<&Output> {
        self.edges.get(edge).and_then(|flow_edge| flow_edge.edge.output.as_ref())
    }

    /// Formats an edge for a message.
    pub(super) fn shown(&self, edge: usize) -> String {
        let ends =
            self.edges.get(edge).map(|flow_edge| (&*flow_edge.edge.from, &*flow_edge.edge.to));
        let (from, to) = ends.unwrap_or_default();
        format!("`{}` → `{}`", shown(from), shown(to))
    }

    /// Sets or removes the label of an edge.
    pub(super) fn set_output(&mut self, edge: usize, output: Option<Output>) {
        if let Some(flow_edge) = self.edges.get_mut(edge) {
            flow_edge.edge.output = output;
        }
    }

    /// Sets the target of an edge.
    pub(super) fn set_to(&mut self, edge: usize, node: usize) {
        let id = self.nodes().get(node).map(|node| node.id.clone());
        if let (Some(flow_edge), Some(id)) = (self.edges.get_mut(edge), id) {
            flow_edge.to = Some(node);
            flow_edge.edge.to = id;
        }
    }

    /// Sets the source of an edge.
    pub(super) fn set_from(&mut self, edge: usize, node: usize) {
        let id = self.nodes().get(node).map(|node| node.id.clone());
        let Some((flow_edge, id)) = self.edges.get_mut(edge).zip(id) else { return };
        if let Some(list) = flow_edge.from.and_then(|from| self.out.get_mut(from)) {
            list.retain(|at| *at != edge);
        }
        flow_edge.from = Some(node);
        flow_edge.edge.from = id;
        if let Some(list) = self.out.get_mut(node) {
            list.push(edge);
        }
    }

    pub(super) fn remove(&mut self, edge: usize) {
        if let Some(flow_edge) = self.edges.get_mut(edge) {
            flow_edge.removed = true;
        }
    }

    /// Adds an edge, located at the node `beside`, and returns its index.
    pub(super) fn add(&mut self, from: usize, to: usize, beside: usize) -> Option<usize> {
        let id = |node: usize| self.nodes().get(node).map(|node| node.id.clone());
        let edge = Edge::new(id(from)?, id(to)?);
        let source = Source::Beside(format!("/nodes/{beside}"));
        let at = self.edges.len();
        self.edges.push(FlowEdge { from: Some(from), to: Some(to), edge, source, removed: false });
        self.out.get_mut(from)?.push(at);
        Some(at)
    }

    /// Sets the loop of an `EndLoop`.
    pub(super) fn set_loop(&mut self, end: usize, id: String) {
        if let Some(NodeKind::EndLoop { loop_id }) =
            self.workflow.nodes.get_mut(end).map(|node| &mut node.kind)
        {
            *loop_id = id;
        }
    }

    pub(super) fn report(
        &mut self,
        code: &'static str,
        severity: Severity,
        target: Target,
        message: impl Into<String>,
    ) {
        self.findings.push((Diagnostic::new(code, severity, message), target));
    }

    /// Returns the current edges between known nodes.
    pub(super) fn arrows(&self) -> Vec<Arrow> {
        let edges = self.edges.iter().enumerate().filter(|(_, edge)| !edge.removed);
        edges.filter_map(|(of, edge)| Some(Arrow { from: edge.from?, to: edge.to?, of })).collect()
    }

    /// Returns the workflow, with every finding located.
    pub(super) fn finish(self, mut locations: Locations) -> Inference {
        let Self { mut workflow, edges, findings, .. } = self;
        let mut at = HashMap::new();
        let mut sources = Vec::new();
        let before = locations.clone();
        for (index, flow_edge) in edges.iter().enumerate().filter(|(_, edge)| !edge.removed) {
            at.insert(index, sources.len());
            sources.push(flow_edge.source.clone());
        }
        if before != Locations::default() {
            locations.arrange("edges", &sources);
        }
        let locate = |(row, target): (Diagnostic, Target)| match target {
            Target::Node(node, part) => locations.locate(row.on(format!("/nodes/{node}{part}"))),
            Target::Edge(index) => match (at.get(&index), edges.get(index)) {
                (Some(now), _) => locations.locate(row.on(format!("/edges/{now}"))),
                (None, Some(FlowEdge { source: Source::Kept(was), from, .. })) => {
                    let old = before.locate(row.clone().on(format!("/edges/{was}")));
                    let node = from.map(|from| format!("/nodes/{from}")).unwrap_or_default();
                    if old.span.is_some() { old } else { row.on(node) }
                }
                _ => row,
            },
        };
        let diagnostics = findings.into_iter().map(locate).collect();
        workflow.edges = edges
            .into_iter()
            .filter(|edge| !edge.removed)
            .map(|flow_edge| flow_edge.edge)
            .collect();
        Inference { workflow, locations, diagnostics }
    }
}
