//! Mermaid flowcharts.

use std::fmt::Write as _;

use llmend_json::Severity;

use llmend_plan::{NodeType, Workflow};

use crate::{
    Annotations,
    annotations::worst,
    label,
    scene::{Scene, Shape},
};

/// Writes `workflow` as a Mermaid flowchart that runs from top to bottom. Nodes are named `n0`, `n1`, …
/// by index; findings give a node the class `error` or `warning` and are listed in comments at the end.
#[must_use]
pub fn mermaid(workflow: &Workflow, annotations: &Annotations) -> String {
    let scene = Scene::new(workflow);
    let mut text = "flowchart TD\n".to_owned();
    let mut classes = String::new();
    for (at, shape) in scene.shapes.iter().enumerate() {
        let words = shape.text();
        let (open, close) = brackets(*shape);
        let title = escaped(&words.title);
        let detail = match escaped(&words.detail) {
            empty if empty.is_empty() => empty,
            detail => format!("<br/>{detail}"),
        };
        let _ = writeln!(text, "    n{at}{open}\"{title}{detail}\"{close}");
        if let Some(class) = class(*shape, worst(annotations.of_node(at))) {
            let _ = writeln!(classes, "    class n{at} {class}");
        }
    }
    for line in &scene.lines {
        let (from, to) = (line.from, line.to);
        let _ = match &line.label {
            Some(label) => writeln!(text, "    n{from} -->|\"{}\"| n{to}", escaped(label)),
            None => writeln!(text, "    n{from} --> n{to}"),
        };
    }
    if !classes.is_empty() {
        text += "    classDef error stroke:#cf222e,stroke-width:3px\n";
        text += "    classDef warning stroke:#bf8700,stroke-width:3px\n";
        text += "    classDef missing stroke-dasharray:4 3,stroke:#cf222e\n";
        text += "    classDef off stroke-dasharray:4 3\n";
        text += &classes;
    }
    for row in annotations.iter() {
        let _ = writeln!(text, "    %% {}", comment(&label::finding(row)));
    }
    text
}

const fn brackets(shape: Shape<'_>) -> (&'static str, &'static str) {
    match shape {
        Shape::Missing(_) => (">", "]"),
        Shape::Node(node) => match node.node_type() {
            NodeType::Tool => ("[", "]"),
            NodeType::AiStep => ("([", "])"),
            NodeType::AiTransform => ("[/", "/]"),
            NodeType::If | NodeType::Switch => ("{{", "}}"),
            NodeType::Loop => ("[[", "]]"),
            NodeType::EndLoop => ("(", ")"),
        },
    }
}

const fn class(shape: Shape<'_>, worst: Option<Severity>) -> Option<&'static str> {
    match (shape, worst) {
        (_, Some(Severity::Error)) => Some("error"),
        (_, Some(Severity::Warning)) => Some("warning"),
        (Shape::Missing(_), _) => Some("missing"),
        (Shape::Node(node), _) if !node.enabled => Some("off"),
        _ => None,
    }
}

/// Escapes `text` for a quoted label: characters that Mermaid, Markdown or HTML interpret become
/// numeric entities.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if c.is_alphanumeric() || !c.is_ascii() || matches!(c, ' ' | '.' | ',' | '-' | '?') {
            escaped.push(c);
        } else {
            let _ = write!(escaped, "#{};", u32::from(c));
        }
    }
    escaped
}

/// Escapes a comment, which must not look like a directive (`%%{`).
fn comment(text: &str) -> String {
    text.replace(['{', '}'], "'").replace('%', "'")
}
