//! Labels of the edges of a loop.

use crate::{
    NodeType, Output,
    infer::{
        DONE_INTO_END, LOOP_LABEL, Target, certainty::Certainty, flow::Flow, pairs::Pairs,
        severity, structure::Structure,
    },
};

/// Labels the edges of loops. The body edge is the one that leads back to the loop; the order of the
/// edges decides only if the structure does not.
pub(super) fn infer(flow: &mut Flow, pairs: &Pairs, structure: &Structure) {
    for of in flow.of_type(NodeType::Loop) {
        let mut loop_edges = LoopEdges { flow, pairs, structure, of };
        loop_edges.infer_edges_into_end();
        loop_edges.infer_labels();
        loop_edges.remove_done_into_end();
    }
}

/// The edges of one loop.
struct LoopEdges<'s> {
    flow: &'s mut Flow,
    pairs: &'s Pairs,
    structure: &'s Structure,
    of: usize,
}

impl LoopEdges<'_> {
    fn unlabeled(&self) -> Vec<usize> {
        let edges = self.flow.out(self.of).into_iter();
        edges.filter(|edge| self.flow.output(*edge).is_none()).collect()
    }

    fn labeled(&self, label: &Output) -> usize {
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

    /// Handles an unlabeled edge to the loop's own end: models write it as the done edge, and it is
    /// removed, unless no other edge leads back and it is an empty body.
    fn infer_edges_into_end(&mut self) {
        let (into_end, others): (Vec<usize>, Vec<usize>) =
            self.flow.out(self.of).into_iter().partition(|edge| self.is_into_end(*edge));
        let unlabeled: Vec<usize> =
            into_end.into_iter().filter(|edge| self.flow.output(*edge).is_none()).collect();
        if unlabeled.is_empty() {
            return;
        }
        let has_body = others.iter().any(|edge| self.flow.output(*edge) == Some(&Output::LoopBody));
        let leads_back = others.iter().any(|edge| {
            self.flow.output(*edge) != Some(&Output::LoopDone) && self.is_inside(*edge)
        });
        if has_body || leads_back {
            let decided = has_body || self.certainty() == Certainty::Sure;
            for edge in unlabeled {
                let message = format!(
                    "removed edge {}: only the body of a loop leads to its end",
                    self.flow.shown(edge)
                );
                self.flow.report(DONE_INTO_END, severity(decided), Target::Edge(edge), message);
                self.flow.remove(edge);
            }
        } else if let [edge] = unlabeled.as_slice()
            && self.labeled(&Output::LoopBody) == 0
        {
            let shown = self.flow.shown(*edge);
            let decided = others.is_empty()
                || others.iter().all(|edge| self.flow.output(*edge) == Some(&Output::LoopDone));
            let message = if decided {
                format!("labeled edge {shown} body: the body is empty")
            } else {
                format!(
                    "labeled edge {shown} body, an empty one; uncertain: no other edge leads back to the loop, but one may be missing"
                )
            };
            self.label(*edge, Output::LoopBody, decided, message);
        }
    }

    fn infer_labels(&mut self) {
        let edges: Vec<usize> =
            self.unlabeled().into_iter().filter(|edge| !self.is_into_end(*edge)).collect();
        let (bodies, dones) = (self.labeled(&Output::LoopBody), self.labeled(&Output::LoopDone));
        match (edges.as_slice(), bodies, dones) {
            ([edge], 0, _) => self.label_body(*edge, dones > 0),
            ([edge], 1, 0) => {
                let decided = self.certainty() == Certainty::Sure && !self.is_inside(*edge);
                let message = if decided {
                    format!(
                        "labeled edge {} done: it does not lead back to the loop",
                        self.flow.shown(*edge)
                    )
                } else {
                    format!(
                        "labeled edge {} done, since the other edge is the body; uncertain: {}",
                        self.flow.shown(*edge),
                        self.doubt(*edge)
                    )
                };
                self.label(*edge, Output::LoopDone, decided, message);
            }
            ([first, second], 0, 0) => self.label_two(*first, *second),
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

    /// Labels the only unlabeled edge as the body, if no edge has that label.
    fn label_body(&mut self, edge: usize, has_done: bool) {
        let decided = self.certainty() == Certainty::Sure && self.is_inside(edge);
        let shown = self.flow.shown(edge);
        let message = if decided {
            format!("labeled edge {shown} body: it leads back to the loop")
        } else {
            let why = if has_done { "the other edge is done" } else { "it is the only edge" };
            let doubt = self.doubt(edge);
            format!("labeled edge {shown} body, since {why}; uncertain: {doubt}")
        };
        self.label(edge, Output::LoopBody, decided, message);
    }

    fn label_two(&mut self, first: usize, second: usize) {
        let (inside, certainty) =
            ((self.is_inside(first), self.is_inside(second)), self.certainty());
        let differ = inside.0 != inside.1;
        let (body, done) = if inside == (false, true) { (second, first) } else { (first, second) };
        let decided = differ && certainty == Certainty::Sure;
        let (shown_body, shown_done) = (self.flow.shown(body), self.flow.shown(done));
        let (of_body, of_done) = if decided {
            (
                format!("labeled edge {shown_body} body: it leads back to the loop"),
                format!("labeled edge {shown_done} done: it leads out of the loop"),
            )
        } else {
            let by = if differ { "by structure" } else { "by order" };
            let doubt = match (inside, certainty) {
                ((true, true), Certainty::Sure) => "both edges lead back to the loop",
                ((false, false), Certainty::Sure) => "neither edge leads back to the loop",
                _ => certainty.doubt(),
            };
            (
                format!("labeled edge {shown_body} body {by}; uncertain: {doubt}"),
                format!("labeled edge {shown_done} done {by}; uncertain: {doubt}"),
            )
        };
        self.label(body, Output::LoopBody, decided, of_body);
        self.label(done, Output::LoopDone, decided, of_done);
    }

    fn label(&mut self, edge: usize, label: Output, decided: bool, message: String) {
        self.flow.report(LOOP_LABEL, severity(decided), Target::Edge(edge), message);
        self.flow.set_output(edge, Some(label));
    }

    /// Removes a labeled done edge to the loop's own end, which leads only back to the loop.
    fn remove_done_into_end(&mut self) {
        let edges = self.flow.out(self.of).into_iter();
        let removed: Vec<usize> = edges
            .filter(|edge| {
                self.flow.output(*edge) == Some(&Output::LoopDone) && self.is_into_end(*edge)
            })
            .collect();
        for edge in removed {
            let message = format!(
                "removed edge {}: a done edge cannot lead to the end of its own loop",
                self.flow.shown(edge)
            );
            self.flow.report(DONE_INTO_END, severity(false), Target::Edge(edge), message);
            self.flow.remove(edge);
        }
    }
}
