//! Workflows in the forms of other tools: each text in `tests/forms/` with the outline of what is read.

use std::fmt::Write as _;

use llmend_json::Severity;
use llmend_plan::{Catalog, Condition, Dialect, Document, Edge, Node, NodeKind, Options, review};
use serde_json::json;

/// The tools that the texts named `… with a catalog` may use.
fn options(name: &str) -> Options {
    let mut options = Options::default();
    if name.ends_with(" with a catalog") {
        let tools = json!({
            "search": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
            "send_mail": {"type": "object", "properties": {"to": {"type": "string"}}},
        });
        options.catalog = Some(Catalog::read(&tools).expect("a catalog"));
    }
    options
}

fn condition(condition: &Condition) -> String {
    condition.to_string()
}

fn node(node: &Node) -> String {
    let says = match &node.kind {
        NodeKind::Tool { tool, arguments } if arguments.is_empty() => tool.clone(),
        NodeKind::Tool { tool, arguments } => format!("{tool} {}", json!(arguments)),
        NodeKind::AiStep { prompt, .. } => format!("{prompt:?}"),
        NodeKind::AiTransform { kind, input_ref, .. } => format!("{kind} {input_ref}"),
        NodeKind::If { condition: it } => condition(it),
        NodeKind::Switch { cases } => {
            let cases = cases.iter().map(|it| format!("{}: {}", it.name, condition(&it.condition)));
            cases.collect::<Vec<_>>().join("; ")
        }
        NodeKind::Loop { exit_condition, .. } => format!("until {}", condition(exit_condition)),
        NodeKind::EndLoop { loop_id } => loop_id.clone(),
    };
    let mut line = format!("{} = {} {says}", node.id, node.node_type());
    let fields = serde_json::to_value(node).expect("JSON");
    for name in ["name", "description", "enabled", "timeout_ms", "retries", "expected_outcome"] {
        if let Some(value) = fields.get(name) {
            let _ = write!(line, " [{name} {value}]");
        }
    }
    if !node.metadata.is_empty() {
        let names: Vec<&str> = node.metadata.keys().map(String::as_str).collect();
        let _ = write!(line, " +{}", names.join(","));
    }
    line
}

fn edge(edge: &Edge) -> String {
    match &edge.output {
        Some(output) => format!("{} -> {} : {output}", edge.from, edge.to),
        None => format!("{} -> {}", edge.from, edge.to),
    }
}

/// What is read of a text, and the findings.
fn outline(name: &str, text: &str) -> String {
    let (mut lines, diagnostics) = match review(text, &options(name)) {
        Ok(reviewed) => {
            let mut lines = vec![reviewed.dialect.to_string()];
            match &reviewed.value {
                Document::Workflow(flow) => {
                    for (name, value) in
                        [("id", &flow.id), ("name", &flow.name), ("objective", &flow.objective)]
                    {
                        lines.extend(value.iter().map(|value| format!("{name} {value}")));
                    }
                    let names: Vec<&str> = flow.metadata.keys().map(String::as_str).collect();
                    lines.extend((!names.is_empty()).then(|| format!("+{}", names.join(","))));
                    lines.extend(flow.nodes.iter().map(node));
                    lines.extend(flow.edges.iter().map(edge));
                }
                other => lines.push(format!("{} of {} steps", other.what(), steps(other))),
            }
            (lines, reviewed.diagnostics)
        }
        Err(error) => (vec!["refused".to_owned()], error.diagnostics().to_vec()),
    };
    for row in diagnostics {
        let span = row.span.map_or("?", |span| span.of(text).lines().next().unwrap_or_default());
        let short: String = span.trim().chars().take(40).collect();
        let message = if row.severity == Severity::Error {
            format!(" {}", row.message)
        } else {
            String::new()
        };
        lines.push(format!("{} {} @ {short}{message}", row.severity.as_str(), row.code));
    }
    lines.join("\n")
}

fn steps(document: &Document) -> usize {
    match document {
        Document::Plan(plan) => plan.steps.len(),
        _ => 0,
    }
}

/// Compares each text of a file with its outline.
fn check(form: &str, file: &str) {
    let mut found = String::new();
    let texts: Vec<&str> = file.split("==== ").skip(1).collect();
    assert!(texts.len() >= 15, "{form}: {}", texts.len());
    for block in texts {
        let (name, rest) = block.split_once('\n').expect(block);
        let (text, _) = rest.split_once("\n----\n").expect(name);
        let _ = write!(found, "==== {name}\n{text}\n----\n{}\n", outline(name, text));
    }
    assert!(file == found, "{form}: found\n{found}");
}

#[test]
fn mermaid() {
    check("mermaid", include_str!("forms/mermaid.txt"));
}

#[test]
fn n8n() {
    check("n8n", include_str!("forms/n8n.txt"));
}

#[test]
fn langgraph() {
    check("langgraph", include_str!("forms/langgraph.txt"));
}

#[test]
fn amazon_states() {
    check("amazon-states", include_str!("forms/amazon-states.txt"));
}

#[test]
fn arazzo() {
    check("arazzo", include_str!("forms/arazzo.txt"));
}

#[test]
fn every_foreign_form_has_texts() {
    for dialect in ["mermaid", "n8n", "langgraph", "amazon-states", "arazzo"] {
        let dialect: Dialect = dialect.parse().expect(dialect);
        assert!(!dialect.is_written(), "{dialect}");
    }
}
