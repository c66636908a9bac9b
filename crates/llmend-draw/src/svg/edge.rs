//! Lines, arrow heads and labels.

use std::fmt::Write as _;

use llmend_json::Diagnostic;

use crate::svg::{
    class, findings_title,
    place::{Connector, LABEL, Segment},
    text::{self, px},
};

/// How far a line overshoots where it reverses.
const DIP: f64 = 30.0;

/// Draws a line and its arrow head.
pub(super) fn line(connector: &Connector, findings: &[Diagnostic]) -> String {
    let Some(end) = connector.segments.last() else { return String::new() };
    let marked = class(findings);
    let back = if leads_back(&connector.segments) { " back" } else { "" };
    let title = findings_title(findings);
    let path = path(&connector.segments);
    let (x, y) = (end.x, end.start);
    let head = format!(
        "M{} {}L{} {}L{} {}Z",
        px(x - 4.5),
        px(y - 8.0),
        px(x),
        px(y),
        px(x + 4.5),
        px(y - 8.0)
    );
    format!(
        "<g>{title}<path class=\"line{back}{marked}\" d=\"{path}\"/><path class=\"head{marked}\" d=\"{head}\"/></g>\n"
    )
}

/// Draws the label of a line.
pub(super) fn label((x, y): (f64, f64), label: &str) -> String {
    let width = text::width(label, 11.0) + 2.0 * LABEL.1;
    format!(
        "<rect class=\"pill\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"9\"/><text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
        px(x - width / 2.0),
        px(y - LABEL.0 / 2.0),
        px(width),
        px(LABEL.0),
        px(x),
        px(y + 4.0),
        text::escaped(label)
    )
}

fn leads_back(segments: &[Segment]) -> bool {
    segments.iter().any(|segment| segment.end < segment.start)
}

/// Returns the path data: vertical segments joined by curves with vertical ends.
fn path(segments: &[Segment]) -> String {
    let mut path = String::new();
    let mut before: Option<Segment> = None;
    for segment in segments {
        match before {
            None => {
                let _ = write!(path, "M{} {}", px(segment.x), px(segment.start));
            }
            Some(before) => path += &curve(before, *segment),
        }
        if (segment.end - segment.start).abs() > 0.05 {
            let _ = write!(path, "V{}", px(segment.end));
        }
        before = Some(*segment);
    }
    path
}

fn curve(from: Segment, to: Segment) -> String {
    let up = |segment: Segment| segment.end < segment.start;
    let (one, other) = match (up(from), up(to)) {
        // The line reverses.
        (false, true) => (from.end.max(to.start) + DIP, from.end.max(to.start) + DIP),
        (true, false) => (from.end.min(to.start) - DIP, from.end.min(to.start) - DIP),
        _ if (from.x - to.x).abs() < 0.05 => return format!("V{}", px(to.start)),
        _ => (f64::midpoint(from.end, to.start), f64::midpoint(from.end, to.start)),
    };
    format!("C{} {} {} {} {} {}", px(from.x), px(one), px(to.x), px(other), px(to.x), px(to.start))
}
