//! Applying a patch to a workflow.

use std::collections::{HashMap, HashSet};

use crate::{
    Edge, NodeKind, Patch, Update, Workflow,
    graph::names::shown,
    patch::{
        change, entries,
        outcome::{BRIDGED, Gaps, PatchError, PatchFindings, PatchOutcome},
    },
};

/// Applies `patch` to a copy of `workflow`: all of it, or nothing. The order is: removed nodes with
/// their edges, updates, added nodes, removed edges, insertions, added edges, appended nodes.
///
/// The error lists every invalid entry, with its path in the patch.
///
/// ```
/// use llmend_plan::{Gaps, Patch, Workflow, apply};
///
/// let workflow: Workflow = serde_json::from_value(serde_json::json!({
///     "nodes": [{"id": "a", "type": "tool", "tool": "x"}, {"id": "b", "type": "tool", "tool": "x"}, {"id": "c", "type": "tool", "tool": "x"}],
///     "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}],
/// }))?;
/// let patch = Patch { remove_nodes: vec!["b".into()], ..Patch::default() };
/// let changed = apply(&workflow, &patch, Gaps::Bridge)?.changed().expect("a change");
/// assert_eq!(changed.value.edges, [llmend_plan::Edge::new("a", "c")]);
/// assert_eq!(changed.removed_edges, workflow.edges);
///
/// let patch = Patch { remove_nodes: vec!["b".into(), "d".into()], ..Patch::default() };
/// let error = apply(&workflow, &patch, Gaps::Bridge).unwrap_err();
/// assert_eq!(error.violations[0].path.as_deref(), Some("/remove_nodes/1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn apply(
    workflow: &Workflow,
    patch: &Patch,
    gaps: Gaps,
) -> Result<PatchOutcome<Workflow>, PatchError> {
    if patch.is_empty() {
        return Ok(PatchOutcome::NoChange);
    }
    let mut findings = PatchFindings::default();
    entries::check(workflow, patch, &mut findings);
    let mut work = PatchedWorkflow::new(workflow, patch);
    work.bridge_gaps(patch, gaps, &mut findings);
    let diagnostics = findings.finish()?;
    work.update_nodes(patch);
    let last = work.workflow.nodes.last().map(|node| node.id.clone());
    work.workflow.nodes.extend(patch.add_nodes.iter().cloned());
    let gone: HashSet<&Edge> = patch.remove_edges.iter().collect();
    work.workflow.edges.retain(|edge| !gone.contains(edge));
    work.insert_before(patch);
    for edge in &patch.add_edges {
        work.add(edge.clone());
    }
    work.append(patch, last);
    let PatchedWorkflow { workflow: changed, removed, .. } = work;
    Ok(PatchOutcome::new(workflow, changed, removed, diagnostics))
}

/// A workflow to which a patch is being applied.
struct PatchedWorkflow {
    workflow: Workflow,
    removed: Vec<Edge>,
    known_edges: HashSet<Edge>,
}

impl PatchedWorkflow {
    fn new(workflow: &Workflow, patch: &Patch) -> Self {
        let gone: HashSet<&str> = patch.remove_nodes.iter().map(String::as_str).collect();
        let touches = |edge: &Edge| gone.contains(&*edge.from) || gone.contains(&*edge.to);
        let (removed, edges): (Vec<Edge>, Vec<Edge>) =
            workflow.edges.iter().cloned().partition(touches);
        let known_edges = edges.iter().cloned().collect();
        let nodes = workflow.nodes.iter().filter(|node| !gone.contains(&*node.id));
        let nodes = nodes.cloned().collect();
        let workflow = Workflow { nodes, edges, ..without_graph(workflow) };
        Self { workflow, removed, known_edges }
    }

    /// Adds an edge unless it exists.
    fn add(&mut self, edge: Edge) {
        if self.known_edges.insert(edge.clone()) {
            self.workflow.edges.push(edge);
        }
    }

    /// Connects the predecessors of removed nodes to their successors, if `gaps` asks for it.
    fn bridge_gaps(&mut self, patch: &Patch, gaps: Gaps, findings: &mut PatchFindings) {
        if gaps == Gaps::Leave {
            return;
        }
        let gone: HashSet<&str> = patch.remove_nodes.iter().map(String::as_str).collect();
        let mut after: HashMap<&str, Vec<&Edge>> = HashMap::new();
        for edge in self.removed.iter().filter(|edge| gone.contains(&*edge.from)) {
            after.entry(&edge.from).or_default().push(edge);
        }
        let mut ends: HashMap<&str, Option<&str>> = HashMap::new();
        let mut bridges = Vec::new();
        for edge in self.removed.iter().filter(|edge| !gone.contains(&*edge.from)) {
            if let Some(to) = follow(&edge.to, &gone, &after, &mut ends)
                && edge.from != to
            {
                bridges.push(Edge { to: to.to_owned(), ..edge.clone() });
            }
        }
        for (at, id) in patch.remove_nodes.iter().enumerate() {
            if after
                .get(id.as_str())
                .is_some_and(|edges| edges.len() > 1 || edges.iter().any(|it| it.output.is_some()))
            {
                let message = format!(
                    "`{}` branches, so its predecessors are not connected to its successors",
                    shown(id)
                );
                findings.warning(BRIDGED, format!("/remove_nodes/{at}"), message);
            }
        }
        for edge in bridges {
            self.add(edge);
        }
    }

    fn update_nodes(&mut self, patch: &Patch) {
        let updates: HashMap<&str, &Update> =
            patch.update_nodes.iter().map(|update| (update.id(), update)).collect();
        for node in &mut self.workflow.nodes {
            match updates.get(node.id.as_str()) {
                Some(Update::Replace(other)) => node.clone_from(other),
                Some(Update::Change(update)) => change::apply(node, update),
                None => {}
            }
        }
    }

    /// Redirects the edges to a node to what is inserted before it, except for the edge back from the
    /// end of a loop.
    fn insert_before(&mut self, patch: &Patch) {
        let mut chains: Vec<(&str, Vec<&str>)> = Vec::new();
        let mut of_anchor: HashMap<&str, usize> = HashMap::new();
        for insertion in &patch.insert_before {
            let at = *of_anchor.entry(&insertion.before).or_insert_with(|| {
                chains.push((&insertion.before, Vec::new()));
                chains.len() - 1
            });
            if let Some((_, chain)) = chains.get_mut(at) {
                chain.push(&insertion.node);
            }
        }
        let ends: HashSet<(&str, &str)> = self
            .workflow
            .nodes
            .iter()
            .filter_map(|node| match &node.kind {
                NodeKind::EndLoop { loop_id } => Some((node.id.as_str(), loop_id.as_str())),
                _ => None,
            })
            .collect();
        let first = |anchor: &str| {
            let (_, chain) = chains.get(*of_anchor.get(anchor)?)?;
            chain.first().copied()
        };
        for edge in &mut self.workflow.edges {
            if let Some(first) = first(&edge.to).filter(|_| !ends.contains(&(&edge.from, &edge.to)))
            {
                first.clone_into(&mut edge.to);
            }
        }
        self.known_edges = self.workflow.edges.iter().cloned().collect();
        for (anchor, chain) in &chains {
            let next = chain.iter().skip(1).chain([anchor]);
            for (from, to) in chain.iter().zip(next) {
                self.add(Edge::new(*from, *to));
            }
        }
    }

    /// Appends nodes in a line after `last`, and numbers those without an id.
    fn append(&mut self, patch: &Patch, last: Option<String>) {
        let given = patch.append_nodes.iter().map(|node| node.id.clone());
        let mut ids: HashSet<String> =
            self.workflow.nodes.iter().map(|node| node.id.clone()).chain(given).collect();
        let (mut last, mut number) = (last, self.workflow.nodes.len());
        for node in &patch.append_nodes {
            let mut node = node.clone();
            while node.id.is_empty() {
                number += 1;
                let id = format!("n{number}");
                if ids.insert(id.clone()) {
                    node.id = id;
                }
            }
            if let Some(last) = last {
                self.add(Edge::new(last, node.id.as_str()));
            }
            last = Some(node.id.clone());
            self.workflow.nodes.push(node);
        }
    }
}

/// Follows the edges from `id` past all removed nodes, if none of them branches.
fn follow<'e>(
    id: &'e str,
    gone: &HashSet<&str>,
    after: &HashMap<&'e str, Vec<&'e Edge>>,
    ends: &mut HashMap<&'e str, Option<&'e str>>,
) -> Option<&'e str> {
    let (mut path, mut at) = (Vec::new(), id);
    let end = loop {
        if !gone.contains(at) {
            break Some(at);
        }
        if let Some(end) = ends.get(at) {
            break *end;
        }
        path.push(at);
        // Until the end is known, a path that returns here leads nowhere.
        ends.insert(at, None);
        match after.get(at).map(Vec::as_slice) {
            Some([edge]) if edge.output.is_none() => at = &edge.to,
            _ => break None,
        }
    };
    ends.extend(path.into_iter().map(|passed| (passed, end)));
    end
}

/// Returns the workflow without its nodes and edges.
pub(super) fn without_graph(workflow: &Workflow) -> Workflow {
    Workflow {
        id: workflow.id.clone(),
        name: workflow.name.clone(),
        objective: workflow.objective.clone(),
        metadata: workflow.metadata.clone(),
        nodes: Vec::new(),
        edges: Vec::new(),
    }
}
