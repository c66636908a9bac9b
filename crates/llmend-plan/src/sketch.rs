//! One-line workflows for the tests of this crate and of `llmend-draw`, which includes this file.
//!
//! Nodes are words, and their first letter is their type: `L` and `M` are loops, `E:L` and `F:L` the end
//! of `L`, `I` an `If`, `S:x,y` a `Switch` with two cases, `T` an AI step, others tools. Edges are `a>b`,
//! with a label `L-body>a`, `L-done>b`, `I-true>a`, `I-false>b`, `S-=x>a`, `S-default>b`.

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

pub(crate) fn condition() -> Condition {
    let text = |value: &str| ValueRef::Literal { value: Literal::Text(value.to_owned()) };
    Condition { left: text("1"), operator: Operator::Equals, right: Some(text("2")) }
}

fn node(word: &str) -> Node {
    let (id, rest) = word.split_once(':').unwrap_or((word, ""));
    let case = |name: &str| Case { name: name.to_owned(), condition: condition() };
    let kind = match id.chars().next() {
        Some('L' | 'M') => NodeKind::Loop { exit_condition: condition(), max_iterations: 10 },
        Some('E' | 'F') => NodeKind::EndLoop { loop_id: rest.to_owned() },
        Some('I') => NodeKind::If { condition: condition() },
        Some('S') => NodeKind::Switch {
            cases: rest.split(',').filter(|name| !name.is_empty()).map(case).collect(),
        },
        Some('T') => {
            NodeKind::AiStep { prompt: "do".to_owned(), allowed_tools: None, max_tool_calls: None }
        }
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
        "default" => Some(Output::SwitchDefault),
        case => Some(Output::SwitchCase { name: case.strip_prefix('=').expect(word).to_owned() }),
    };
    Edge { output, ..Edge::new(from, to) }
}

/// Writes the edges of a workflow as such a line.
pub(crate) fn edges(workflow: &Workflow) -> String {
    let words = workflow.edges.iter().map(|edge| {
        let label = match &edge.output {
            None => String::new(),
            Some(Output::SwitchCase { name }) => format!("-={name}"),
            Some(other) => format!("-{other}"),
        };
        format!("{}{label}>{}", edge.from, edge.to)
    });
    words.collect::<Vec<_>>().join(" ")
}
