//! SVG images.
//!
//! `rows` assigns rows, `across` horizontal positions, `place` pixels; `node` and `edge` draw. The image
//! needs no script, font or other file, follows the reader's light or dark theme, and says in words
//! what its colors mean.

use std::fmt::Write as _;

use llmend_json::{Diagnostic, Severity};

use llmend_plan::Workflow;

use crate::{
    Annotations,
    annotations::worst,
    label,
    scene::Scene,
    svg::text::{escaped, px},
};

mod across;
mod edge;
mod node;
mod place;
mod rows;
mod straight;
mod text;

const STYLE: &str = include_str!("svg/style.css");

/// Maximum findings listed below the heading; the others are counted.
const SHOWN: usize = 5;
/// Minimum width of an image, in pixels.
const MIN_WIDTH: f64 = 360.0;

/// Draws `workflow` as an SVG document, which may also be embedded in a page. Findings about a node or
/// an edge color it, add a sign and appear in its tooltip; the others are listed below the heading.
#[must_use]
pub fn svg(workflow: &Workflow, annotations: &Annotations) -> String {
    let scene = Scene::new(workflow);
    let heading = label::heading(workflow);
    let summary = summary(workflow, annotations);
    let lines = whole(annotations);
    let head = 62.0 + 16.0 * lines.iter().map(|_| 1.0).sum::<f64>();
    let places = place::place(&scene, head);
    let texts = lines.iter().chain([&summary]).map(|line| text::width(line, 11.0));
    let texts = texts.fold(text::width(&heading, 16.0), f64::max).min(900.0);
    let width = places.width.max(texts + 56.0).max(MIN_WIDTH);
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
    for (at, connector) in places.connectors.iter().enumerate() {
        svg += &edge::line(connector, annotations.of_edge(at));
    }
    for (connector, line) in places.connectors.iter().zip(&scene.lines) {
        if let (Some(at), Some(label)) = (connector.label, &line.label) {
            svg += &edge::label(at, label);
        }
    }
    for (at, (shape, placed)) in scene.shapes.iter().zip(&places.shapes).enumerate() {
        svg += &node::node(*shape, placed, annotations.of_node(at));
    }
    svg + "</g>\n</svg>\n"
}

fn summary(workflow: &Workflow, annotations: &Annotations) -> String {
    let nodes = label::number(workflow.nodes.len(), "node");
    let edges = label::number(workflow.edges.len(), "edge");
    match label::counts(annotations.iter()) {
        counts if counts.is_empty() => format!("{nodes}, {edges}"),
        counts => format!("{nodes}, {edges} · {counts}"),
    }
}

/// Returns the lines about findings of the whole workflow.
fn whole(annotations: &Annotations) -> Vec<String> {
    let found = annotations.of_whole();
    let mut lines: Vec<String> = found.iter().take(SHOWN).map(label::finding).collect();
    if found.len() > SHOWN {
        lines.push(format!("and {} more", found.len() - SHOWN));
    }
    lines
}

/// Returns the CSS class of an element with `findings`, after a space.
fn class(findings: &[Diagnostic]) -> &'static str {
    match worst(findings) {
        None => "",
        Some(Severity::Info) => " info",
        Some(Severity::Warning) => " warning",
        Some(Severity::Error) => " error",
    }
}

/// Returns a line for each finding.
fn finding_lines(findings: &[Diagnostic]) -> impl Iterator<Item = String> {
    findings.iter().map(label::finding)
}

/// Returns the tooltip of an element with `findings`; empty if there are none.
fn findings_title(findings: &[Diagnostic]) -> String {
    let lines: Vec<String> = finding_lines(findings).collect();
    match lines.as_slice() {
        [] => String::new(),
        lines => format!("<title>{}</title>", escaped(&lines.join("\n"))),
    }
}
