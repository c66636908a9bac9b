//! What is known of the workflow while it is inferred?

use std::collections::HashMap;

use llmend_json::{Diagnostic, Severity};

use crate::{
    Edge, Node, NodeKind, NodeType, Output, Places, Workflow,
    graph::{self, names::shown},
    infer::{
        Inferred,
        pairs::Pairs,
        structure::{Link, Structure},
    },
    places::Source,
};

/// The workflow, its edges by the nodes that they join, and what was inferred so far.
pub(super) struct Flow {
    workflow: Workflow,
    edges: Vec<Way>,
    /// For each node the edges that start there, those that are gone included.
    out: Vec<Vec<usize>>,
    found: Vec<(Diagnostic, About)>,
}

/// An edge.
pub(super) struct Way {
    /// Index of the node where it starts; nothing if there is no such node.
    from: Option<usize>,
    /// Index of the node where it leads; nothing if there is no such node.
    pub(super) to: Option<usize>,
    edge: Edge,
    source: Source,
    gone: bool,
}

/// What a finding is about.
pub(super) enum About {
    /// A part of a node, as a JSON Pointer in it.
    Node(usize, &'static str),
    /// An edge.
    Edge(usize),
}

impl Flow {
    pub(super) fn new(mut workflow: Workflow) -> Self {
        let index = graph::index(workflow.nodes.iter().map(|node| node.id.as_str()));
        let edges = std::mem::take(&mut workflow.edges).into_iter().enumerate();
        let edges: Vec<Way> = edges
            .map(|(at, edge)| Way {
                from: index.get(edge.from.as_str()).copied(),
                to: index.get(edge.to.as_str()).copied(),
                edge,
                source: Source::Kept(at),
                gone: false,
            })
            .collect();
        let mut out = vec![Vec::new(); workflow.nodes.len()];
        for (at, way) in edges.iter().enumerate() {
            if let Some(list) = way.from.and_then(|from| out.get_mut(from)) {
                list.push(at);
            }
        }
        Self { workflow, edges, out, found: Vec::new() }
    }

    pub(super) fn nodes(&self) -> &[Node] {
        &self.workflow.nodes
    }

    /// Indexes of the nodes of that type.
    pub(super) fn of_type(&self, wanted: NodeType) -> Vec<usize> {
        let nodes = self.nodes().iter().enumerate();
        nodes.filter(|(_, node)| node.node_type() == wanted).map(|(at, _)| at).collect()
    }

    pub(super) fn node_type(&self, node: usize) -> Option<NodeType> {
        self.nodes().get(node).map(Node::node_type)
    }

    /// The name of a node as a message shows it.
    pub(super) fn name(&self, node: usize) -> &str {
        self.nodes().get(node).map(|node| shown(&node.id)).unwrap_or_default()
    }

    /// Whether there are no edges at all.
    pub(super) fn has_no_edges(&self) -> bool {
        self.edges.is_empty()
    }

    /// Whether the edges lead from each node to the next, and nowhere else.
    pub(super) fn is_line(&self) -> bool {
        let starts = self.edges.iter().enumerate();
        self.edges.len() + 1 == self.nodes().len()
            && starts.into_iter().all(|(at, way)| {
                way.from == Some(at) && way.to == Some(at + 1) && way.edge.output.is_none()
            })
    }

    /// The edges that start at `node`.
    pub(super) fn out(&self, node: usize) -> Vec<usize> {
        let all = self.out.get(node).map(Vec::as_slice).unwrap_or_default();
        all.iter().copied().filter(|at| self.edges.get(*at).is_some_and(|way| !way.gone)).collect()
    }

    /// Index of the node where an edge leads.
    pub(super) fn to(&self, edge: usize) -> Option<usize> {
        self.edges.get(edge).and_then(|way| way.to)
    }

    /// The label of an edge.
    pub(super) fn output(&self, edge: usize) -> Option<&Output> {
        self.edges.get(edge).and_then(|way| way.edge.output.as_ref())
    }

    /// An edge as a message shows it.
    pub(super) fn shown(&self, edge: usize) -> String {
        let ends = self.edges.get(edge).map(|way| (&*way.edge.from, &*way.edge.to));
        let (from, to) = ends.unwrap_or_default();
        format!("`{}` → `{}`", shown(from), shown(to))
    }

    /// Gives an edge a label, or takes it away.
    pub(super) fn set_output(&mut self, edge: usize, output: Option<Output>) {
        if let Some(way) = self.edges.get_mut(edge) {
            way.edge.output = output;
        }
    }

    /// Lets an edge lead to `node`.
    pub(super) fn set_to(&mut self, edge: usize, node: usize) {
        let id = self.nodes().get(node).map(|node| node.id.clone());
        if let (Some(way), Some(id)) = (self.edges.get_mut(edge), id) {
            way.to = Some(node);
            way.edge.to = id;
        }
    }

    /// Lets an edge start at `node`.
    pub(super) fn set_from(&mut self, edge: usize, node: usize) {
        let id = self.nodes().get(node).map(|node| node.id.clone());
        let Some((way, id)) = self.edges.get_mut(edge).zip(id) else { return };
        if let Some(list) = way.from.and_then(|from| self.out.get_mut(from)) {
            list.retain(|at| *at != edge);
        }
        way.from = Some(node);
        way.edge.from = id;
        if let Some(list) = self.out.get_mut(node) {
            list.push(edge);
        }
    }

    pub(super) fn remove(&mut self, edge: usize) {
        if let Some(way) = self.edges.get_mut(edge) {
            way.gone = true;
        }
    }

    /// Adds an edge, which is shown where the node `beside` stands; gives its index.
    pub(super) fn add(&mut self, from: usize, to: usize, beside: usize) -> Option<usize> {
        let id = |node: usize| self.nodes().get(node).map(|node| node.id.clone());
        let edge = Edge::new(id(from)?, id(to)?);
        let source = Source::Beside(format!("/nodes/{beside}"));
        let at = self.edges.len();
        self.edges.push(Way { from: Some(from), to: Some(to), edge, source, gone: false });
        self.out.get_mut(from)?.push(at);
        Some(at)
    }

    /// Lets an `EndLoop` name its loop.
    pub(super) fn set_loop(&mut self, end: usize, id: String) {
        if let Some(NodeKind::EndLoop { loop_id }) =
            self.workflow.nodes.get_mut(end).map(|node| &mut node.kind)
        {
            *loop_id = id;
        }
    }

    pub(super) fn find(
        &mut self,
        code: &'static str,
        severity: Severity,
        about: About,
        message: impl Into<String>,
    ) {
        self.found.push((Diagnostic::new(code, severity, message), about));
    }

    /// What the graph as it is now tells.
    pub(super) fn structure(&self, pairs: &Pairs) -> Structure {
        let live = self.edges.iter().enumerate().filter(|(_, way)| !way.gone);
        let links = live.filter_map(|(of, way)| Some(Link { from: way.from?, to: way.to?, of }));
        Structure::new(self.nodes(), links.collect(), pairs)
    }

    /// The workflow, and every finding at its place.
    pub(super) fn finish(self, mut places: Places) -> Inferred {
        let Self { mut workflow, edges, found, .. } = self;
        let mut at = HashMap::new();
        let mut sources = Vec::new();
        let before = places.clone();
        for (index, way) in edges.iter().enumerate().filter(|(_, way)| !way.gone) {
            at.insert(index, sources.len());
            sources.push(way.source.clone());
        }
        if before != Places::default() {
            places.arrange("edges", &sources);
        }
        let locate = |(row, about): (Diagnostic, About)| match about {
            About::Node(node, part) => places.locate(row.on(format!("/nodes/{node}{part}"))),
            About::Edge(index) => match (at.get(&index), edges.get(index)) {
                (Some(now), _) => places.locate(row.on(format!("/edges/{now}"))),
                (None, Some(Way { source: Source::Kept(was), from, .. })) => {
                    let old = before.locate(row.clone().on(format!("/edges/{was}")));
                    let node = from.map(|from| format!("/nodes/{from}")).unwrap_or_default();
                    if old.span.is_some() { old } else { row.on(node) }
                }
                _ => row,
            },
        };
        let diagnostics = found.into_iter().map(locate).collect();
        workflow.edges = edges.into_iter().filter(|way| !way.gone).map(|way| way.edge).collect();
        Inferred { workflow, places, diagnostics }
    }
}
