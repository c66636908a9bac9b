//! Whether two values begin alike, so that they answer the same question or are records of one list.

use crate::{Span, parser::Window};

/// Longest first key that is compared, in bytes.
pub(super) const KEY_REACH: usize = 80;

/// Returns the value at `span` from its opening brackets to its first colon or comma, without white
/// space and quotes.
fn first_key(window: &Window<'_>, span: Span) -> String {
    let near = Span::new(span.start, span.end.min(span.start + KEY_REACH));
    let is_outside = |byte: &&u8| matches!(byte, b'{' | b'[' | b'\\') || byte.is_ascii_whitespace();
    let key = window.bytes(near).iter().skip_while(is_outside);
    let key = key.take_while(|byte| !matches!(byte, b':' | b','));
    key.filter(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'\''))
        .map(|&byte| char::from(byte))
        .collect()
}

/// Returns whether the first keys of the values at `one` and `next` are the same.
pub(super) fn same_key(window: &Window<'_>, one: Span, next: Span) -> bool {
    first_key(window, one) == first_key(window, next)
}

/// Returns whether the values at `one` and `next` begin with the same member or item.
pub(super) fn same_beginning(window: &Window<'_>, one: Span, next: Span) -> bool {
    let beginning = |span: Span| {
        let near = window.bytes(Span::new(span.start, span.end.min(span.start + KEY_REACH)));
        let is_mark = |byte: &&u8| {
            matches!(byte, b'{' | b'[' | b'\\' | b'"' | b'\'') || byte.is_ascii_whitespace()
        };
        let inside = near.iter().filter(|byte| !is_mark(byte));
        let first = inside.take_while(|byte| !matches!(byte, b',' | b'}' | b']'));
        first.copied().collect::<Vec<_>>()
    };
    beginning(one) == beginning(next)
}
