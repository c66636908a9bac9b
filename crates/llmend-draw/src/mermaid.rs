//! Mermaid flowcharts.

use std::{collections::HashSet, fmt::Write as _};

use llmend_json::Severity;

use llmend_plan::{NodeType, Workflow};

use crate::{
    Annotations,
    annotations::worst,
    label,
    scene::{Scene, Shape},
};

/// Writes `workflow` as a Mermaid flowchart that runs from top to bottom. Nodes keep their ids; one that
/// Mermaid does not allow is replaced by `n0`, `n1`, … by index, and given in a comment, as are names
/// that are shortened. llmend reads the ids, names and edges back. Findings give a node the class `error`
/// or `warning` and are listed in comments at the end.
#[must_use]
pub fn mermaid(workflow: &Workflow, annotations: &Annotations) -> String {
    let scene = Scene::new(workflow);
    let mut text = "flowchart TD\n    %% drawn by llmend\n".to_owned();
    let (mut classes, mut comments) = (String::new(), String::new());
    let ids = ids(&scene);
    let id = |at: usize| ids.get(at).map_or("", String::as_str);
    for (at, shape) in scene.shapes.iter().enumerate() {
        let words = shape.text();
        let (open, close) = brackets(*shape);
        let title = escaped(&words.title);
        let detail = match escaped(&words.detail) {
            empty if empty.is_empty() => empty,
            detail => format!("<br/>{detail}"),
        };
        let id = id(at);
        let _ = writeln!(text, "    {id}{open}\"{title}{detail}\"{close}");
        if own_id(*shape) != id {
            let _ = writeln!(comments, "    %% {id} is {}", quoted(own_id(*shape)));
        }
        // A name is in the title, unless the title is shortened, or may be the id.
        let is_lost =
            |name: &&str| *name != words.title || *name == own_id(*shape) || name.ends_with('…');
        if let Some(name) = name(*shape).filter(is_lost) {
            let _ = writeln!(comments, "    %% {id} is named {}", quoted(name));
        }
        if let Some(class) = class(*shape, worst(annotations.of_node(at))) {
            let _ = writeln!(classes, "    class {id} {class}");
        }
    }
    for (at, (line, edge)) in scene.lines.iter().zip(&workflow.edges).enumerate() {
        let full = edge.output.as_ref().map(ToString::to_string).unwrap_or_default();
        if line.label.as_ref().is_some_and(|label| *label != full) {
            let _ = writeln!(comments, "    %% edge {at} is {}", quoted(&full));
        }
        let (from, to) = (id(line.from), id(line.to));
        let _ = match &line.label {
            Some(label) => writeln!(text, "    {from} -->|\"{}\"| {to}", escaped(label)),
            None => writeln!(text, "    {from} --> {to}"),
        };
    }
    text += &comments;
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

/// Words that Mermaid does not take as ids.
const RESERVED: [&str; 13] = [
    "end",
    "graph",
    "flowchart",
    "subgraph",
    "style",
    "class",
    "classdef",
    "click",
    "linkstyle",
    "direction",
    "default",
    "href",
    "call",
];

/// Returns the ids of the shapes in the flowchart.
fn ids(scene: &Scene<'_>) -> Vec<String> {
    let mut taken = HashSet::new();
    let all = scene.shapes.iter().enumerate().map(|(at, shape)| {
        let own = own_id(*shape);
        let is_numbered = own.strip_prefix('n').is_some_and(|rest| rest.parse::<usize>() != Ok(at));
        let is_plain = own.starts_with(|one: char| one.is_ascii_alphabetic())
            && own.chars().all(|one| one.is_ascii_alphanumeric() || one == '_')
            && own.len() <= label::TITLE
            && !RESERVED.contains(&own.to_ascii_lowercase().as_str());
        // An id `n3` of another node than the fourth might be taken for that.
        let may_clash = is_numbered && own.bytes().skip(1).all(|byte| byte.is_ascii_digit());
        let keeps = is_plain && !may_clash && taken.insert(own);
        if keeps { own.to_owned() } else { format!("n{at}") }
    });
    all.collect()
}

/// Returns the id of a shape in the workflow.
const fn own_id(shape: Shape<'_>) -> &str {
    match shape {
        Shape::Node(node) => node.id.as_str(),
        Shape::Missing(id) => id,
    }
}

fn name(shape: Shape<'_>) -> Option<&str> {
    match shape {
        Shape::Node(node) => node.name.as_deref(),
        Shape::Missing(_) => None,
    }
}

/// Writes a text as a JSON string that is safe in a comment.
fn quoted(text: &str) -> String {
    let mut safe = "\"".to_owned();
    for c in text.chars() {
        if label::is_invisible(c) || c.is_whitespace() && c != ' ' || "\"\\{}%;".contains(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(safe, "\\u{unit:04x}");
            }
        } else {
            safe.push(c);
        }
    }
    safe + "\""
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
