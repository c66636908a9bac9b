//! Loop structure of the graph, regardless of labels.

use crate::{
    Node,
    graph::{Arrow, Components, Graph, loops::Loops},
    infer::{certainty::Certainty, pairs::Pairs, start::starts},
};

/// The loop structure of a workflow.
pub(crate) struct Structure {
    loops: Loops,
    components: Components,
    /// The certainty of each component.
    certainty: Vec<Certainty>,
    /// Guessed start nodes.
    pub(crate) guessed: Vec<usize>,
}

impl Structure {
    pub(crate) fn new(nodes: &[Node], mut links: Vec<Arrow>, pairs: &Pairs) -> Self {
        // An edge from an end to its loop is always a back edge, so it does not exclude the loop as
        // the start of the flow.
        links.retain(|link| pairs.loop_of(link.from) != Some(link.to));
        let mut entered = vec![false; nodes.len()];
        for link in &links {
            if let Some(slot) = entered.get_mut(link.to) {
                *slot = true;
            }
        }
        let mut back = Vec::new();
        for (of, end) in pairs.all() {
            // If the body leads straight back to the loop, its end has no incoming edge.
            if entered.get(end) == Some(&false) {
                links.push(Arrow { from: of, to: end, of: usize::MAX });
            }
            back.push(Arrow { from: end, to: of, of: usize::MAX });
        }
        let forward = Graph::new(nodes.len(), links.iter().copied());
        let graph = Graph::new(nodes.len(), links.into_iter().chain(back));
        let roots = starts(nodes, &forward, &graph, pairs);
        let loops = Loops::new(&graph, roots.iter().map(|(root, _)| *root));
        let components = graph.components();
        let mut certainty = vec![Certainty::Sure; components.members.len()];
        let mut doubt = |node: usize, doubt: Certainty| {
            let number = components.of.get(node);
            if let Some(slot) = number.and_then(|number| certainty.get_mut(*number)) {
                *slot = doubt.max(*slot);
            }
        };
        for (root, certainty) in &roots {
            doubt(*root, *certainty);
        }
        for node in (0..nodes.len()).filter(|node| loops.is_irregular(*node)) {
            doubt(node, Certainty::Irregular);
        }
        let guessed = roots.into_iter().filter(|(_, certainty)| *certainty == Certainty::Start);
        Self { loops, components, certainty, guessed: guessed.map(|(root, _)| root).collect() }
    }

    /// Returns the certainty of what is known about the loop of `node`.
    pub(crate) fn certainty(&self, node: usize) -> Certainty {
        let number = self.components.of.get(node);
        let known = number.and_then(|number| self.certainty.get(*number)).copied();
        known.filter(|_| self.loops.is_visited(node)).unwrap_or(Certainty::Irregular)
    }

    /// Returns whether `node`, a successor of the loop `of`, leads back to it.
    pub(crate) fn is_inside(&self, node: usize, of: usize) -> bool {
        self.loops.is_right_inside(node, of)
    }

    /// Returns whether an edge from `node` to the loop `of` comes from inside the loop.
    pub(crate) fn leads_back(&self, node: usize, of: usize) -> bool {
        self.loops.leads_back(node, of)
    }
}
