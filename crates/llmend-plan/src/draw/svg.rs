//! How is a workflow drawn as a picture?
//!
//! [`rows`](self::rows) says in which row everything stands, `across` how far from the left, `place`
//! where in pixels; `node` and `edge` draw. The picture needs no script, no font and no other file,
//! follows the reader's choice of light or dark, and says in words what colours say.

use std::fmt::Write as _;

use llmend_json::{Diagnostic, Severity};

use crate::{
    Workflow,
    draw::{
        Marks, label,
        marks::worst,
        scene::Scene,
        svg::text::{escaped, px},
    },
};

mod across;
mod edge;
mod node;
mod place;
mod rows;
mod straight;
mod text;

const STYLE: &str = include_str!("svg/style.css");

/// Most findings that are written below the heading; the others are counted.
const SHOWN: usize = 5;
/// Least width of a picture, in pixels.
const NARROW: f64 = 360.0;

/// The picture of `workflow` as a document of its own, which may stand in a page too. What was found
/// about a node or an edge colours it, puts a sign there, and is what the pointer shows; what is about
/// the whole stands below the heading.
#[must_use]
pub fn svg(workflow: &Workflow, marks: &Marks) -> String {
    let scene = Scene::new(workflow);
    let heading = label::heading(workflow);
    let summary = summary(workflow, marks);
    let lines = whole(marks);
    let head = 62.0 + 16.0 * lines.iter().map(|_| 1.0).sum::<f64>();
    let places = place::place(&scene, head);
    let texts = lines.iter().chain([&summary]).map(|line| text::width(line, 11.0));
    let texts = texts.fold(text::width(&heading, 16.0), f64::max).min(900.0);
    let width = places.width.max(texts + 56.0).max(NARROW);
    let (wide, high) = (px(width), px(places.height));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"llmend\" role=\"img\" viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" height=\"{high}\" style=\"max-width:100%;height:auto\">\n"
    );
    let _ =
        writeln!(svg, "<title>{}</title>\n<desc>{}</desc>", escaped(&heading), escaped(&summary));
    let _ = writeln!(svg, "<style>\n{STYLE}</style>");
    let _ = writeln!(svg, "<rect class=\"ground\" width=\"{wide}\" height=\"{high}\" rx=\"10\"/>");
    let _ = writeln!(svg, "<text class=\"heading\" x=\"28\" y=\"38\">{}</text>", escaped(&heading));
    let mut y = 58.0;
    let _ = writeln!(svg, "<text x=\"28\" y=\"{}\">{}</text>", px(y), escaped(&summary));
    for line in &lines {
        y += 16.0;
        let _ = writeln!(svg, "<text x=\"28\" y=\"{}\">{}</text>", px(y), escaped(line));
    }
    let _ = writeln!(svg, "<g transform=\"translate({} 0)\">", px((width - places.width) / 2.0));
    for (at, way) in places.ways.iter().enumerate() {
        svg += &edge::line(way, marks.of_edge(at));
    }
    for (way, line) in places.ways.iter().zip(&scene.lines) {
        if let (Some(at), Some(label)) = (way.label, &line.label) {
            svg += &edge::label(at, label);
        }
    }
    for (at, (shape, placed)) in scene.shapes.iter().zip(&places.shapes).enumerate() {
        svg += &node::node(*shape, placed, marks.of_node(at));
    }
    svg + "</g>\n</svg>\n"
}

fn summary(workflow: &Workflow, marks: &Marks) -> String {
    let nodes = label::number(workflow.nodes.len(), "node");
    let edges = label::number(workflow.edges.len(), "edge");
    match label::counts(marks.iter()) {
        counts if counts.is_empty() => format!("{nodes}, {edges}"),
        counts => format!("{nodes}, {edges} · {counts}"),
    }
}

/// The findings about neither a node nor an edge.
fn whole(marks: &Marks) -> Vec<String> {
    let found = marks.of_whole();
    let mut lines: Vec<String> = found.iter().take(SHOWN).map(label::finding).collect();
    if found.len() > SHOWN {
        lines.push(format!("and {} more", found.len() - SHOWN));
    }
    lines
}

/// The class of something with such findings, after a space.
fn class(findings: &[Diagnostic]) -> &'static str {
    match worst(findings) {
        None => "",
        Some(Severity::Info) => " info",
        Some(Severity::Warning) => " warning",
        Some(Severity::Error) => " error",
    }
}

/// One line about each finding.
fn finding_lines(findings: &[Diagnostic]) -> impl Iterator<Item = String> {
    findings.iter().map(label::finding)
}

/// What the pointer shows at something with such findings; nothing without any.
fn findings_title(findings: &[Diagnostic]) -> String {
    let lines: Vec<String> = finding_lines(findings).collect();
    match lines.as_slice() {
        [] => String::new(),
        lines => format!("<title>{}</title>", escaped(&lines.join("\n"))),
    }
}
