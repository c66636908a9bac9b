//! Nodes: outline, text and badge.

use llmend_json::{Diagnostic, Severity};

use llmend_plan::NodeType;

use crate::{
    annotations::worst,
    label::clean,
    scene::Shape,
    svg::{
        class, finding_lines,
        place::PlacedShape,
        text::{escaped, px},
    },
};

/// Width of the points of a fork.
const POINT: f64 = 16.0;

/// Draws a shape with its text and findings.
pub(super) fn node(shape: Shape<'_>, placed: &PlacedShape, findings: &[Diagnostic]) -> String {
    let words = &placed.words;
    let middle = px(placed.x);
    let mut y = placed.y + 14.0;
    let mut text = format!(
        "<g class=\"{}{}{}\"><title>{}</title>{}",
        family(shape),
        if is_off(shape) { " off" } else { "" },
        class(findings),
        escaped(&tooltip(shape, placed, findings)),
        outline(shape, placed)
    );
    let kind = if is_off(shape) { format!("{} (off)", words.kind) } else { words.kind.to_owned() };
    text += &line(" class=\"kind\"", &middle, y, &kind);
    y += 17.0;
    text += &line(" class=\"title\"", &middle, y, &words.title);
    if !words.detail.is_empty() {
        y += 17.0;
        text += &line("", &middle, y, &words.detail);
    }
    if let Some(severity) = worst(findings) {
        text += &badge(placed.x + placed.width / 2.0 - 4.0, placed.y + 2.0, severity);
    }
    text + "</g>\n"
}

/// Draws a line of text within a shape.
fn line(class: &str, middle: &str, y: f64, words: &str) -> String {
    let (y, words) = (px(y), escaped(words));
    format!("<text{class} x=\"{middle}\" y=\"{y}\" text-anchor=\"middle\">{words}</text>")
}

const fn family(shape: Shape<'_>) -> &'static str {
    match shape {
        Shape::Missing(_) => "missing",
        Shape::Node(node) => match node.node_type() {
            NodeType::Tool => "tool",
            NodeType::AiStep | NodeType::AiTransform => "ai",
            NodeType::If | NodeType::Switch => "fork",
            NodeType::Loop | NodeType::EndLoop => "loop",
        },
    }
}

const fn is_off(shape: Shape<'_>) -> bool {
    matches!(shape, Shape::Node(node) if !node.enabled)
}

/// Maximum characters of each line of a tooltip.
const TOOLTIP: usize = 400;

fn tooltip(shape: Shape<'_>, placed: &PlacedShape, findings: &[Diagnostic]) -> String {
    let mut lines = match shape {
        Shape::Missing(id) => vec![format!("No node has the id {}", clean(id, TOOLTIP))],
        Shape::Node(node) => vec![
            format!("{}: {}", placed.words.kind, clean(&node.id, TOOLTIP)),
            clean(node.name.as_deref().unwrap_or_default(), TOOLTIP),
            clean(node.description.as_deref().unwrap_or_default(), TOOLTIP),
            placed.words.detail.clone(),
        ],
    };
    lines.retain(|line| !line.is_empty());
    lines.extend(finding_lines(findings));
    lines.join("\n")
}

/// Draws the outline: a box for a tool, rounded for an AI step, slanted for a transformation, pointed
/// for a fork, double sides for a loop and cut corners for its end.
fn outline(shape: Shape<'_>, placed: &PlacedShape) -> String {
    let (left, right) = (placed.x - placed.width / 2.0, placed.x + placed.width / 2.0);
    let (top, bottom) = (placed.y, placed.y + placed.height);
    let middle = f64::midpoint(top, bottom);
    let kind = match shape {
        Shape::Missing(_) => NodeType::Tool,
        Shape::Node(node) => node.node_type(),
    };
    let points: &[(f64, f64)] = match kind {
        NodeType::Tool => return rect(placed, 8.0),
        NodeType::AiStep => return rect(placed, placed.height / 2.0),
        NodeType::Loop => {
            let bar = |x: f64| {
                format!("<path class=\"box\" d=\"M{} {}V{}\"/>", px(x), px(top), px(bottom))
            };
            return rect(placed, 3.0) + &bar(left + 7.0) + &bar(right - 7.0);
        }
        NodeType::AiTransform => {
            &[(left + 12.0, top), (right, top), (right - 12.0, bottom), (left, bottom)]
        }
        NodeType::If | NodeType::Switch => &[
            (left + POINT, top),
            (right - POINT, top),
            (right, middle),
            (right - POINT, bottom),
            (left + POINT, bottom),
            (left, middle),
        ],
        NodeType::EndLoop => &[
            (left, top),
            (right, top),
            (right, bottom - 12.0),
            (right - 12.0, bottom),
            (left + 12.0, bottom),
            (left, bottom - 12.0),
        ],
    };
    let points = points.iter().map(|(x, y)| format!("{} {}", px(*x), px(*y)));
    format!(
        "<path class=\"box\" stroke-linejoin=\"round\" d=\"M{}Z\"/>",
        points.collect::<Vec<_>>().join("L")
    )
}

fn rect(placed: &PlacedShape, round: f64) -> String {
    format!(
        "<rect class=\"box\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
        px(placed.x - placed.width / 2.0),
        px(placed.y),
        px(placed.width),
        px(placed.height),
        px(round)
    )
}

/// Draws the sign of a severity: a cross, an exclamation mark or an i.
fn badge(x: f64, y: f64, severity: Severity) -> String {
    let sign = match severity {
        Severity::Error => "m-3.5 -3.5l7 7m0 -7l-7 7",
        Severity::Warning => "m0 -4.5v5m0 3.5v.1",
        Severity::Info => "m0 4.5v-5m0 -3.5v-.1",
    };
    let (x, y) = (px(x), px(y));
    format!(
        "<circle class=\"badge\" cx=\"{x}\" cy=\"{y}\" r=\"9\"/><path class=\"sign\" d=\"M{x} {y}{sign}\"/>"
    )
}
