//! Flowcharts that are read back.

use llmend_draw::{Annotations, mermaid};
use llmend_plan::{
    Condition, Dialect, Document, Edge, Literal, Node, NodeKind, Operator, Options, Output,
    ValueRef, Workflow, read_text,
};

fn read_back(workflow: &Workflow) -> Workflow {
    let text = mermaid(workflow, &Annotations::default());
    let read = read_text(&text, &Options::default())
        .unwrap_or_else(|error| panic!("{text}\n{:#?}", error.diagnostics()));
    assert_eq!(read.dialect, Dialect::Mermaid);
    let Document::Workflow(workflow) = read.value else { panic!("a workflow") };
    workflow
}

/// What a drawing keeps: the ids, the names, the types and the edges.
fn check(workflow: &Workflow) {
    let found = read_back(workflow);
    let nodes = |workflow: &Workflow| -> Vec<_> {
        let nodes = workflow.nodes.iter();
        nodes
            .map(|node| (node.id.clone(), node.name.clone(), node.node_type(), node.enabled))
            .collect()
    };
    assert_eq!(nodes(&found), nodes(workflow));
    assert_eq!(found.edges, workflow.edges);
}

fn tool(id: &str, name: Option<&str>) -> Node {
    let kind = NodeKind::Tool { tool: "search".to_owned(), arguments: llmend_plan::Map::new() };
    Node { name: name.map(str::to_owned), ..Node::new(id, kind) }
}

#[test]
fn the_examples_are_read_back() {
    for text in [
        include_str!("../../../examples/workflows/newsletter.json"),
        include_str!("../../../examples/workflows/refund.json"),
    ] {
        let read = read_text(text, &Options::default()).expect(text);
        let Document::Workflow(workflow) = read.value else { panic!("a workflow") };
        check(&workflow);
    }
}

#[test]
fn ids_and_names_of_every_kind_are_read_back() {
    let long = "A name that is far too long for the title of a node in a drawing";
    let names = [
        Some("Fetch"),
        None,
        Some("a \"quoted\" name; with {braces} and 100 %"),
        Some(long),
        Some("two  spaces\nand a line"),
        Some("Über <b>x</b> #35; &amp;"),
        Some("a"),
        Some(" "),
    ];
    let ids = [
        "a",
        "step 1",
        "end",
        "n3",
        "n0",
        "A",
        "ä",
        "graph",
        "x-1",
        "subgraph",
        "a.b",
        "o1",
        "1",
        "class",
        "one_id_that_is_longer_than_a_title_may_be",
        "\"",
        "%%",
        "n00",
        "n",
    ];
    for (at, name) in names.iter().enumerate() {
        let nodes: Vec<Node> = ids
            .iter()
            .map(|id| {
                tool(id, if *id == "a" { *name } else { names[(at + id.len()) % names.len()] })
            })
            .collect();
        let edges = ids.windows(2).map(|pair| Edge::new(pair[0], pair[1])).collect();
        check(&Workflow { nodes, edges, ..Workflow::default() });
    }
}

#[test]
fn control_flow_is_read_back() {
    let condition = Condition {
        left: ValueRef::Variable { name: "a.n".to_owned() },
        operator: Operator::GreaterThanOrEqual,
        right: Some(ValueRef::Literal { value: Literal::Number(3.into()) }),
    };
    let case =
        |name: &str| llmend_plan::Case { name: name.to_owned(), condition: condition.clone() };
    let nodes = vec![
        tool("a", None),
        Node::new("if", NodeKind::If { condition: condition.clone() }),
        Node::new(
            "s",
            NodeKind::Switch { cases: vec![case("one"), case("a case with a very long name")] },
        ),
        Node::new("l", NodeKind::Loop { exit_condition: condition.clone(), max_iterations: 7 }),
        Node::new("e", NodeKind::EndLoop { loop_id: "l".to_owned() }),
        Node { enabled: false, ..tool("off", Some("Off")) },
        Node::new(
            "ai",
            NodeKind::AiStep {
                prompt: "Sum up".to_owned(),
                allowed_tools: None,
                max_tool_calls: None,
            },
        ),
        Node::new(
            "t",
            NodeKind::AiTransform {
                kind: "extract".to_owned(),
                input_ref: "a.text".to_owned(),
                output_schema: None,
            },
        ),
    ];
    let edge = |from: &str, to: &str, output| Edge { output: Some(output), ..Edge::new(from, to) };
    let case = |name: &str| Output::SwitchCase { name: name.to_owned() };
    let edges = vec![
        Edge::new("a", "if"),
        edge("if", "s", Output::IfTrue),
        edge("if", "l", Output::IfFalse),
        edge("s", "off", case("one")),
        edge("s", "t", case("a case with a very long name")),
        edge("s", "gone", Output::SwitchDefault),
        edge("l", "ai", Output::LoopBody),
        edge("l", "t", Output::LoopDone),
        Edge::new("ai", "e"),
        Edge::new("e", "l"),
    ];
    let workflow = Workflow { nodes, edges, ..Workflow::default() };
    check(&workflow);
    let found = read_back(&workflow);
    for at in [0, 1, 3, 4, 5, 6, 7] {
        assert_eq!(found.nodes[at].kind, workflow.nodes[at].kind);
    }
}
