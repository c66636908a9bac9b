//! Where does the flow start?
//!
//! Usually at the node to which no edge leads. Where a body leads straight back to the loop with which
//! the flow starts, there is no such node, but a circle, and one of its loops is the first.

use crate::{
    Node, NodeType,
    graph::{Components, Graph, loops::Loops},
    infer::{pairs::Pairs, structure::Certainty},
};

/// Loops of which it is tried whether the flow may start there, over all circles: each try looks at
/// the whole graph.
const TRIES: usize = 16;

/// The nodes where the flow starts: one in each component of `forward` into which no edge leads from
/// another. `graph` has the edges back from the ends of loops too.
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
    let mut circles = Vec::new();
    for (members, _) in components.members.iter().zip(entered).filter(|(_, entered)| !entered) {
        let mut loops = members.iter().copied().filter(|node| is_loop(*node));
        match (members.as_slice(), loops.next(), loops.next()) {
            ([only], ..) => starts.push((*only, Certainty::Sure)),
            // In a circle that only one loop can close, the flow starts with that loop.
            (_, Some(only), None) => starts.push((only, Certainty::Sure)),
            (_, Some(_), Some(_)) => circles.push(members.as_slice()),
            ([first, ..], None, _) => starts.push((*first, Certainty::Start)),
            ([], ..) => {}
        }
    }
    if !circles.is_empty() {
        let mut trial = Trial { nodes, graph, pairs, whole: graph.components(), left: TRIES };
        for members in circles {
            let loops: Vec<usize> = members.iter().copied().filter(|node| is_loop(*node)).collect();
            starts.extend(trial.start(&loops));
        }
    }
    starts.sort_unstable();
    starts
}

/// What is needed to try loops.
struct Trial<'t> {
    nodes: &'t [Node],
    graph: &'t Graph,
    pairs: &'t Pairs,
    whole: Components,
    left: usize,
}

impl Trial<'_> {
    /// The one of `loops` from where every loop of the circle looks like one. If several fit, the one
    /// from where most loops have a body in which something happens; but that is a guess.
    fn start(&mut self, loops: &[usize]) -> Option<(usize, Certainty)> {
        let first = *loops.first()?;
        let Some(left) = self.left.checked_sub(loops.len()) else {
            return Some((first, Certainty::Start));
        };
        self.left = left;
        let fits: Vec<(usize, usize)> =
            loops.iter().filter_map(|root| Some((self.idle(*root)?, *root))).collect();
        Some(match fits.as_slice() {
            [(_, only)] => (*only, Certainty::Sure),
            several => (several.iter().min().map_or(first, |best| best.1), Certainty::Start),
        })
    }

    /// How many loops, seen from `root`, go on without ever having done anything; nothing if one of
    /// them has more than one body or one way out.
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
