//! One-line workflows for tests.
//!
//! Nodes are words, and their first letter is their type: `L` a loop, `E:L` the end of `L`, `I` an
//! `If`, `S:x,y` a `Switch` with two cases, anything else a tool. Edges are `a>b`, with a label
//! `L-body>a`, `L-done>b`, `I-true>a`, `I-false>b`, `S-=x>a`.

use llmend_plan::{
    Case, Condition, Edge, Literal, Map, Node, NodeKind, Operator, Output, ValueRef, Workflow,
};

/// Parses a workflow from its nodes and edges.
pub(crate) fn workflow(nodes: &str, edges: &str) -> Workflow {
    Workflow {
        nodes: nodes.split_whitespace().map(node).collect(),
        edges: edges.split_whitespace().map(edge).collect(),
        ..Workflow::default()
    }
}

fn condition() -> Condition {
    let text = |value: &str| ValueRef::Literal { value: Literal::Text(value.to_owned()) };
    Condition { left: text("1"), operator: Operator::Equals, right: Some(text("2")) }
}

fn node(word: &str) -> Node {
    let (id, rest) = word.split_once(':').unwrap_or((word, ""));
    let case = |name: &str| Case { name: name.to_owned(), condition: condition() };
    let kind = match id.chars().next() {
        Some('L') => NodeKind::Loop { exit_condition: condition(), max_iterations: 10 },
        Some('E') => NodeKind::EndLoop { loop_id: rest.to_owned() },
        Some('I') => NodeKind::If { condition: condition() },
        Some('S') => NodeKind::Switch { cases: rest.split(',').map(case).collect() },
        _ => NodeKind::Tool { tool: "click".to_owned(), arguments: Map::new() },
    };
    Node::new(id, kind)
}

fn edge(word: &str) -> Edge {
    let (from, to) = word.split_once('>').expect(word);
    let (from, label) = from.split_once('-').unwrap_or((from, ""));
    let output = match label {
        "" => None,
        "body" => Some(Output::LoopBody),
        "done" => Some(Output::LoopDone),
        "true" => Some(Output::IfTrue),
        "false" => Some(Output::IfFalse),
        case => Some(Output::SwitchCase { name: case.strip_prefix('=').expect(word).to_owned() }),
    };
    Edge { output, ..Edge::new(from, to) }
}
