//! Start nodes of the flow.
//!
//! The flow usually starts at a node without incoming edges. If a body leads straight back to the
//! first loop, there is no such node but a cycle, and one of its loops is the first.

use crate::{
    Node, NodeType,
    graph::{Components, Graph, loops::Loops},
    infer::{certainty::Certainty, pairs::Pairs},
};

/// Maximum number of loops that are tried as start, over all cycles: each trial visits the whole graph.
const MAX_TRIALS: usize = 16;

/// Returns the start nodes: one in each component of `forward` that has no edge from another component.
/// `graph` also has the edges back from the ends of loops.
pub(super) fn starts(
    nodes: &[Node],
    forward: &Graph,
    graph: &Graph,
    pairs: &Pairs,
) -> Vec<(usize, Certainty)> {
    let components = forward.components();
    let mut entered = vec![false; components.members.len()];
    for node in 0..forward.len() {
        let own = components.of.get(node);
        for arrow in forward.after(node) {
            let other = components.of.get(arrow.to);
            if let Some(slot) = other.filter(|_| own != other).and_then(|it| entered.get_mut(*it)) {
                *slot = true;
            }
        }
    }
    let is_loop = |node: usize| nodes.get(node).map(Node::node_type) == Some(NodeType::Loop);
    let mut starts = Vec::new();
    let mut cycles = Vec::new();
    for (members, _) in components.members.iter().zip(entered).filter(|(_, entered)| !entered) {
        let mut loops = members.iter().copied().filter(|node| is_loop(*node));
        match (members.as_slice(), loops.next(), loops.next()) {
            ([only], ..) => starts.push((*only, Certainty::Sure)),
            // In a cycle with only one loop, the flow starts with that loop.
            (_, Some(only), None) => starts.push((only, Certainty::Sure)),
            (_, Some(_), Some(_)) => cycles.push(members.as_slice()),
            (members, None, _) if !members.is_empty() => {
                let first = members.iter().min().copied().unwrap_or_default();
                starts.push((first, Certainty::Start));
            }
            _ => {}
        }
    }
    if !cycles.is_empty() {
        let mut trial = Trial { nodes, graph, pairs, whole: graph.components(), left: MAX_TRIALS };
        for members in cycles {
            let loops: Vec<usize> = members.iter().copied().filter(|node| is_loop(*node)).collect();
            starts.extend(trial.start(&loops));
        }
    }
    starts.sort_unstable();
    starts
}

/// A trial of loops as start.
struct Trial<'t> {
    nodes: &'t [Node],
    graph: &'t Graph,
    pairs: &'t Pairs,
    whole: Components,
    left: usize,
}

impl Trial<'_> {
    /// Returns the loop from which every loop of the cycle is well-formed. If several are, guesses the
    /// one with the fewest idle loops.
    fn start(&mut self, loops: &[usize]) -> Option<(usize, Certainty)> {
        let first = *loops.first()?;
        let Some(left) = self.left.checked_sub(loops.len()) else {
            return Some((first, Certainty::Start));
        };
        self.left = left;
        let candidates: Vec<(usize, usize)> =
            loops.iter().filter_map(|root| Some((self.idle(*root)?, *root))).collect();
        Some(match candidates.as_slice() {
            [(_, only)] => (*only, Certainty::Sure),
            several => (several.iter().min().map_or(first, |best| best.1), Certainty::Start),
        })
    }

    /// Counts the loops with an empty body, as seen from `root`; `None` if a loop has more than one
    /// body edge or done edge.
    fn idle(&self, root: usize) -> Option<usize> {
        let loops = Loops::new(self.graph, [root]);
        let members = self.whole.of.get(root).and_then(|number| self.whole.members.get(*number));
        let mut idle = 0;
        for node in members.into_iter().flatten() {
            if loops.is_irregular(*node) {
                return None;
            }
            if self.nodes.get(*node).map(Node::node_type) == Some(NodeType::Loop) {
                idle += usize::from(self.is_idle(&loops, *node)?);
            }
        }
        Some(idle)
    }

    fn is_idle(&self, loops: &Loops, node: usize) -> Option<bool> {
        let (mut inside, mut outside, mut into_end) = (0, 0, 0);
        for arrow in self.graph.after(node) {
            if self.pairs.loop_of(arrow.to) == Some(node) {
                into_end += 1;
            } else if loops.is_right_inside(arrow.to, node) {
                inside += 1;
            } else {
                outside += 1;
            }
        }
        let fits = inside <= 1 && outside <= 1 && inside + into_end > 0;
        fits.then_some(inside == 0 && outside > 0)
    }
}
