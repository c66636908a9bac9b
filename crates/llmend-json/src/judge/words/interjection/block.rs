//! Values that one code block begins and the next one continues.

use super::{Grade, continues, pay};
use crate::{parser::Window, sink::Container};

/// Longest text between the blocks, in bytes.
const GAP_REACH: usize = 400;
/// How far brackets are counted in the second block, in bytes.
const BLOCK_REACH: usize = 1 << 14;

/// Returns the end of the closing fence at `at`, the text after it and the fence that opens the
/// next block, if that block continues the value and closes it.
pub(super) fn end(
    window: &Window<'_>,
    at: usize,
    top: Container,
    budget: &mut usize,
) -> Option<usize> {
    let mark: &[u8] = match window.byte(at)? {
        b'`' => b"```",
        b'~' => b"~~~",
        _ => return None,
    };
    let run = |at: usize| window.run(at, |byte| Some(&byte) == mark.first());
    if !window.starts_with(at, mark) || !window.line_before(at, GAP_REACH)?.trim().is_empty() {
        return None;
    }
    let closed = at + run(at);
    let open = window.find(closed, GAP_REACH, |bytes| memchr::memmem::find(bytes, mark));
    pay(budget, open.unwrap_or(closed + GAP_REACH) - at);
    let open = open?;
    let gap = window.slice(crate::Span::new(closed, open));
    let first = gap.split('\n').next().unwrap_or_default();
    if !first.trim().is_empty() || !gap.contains('\n') || gap.contains(['{', '}', '[', ']', '"']) {
        return None;
    }
    let tag = window.line_after(open + run(open), GAP_REACH);
    let inside = open + run(open) + tag.len();
    let named = tag.trim().chars().all(|c| c.is_ascii_alphanumeric());
    let next = window.skip_space(inside);
    (named && continues(window, next, top, Grade::Heading) && closes(window, next, mark, budget))
        .then_some(inside)
}

/// Returns whether the rest of the block at `at` closes a bracket that it did not open.
fn closes(window: &Window<'_>, at: usize, mark: &[u8], budget: &mut usize) -> bool {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    let found = window.find(at, BLOCK_REACH, |bytes| {
        bytes.iter().enumerate().position(|(place, &byte)| {
            if std::mem::take(&mut escaped) {
                return false;
            }
            match byte {
                b'\\' => escaped = true,
                // The next fence, wherever it is.
                b'`' | b'~' => {
                    return bytes.get(place..).is_some_and(|rest| rest.starts_with(mark));
                }
                b'"' => quoted = !quoted,
                _ if quoted => {}
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth == 0 => return true,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            false
        })
    });
    pay(budget, 4 * (found.unwrap_or(window.end().min(at + BLOCK_REACH)) - at));
    found.is_some_and(|at| matches!(window.byte(at), Some(b'}' | b']')))
}
