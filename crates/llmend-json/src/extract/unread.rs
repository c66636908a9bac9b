//! Records that could not be read beside a value: it is only one of a list.

use crate::{Span, parser::Window};

/// How much of the text on each side of a value is searched for a record, in bytes.
const REACH: usize = 400;

/// Returns whether a comma joins the value at `span` to a record that is none of `others`, which were read.
pub(super) fn adjoins(window: &Window<'_>, span: Span, others: &[Span]) -> bool {
    let before = window.before(span.start, REACH);
    let left = before.trim_end().strip_suffix(',').map(str::trim_end).is_some_and(|record| {
        let end = span.start - (before.len() - record.len());
        record.ends_with('}') && has_member(record) && others.iter().all(|other| other.end != end)
    });
    let behind = window.near(span.end, REACH);
    let right = behind.trim_start().strip_prefix(',').map(str::trim_start).is_some_and(|record| {
        let start = span.end + behind.len() - record.len();
        record.starts_with('{')
            && has_member(record)
            && others.iter().all(|other| other.start != start)
    });
    left || right
}

fn has_member(text: &str) -> bool {
    text.contains("\":")
}

#[cfg(test)]
mod tests {
    use super::adjoins;
    use crate::{Span, parser::Window};

    #[test]
    fn records_beside_a_value() {
        for (text, expected) in [
            ("[\"id: 1, \"v\": 2}, <{}>", true),
            ("<{}>,\n  {\"id{: 2, \"v\": 1\n  }", true),
            ("\"v\": 2} <{}>", false),
            ("the sets {1, 2}, <{}>", false),
            ("<{}>, {1, 2}", false),
            ("Well, <{}>, and so on", false),
        ] {
            let (start, end) = (text.find('<').expect(text), text.find('>').expect(text) - 1);
            let plain = text.replace(['<', '>'], "");
            let found = adjoins(&Window::whole(&plain), Span::new(start, end), &[]);
            assert_eq!(found, expected, "{text}");
        }
        // One that was read is a value of its own.
        let window = Window::whole("{\"a\": 1}, {}");
        assert!(adjoins(&window, Span::new(10, 12), &[]));
        assert!(!adjoins(&window, Span::new(10, 12), &[Span::new(0, 8)]));
    }
}
