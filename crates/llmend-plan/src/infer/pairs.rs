//! Which loop does an `EndLoop` end?

use std::collections::HashMap;

use crate::{
    NodeKind, NodeType,
    graph::{self, names::shown},
    infer::{About, PAIR, flow::Flow, level},
};

/// Which loop is ended by which node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pairs {
    /// For each node that ends a loop, the loop.
    loop_of: HashMap<usize, usize>,
    /// For each loop the nodes that end it, in their order.
    ends_of: HashMap<usize, Vec<usize>>,
}

impl Pairs {
    /// The pairs of an end and its loop.
    pub(crate) fn new(pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut new = Self::default();
        for (end, of) in pairs {
            new.loop_of.insert(end, of);
            new.ends_of.entry(of).or_default().push(end);
        }
        new
    }

    /// The pairs that the nodes themselves name.
    pub(crate) fn named(nodes: &[crate::Node]) -> Self {
        let index = graph::index(nodes.iter().map(|node| node.id.as_str()));
        let ends = nodes.iter().enumerate().filter_map(|(at, node)| match &node.kind {
            NodeKind::EndLoop { loop_id } => {
                let of = *index.get(loop_id.as_str())?;
                (nodes.get(of)?.node_type() == NodeType::Loop).then_some((at, of))
            }
            _ => None,
        });
        Self::new(ends)
    }

    /// The loop that a node ends.
    pub(crate) fn loop_of(&self, end: usize) -> Option<usize> {
        self.loop_of.get(&end).copied()
    }

    /// The nodes that end a loop.
    pub(crate) fn ends_of(&self, of: usize) -> &[usize] {
        self.ends_of.get(&of).map(Vec::as_slice).unwrap_or_default()
    }

    /// The one node that ends a loop.
    pub(crate) fn end_of(&self, of: usize) -> Option<usize> {
        match self.ends_of(of) {
            [end] => Some(*end),
            _ => None,
        }
    }

    /// All pairs of a loop and its one end, in the order of the loops.
    pub(crate) fn all(&self) -> Vec<(usize, usize)> {
        let mut all: Vec<_> =
            self.ends_of.keys().filter_map(|of| Some((*of, self.end_of(*of)?))).collect();
        all.sort_unstable();
        all
    }
}

/// Pairs the ends that name no loop, or a wrong one.
pub(super) fn infer(flow: &mut Flow) -> Pairs {
    let nested = nested(flow);
    if flow.is_line() {
        by_nesting(flow, &nested);
    } else {
        by_edges(flow, &nested);
    }
    Pairs::named(flow.nodes())
}

/// For each `EndLoop` the innermost loop that is open where it stands in the list.
fn nested(flow: &Flow) -> HashMap<usize, usize> {
    let mut open = Vec::new();
    let mut pairs = HashMap::new();
    for (at, node) in flow.nodes().iter().enumerate() {
        match node.node_type() {
            NodeType::Loop => open.push(at),
            NodeType::EndLoop => pairs.extend(open.pop().map(|of| (at, of))),
            _ => {}
        }
    }
    pairs
}

fn loop_id(flow: &Flow, end: usize) -> String {
    match flow.nodes().get(end).map(|node| &node.kind) {
        Some(NodeKind::EndLoop { loop_id }) => loop_id.clone(),
        _ => String::new(),
    }
}

/// In a flat plan, an end belongs to the innermost loop that is open.
fn by_nesting(flow: &mut Flow, nested: &HashMap<usize, usize>) {
    let given = Pairs::named(flow.nodes());
    let nests = nests(flow, &given);
    for end in flow.of_type(NodeType::EndLoop) {
        let id = loop_id(flow, end);
        let Some(of) = nested.get(&end).copied() else { continue };
        if given.loop_of(end).is_some_and(|it| it == of || nests) {
            continue;
        }
        let name = flow.name(of).to_owned();
        let target = flow.nodes().get(of).map(|node| node.id.clone()).unwrap_or_default();
        flow.set_loop(end, target);
        let (decided, message) = if id.is_empty() {
            (true, format!("it ends `{name}`, the innermost loop that is open"))
        } else if given.loop_of(end).is_some() {
            let id = shown(&id);
            (
                false,
                format!(
                    "it says that it ends `{id}`, but within that stands `{name}`, which is still open: it is taken to end `{name}`; which one was meant is not known"
                ),
            )
        } else {
            let id = shown(&id);
            (
                false,
                format!(
                    "it says that it ends `{id}`, which is no loop: it is taken to end `{name}`, the innermost loop that is open"
                ),
            )
        };
        flow.find(PAIR, level(decided), About::Node(end, "/loop_id"), message);
    }
}

/// Whether the pairs that the ends of a flat plan name, all of them, stand within one another or
/// one after the other, each end after its loop.
fn nests(flow: &Flow, given: &Pairs) -> bool {
    let mut open: Vec<usize> = Vec::new();
    for (at, node) in flow.nodes().iter().enumerate() {
        match node.node_type() {
            // A loop that no end names stays open to the last, and is in nobody's way.
            NodeType::Loop if !given.ends_of(at).is_empty() => open.push(at),
            NodeType::EndLoop => match (given.loop_of(at), open.pop()) {
                (Some(of), Some(innermost)) if of == innermost => {}
                _ => return false,
            },
            _ => {}
        }
    }
    true
}

/// In a graph, an end that names no loop belongs to the one to which it leads, if nothing speaks
/// against it.
fn by_edges(flow: &mut Flow, nested: &HashMap<usize, usize>) {
    let given = Pairs::named(flow.nodes());
    let unnamed: Vec<usize> = flow
        .of_type(NodeType::EndLoop)
        .into_iter()
        .filter(|end| given.loop_of(*end).is_none() && loop_id(flow, *end).is_empty())
        .collect();
    let mut claims: HashMap<usize, usize> = HashMap::new();
    for end in &unnamed {
        if let Some(of) = led_to(flow, *end) {
            *claims.entry(of).or_default() += 1;
        }
    }
    for end in unnamed {
        let is_free = |of: &usize| given.ends_of(*of).is_empty();
        let by_edge = led_to(flow, end).filter(is_free).filter(|of| claims.get(of) == Some(&1));
        let by_order = nested.get(&end).copied().filter(is_free);
        let Some(of) = by_edge.or_else(|| by_order.filter(|of| !claims.contains_key(of))) else {
            continue;
        };
        let name = flow.name(of).to_owned();
        let target = flow.nodes().get(of).map(|node| node.id.clone()).unwrap_or_default();
        flow.set_loop(end, target);
        let decided = by_edge == by_order;
        let message = match (by_edge, decided) {
            (_, true) => format!("it ends `{name}`, to which it leads back"),
            (Some(_), false) => format!(
                "it is taken to end `{name}`, to which it leads; whether another loop was meant is not known, since the order of the nodes says otherwise"
            ),
            (None, false) => format!(
                "it is taken to end `{name}`, the innermost loop before it in the list; no edge tells which one was meant"
            ),
        };
        flow.find(PAIR, level(decided), About::Node(end, "/loop_id"), message);
    }
}

/// The one loop to which an end has an edge.
fn led_to(flow: &Flow, end: usize) -> Option<usize> {
    let targets = flow.out(end).into_iter().filter_map(|edge| flow.to(edge));
    let mut loops = targets.filter(|to| flow.node_type(*to) == Some(NodeType::Loop));
    let first = loops.next()?;
    loops.all(|other| other == first).then_some(first)
}
