//! Graphviz output.

use std::fmt::Write as _;

use llmend_json::{Diagnostic, Severity};

use llmend_plan::{NodeType, Workflow};

use crate::{
    Annotations,
    annotations::worst,
    label,
    scene::{Scene, Shape},
};

/// Writes `workflow` as a Graphviz graph that runs from top to bottom. Nodes are named `n0`, `n1`, … by
/// index; findings color a node or an edge and appear in its tooltip.
#[must_use]
pub fn dot(workflow: &Workflow, annotations: &Annotations) -> String {
    let scene = Scene::new(workflow);
    let mut text = "digraph workflow {\n".to_owned();
    let _ = writeln!(text, "  label={};\n  labelloc=t;", quoted(&[&label::heading(workflow)]));
    text += "  node [fontname=\"sans-serif\", fontsize=11];\n";
    text += "  edge [fontname=\"sans-serif\", fontsize=10];\n";
    for (at, shape) in scene.shapes.iter().enumerate() {
        let words = shape.text();
        let label = match words.detail.as_str() {
            "" => quoted(&[&words.title]),
            detail => quoted(&[&words.title, detail]),
        };
        let look = look(*shape);
        let found = found(annotations.of_node(at));
        let _ = writeln!(text, "  n{at} [label={label}, {look}{found}];");
    }
    for (at, line) in scene.lines.iter().enumerate() {
        let mut attributes = Vec::new();
        if let Some(label) = &line.label {
            attributes.push(format!("label={}", quoted(&[label])));
        }
        if scene.leads_back(line) {
            attributes.push("constraint=false".to_owned());
        }
        let attributes = attributes.join(", ") + &found(annotations.of_edge(at));
        let attributes = match attributes.trim_start_matches(", ") {
            "" => String::new(),
            some => format!(" [{some}]"),
        };
        let _ = writeln!(text, "  n{} -> n{}{attributes};", line.from, line.to);
    }
    text + "}\n"
}

/// Returns the attributes of a node's shape.
fn look(shape: Shape<'_>) -> String {
    let Shape::Node(node) = shape else {
        return "shape=box, style=dashed, color=\"#cf222e\"".to_owned();
    };
    let (shape, style) = match node.node_type() {
        NodeType::Tool => ("box", "rounded"),
        NodeType::AiStep => ("ellipse", "solid"),
        NodeType::AiTransform => ("parallelogram", "solid"),
        NodeType::If | NodeType::Switch => ("hexagon", "solid"),
        NodeType::Loop => ("house", "solid"),
        NodeType::EndLoop => ("invhouse", "solid"),
    };
    let off = if node.enabled { "" } else { ",dashed" };
    format!("shape={shape}, style=\"{style}{off}\"")
}

/// Returns the attributes that show findings.
fn found(findings: &[Diagnostic]) -> String {
    let color = match worst(findings) {
        None => return String::new(),
        Some(Severity::Error) => ", color=\"#cf222e\", penwidth=2",
        Some(Severity::Warning) => ", color=\"#bf8700\", penwidth=2",
        Some(Severity::Info) => "",
    };
    let lines: Vec<String> = findings.iter().map(label::finding).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    format!("{color}, tooltip={}", quoted(&lines))
}

/// Quotes `lines` as one string. Graphviz interprets escapes and HTML entities in it.
fn quoted(lines: &[&str]) -> String {
    let lines = lines
        .iter()
        .map(|line| line.replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;"));
    format!("\"{}\"", lines.collect::<Vec<_>>().join("\\n"))
}
