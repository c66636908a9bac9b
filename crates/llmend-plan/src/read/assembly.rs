//! Assembly of a workflow from another tool's form, whose edges are not a list of their own.

use std::collections::{HashMap, HashSet};

use llmend_json::{Diagnostic, Severity};

use crate::{
    Edge, Map, Node, NodeKind, Output, Workflow, code,
    findings::Findings,
    locations::{ENTRY, ItemLocations, Location},
    object::{Names, Object, Part},
    read::{
        context::{Context, Fate, ListItem},
        gap::{self, LocatedEdge},
    },
};

/// The nodes and edges so far.
#[derive(Default)]
pub(crate) struct Assembly {
    nodes: Vec<Node>,
    locations: Vec<ItemLocations>,
    ids: HashSet<String>,
    /// Ids of nodes that the policy omits.
    omitted: HashSet<String>,
    edges: Vec<LocatedEdge>,
    known: HashSet<Edge>,
    /// Where the source states that the flow starts at a node, by its id.
    entries: HashMap<String, Location>,
    /// Id of the first of them.
    first: Option<String>,
    /// The number of nodes in the source.
    given: usize,
    /// Whether there are more nodes or edges than the limit.
    is_full: bool,
}

impl Assembly {
    /// Adds a node that was read as an item.
    pub(crate) fn item(&mut self, id: &str, item: ListItem<Option<Node>>, context: &Context<'_>) {
        self.given += 1;
        match item.value.filter(|_| item.fate == Fate::Kept) {
            Some(node) => self.put(node, item.locations, context),
            None => {
                self.omitted.insert(id.to_owned());
            }
        }
    }

    /// Adds a node that the form does not have, and reports it.
    pub(crate) fn added(
        &mut self,
        node: Node,
        place: &Location,
        why: &str,
        context: &mut Context<'_>,
    ) {
        let message = format!("added node `{}`: {why}", crate::findings::shown(&node.id));
        report(context, code::ADDED_NODE, Severity::Info, place, message);
        self.put(node, ItemLocations::new(place.clone()), context);
    }

    fn put(&mut self, node: Node, locations: ItemLocations, context: &Context<'_>) {
        if self.nodes.len() >= context.options.max_items {
            self.is_full = true;
            return;
        }
        self.ids.insert(node.id.clone());
        self.nodes.push(node);
        self.locations.push(locations);
    }

    /// Adds an edge, unless it is there already.
    pub(crate) fn edge(
        &mut self,
        from: &str,
        to: &str,
        output: Option<Output>,
        place: &Location,
        context: &Context<'_>,
    ) {
        let edge = Edge { output, ..Edge::new(from, to) };
        if self.edges.len() >= context.options.max_items {
            self.is_full = true;
        } else if self.known.insert(edge.clone()) {
            self.edges.push((edge, ItemLocations::new(place.clone())));
        }
    }

    /// Records where the source states that the flow starts at a node.
    pub(crate) fn entry(&mut self, id: &str, place: &Location) {
        self.first.get_or_insert_with(|| id.to_owned());
        self.entries.entry(id.to_owned()).or_insert_with(|| place.clone());
    }

    /// Returns an id that neither a node so far nor one of `others` has, made from `stem`.
    pub(crate) fn free_id(&self, stem: &str, others: &HashSet<&str>) -> String {
        let is_free = |id: &str| !others.contains(id) && !self.ids.contains(id);
        let numbered = (2_usize..).map(|nth| format!("{stem}_{nth}"));
        let mut ids = std::iter::once(stem.to_owned()).chain(numbered);
        ids.find(|id| is_free(id)).unwrap_or_default()
    }

    /// Returns whether an edge leads to `id`, other than from the end of a loop.
    pub(crate) fn leads_to(&self, id: &str) -> bool {
        let is_end = |node: &&Node| matches!(node.kind, NodeKind::EndLoop { .. });
        let ends: HashSet<&str> =
            self.nodes.iter().filter(is_end).map(|node| node.id.as_str()).collect();
        self.edges.iter().any(|(edge, _)| edge.to == id && !ends.contains(edge.from.as_str()))
    }

    /// Returns the workflow, with the edges of omitted nodes dropped or bridged.
    pub(crate) fn finish(mut self, whole: &Location, context: &mut Context<'_>) -> Workflow {
        let path = whole.path.clone().unwrap_or_default();
        if self.is_full {
            let message = format!("too many nodes or edges (limit {})", context.options.max_items);
            report(context, code::TOO_MANY, Severity::Error, whole, message);
        }
        if self.nodes.is_empty() {
            context.report_no_steps(whole.span, &path, self.given);
        }
        // A flow starts at the first node to which no edge leads, and a cycle at its first node.
        let first = self.first.take().and_then(|id| self.nodes.iter().position(|it| it.id == id));
        if let Some(at) = first {
            let front = |at| ..=at;
            if let Some(nodes) = self.nodes.get_mut(front(at)) {
                nodes.rotate_right(1);
            }
            if let Some(locations) = self.locations.get_mut(front(at)) {
                locations.rotate_right(1);
            }
        }
        for (node, locations) in self.nodes.iter().zip(&mut self.locations) {
            if let Some(place) = self.entries.remove(&node.id) {
                locations.parts.insert(ENTRY.to_owned(), place);
            }
        }
        let edges = gap::in_workflow(&self.nodes, &self.omitted, self.edges, context);
        let (edges, places): (Vec<_>, Vec<_>) = edges.into_iter().unzip();
        context.lists.insert("nodes".to_owned(), self.locations);
        context.lists.insert("edges".to_owned(), places);
        Workflow { nodes: self.nodes, edges, ..Workflow::default() }
    }
}

/// An edge from a node that is being read.
pub(crate) struct Successor {
    /// Id of the target.
    pub(crate) to: String,
    /// The branch.
    pub(crate) output: Option<Output>,
    /// Where it is stated.
    pub(crate) place: Location,
}

/// Reports a finding at `place`.
pub(crate) fn report(
    context: &mut Context<'_>,
    code: &'static str,
    severity: Severity,
    place: &Location,
    message: impl Into<String>,
) {
    let row = Diagnostic::new(code, severity, message).at(place.span);
    context.findings.push(match &place.path {
        Some(path) => row.on(path.as_str()),
        None => row,
    });
}

/// Returns the location of a part of a value.
pub(crate) fn place(it: &Part<'_>) -> Location {
    Location { path: Some(it.path.clone()), span: it.span() }
}

/// Returns the metadata of an object: the members `kept`, of which nothing is to be said, and those
/// with unknown names, which are reported. `fields` are those that are read.
pub(crate) fn metadata(
    object: &Object<'_>,
    fields: &[Names],
    kept: &[Names],
    findings: &mut Findings,
) -> Map {
    let mut all = object.metadata(&[fields, kept].concat(), findings);
    for name in kept.iter().copied().flatten() {
        if let Some(it) = object.part(name, "/metadata") {
            all.insert((*name).to_owned(), it.carried(findings));
        }
    }
    all
}

/// Returns a node that runs `tool`.
pub(crate) fn tool(id: &str, tool: impl Into<String>, arguments: Map) -> Node {
    Node::new(id, NodeKind::Tool { tool: tool.into(), arguments })
}
