//! Workflows as models write them, with omissions.

use std::collections::{BTreeMap, HashSet};

use llmend_plan::{Edge, Node, NodeKind, NodeType, Output, Workflow};

use crate::plan::structured;
use crate::random::Random;

/// What was left out or written otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manner {
    /// Labels are gone.
    pub labels: Erased,
    /// How loops are closed.
    pub closing: Closing,
    /// In which order nodes and edges stand.
    pub order: Order,
}

/// Which labels are gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Erased {
    /// None.
    None,
    /// Some.
    Some,
    /// All.
    All,
}

/// How the body of a loop leads back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// Through its end, as it must.
    Proper,
    /// Straight to the loop; the end is left alone.
    Bypassed,
    /// Straight to the loop, which has an edge to its end; from there the flow goes on.
    EndAfterLoop,
    /// Through its end, from where the flow goes on too.
    OnwardFromEnd,
    /// Each edge of each loop by one of these.
    Mixed,
}

/// In which order the parts stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As one would write them.
    Written,
    /// The edges anyhow.
    EdgesShuffled,
    /// Everything anyhow.
    Shuffled,
}

/// A workflow, and how a model wrote it.
#[derive(Clone, Debug)]
pub struct Case {
    /// What was meant.
    pub meant: Workflow,
    /// What was written.
    pub written: Workflow,
    /// What is different about it.
    pub manner: Manner,
    /// Loops in whose body nothing happens: of these, which edge is the body cannot be told.
    pub empty_loops: HashSet<String>,
    /// Whether the flow starts with a loop that has no proper end, so that one has to find out where.
    pub starts_with_loop: bool,
}

/// Case number `index` of `seed`.
#[must_use]
pub fn case(seed: u64, index: usize) -> Case {
    let mut random = Random::for_case(seed, index);
    let program = structured::program(&mut random, 14);
    let meant = structured::workflow(&program);
    let manner = Manner {
        labels: *random.one(&[Erased::None, Erased::Some, Erased::All, Erased::All]),
        closing: *random.one(&[
            Closing::Proper,
            Closing::Proper,
            Closing::Bypassed,
            Closing::EndAfterLoop,
            Closing::OnwardFromEnd,
            Closing::Mixed,
        ]),
        order: *random.one(&[Order::Written, Order::EdgesShuffled, Order::Shuffled]),
    };
    let first = meant.nodes.first().map(Node::node_type);
    let empty_loops = meant
        .edges
        .iter()
        .filter(|edge| edge.output == Some(Output::LoopBody))
        .filter(|edge| end_of(&meant).get(edge.from.as_str()) == Some(&edge.to.as_str()))
        .map(|edge| edge.from.clone())
        .collect();
    let mut written = meant.clone();
    close(&mut written, manner.closing, &mut random);
    erase(&mut written, manner.labels, &mut random);
    if manner.order != Order::Written {
        shuffle(&mut written.edges, &mut random);
    }
    if manner.order == Order::Shuffled {
        shuffle(&mut written.nodes, &mut random);
    }
    Case { meant, written, manner, empty_loops, starts_with_loop: first == Some(NodeType::Loop) }
}

/// The end of each loop, in the order of their ids, so that a case is the same each time.
fn end_of(workflow: &Workflow) -> BTreeMap<&str, &str> {
    let ends = workflow.nodes.iter().filter_map(|node| match &node.kind {
        NodeKind::EndLoop { loop_id } => Some((loop_id.as_str(), node.id.as_str())),
        _ => None,
    });
    ends.collect()
}

fn close(workflow: &mut Workflow, closing: Closing, random: &mut Random) {
    let before = workflow.clone();
    let ends = end_of(&before);
    for (head, end) in ends {
        let way = match closing {
            Closing::Mixed => *random.one(&[
                Closing::Proper,
                Closing::Bypassed,
                Closing::EndAfterLoop,
                Closing::OnwardFromEnd,
            ]),
            other => other,
        };
        close_one(workflow, head, end, way, random);
    }
}

fn close_one(workflow: &mut Workflow, head: &str, end: &str, way: Closing, random: &mut Random) {
    let edges = &mut workflow.edges;
    if matches!(way, Closing::Bypassed | Closing::EndAfterLoop) {
        for edge in edges.iter_mut().filter(|edge| edge.to == end) {
            head.clone_into(&mut edge.to);
        }
        if random.chance(60) {
            edges.retain(|edge| edge.from != end);
        }
    }
    if matches!(way, Closing::EndAfterLoop | Closing::OnwardFromEnd) {
        let is_done = |edge: &&mut Edge| edge.from == head && edge.output == Some(Output::LoopDone);
        for edge in edges.iter_mut().filter(is_done) {
            end.clone_into(&mut edge.from);
            edge.output = None;
        }
    }
    if way == Closing::EndAfterLoop {
        let output = random.chance(30).then_some(Output::LoopDone);
        edges.push(Edge { output, ..Edge::new(head, end) });
    }
}

fn erase(workflow: &mut Workflow, labels: Erased, random: &mut Random) {
    for edge in &mut workflow.edges {
        match labels {
            Erased::All => edge.output = None,
            Erased::Some if random.chance(50) => edge.output = None,
            _ => {}
        }
    }
}

fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for at in (1..items.len()).rev() {
        items.swap(at, random.below(at + 1));
    }
}
