//! Clickweave's graph of nodes and edges.

use llmend_json::Node;
use serde::Serialize;

use crate::{
    Workflow, code,
    dialect::{
        clickweave::{self, ClickweaveEdge, ClickweaveStep},
        workflow,
    },
    findings::shown,
    losses::Losses,
    read::{context::Context, gap::LocatedEdge, node::LoopId},
};

/// Reads a workflow.
pub(super) fn read(node: Node<'_>, context: &mut Context<'_>) -> Option<Workflow> {
    workflow::graph(node, LoopId::Required, context, without_end)
}

/// The id that models write for the end of the flow, which is not a node.
const END: &str = "DONE";

/// Removes edges to the end of the flow.
fn without_end(
    edges: Vec<LocatedEdge>,
    nodes: &[crate::Node],
    context: &mut Context<'_>,
) -> Vec<LocatedEdge> {
    if nodes.iter().any(|node| node.id == END) {
        return edges;
    }
    let (kept, ends): (Vec<LocatedEdge>, Vec<LocatedEdge>) =
        edges.into_iter().partition(|(edge, _)| edge.to != END);
    for (edge, locations) in ends {
        let message = format!(
            "omitted edge from `{}` to `{END}`, which marks the end of the flow",
            shown(&edge.from)
        );
        if let Some(place) = locations.whole {
            let path = place.path.unwrap_or_default();
            context.findings.remark(code::END_MARKER, &path, place.span, message);
        }
    }
    kept
}

/// Restricts a workflow to what the dialect can represent.
pub(crate) fn restrict(workflow: &mut Workflow, losses: &mut Losses) {
    losses.take(&mut workflow.id, "/id");
    losses.take(&mut workflow.name, "/name");
    losses.map(&mut workflow.metadata, "/metadata");
    for (at, node) in workflow.nodes.iter_mut().enumerate() {
        clickweave::restrict(node, &format!("/nodes/{at}"), losses);
        losses.need_text(clickweave::loop_id(node), &format!("/nodes/{at}/loop_id"));
    }
}

/// The written form of a workflow.
#[derive(Serialize)]
pub(crate) struct ClickweaveGraph<'w> {
    #[serde(skip_serializing_if = "Option::is_none")]
    intent: Option<&'w str>,
    nodes: Vec<ClickweaveStep<'w>>,
    edges: Vec<ClickweaveEdge<'w>>,
}

/// Converts a workflow to its written form.
pub(crate) fn encode(workflow: &Workflow) -> ClickweaveGraph<'_> {
    ClickweaveGraph {
        intent: workflow.objective.as_deref(),
        nodes: workflow.nodes.iter().map(ClickweaveStep::with_id).collect(),
        edges: workflow.edges.iter().map(ClickweaveEdge::new).collect(),
    }
}
