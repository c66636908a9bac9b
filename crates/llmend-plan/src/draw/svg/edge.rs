//! How does a line look?

use std::fmt::Write as _;

use llmend_json::Diagnostic;

use crate::draw::svg::{
    class, findings_title,
    place::{LABEL, Straight, Way},
    text::{self, px},
};

/// How deep a line dips where it turns around.
const DIP: f64 = 30.0;

/// The line and its arrow head.
pub(super) fn line(way: &Way, findings: &[Diagnostic]) -> String {
    let Some(end) = way.straights.last() else { return String::new() };
    let marked = class(findings);
    let back = if leads_back(&way.straights) { " back" } else { "" };
    let title = findings_title(findings);
    let path = path(&way.straights);
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

/// The label of a line.
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

fn leads_back(straights: &[Straight]) -> bool {
    straights.iter().any(|straight| straight.end < straight.start)
}

/// The way as curves between straight parts. Every curve starts and ends upright.
fn path(straights: &[Straight]) -> String {
    let mut path = String::new();
    let mut before: Option<Straight> = None;
    for straight in straights {
        match before {
            None => {
                let _ = write!(path, "M{} {}", px(straight.x), px(straight.start));
            }
            Some(before) => path += &curve(before, *straight),
        }
        if (straight.end - straight.start).abs() > 0.05 {
            let _ = write!(path, "V{}", px(straight.end));
        }
        before = Some(*straight);
    }
    path
}

fn curve(from: Straight, to: Straight) -> String {
    let up = |straight: Straight| straight.end < straight.start;
    let (one, other) = match (up(from), up(to)) {
        // Down, and then up beside it; and the other way around.
        (false, true) => (from.end.max(to.start) + DIP, from.end.max(to.start) + DIP),
        (true, false) => (from.end.min(to.start) - DIP, from.end.min(to.start) - DIP),
        _ if (from.x - to.x).abs() < 0.05 => return format!("V{}", px(to.start)),
        _ => (f64::midpoint(from.end, to.start), f64::midpoint(from.end, to.start)),
    };
    format!("C{} {} {} {} {} {}", px(from.x), px(one), px(to.x), px(other), px(to.x), px(to.start))
}
