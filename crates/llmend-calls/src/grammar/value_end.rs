//! Where a value between tags ends. These notations have no escapes, so a value may hold its own
//! closing tag.

use llmend_json::{Repair, Rule, Span};

use crate::{
    found::repair,
    input::{Input, Read},
    tag::Tag,
};

/// What a tag is to the value before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Around {
    /// Begins the next value.
    Opens,
    /// Begins the next value if it follows this one, and else is part of it.
    MayOpen,
    /// Ends this value.
    Closes,
    /// Ends a value under another name: `</city>` for `</parameter>`.
    ClosesWrongly,
    /// Ends the call, or begins another.
    Frame,
    /// Has no part in the notation.
    Text,
}

/// The end of a value.
#[derive(Clone, Debug)]
pub(crate) struct ValueEnd {
    /// Where the text of the value ends.
    pub(crate) end: usize,
    /// Where reading continues.
    pub(crate) next: usize,
    pub(crate) repair: Option<Repair>,
}

/// How far behind a sound end a later one is searched for, in bytes.
const REACH: usize = 400;
/// Maximum number of values or calls that may begin before this value ends.
const MAX_OPEN: usize = 32;

/// Finds the end of the value that begins at `from`: the last closing tag that another value or the
/// end of the call follows, before the next value begins.
pub(crate) fn find(
    input: Input<'_>,
    from: usize,
    around: &dyn Fn(&Tag<'_>) -> Around,
) -> Read<ValueEnd> {
    let bytes = input.text.as_bytes();
    let mut at = from;
    let mut limit = usize::MAX;
    let mut best: Option<Span> = None;
    let mut wrong: Option<Span> = None;
    let mut frame: Option<Span> = None;
    let mut opened: Option<Span> = None;
    let mut depth = 0_usize;
    let mut frames = 0;
    let mut doubled: Option<Span> = None;
    let mut exhausted = false;
    while at < limit {
        let Some(offset) = memchr::memchr2(b'<', b']', bytes.get(at..).unwrap_or_default()) else {
            exhausted = true;
            break;
        };
        at += offset;
        let Some(tag) = Tag::at(input, at)? else {
            at += 1;
            continue;
        };
        match around(&tag) {
            Around::MayOpen => {
                let adjacent = |end: Span| input.skip_space(end.end) == tag.span.start;
                if best.or(wrong).is_some_and(adjacent) {
                    break;
                }
            }
            Around::Opens if best.is_some() || wrong.is_some() => break,
            Around::Opens => {
                depth += 1;
                opened = opened.or(Some(tag.span));
                if depth > MAX_OPEN {
                    break;
                }
            }
            Around::Closes if depth > 0 => depth -= 1,
            Around::Closes => {
                if best.is_some_and(|best| input.skip_space(best.end) == tag.span.start) {
                    doubled = Some(tag.span);
                } else if is_followed(input, tag.span.end, around)? {
                    best = Some(tag.span);
                }
            }
            Around::ClosesWrongly => {
                if wrong.is_none() && best.is_none() && depth == 0 && is_followed(input, tag.span.end, around)? {
                    wrong = Some(tag.span);
                }
            }
            Around::Frame => {
                frames += 1;
                if best.is_some() || wrong.is_some() {
                    // A tag that begins another call confirms the end before it.
                    if !tag.closing {
                        break;
                    }
                    limit = limit.min(tag.span.end + REACH);
                } else {
                    frame = frame.or(Some(tag.span));
                    if frames > MAX_OPEN {
                        break;
                    }
                }
            }
            Around::Text => {}
        }
        at = tag.span.end;
    }
    if exhausted && limit == usize::MAX && !input.complete {
        return Err(input.end());
    }
    if exhausted && limit > input.len() && !input.complete {
        return Err(input.end());
    }
    if let Some(close) = best {
        let doubled = doubled.filter(|doubled| input.skip_space(close.end) == doubled.start);
        let next = doubled.map_or(close.end, |doubled| doubled.end);
        // The value may as well end with the text of its closing tag.
        let repair = doubled.map(|doubled| repair(Rule::StrayCloser, doubled, ""));
        return Ok(ValueEnd { end: close.start, next, repair });
    }
    let replaced = |rule, span: Span, end, next| ValueEnd {
        end,
        next,
        repair: Some(repair(rule, span, "")),
    };
    if let Some(open) = opened.filter(|open| frame.is_none_or(|frame| open.start < frame.start)) {
        return Ok(replaced(Rule::UnclosedInside, Span::at(open.start), open.start, open.start));
    }
    if let Some(close) = wrong {
        return Ok(replaced(Rule::WrongCloser, close, close.start, close.end));
    }
    match frame {
        Some(tag) if tag.start >= from && input.byte(tag.start + 1) == Some(b'/') => {
            Ok(replaced(Rule::UnclosedInside, Span::at(tag.start), tag.start, tag.start))
        }
        _ => Err(input.end()),
    }
}

/// Returns whether another value or the end of the call follows at `at`.
fn is_followed(
    input: Input<'_>,
    at: usize,
    around: &dyn Fn(&Tag<'_>) -> Around,
) -> Read<bool> {
    let mut next = input.skip_space(at);
    while input.starts(next, "\\n")? {
        next = input.skip_space(next + 2);
    }
    if next == input.len() {
        return if input.complete { Ok(true) } else { Err(input.end()) };
    }
    let tag = Tag::at(input, next)?;
    Ok(tag.is_some_and(|tag| around(&tag) != Around::Text))
}

/// Returns the text of a value without the line feeds that belong to the tags: one at each end, if
/// both are there.
pub(crate) fn unframed(input: Input<'_>, start: usize, end: usize) -> Span {
    let text = input.slice(start, end);
    let after = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n'));
    let inside = after.and_then(|text| text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')));
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
