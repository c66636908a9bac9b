//! Which line feeds around a value belong to its tags.

use llmend_json::Span;

use crate::{
    input::Input,
    tag::{Form, Tag},
};

/// Returns whether the value behind `tag` is meant as it stands: some tags say so, and Kimi's
/// tokens stand in a line.
fn is_verbatim(tag: &Tag<'_>) -> bool {
    tag.form == Form::Xtml || tag.rest.contains("string=\"true\"")
}

/// Returns where the value behind `tag` begins. Where tags stand on lines of their own, the line
/// feed behind a tag belongs to it.
pub(crate) fn start(input: Input<'_>, tag: &Tag<'_>) -> usize {
    let start = tag.span.end;
    let feed = if input.from(start).starts_with("\r\n") { 2 } else { 1 };
    let own_line = input.line_before(tag.span.start).trim().is_empty() && !is_verbatim(tag);
    let framed = own_line && input.slice(start, start + feed).ends_with('\n');
    if framed { start + feed } else { start }
}

/// Returns the value between `tag` and `end`, without the line feeds that belong to the tags.
pub(crate) fn inside(input: Input<'_>, tag: &Tag<'_>, end: usize) -> Span {
    if is_verbatim(tag) {
        return Span::new(tag.span.end, end);
    }
    let start = start(input, tag);
    if start == tag.span.end || start >= end {
        return between(input, tag.span.end, end);
    }
    let text = input.slice(start, end);
    let inner = text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')).unwrap_or(text);
    Span::new(start, start + inner.len())
}

/// Returns the text of a value without the line feeds that belong to the tags: one at each end, if
/// both are there.
pub(crate) fn between(input: Input<'_>, start: usize, end: usize) -> Span {
    let text = input.slice(start, end);
    let after = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n'));
    let inside =
        after.and_then(|text| text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')));
    match (after, inside) {
        (Some(after), Some(inside)) => {
            let start = end - after.len();
            Span::new(start, start + inside.len())
        }
        // An empty value on a line of its own.
        (Some(""), None) => Span::at(end),
        _ => Span::new(start, end),
    }
}
