//! What stands between the calls of a block: noise, separators, what cannot be read.

use llmend_json::Span;

use crate::{
    evidence::Marking,
    grammar::parameters,
    input::{Input, Read, Stop},
    marks::{CALL_MARKS, Role, role},
    tag::{Form, Tag},
};

/// Longest noise between the mark of a section and its first call, in bytes.
const MAX_NOISE: usize = 200;

/// Returns the offset behind noise in a section of calls: an empty list, or what stands before the
/// token of a call.
pub(super) fn noise(
    input: Input<'_>,
    at: usize,
    opener: Span,
    marking: Marking,
) -> Read<Option<usize>> {
    let section = opener.of(input.text);
    let list_end = input.skip_space(at + 1);
    if input.byte(at) == Some(b'[') && input.byte(list_end) == Some(b']') {
        let close = Tag::at(input, input.skip_space(list_end + 1))?;
        return Ok(close.filter(|tag| role(tag) == Some(Role::Close)).map(|_| list_end + 1));
    }
    // Words before the list.
    if section == CALL_MARKS[0] && input.line_before(opener.start).trim().is_empty() {
        let line = input.until(input.line_end(at).min(at + MAX_NOISE)).from(at);
        let list = line.find("[{").filter(|offset| *offset > 0).map(|offset| at + offset);
        let whole = input.complete || at + line.len() < input.len();
        return if whole || list.is_some() { Ok(list) } else { Err(Stop::More) };
    }
    if marking != Marking::Token || !(section.contains("calls") || section.contains("section")) {
        return Ok(None);
    }
    let Some(found) = input.find(at, "<").filter(|found| *found - at <= MAX_NOISE) else {
        return if input.complete || input.len() - at > MAX_NOISE {
            Ok(None)
        } else {
            Err(Stop::More)
        };
    };
    let tag = Tag::at(input, found)?;
    let call = |tag: &Tag<'_>| {
        tag.form == Form::Token && matches!(role(tag), Some(Role::Open | Role::Close))
    };
    Ok(tag.filter(call).map(|_| found))
}

/// Skips what stands between calls: white space, separators, the marks of code blocks.
pub(super) fn skip_between(input: Input<'_>, at: usize) -> Read<usize> {
    let mut at = at;
    loop {
        at = parameters::skip(input, at)?;
        match input.byte(at) {
            Some(b',' | b';' | b':') => at += 1,
            Some(b'`') if input.starts(at, "```")? => {
                let end = at + 3;
                let word = input
                    .from(end)
                    .bytes()
                    .take_while(|c| c.is_ascii_alphanumeric() || *c == b'_')
                    .count();
                at = end + word;
                if at == input.len() && !input.complete {
                    return Err(Stop::More);
                }
            }
            _ => return Ok(at),
        }
    }
}

/// Returns the end of a call that cannot be read: the next mark, or the end of the text.
pub(super) fn end_of_unreadable(input: Input<'_>, at: usize) -> usize {
    let mut from = match Tag::at(input, at) {
        Ok(Some(tag)) => tag.span.end,
        _ => at,
    };
    let mut last = None;
    while let Some(found) = input.find(from, "<") {
        match Tag::at(input, found) {
            Ok(Some(tag)) => match role(&tag) {
                Some(Role::Close) => {
                    last = Some(tag.span.end);
                    from = tag.span.end;
                    let next = input.skip_space(from);
                    if input.byte(next) != Some(b'<') {
                        return from;
                    }
                }
                Some(Role::Open | Role::Head | Role::TurnEnd | Role::Turn) => {
                    return last.unwrap_or(found);
                }
                _ => from = tag.span.end,
            },
            _ => from = found + 1,
        }
    }
    last.unwrap_or(input.len())
}
