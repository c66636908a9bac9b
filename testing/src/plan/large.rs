//! Plans and workflows that are too large for quadratic checks.

use llmend_plan::{Edge, Map, Node, NodeKind, Plan, Step, Workflow};

use crate::plan::structured;
use crate::random::Random;

/// A kind of large plan or workflow.
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// Makes one of about that many nodes and edges.
    pub make: fn(usize) -> Large,
}

/// A large plan or workflow.
pub enum Large {
    /// Steps with dependencies.
    Plan(Plan),
    /// Nodes and edges.
    Workflow(Workflow),
}

impl Large {
    /// How many nodes and edges there are.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::Plan(plan) => {
                plan.steps.len() + plan.steps.iter().map(|it| it.depends_on.len()).sum::<usize>()
            }
            Self::Workflow(workflow) => workflow.nodes.len() + workflow.edges.len(),
        }
    }
}

/// All kinds.
pub const KINDS: [Kind; 12] = [
    Kind {
        name: "plan: chain",
        make: |size| plan(size / 2, |at| at.checked_sub(1).into_iter().collect()),
    },
    Kind {
        name: "plan: star",
        make: |size| plan(size / 2, |at| (at > 0).then_some(0).into_iter().collect()),
    },
    Kind {
        name: "plan: star inwards",
        make: |size| {
            plan(size / 2, move |at| if at == 0 { (1..size / 2).collect() } else { vec![] })
        },
    },
    Kind {
        name: "plan: dense",
        make: |size| {
            let side = root(size);
            plan(side, |at| (0..at).collect())
        },
    },
    Kind {
        name: "plan: one circle",
        make: |size| plan(size / 2, move |at| vec![(at + 1) % (size / 2)]),
    },
    Kind { name: "plan: references", make: references },
    Kind { name: "plan: nothing is known", make: |size| plan(size / 2, move |at| vec![at + size]) },
    Kind {
        name: "workflow: chain",
        make: |size| workflow(size / 2, (1..size / 2).map(|at| (at - 1, at))),
    },
    Kind {
        name: "workflow: star",
        make: |size| workflow(size / 2, (1..size / 2).map(|at| (0, at))),
    },
    Kind {
        name: "workflow: dense",
        make: |size| {
            let side = root(size);
            workflow(side, (0..side).flat_map(move |to| (0..side).map(move |from| (from, to))))
        },
    },
    Kind { name: "workflow: anyhow", make: anyhow },
    Kind {
        name: "workflow: nested loops",
        make: |size| Large::Workflow(structured::nested_loops(size / 5)),
    },
];

/// About the side of a square of `size` cells.
fn root(size: usize) -> usize {
    size.isqrt().max(1)
}

fn plan(steps: usize, earlier: impl Fn(usize) -> Vec<usize>) -> Large {
    let step = |at: usize| Step {
        id: format!("s{at}"),
        depends_on: earlier(at).into_iter().map(|other| format!("s{other}")).collect(),
        ..Step::default()
    };
    Large::Plan(Plan { steps: (0..steps).map(step).collect(), ..Plan::default() })
}

fn references(size: usize) -> Large {
    let step = |at: usize| {
        let text = format!("{{{{s{}.response.x}}}} {{{{s0.y}}}}", at.saturating_sub(1));
        let inputs = Map::from_iter([("x".to_owned(), text.into())]);
        Step { id: format!("s{at}"), inputs, ..Step::default() }
    };
    Large::Plan(Plan { steps: (0..size / 2).map(step).collect(), ..Plan::default() })
}

fn workflow(nodes: usize, edges: impl Iterator<Item = (usize, usize)>) -> Large {
    let kind = || NodeKind::Tool { tool: "click".to_owned(), arguments: Map::new() };
    let edge = |(from, to): (usize, usize)| Edge::new(format!("s{from}"), format!("s{to}"));
    Large::Workflow(Workflow {
        nodes: (0..nodes).map(|at| Node::new(format!("s{at}"), kind())).collect(),
        edges: edges.map(edge).collect(),
        ..Workflow::default()
    })
}

/// Loops, ends and tools, with edges from anywhere to anywhere.
fn anyhow(size: usize) -> Large {
    let mut random = Random::new(size as u64);
    let Workflow { mut nodes, .. } = structured::nested_loops(size / 8);
    let count = nodes.len();
    for at in (1..count).rev() {
        nodes.swap(at, random.below(at + 1));
    }
    let edges = (0..size - count).map(|_| {
        let (from, to) = (random.below(count), random.below(count));
        Edge::new(nodes[from].id.as_str(), nodes[to].id.as_str())
    });
    let edges = edges.collect();
    Large::Workflow(Workflow { nodes, edges, ..Workflow::default() })
}
