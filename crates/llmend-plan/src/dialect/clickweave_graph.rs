//! How is Clickweave's graph of nodes and edges read and written?

use llmend_json::Node;
use serde::Serialize;

use crate::{
    Workflow, code,
    dialect::clickweave::{self, EdgeShape, StepShape},
    findings::shown,
    read::{context::Context, gap::LocatedEdge, node::LoopId},
    write::Losses,
};

/// Reads a workflow.
pub(super) fn read(node: Node<'_>, context: &mut Context<'_>) -> Option<Workflow> {
    super::workflow::graph(node, LoopId::Required, context)
}

/// What models write as the end of the flow, though it is no node.
const END: &str = "DONE";

/// The edges without those to the end of the flow.
pub(super) fn without_end(
    edges: Vec<LocatedEdge>,
    nodes: &[crate::Node],
    context: &mut Context<'_>,
) -> Vec<LocatedEdge> {
    if nodes.iter().any(|node| node.id == END) {
        return edges;
    }
    let (kept, ends): (Vec<LocatedEdge>, Vec<LocatedEdge>) =
        edges.into_iter().partition(|(edge, _)| edge.to != END);
    for (edge, places) in ends {
        let message = format!(
            "the edge from `{}` to `{END}` is left out: the flow just ends there",
            shown(&edge.from)
        );
        if let Some(place) = places.whole {
            let path = place.path.unwrap_or_default();
            context.findings.remark(code::END_MARKER, &path, place.span, message);
        }
    }
    kept
}

/// Leaves of the workflow what the dialect carries.
pub(crate) fn keep(workflow: &mut Workflow, losses: &mut Losses) {
    losses.take(&mut workflow.id, "/id");
    losses.take(&mut workflow.name, "/name");
    losses.map(&mut workflow.metadata, "/metadata");
    for (at, node) in workflow.nodes.iter_mut().enumerate() {
        clickweave::keep(node, &format!("/nodes/{at}"), losses);
        losses.need_text(clickweave::loop_id(node), &format!("/nodes/{at}/loop_id"));
    }
}

/// The graph as Clickweave has it.
#[derive(Serialize)]
pub(crate) struct Shape<'w> {
    #[serde(skip_serializing_if = "Option::is_none")]
    intent: Option<&'w str>,
    nodes: Vec<StepShape<'w>>,
    edges: Vec<EdgeShape<'w>>,
}

/// The graph as it is written.
pub(crate) fn shape(workflow: &Workflow) -> Shape<'_> {
    Shape {
        intent: workflow.objective.as_deref(),
        nodes: workflow.nodes.iter().map(StepShape::with_id).collect(),
        edges: workflow.edges.iter().map(EdgeShape::new).collect(),
    }
}
