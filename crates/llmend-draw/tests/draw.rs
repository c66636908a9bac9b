//! Drawings of ordinary, hostile and large workflows.

use llmend_draw::{Annotations, Format, dot, draw, mermaid, svg, tree};
use llmend_json::{Diagnostic, Severity};
use llmend_plan::{
    Case, Condition, Edge, Literal, Node, NodeKind, Operator, Output, Plan, Step, ValueRef,
    Workflow,
};

const LINKS: [&str; 3] = ["href", "<script", "<image"];

fn refund() -> Workflow {
    let text = include_str!("../../../examples/workflows/refund.json");
    serde_json::from_str(text).unwrap()
}

fn tool(id: &str, tool: &str) -> Node {
    Node::new(id, NodeKind::Tool { tool: tool.to_owned(), arguments: serde_json::Map::default() })
}

fn annotations() -> Annotations {
    let row = |code: &'static str, severity, path: &str| {
        Diagnostic::new(code, severity, format!("about {path}")).on(path)
    };
    Annotations::new([
        row("plan/unknown-tool", Severity::Error, "/nodes/4/tool"),
        row("workflow/max-iterations", Severity::Warning, "/nodes/1/max_iterations"),
        row("workflow/loop-labels", Severity::Info, "/nodes/9"),
        row("plan/dangling-edge", Severity::Warning, "/edges/0"),
        row("plan/size", Severity::Error, "/nodes"),
    ])
}

#[test]
fn pictures_are_as_they_were_seen() {
    for format in Format::ALL {
        insta::assert_snapshot!(format.as_str(), draw(&refund(), &annotations(), format));
    }
}

/// A workflow in which everything that a model may name is called `name`.
fn called(name: &str) -> Workflow {
    let variable = |name: &str| ValueRef::Variable { name: name.to_owned() };
    let right = ValueRef::Literal { value: Literal::Text(name.to_owned()) };
    let condition =
        Condition { left: variable(name), operator: Operator::Equals, right: Some(right) };
    let case = Case { name: name.to_owned(), condition: condition.clone() };
    let mut first = tool(name, name);
    first.name = Some(name.to_owned());
    first.description = Some(name.to_owned());
    let nodes = vec![
        first,
        Node::new("if", NodeKind::If { condition: condition.clone() }),
        Node::new("switch", NodeKind::Switch { cases: vec![case] }),
        Node::new("loop", NodeKind::Loop { exit_condition: condition, max_iterations: 3 }),
        Node::new("end", NodeKind::EndLoop { loop_id: name.to_owned() }),
        Node::new(
            "ai",
            NodeKind::AiStep { prompt: name.to_owned(), allowed_tools: None, max_tool_calls: None },
        ),
        Node::new(
            "change",
            NodeKind::AiTransform {
                kind: name.to_owned(),
                input_ref: name.to_owned(),
                output_schema: None,
            },
        ),
    ];
    let case = Output::SwitchCase { name: name.to_owned() };
    let edges = vec![
        Edge::new(name, "if"),
        Edge { output: Some(Output::IfTrue), ..Edge::new("if", "switch") },
        Edge { output: Some(case), ..Edge::new("switch", "loop") },
        Edge::new("loop", format!("{name} that is not there")),
        Edge::new("end", name),
    ];
    Workflow { name: Some(name.to_owned()), nodes, edges, ..Workflow::default() }
}

fn hostile() -> Vec<String> {
    let names = [
        "",
        " ",
        "<script>alert(1)</script>",
        "</title></svg><img src=x onerror=alert(1)>",
        "]]>&amp;&lt;&#x3c;",
        "\"]; n0 -> n1; x [label=\"",
        "\\\" \\N \\",
        "\"]\n    click n0 call alert()\n    %%{init: {}}%%",
        "style a:#35;b",
        "`**end**`; subgraph",
        "'\r\n\t\0\u{7}\u{1b}[31m\u{7f}\u{9b}\u{fffe}\u{ffff}",
        "\u{202e}drow\u{202c} \u{2066}x\u{200f}",
        "مرحبا بالعالم",
        "👩‍👩‍👧 🇩🇪 e\u{301}",
        "漢字かな交じり文",
    ];
    let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    names.push("x".repeat(10_000));
    names.push("<\"&\n".repeat(2_500));
    names.push("e".to_owned() + &"\u{301}".repeat(10_000));
    names
}

fn findings(name: &str) -> Annotations {
    let row = Diagnostic::new(name.to_owned(), Severity::Error, name);
    Annotations::new([row.clone().on("/nodes/0"), row.clone().on("/edges/1"), row])
}

#[test]
fn a_picture_is_well_formed_and_does_nothing() {
    for name in hostile() {
        let picture = svg(&called(&name), &findings(&name));
        let document = roxmltree::Document::parse(&picture).expect("well-formed");
        let root = document.root_element();
        assert_eq!(root.attribute("role"), Some("img"));
        let known = ["svg", "title", "desc", "style", "rect", "text", "g", "path", "circle"];
        for node in root.descendants().filter(roxmltree::Node::is_element) {
            assert!(known.contains(&node.tag_name().name()), "{:?} of {name:?}", node.tag_name());
            assert!(node.attributes().all(|it| !it.name().starts_with("on")), "{name:?}");
        }
        assert!(LINKS.iter().all(|link| !picture.contains(link)), "{name:?}");
        assert!(picture.len() < 60_000, "{} bytes for {} of name", picture.len(), name.len());
    }
}

#[test]
fn no_text_directs_a_terminal() {
    for name in hostile() {
        for format in Format::ALL {
            let text = draw(&called(&name), &findings(&name), format);
            let directs = |mark: char| {
                (mark.is_control() && mark != '\n')
                    || matches!(mark, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            };
            assert!(!text.contains(directs), "{format} of {name:?}: {text:?}");
            assert!(text.ends_with('\n'));
        }
        // The heading, seven nodes and the missing one, their branches, and the last finding.
        let lines = tree(&called(&name), &findings(&name)).lines().count();
        assert!((10..=14).contains(&lines), "{lines} lines of {name:?}");
    }
}

/// The text within double quotes, and the rest with `""` in their place; an error where a quote stays
/// open.
fn unquoted(line: &str, escape: Option<char>) -> Result<String, String> {
    let (mut rest, mut open, mut marks) = (String::new(), false, line.chars());
    while let Some(mark) = marks.next() {
        match mark {
            '"' => {
                open = !open;
                rest.push('"');
            }
            mark if open && Some(mark) == escape => {
                marks.next();
            }
            mark if !open => rest.push(mark),
            _ => {}
        }
    }
    if open { Err(format!("an open quote in {line}")) } else { Ok(rest) }
}

#[test]
fn each_line_of_a_flowchart_is_a_node_an_edge_or_a_class() {
    for name in hostile() {
        let text = mermaid(&called(&name), &findings(&name));
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("flowchart TD"));
        for line in lines {
            if let Some(comment) = line.trim_start().strip_prefix("%% ") {
                assert!(!comment.contains(['{', '}', '%']), "{line}");
                continue;
            }
            let rest = unquoted(line, None).expect("closed");
            let plain =
                |mark: char| mark.is_ascii_alphanumeric() || " []{}()/|->\"#:,.".contains(mark);
            assert!(rest.trim_start().starts_with(|c: char| c.is_ascii_lowercase()), "{line}");
            assert!(rest.chars().all(plain), "{line}");
            assert!(rest.len() < 70, "{line}");
            // Within quotes Mermaid knows numbers of characters, and line breaks.
            let label = line.split('"').nth(1).unwrap_or_default().replace("<br/>", "");
            assert!(!label.contains(['<', '>', '`', '{', '}', '%', ':', '&']), "{line}");
        }
    }
}

#[test]
fn each_line_of_a_graph_is_a_statement() {
    for name in hostile() {
        let text = dot(&called(&name), &findings(&name));
        assert!(text.starts_with("digraph workflow {\n") && text.ends_with("\n}\n"));
        let inner = text.lines().skip(1).filter(|line| *line != "}");
        for line in inner {
            let rest = unquoted(line, Some('\\')).expect("closed");
            assert_eq!(rest.matches(';').count(), 1, "{line}");
            assert!(rest.ends_with(';') && !rest.contains('\\'), "{line}");
            assert_eq!(rest.matches('"').count() % 2, 0, "{line}");
        }
    }
}

#[test]
fn trees_follow_the_flow() {
    let step = |id: &str, on: &[&str]| Step {
        id: id.to_owned(),
        tool: Some("x".to_owned()),
        depends_on: on.iter().map(|&on| on.to_owned()).collect(),
        ..Step::default()
    };
    let rows: [(Vec<Step>, &str); 9] = [
        (vec![], "└─ (no nodes)\n"),
        (vec![step("a", &[]), step("b", &["a"])], "├─ a · x\n└─ b · x\n"),
        (
            vec![step("a", &[]), step("b", &[]), step("c", &["a", "b"])],
            "├─ a · x\n├─ b · x  (start)\n└─ c · x  ← a, b\n",
        ),
        // The same lines, but for what comes before each.
        (
            vec![step("a", &[]), step("b", &["a"]), step("c", &["a", "b"])],
            "├─ a · x\n├─ b · x\n└─ c · x  ← a, b\n",
        ),
        (
            vec![step("a", &[]), step("b", &["a"]), step("c", &["b"]), step("d", &[])],
            "├─ a · x\n│  ├─ b · x\n│  └─ c · x\n└─ d · x  (start)\n",
        ),
        (
            vec![step("a", &[]), step("b", &["a"]), step("c", &["a"]), step("d", &[])],
            "├─ a · x\n│  ├─ b · x\n│  └─ c · x  ← a\n└─ d · x  (start)\n",
        ),
        (
            vec![step("a", &[]), step("b", &["a"]), step("c", &["a"]), step("d", &["c"])],
            "└─ a · x\n   ├─ b · x\n   └─ c · x  ← a\n      └─ d · x\n",
        ),
        (vec![step("a", &["a"])], "└─ a · x\n   └─ ↺ a\n"),
        (vec![step("a", &["b"])], "├─ b · missing\n└─ a · x\n"),
    ];
    for (steps, expected) in rows {
        let plan = Plan { objective: Some("Do".to_owned()), steps, ..Plan::default() };
        assert_eq!(
            tree(&plan.to_workflow().workflow, &Annotations::default()),
            format!("Do\n{expected}")
        );
    }
}

/// Ten thousand nodes: in a line, all behind one, each joined to one far away, and nested loops.
fn large() -> Vec<(&'static str, Workflow)> {
    const MANY: usize = 10_000;
    let id = |at: usize| format!("s{at}");
    let nodes: Vec<Node> = (0..MANY).map(|at| tool(&id(at), "x")).collect();
    let of = |edges: Vec<Edge>| Workflow { nodes: nodes.clone(), edges, ..Workflow::default() };
    let line = || (1..MANY).map(|at| Edge::new(id(at - 1), id(at)));
    let star = (1..MANY).map(|at| Edge::new(id(0), id(at)));
    let far = (0..MANY).map(|at| Edge::new(id(0), id(at)));
    let back = (0..MANY).map(|at| Edge::new(id(at), id(at * 7919 % MANY)));
    let nested = (0..MANY).map(|at| match at {
        at if at < MANY / 2 => {
            let value = ValueRef::Variable { name: "s0.x".to_owned() };
            let condition = Condition { left: value, operator: Operator::IsEmpty, right: None };
            Node::new(id(at), NodeKind::Loop { exit_condition: condition, max_iterations: 2 })
        }
        at => Node::new(id(at), NodeKind::EndLoop { loop_id: id(MANY - 1 - at) }),
    });
    let ends = (MANY / 2..MANY).map(|at| Edge::new(id(at), id(MANY - 1 - at)));
    let nested = Workflow {
        nodes: nested.collect(),
        edges: line().take(MANY / 2).chain(ends).collect(),
        ..Workflow::default()
    };
    vec![
        ("line", of(line().collect())),
        ("star", of(star.collect())),
        ("far", of(line().chain(far).collect())),
        ("back", of(line().chain(back).collect())),
        ("nested", nested),
    ]
}

#[test]
fn the_size_of_a_picture_grows_with_the_workflow_alone() {
    for (name, workflow) in large() {
        for format in Format::ALL {
            let text = draw(&workflow, &Annotations::default(), format);
            let parts = workflow.nodes.len() + workflow.edges.len();
            assert!(text.len() < 1_500 * parts, "{format} of {name}: {} bytes", text.len());
            assert!(text.matches("s9999").count() > 0, "{format} of {name}");
        }
    }
}

/// The left, the top, the right and the bottom of a rectangle.
type Area = (f64, f64, f64, f64);

#[test]
fn nothing_is_drawn_over_anything_else() {
    // Labels are rectangles of the class `pill`; nodes of other shapes fill the same space as boxes.
    let mut workflow = refund();
    for node in &mut workflow.nodes {
        let NodeKind::Loop { .. } = node.kind else {
            node.kind = tool("", "send.a.letter").kind;
            continue;
        };
    }
    let picture = svg(&workflow, &annotations());
    let document = roxmltree::Document::parse(&picture).unwrap();
    let number = |node: roxmltree::Node<'_, '_>, name: &str| -> f64 {
        node.attribute(name).unwrap().parse().unwrap()
    };
    let areas: Vec<Area> = document
        .descendants()
        .filter(|node| {
            node.tag_name().name() == "rect"
                && matches!(node.attribute("class"), Some("box" | "pill"))
        })
        .map(|node| {
            let (x, y) = (number(node, "x"), number(node, "y"));
            (x, y, x + number(node, "width"), y + number(node, "height"))
        })
        .collect();
    assert_eq!(areas.len(), workflow.nodes.len() + 7, "nodes and labels");
    for (at, one) in areas.iter().enumerate() {
        for other in areas.iter().skip(at + 1) {
            let apart =
                one.2 <= other.0 || other.2 <= one.0 || one.3 <= other.1 || other.3 <= one.1;
            assert!(apart, "{one:?} over {other:?}");
        }
    }
}
