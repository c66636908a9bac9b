//! A call whose arguments cannot be read, beside others that can.

use llmend_json::{Diagnostic, Span};

use super::name_at;
use crate::{
    found::{Arguments, Context, Found},
    input::{Input, Read, Stop},
};

/// Returns the call at `at` whose arguments cannot be read, if the text tells where it ends.
pub(super) fn read<'t>(
    input: Input<'t>,
    at: usize,
    row: &Diagnostic,
    context: Context<'_>,
) -> Read<Option<Found<'t>>> {
    let Some(name) = name_at(input, at, context)? else { return Ok(None) };
    let open = input.skip_blanks(name.end);
    if input.byte(open) != Some(b'(') {
        return Ok(None);
    }
    let Some(end) = closing(input, open) else {
        return if input.complete { Ok(None) } else { Err(Stop::More) };
    };
    let written = name.of(input.text);
    let mut found = Found::new(written, Arguments::empty(end), Span::new(at, end));
    found.unreadable = Some(Box::new(row.clone()));
    Ok(Some(found))
}

/// Returns the offset behind the parenthesis that closes the one at `open`.
pub(in crate::grammar) fn closing(input: Input<'_>, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut escaped = false;
    for (offset, byte) in input.from(open).bytes().enumerate() {
        match (byte, quote) {
            _ if std::mem::take(&mut escaped) => {}
            (b'\\', Some(_)) => escaped = true,
            (byte, Some(close)) if byte == close => quote = None,
            (_, Some(_)) => {}
            (b'"' | b'\'', None) => quote = Some(byte),
            (b'(' | b'[' | b'{', None) => depth += 1,
            (b')' | b']' | b'}', None) => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(open + offset + 1);
                }
            }
            _ => {}
        }
    }
    None
}
