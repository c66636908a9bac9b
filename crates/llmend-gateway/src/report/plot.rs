//! SVG bars and columns.
//!
//! Pictures contain no text, because it would be stretched with them. A segment has a CSS class, which the page
//! colors, and a title.

use std::fmt::Write as _;

use super::escape::escaped;

/// A segment of a bar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    /// CSS class.
    pub(super) kind: &'static str,
    /// Tooltip.
    pub(super) title: String,
    pub(super) count: u64,
}

/// Size of the view box.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 100.0;

/// Divides two counts.
#[expect(clippy::cast_precision_loss, reason = "a bar has fewer pixels than a float has digits")]
fn share(count: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { count as f64 / of as f64 }
}

/// Draws segments side by side; `of` is the count of a full bar.
pub(super) fn bar(parts: &[Segment], of: u64, name: &str) -> String {
    let mut out = open("bar", WIDTH, HEIGHT, name);
    let mut x = 0.0;
    for part in parts.iter().filter(|part| part.count > 0) {
        let width = share(part.count, of) * WIDTH;
        rect(&mut out, part, [x, 0.0, width, HEIGHT]);
        x += width;
    }
    out.push_str("</svg>");
    out
}

/// Draws stacked segments, one column per period. The highest column fills the picture.
pub(super) fn columns(stretches: &[Vec<Segment>], name: &str) -> String {
    let sum = |parts: &Vec<Segment>| parts.iter().map(|part| part.count).sum::<u64>();
    let most = stretches.iter().map(sum).max().unwrap_or(0);
    let step = share(1, stretches.len() as u64) * WIDTH;
    let mut out = open("columns", WIDTH, HEIGHT, name);
    let mut x = 0.0;
    for parts in stretches {
        let mut y = HEIGHT;
        for part in parts.iter().filter(|part| part.count > 0) {
            let height = share(part.count, most) * HEIGHT;
            y -= height;
            rect(&mut out, part, [x + step * 0.08, y, step * 0.84, height]);
        }
        x += step;
    }
    out.push_str("</svg>");
    out
}

fn open(class: &str, width: f64, height: f64, name: &str) -> String {
    format!(
        "<svg class=\"{class}\" viewBox=\"0 0 {width} {height}\" preserveAspectRatio=\"none\" \
         role=\"img\" aria-label=\"{}\">",
        escaped(name)
    )
}

fn rect(out: &mut String, part: &Segment, [x, y, width, height]: [f64; 4]) {
    let Segment { kind, title, .. } = part;
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<rect class=\"{kind}\" x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\">\
         <title>{}</title></rect>",
        escaped(title)
    );
}

#[cfg(test)]
mod tests {
    use super::{Segment, bar, columns};

    fn part(count: u64) -> Segment {
        Segment { kind: "a", title: "<b> & \"c\"".to_owned(), count }
    }

    /// The numbers of a kind in a picture.
    fn numbers(svg: &str, name: &str) -> Vec<f64> {
        let mark = format!(" {name}=\"");
        let after = svg.split(&mark).skip(1);
        after.filter_map(|rest| rest.split('"').next()?.parse().ok()).collect()
    }

    #[test]
    fn segments_are_as_wide_as_their_share() {
        let svg = bar(&[part(1), part(0), part(3)], 8, "n");
        assert_eq!(numbers(&svg, "width"), [125.0, 375.0]);
        assert_eq!(numbers(&svg, "x"), [0.0, 125.0]);
        assert_eq!(numbers(&bar(&[part(1)], 0, "n"), "width"), [0.0]);
        assert!(svg.contains("&lt;b&gt; &amp; &quot;c&quot;") && !svg.contains("<b>"), "{svg}");
    }

    #[test]
    fn the_highest_column_fills_the_picture() {
        let svg = columns(&[vec![part(1), part(3)], vec![], vec![part(2)]], "n");
        assert_eq!(numbers(&svg, "height"), [25.0, 75.0, 50.0]);
        assert_eq!(numbers(&svg, "y"), [75.0, 0.0, 50.0]);
        assert_eq!(numbers(&columns(&[], "n"), "x"), [0.0; 0]);
    }
}
