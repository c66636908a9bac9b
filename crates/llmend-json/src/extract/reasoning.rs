//! Which part of the text is reasoning, whose drafts never win?

use crate::{Span, parser::Window};

/// A tag of reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// Opens reasoning that ends at `end`.
    Opens { end: usize, json: bool },
    /// Closes reasoning that was never opened.
    ClosesOnly { end: usize },
}

const NAMES: &[&str] = &[
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "scratchpad",
    "analysis",
    "reflection",
    "internal_monologue",
    "inner_monologue",
    "monologue",
];

/// The tag of reasoning at `at`, if there is one.
pub(super) fn tag(window: &Window<'_>, at: usize) -> Option<Tag> {
    let rest = window.rest(at);
    let inside = rest.get(1..rest.len().min(40)).or_else(|| {
        rest.get(1..(1..rest.len().min(40)).rev().find(|&end| rest.is_char_boundary(end))?)
    })?;
    let (closes, name) = match inside.strip_prefix('/') {
        Some(name) => (true, name),
        None => (false, inside),
    };
    let name = name.get(..name.find('>')?)?;
    // With or without a namespace: `seed:think`.
    let local = name.rsplit(':').next()?;
    NAMES.iter().find(|known| local.eq_ignore_ascii_case(known))?;
    let after = at + 1 + usize::from(closes) + name.len() + 1;
    if closes {
        return Some(Tag::ClosesOnly { end: after });
    }
    let close = format!("</{name}>");
    let body = window.from(after);
    let length = find_ignoring_case(body, close.as_bytes());
    let end = length.map_or(window.end(), |length| after + length + close.len());
    let json =
        memchr::memchr2(b'{', b'[', window.slice(Span::new(after, end)).as_bytes()).is_some();
    Some(Tag::Opens { end, json })
}

/// Marks of reasoning that are no tags.
const MARKS: &[(&str, &str)] = &[("[THINK]", "[/THINK]"), ("◁think▷", "◁/think▷")];

/// End of the reasoning between marks of a model's own that opens at `at`.
pub(super) fn mark(window: &Window<'_>, at: usize) -> Option<usize> {
    let rest = window.rest(at);
    let (open, close) = MARKS.iter().find(|(open, _)| rest.starts_with(open))?;
    let inside = rest.get(open.len()..)?;
    Some(
        memchr::memmem::find(inside.as_bytes(), close.as_bytes())
            .map_or(window.end(), |length| at + open.len() + length + close.len()),
    )
}

/// Words that label a line of reasoning.
const LABELS: &[&str] = &["Thought", "Thinking", "Reasoning"];

/// Whether the line at `at` is labelled as reasoning: `Thought:`, `**Thinking**:`.
pub(super) fn is_label(window: &Window<'_>, at: usize) -> bool {
    let line = window.rest(at).trim_start_matches('*');
    LABELS.iter().any(|label| {
        line.strip_prefix(label).is_some_and(|rest| {
            rest.starts_with([':', '*']) && rest.trim_start_matches('*').starts_with([':', '*'])
        })
    })
}

/// First place of `mark` in `text`, whatever the case of its letters.
fn find_ignoring_case(text: &[u8], mark: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'<', text).find(|&at| {
        text.get(at..at + mark.len()).is_some_and(|found| found.eq_ignore_ascii_case(mark))
    })
}

#[cfg(test)]
mod tests {
    use super::{Tag, tag};
    use crate::parser::Window;

    #[test]
    fn reasoning_tags() {
        for (text, expected) in [
            ("<think>a</think>b", Some(Tag::Opens { end: 16, json: false })),
            ("<Thinking>{</THINKING>b", Some(Tag::Opens { end: 22, json: true })),
            ("<think>a {", Some(Tag::Opens { end: 10, json: true })),
            ("</think>b", Some(Tag::ClosesOnly { end: 8 })),
            ("<thinker>", None),
            ("<b>", None),
        ] {
            assert_eq!(tag(&Window::whole(text), 0), expected, "{text}");
        }
    }
}
