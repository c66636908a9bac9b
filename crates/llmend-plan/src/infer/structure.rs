//! What does the shape of the graph tell of its loops, whatever the labels say?

use crate::{
    Node,
    graph::{Arrow, Components, Graph, loops::Loops},
    infer::{pairs::Pairs, start::starts},
};

/// An edge between two nodes that there are.
pub(crate) type Link = Arrow;

/// How much the shape of the graph can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Certainty {
    /// There is one way to see it.
    Sure,
    /// Where the flow starts had to be guessed, so that loops may be seen from the wrong end.
    Start,
    /// One gets into a loop past its head.
    Irregular,
}

impl Certainty {
    /// What is not known, as the end of a sentence.
    pub(crate) const fn doubt(self) -> &'static str {
        match self {
            Self::Sure => "the structure does not tell",
            Self::Start => "where the flow starts is not known",
            Self::Irregular => "another way leads into the loop, past its beginning",
        }
    }
}

/// The shape of a workflow.
pub(crate) struct Structure {
    loops: Loops,
    components: Components,
    /// For each component how far it can be relied on.
    certainty: Vec<Certainty>,
    /// Nodes of which it was guessed that the flow starts there.
    pub(crate) guessed: Vec<usize>,
}

impl Structure {
    pub(crate) fn new(nodes: &[Node], mut links: Vec<Link>, pairs: &Pairs) -> Self {
        // An edge from an end to its loop leads back, whatever else there is. So it does not speak
        // against the loop's being where the flow starts.
        links.retain(|link| pairs.loop_of(link.from) != Some(link.to));
        let mut entered = vec![false; nodes.len()];
        for link in &links {
            if let Some(slot) = entered.get_mut(link.to) {
                *slot = true;
            }
        }
        let mut back = Vec::new();
        for (of, end) in pairs.all() {
            // Whoever leads the body straight back to the loop leaves its end without a way in.
            if entered.get(end) == Some(&false) {
                links.push(Link { from: of, to: end, of: usize::MAX });
            }
            back.push(Link { from: end, to: of, of: usize::MAX });
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

    /// How far what is said of the loop of `node` can be relied on.
    pub(crate) fn certainty(&self, node: usize) -> Certainty {
        let number = self.components.of.get(node);
        let known = number.and_then(|number| self.certainty.get(*number)).copied();
        known.filter(|_| self.loops.is_visited(node)).unwrap_or(Certainty::Irregular)
    }

    /// Whether what comes next after the loop `of`, at `node`, leads back to it.
    pub(crate) fn is_inside(&self, node: usize, of: usize) -> bool {
        self.loops.is_right_inside(node, of)
    }

    /// Whether an edge from `node` to the loop `of` comes from within the loop.
    pub(crate) fn leads_back(&self, node: usize, of: usize) -> bool {
        self.loops.leads_back(node, of)
    }
}
