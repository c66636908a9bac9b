//! How is the canonical workflow read?
//!
//! Written, it is what serde makes of it.

use llmend_json::Node;

use crate::{
    Workflow,
    object::{
        Names, Object,
        Presence::{Nullable, Required},
    },
    places::ItemPlaces,
    read::{
        context::Context,
        edges, gap, list,
        node::LoopId,
        nodes::{self, NodeIds},
    },
};

const ID: Names = &["id"];
const NAME: Names = &["name", "title"];
const OBJECTIVE: Names = &["objective", "intent", "goal"];
pub(super) const NODES: Names = &["nodes", "steps"];
const EDGES: Names = &["edges", "connections"];
const WORKFLOW: [Names; 5] = [ID, NAME, OBJECTIVE, NODES, EDGES];

/// Reads a workflow.
pub(super) fn read(node: Node<'_>, context: &mut Context<'_>) -> Option<Workflow> {
    graph(node, LoopId::Inferred, context)
}

/// Reads nodes and edges, in any dialect that has them.
pub(super) fn graph(
    node: Node<'_>,
    loop_id: LoopId,
    context: &mut Context<'_>,
) -> Option<Workflow> {
    let (strictness, findings) = (context.strictness, &mut context.findings);
    let root = list::unwrap(node, &[NODES], strictness, findings);
    let object = Object::new(root, strictness, findings)?;
    let mut workflow = Workflow {
        id: object.name(ID, Nullable, findings),
        name: object.text(NAME, Nullable, findings),
        objective: object.text(OBJECTIVE, Nullable, findings),
        metadata: object.metadata(&WORKFLOW, findings),
        ..Workflow::default()
    };
    let given = object.list(NODES, Required, "an array of nodes", findings);
    let edges = object.list(EDGES, Nullable, "an array of edges", findings);
    let given = given?;
    let (nodes, left_out) = nodes::read(&given, "nodes", NodeIds::Given, loop_id, context);
    if nodes.is_empty() {
        context.report_no_steps(given.span(), &given.path, given.node.len());
    }
    let mut edges = edges.map(|edges| edges::read(&edges, context)).unwrap_or_default();
    if context.dialect == crate::Dialect::ClickweaveGraph {
        edges = super::clickweave_graph::without_end(edges, &nodes, context);
    }
    let edges = gap::in_workflow(&nodes, &left_out, edges, context);
    let (edges, places): (Vec<_>, Vec<ItemPlaces>) = edges.into_iter().unzip();
    context.lists.insert("edges".to_owned(), places);
    (workflow.nodes, workflow.edges) = (nodes, edges);
    Some(workflow)
}
