//! Layered layout of workflows.
//!
//! Nodes are placed in layers from top to bottom: a node below its predecessors, and the successors of
//! a loop below the loop's end. Within a layer, nodes are placed near their neighbors. Back edges are
//! ignored.

use std::collections::HashMap;

use llmend_plan::{
    Edge, Output, Position, Workflow,
    graph::{self, Arrow, Graph},
};

use crate::loop_ends::LoopEnds;

/// Horizontal center of the drawing, in pixels.
pub const MIDDLE: f64 = 300.0;
/// Vertical position of the first layer, in pixels.
pub const TOP: f64 = 100.0;
/// Distance between layers, in pixels.
pub const BELOW: f64 = 120.0;
/// Distance between the nodes of a layer, in pixels.
pub const BESIDE: f64 = 220.0;

/// Number of passes over the order within layers, alternating down and up.
const SWEEPS: usize = 4;

/// The layers and positions of a workflow's nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Layered {
    /// The position of each node.
    pub positions: Vec<Position>,
    /// The node indices of each layer: layers from the top, nodes from the left.
    pub layers: Vec<Vec<usize>>,
}

/// Lays out the nodes of `workflow`, ignoring positions that they already have.
///
/// ```
/// use llmend_draw::layout;
/// use llmend_plan::{Plan, Step};
///
/// let step = |id: &str, on: &[&str]| Step {
///     id: id.into(),
///     depends_on: on.iter().map(|on| on.to_string()).collect(),
///     ..Step::default()
/// };
/// let plan = Plan { steps: vec![step("a", &[]), step("b", &["a"]), step("c", &["a"])], ..Plan::default() };
/// let layered = layout::layered(&plan.to_workflow().workflow);
/// assert_eq!(layered.layers, [vec![0], vec![1, 2]]);
/// assert_eq!((layered.positions[0].x, layered.positions[0].y), (300.0, 100.0));
/// assert_eq!((layered.positions[2].x, layered.positions[2].y), (410.0, 220.0));
/// ```
#[must_use]
pub fn layered(workflow: &Workflow) -> Layered {
    let graph = downward_graph(workflow);
    let mut layers: Vec<Vec<usize>> = Vec::new();
    for (node, depth) in depths(&graph) {
        if layers.len() <= depth {
            layers.resize(depth + 1, Vec::new());
        }
        if let Some(layer) = layers.get_mut(depth) {
            layer.push(node);
        }
    }
    order(&graph, &mut layers);
    let mut positions = vec![Position { x: MIDDLE, y: TOP }; workflow.nodes.len()];
    let mut y = TOP;
    for layer in &layers {
        let mut x = MIDDLE - BESIDE * (count(layer.len()) - 1.0) / 2.0;
        for node in layer {
            if let Some(slot) = positions.get_mut(*node) {
                *slot = Position { x, y };
            }
            x += BESIDE;
        }
        y += BELOW;
    }
    Layered { positions, layers }
}

/// Assigns a position to each node of `workflow` that has none.
pub fn place(workflow: &mut Workflow) {
    let positions = layered(workflow).positions;
    for (node, position) in workflow.nodes.iter_mut().zip(positions) {
        node.position.get_or_insert(position);
    }
}

/// Converts a number of nodes, saturating at 2^32.
fn count(nodes: usize) -> f64 {
    f64::from(u32::try_from(nodes).unwrap_or(u32::MAX))
}

/// Builds the graph of a workflow without its back edges.
fn downward_graph(workflow: &Workflow) -> Graph {
    let index = graph::index(workflow.nodes.iter().map(|node| node.id.as_str()));
    downward(workflow.nodes.len(), &index, &LoopEnds::new(&workflow.nodes), &workflow.edges)
}

/// Builds the graph of `nodes` nodes, with ids from `index`, without back edges. The target of a loop's
/// `Done` output gets a second arrow, from the loop's end.
pub(crate) fn downward(
    nodes: usize,
    index: &HashMap<&str, usize>,
    pairs: &LoopEnds,
    edges: &[Edge],
) -> Graph {
    let mut arrows = Vec::new();
    for (of, edge) in edges.iter().enumerate() {
        let ends = index.get(edge.from.as_str()).zip(index.get(edge.to.as_str()));
        let Some((&from, &to)) = ends else { continue };
        if pairs.loop_of(from) == Some(to) {
            continue;
        }
        arrows.push(Arrow { from, to, of });
        if let (Some(Output::LoopDone), Some(end)) = (&edge.output, pairs.end_of(from)) {
            arrows.push(Arrow { from: end, to, of });
        }
    }
    let graph = Graph::new(nodes, arrows);
    let back = back_arrows(&graph);
    let arrows = (0..nodes).flat_map(|node| graph.after(node));
    let kept = arrows.zip(back).filter(|(_, back)| !back).map(|(arrow, _)| arrow);
    Graph::new(nodes, kept)
}

/// Returns for each arrow, node by node, whether it closes a cycle of the depth-first search.
fn back_arrows(graph: &Graph) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        Unseen,
        Open,
        Done,
    }
    let first: Vec<usize> = (0..graph.len())
        .scan(0, |next, node| {
            let at = *next;
            *next += graph.after(node).count();
            Some(at)
        })
        .collect();
    let mut back = vec![false; (0..graph.len()).map(|node| graph.after(node).count()).sum()];
    let mut state = vec![State::Unseen; graph.len()];
    let entries = (0..graph.len()).filter(|node| graph.before(*node).next().is_none());
    for root in entries.chain(0..graph.len()) {
        if state.get(root) != Some(&State::Unseen) {
            continue;
        }
        let mut open = vec![(root, graph.after(root).enumerate())];
        set(&mut state, root, State::Open);
        while let Some((node, arrows)) = open.last_mut() {
            let node = *node;
            match arrows.next() {
                None => {
                    set(&mut state, node, State::Done);
                    open.pop();
                }
                Some((nth, arrow)) => match state.get(arrow.to) {
                    Some(State::Unseen) => {
                        set(&mut state, arrow.to, State::Open);
                        open.push((arrow.to, graph.after(arrow.to).enumerate()));
                    }
                    Some(State::Open) => {
                        set(&mut back, first.get(node).map_or(usize::MAX, |it| it + nth), true);
                    }
                    _ => {}
                },
            }
        }
    }
    back
}

fn set<T>(list: &mut [T], at: usize, value: T) {
    if let Some(slot) = list.get_mut(at) {
        *slot = value;
    }
}

/// Returns each node with its layer, in topological order.
pub(crate) fn depths(graph: &Graph) -> Vec<(usize, usize)> {
    let mut waiting: Vec<usize> = (0..graph.len()).map(|node| graph.before(node).count()).collect();
    let mut depth = vec![0_usize; graph.len()];
    let mut open: std::collections::VecDeque<usize> =
        (0..graph.len()).filter(|node| waiting.get(*node) == Some(&0)).collect();
    let mut depths = Vec::with_capacity(graph.len());
    while let Some(node) = open.pop_front() {
        let own = depth.get(node).copied().unwrap_or_default();
        depths.push((node, own));
        for arrow in graph.after(node) {
            if let Some(slot) = depth.get_mut(arrow.to) {
                *slot = (*slot).max(own + 1);
            }
            if let Some(left) = waiting.get_mut(arrow.to) {
                *left -= 1;
                if *left == 0 {
                    open.push_back(arrow.to);
                }
            }
        }
    }
    depths
}

/// Orders the nodes of each layer by the center of their neighbors.
pub(crate) fn order(graph: &Graph, layers: &mut [Vec<usize>]) {
    let mut place = vec![0.0_f64; graph.len()];
    for layer in layers.iter() {
        record(layer, &mut place);
    }
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        let number = layers.len();
        for step in 0..number {
            let at = if down { step } else { number - 1 - step };
            let Some(layer) = layers.get_mut(at) else { continue };
            if layer.len() < 2 {
                continue;
            }
            let mut keyed: Vec<(f64, usize)> = layer
                .iter()
                .map(|node| {
                    let joined: Vec<usize> = if down {
                        graph.before(*node).map(|arrow| arrow.from).collect()
                    } else {
                        graph.after(*node).map(|arrow| arrow.to).collect()
                    };
                    let own = place.get(*node).copied().unwrap_or_default();
                    (middle(&joined, &place).unwrap_or(own), *node)
                })
                .collect();
            // The sort is stable: nodes with equal centers keep their order.
            keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
            *layer = keyed.into_iter().map(|(_, node)| node).collect();
            record(layer, &mut place);
        }
    }
}

/// Records the offset of each node of a layer from the center.
fn record(layer: &[usize], place: &mut [f64]) {
    let mut at = -(count(layer.len()) - 1.0) / 2.0;
    for node in layer {
        set(place, *node, at);
        at += 1.0;
    }
}

/// Returns the mean offset of the nodes `joined`.
fn middle(joined: &[usize], place: &[f64]) -> Option<f64> {
    let sum: f64 = joined.iter().filter_map(|node| place.get(*node)).sum();
    (!joined.is_empty()).then(|| sum / count(joined.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch;

    #[test]
    fn layers_follow_the_flow() {
        // S3-60
        let rows: [(&str, &str, &[&[usize]]); 6] = [
            ("a b c", "a>b b>c", &[&[0], &[1], &[2]]),
            ("I a b c", "I-true>a I-false>b a>c b>c", &[&[0], &[1, 2], &[3]]),
            // Successors of a loop are below its end.
            ("L a E:L b", "L-body>a a>E E>L L-done>b", &[&[0], &[1], &[2], &[3]]),
            ("a b", "a>b b>a", &[&[0], &[1]]),
            ("a", "a>a", &[&[0]]),
            // Crossing edges are untangled.
            ("S:x,y a b c d", "S-=x>a S-=y>b a>d b>c", &[&[0], &[1, 2], &[4, 3]]),
        ];
        for (nodes, edges, expected) in rows {
            assert_eq!(layered(&sketch::workflow(nodes, edges)).layers, expected, "{edges}");
        }
    }

    #[test]
    fn a_chain_is_vertical() {
        let mut workflow = sketch::workflow("a b c", "a>b b>c");
        workflow.nodes[1].position = Some(Position { x: 1.0, y: 2.0 });
        place(&mut workflow);
        let places: Vec<_> =
            workflow.nodes.iter().map(|node| node.position.map(|it| (it.x, it.y))).collect();
        assert_eq!(places, [Some((300.0, 100.0)), Some((1.0, 2.0)), Some((300.0, 340.0))]);
    }
}
