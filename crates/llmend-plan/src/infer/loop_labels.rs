//! Which edge of a loop is its body, and which its way out?

use crate::{
    NodeType, Output,
    infer::{
        About, DONE_INTO_END, LOOP_LABEL,
        flow::Flow,
        level,
        pairs::Pairs,
        structure::{Certainty, Structure},
    },
};

/// Labels the edges of loops. The body is the edge from where one gets back to the loop without
/// passing it: structure first, and order only where the structure does not tell.
pub(super) fn infer(flow: &mut Flow, pairs: &Pairs, structure: &Structure) {
    for of in flow.of_type(NodeType::Loop) {
        let mut sight = Sight { flow, pairs, structure, of };
        sight.edges_into_end();
        sight.labels();
        sight.labelled_done_into_end();
    }
}

/// One loop.
struct Sight<'s> {
    flow: &'s mut Flow,
    pairs: &'s Pairs,
    structure: &'s Structure,
    of: usize,
}

impl Sight<'_> {
    fn unlabelled(&self) -> Vec<usize> {
        let edges = self.flow.out(self.of).into_iter();
        edges.filter(|edge| self.flow.output(*edge).is_none()).collect()
    }

    fn labelled(&self, label: &Output) -> usize {
        let edges = self.flow.out(self.of).into_iter();
        edges.filter(|edge| self.flow.output(*edge) == Some(label)).count()
    }

    fn is_into_end(&self, edge: usize) -> bool {
        self.flow.to(edge).is_some_and(|to| self.pairs.loop_of(to) == Some(self.of))
    }

    fn is_inside(&self, edge: usize) -> bool {
        self.flow.to(edge).is_some_and(|to| self.structure.is_inside(to, self.of))
    }

    fn certainty(&self) -> Certainty {
        self.structure.certainty(self.of)
    }

    /// An unlabelled edge to the loop's own end: the way out, as models write it, which goes; or a
    /// body in which nothing happens, if no other edge leads back.
    fn edges_into_end(&mut self) {
        let (into_end, others): (Vec<usize>, Vec<usize>) =
            self.flow.out(self.of).into_iter().partition(|edge| self.is_into_end(*edge));
        let unlabelled: Vec<usize> =
            into_end.into_iter().filter(|edge| self.flow.output(*edge).is_none()).collect();
        if unlabelled.is_empty() {
            return;
        }
        let says = others.iter().any(|edge| self.flow.output(*edge) == Some(&Output::LoopBody));
        let leads_back = others.iter().any(|edge| {
            self.flow.output(*edge) != Some(&Output::LoopDone) && self.is_inside(*edge)
        });
        if says || leads_back {
            let decided = says || self.certainty() == Certainty::Sure;
            for edge in unlabelled {
                let message = format!(
                    "the edge {} is left out: a loop's body leads to its end, and the loop is done at its beginning",
                    self.flow.shown(edge)
                );
                self.flow.find(DONE_INTO_END, level(decided), About::Edge(edge), message);
                self.flow.remove(edge);
            }
        } else if let [edge] = unlabelled.as_slice()
            && self.labelled(&Output::LoopBody) == 0
        {
            let shown = self.flow.shown(*edge);
            let decided = others.is_empty()
                || others.iter().all(|edge| self.flow.output(*edge) == Some(&Output::LoopDone));
            let message = if decided {
                format!("the edge {shown} is the loop's body, in which nothing happens")
            } else {
                format!(
                    "the edge {shown} is taken for the loop's body, in which nothing happens: no other edge leads back to the loop, and whether one should is not known"
                )
            };
            self.label(*edge, Output::LoopBody, decided, message);
        }
    }

    fn labels(&mut self) {
        let edges: Vec<usize> =
            self.unlabelled().into_iter().filter(|edge| !self.is_into_end(*edge)).collect();
        let (bodies, dones) = (self.labelled(&Output::LoopBody), self.labelled(&Output::LoopDone));
        match (edges.as_slice(), bodies, dones) {
            ([edge], 0, _) => self.only_body(*edge, dones > 0),
            ([edge], 1, 0) => {
                let decided = self.certainty() == Certainty::Sure && !self.is_inside(*edge);
                let message = if decided {
                    format!("the edge {} is where the loop is done", self.flow.shown(*edge))
                } else {
                    format!(
                        "the edge {} is taken for where the loop is done, since its body is another; whether it is one is not known: {}",
                        self.flow.shown(*edge),
                        self.doubt(*edge)
                    )
                };
                self.label(*edge, Output::LoopDone, decided, message);
            }
            ([first, second], 0, 0) => self.two(*first, *second),
            _ => {}
        }
    }

    fn doubt(&self, edge: usize) -> &'static str {
        match self.certainty() {
            Certainty::Sure if self.is_inside(edge) => "it leads back to the loop",
            Certainty::Sure => "it does not lead back to the loop",
            other => other.doubt(),
        }
    }

    /// The one edge that has no label, where none is labelled as the body.
    fn only_body(&mut self, edge: usize, has_done: bool) {
        let decided = self.certainty() == Certainty::Sure && self.is_inside(edge);
        let shown = self.flow.shown(edge);
        let message = if decided {
            format!("the edge {shown} is the loop's body: it leads back to the loop")
        } else {
            let why = if has_done { "the other is where it is done" } else { "there is no other" };
            let doubt = self.doubt(edge);
            format!(
                "the edge {shown} is taken for the loop's body, since {why}; whether it is one is not known: {doubt}"
            )
        };
        self.label(edge, Output::LoopBody, decided, message);
    }

    fn two(&mut self, first: usize, second: usize) {
        let (inside, certainty) =
            ((self.is_inside(first), self.is_inside(second)), self.certainty());
        let differ = inside.0 != inside.1;
        let (body, done) = if inside == (false, true) { (second, first) } else { (first, second) };
        let decided = differ && certainty == Certainty::Sure;
        let (shown_body, shown_done) = (self.flow.shown(body), self.flow.shown(done));
        let (of_body, of_done) = if decided {
            (
                format!("the edge {shown_body} is the loop's body: it leads back to the loop"),
                format!(
                    "the edge {shown_done} is where the loop is done: it leads away from its body"
                ),
            )
        } else {
            let by = if differ { "as far as one can tell" } else { "by the order of its edges" };
            let doubt = match (inside, certainty) {
                ((true, true), Certainty::Sure) => "both lead back to the loop",
                ((false, false), Certainty::Sure) => "none leads back to the loop",
                _ => certainty.doubt(),
            };
            (
                format!(
                    "the edge {shown_body} is taken for the loop's body, {by}; which one is, is not known: {doubt}"
                ),
                format!(
                    "the edge {shown_done} is taken for where the loop is done, {by}; which one is, is not known: {doubt}"
                ),
            )
        };
        self.label(body, Output::LoopBody, decided, of_body);
        self.label(done, Output::LoopDone, decided, of_done);
    }

    fn label(&mut self, edge: usize, label: Output, decided: bool, message: String) {
        self.flow.find(LOOP_LABEL, level(decided), About::Edge(edge), message);
        self.flow.set_output(edge, Some(label));
    }

    /// A labelled way out that leads to the loop's own end goes: from there, only the loop follows.
    fn labelled_done_into_end(&mut self) {
        let edges = self.flow.out(self.of).into_iter();
        let wrong: Vec<usize> = edges
            .filter(|edge| {
                self.flow.output(*edge) == Some(&Output::LoopDone) && self.is_into_end(*edge)
            })
            .collect();
        for edge in wrong {
            let message = format!(
                "the edge {} is left out: where the loop is done, it does not go on with its own end",
                self.flow.shown(edge)
            );
            self.flow.find(DONE_INTO_END, level(false), About::Edge(edge), message);
            self.flow.remove(edge);
        }
    }
}
