//! Pairs of workflows or plans before and after a patch.

use llmend_plan::{Edge, Map, Node, NodeKind, Output, Plan, Step, Workflow};

use crate::random::Random;

/// Two workflows that have some ids in common; anything may be different about them.
#[must_use]
pub fn workflows(seed: u64, index: usize) -> (Workflow, Workflow) {
    let mut random = Random::for_case(seed, index);
    (workflow(&mut random), workflow(&mut random))
}

/// Two plans that have some ids in common.
#[must_use]
pub fn plans(seed: u64, index: usize) -> (Plan, Plan) {
    let mut random = Random::for_case(seed, index);
    (plan(&mut random), plan(&mut random))
}

/// Some of the ids that there are.
fn ids(random: &mut Random) -> Vec<String> {
    let mut ids: Vec<String> =
        (0..12).filter(|_| random.chance(50)).map(|at| format!("n{at}")).collect();
    for at in (1..ids.len()).rev() {
        ids.swap(at, random.below(at + 1));
    }
    ids
}

fn workflow(random: &mut Random) -> Workflow {
    let ids = ids(random);
    let nodes = ids.iter().map(|id| node(id, random)).collect();
    let mut edges: Vec<Edge> = Vec::new();
    if !ids.is_empty() {
        for _ in 0..random.below(20) {
            let (from, to) = (random.one(&ids).as_str(), random.one(&ids).as_str());
            let edge = Edge { output: output(random), ..Edge::new(from, to) };
            if !edges.contains(&edge) {
                edges.push(edge);
            }
        }
    }
    Workflow { nodes, edges, ..Workflow::default() }
}

fn node(id: &str, random: &mut Random) -> Node {
    let kind = match random.below(3) {
        0 => NodeKind::AiStep {
            prompt: "think".to_owned(),
            allowed_tools: None,
            max_tool_calls: None,
        },
        1 => NodeKind::EndLoop { loop_id: "n0".to_owned() },
        _ => {
            let arguments = Map::from_iter([("x".to_owned(), random.below(3).into())]);
            NodeKind::Tool { tool: "click".to_owned(), arguments }
        }
    };
    Node { retries: u32::from(random.chance(20)), ..Node::new(id, kind) }
}

fn output(random: &mut Random) -> Option<Output> {
    match random.below(4) {
        0 => Some(Output::IfTrue),
        1 => Some(Output::SwitchCase { name: "a".to_owned() }),
        _ => None,
    }
}

fn plan(random: &mut Random) -> Plan {
    let ids = ids(random);
    let step = |id: &String, random: &mut Random| {
        let mut depends_on: Vec<String> = Vec::new();
        for _ in 0..random.below(4) {
            let other = random.one(&ids).clone();
            if !depends_on.contains(&other) {
                depends_on.push(other);
            }
        }
        let title = random.chance(50).then(|| "Look".to_owned());
        Step { id: id.clone(), title, depends_on, ..Step::default() }
    };
    Plan { steps: ids.iter().map(|id| step(id, random)).collect(), ..Plan::default() }
}
