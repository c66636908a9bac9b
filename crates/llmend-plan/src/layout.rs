//! Where does each node of a workflow stand in a picture?
//!
//! Layers from the top downwards: each node below all that come before it, and what comes after a loop
//! below the loop's end. Within a layer, nodes stand near those that they are joined to. Edges that
//! lead back do not count.

use std::collections::HashMap;

use crate::{
    Edge, Output, Position, Workflow,
    graph::{self, Arrow, Graph},
    infer::Pairs,
};

/// From the left to the middle of a picture, in pixels.
pub const MIDDLE: f64 = 300.0;
/// From the top to the first layer.
pub const TOP: f64 = 100.0;
/// From one layer to the next.
pub const BELOW: f64 = 120.0;
/// From one node to the next in its layer.
pub const BESIDE: f64 = 220.0;

/// How often the order within the layers is looked over, down and up.
const SWEEPS: usize = 4;

/// Where the nodes of a workflow stand.
#[derive(Clone, Debug, PartialEq)]
pub struct Layered {
    /// For each node its place.
    pub positions: Vec<Position>,
    /// For each layer, from the top, the indexes of its nodes from the left.
    pub layers: Vec<Vec<usize>>,
}

/// The places of the nodes of `workflow`, whether they have one already or not.
///
/// ```
/// use llmend_plan::{Plan, Step, layout};
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
    let graph = downwards(workflow);
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

/// Gives a place to each node of `workflow` that has none.
pub fn place(workflow: &mut Workflow) {
    let positions = layered(workflow).positions;
    for (node, position) in workflow.nodes.iter_mut().zip(positions) {
        node.position.get_or_insert(position);
    }
}

/// A number of nodes as a factor; pictures of 2^32 nodes in a row are not drawn.
fn count(nodes: usize) -> f64 {
    f64::from(u32::try_from(nodes).unwrap_or(u32::MAX))
}

/// The edges that lead down, without those that lead back.
fn downwards(workflow: &Workflow) -> Graph {
    let index = graph::index(workflow.nodes.iter().map(|node| node.id.as_str()));
    leading_down(workflow.nodes.len(), &index, &Pairs::named(&workflow.nodes), &workflow.edges)
}

/// The same of `nodes` nodes that `index` knows by their ids. An arrow knows the index of its edge;
/// what a loop's `Done` leads to has a second one, from the loop's end.
pub(crate) fn leading_down(
    nodes: usize,
    index: &HashMap<&str, usize>,
    pairs: &Pairs,
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
    let back = leading_back(&graph);
    let arrows = (0..nodes).flat_map(|node| graph.after(node));
    let kept = arrows.zip(back).filter(|(_, back)| !back).map(|(arrow, _)| arrow);
    Graph::new(nodes, kept)
}

/// For each arrow, node by node, whether it leads back to where one came from.
fn leading_back(graph: &Graph) -> Vec<bool> {
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

/// Each node and how many layers are above it, so that those before a node come before it.
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

/// Orders the nodes of each layer by the middle of those that they are joined to.
pub(crate) fn order(graph: &Graph, layers: &mut [Vec<usize>]) {
    let mut place = vec![0.0_f64; graph.len()];
    for layer in layers.iter() {
        note(layer, &mut place);
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
            // Those of equal middle stay in their order.
            keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
            *layer = keyed.into_iter().map(|(_, node)| node).collect();
            note(layer, &mut place);
        }
    }
}

/// Notes where each node of a layer stands, from the middle.
fn note(layer: &[usize], place: &mut [f64]) {
    let mut at = -(count(layer.len()) - 1.0) / 2.0;
    for node in layer {
        set(place, *node, at);
        at += 1.0;
    }
}

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
            // What comes after a loop stands below its end.
            ("L a E:L b", "L-body>a a>E E>L L-done>b", &[&[0], &[1], &[2], &[3]]),
            ("a b", "a>b b>a", &[&[0], &[1]]),
            ("a", "a>a", &[&[0]]),
            // Crossed edges are uncrossed.
            ("S:x,y a b c d", "S-=x>a S-=y>b a>d b>c", &[&[0], &[1, 2], &[4, 3]]),
        ];
        for (nodes, edges, expected) in rows {
            assert_eq!(layered(&sketch::workflow(nodes, edges)).layers, expected, "{edges}");
        }
    }

    #[test]
    fn a_line_stands_in_a_line() {
        let mut workflow = sketch::workflow("a b c", "a>b b>c");
        workflow.nodes[1].position = Some(Position { x: 1.0, y: 2.0 });
        place(&mut workflow);
        let places: Vec<_> =
            workflow.nodes.iter().map(|node| node.position.map(|it| (it.x, it.y))).collect();
        assert_eq!(places, [Some((300.0, 100.0)), Some((1.0, 2.0)), Some((300.0, 340.0))]);
    }
}
