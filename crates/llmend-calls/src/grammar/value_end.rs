//! Where a value between tags ends. These notations have no escapes, so a value may hold its own
//! closing tag.

use llmend_json::{Class, Diagnostic, Repair, Rule, Severity, Span};

use crate::{
    found::repair,
    input::{Input, Read, Stop},
    tag::{PREFIX_TOKEN, Tag},
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
    /// Whether marks of the notation are inside the value.
    pub(crate) holds_marks: bool,
}

/// How far behind a sound end a later one is searched for, in bytes.
const REACH: usize = 400;
/// Maximum number of values or calls that may begin before this value ends.
const MAX_OPEN: usize = 8;

/// Finds the end of the value that begins at `from`: the last closing tag that another value or the
/// end of the call follows, before the next value begins.
pub(crate) fn find(
    input: Input<'_>,
    from: usize,
    around: &dyn Fn(&Tag<'_>) -> Around,
) -> Read<ValueEnd> {
    let bytes = input.text.as_bytes();
    let mut search = Search { input, around, seen: Seen::default() };
    let mut at = from;
    if input.is_spent() {
        return Err(Stop::Other);
    }
    loop {
        let Some(offset) = memchr::memchr2(b'<', b']', bytes.get(at..).unwrap_or_default()) else {
            if search.seen.limit.is_none_or(|limit| limit > input.len()) && !input.complete {
                return Err(input.end());
            }
            break;
        };
        at += offset;
        if search.seen.limit.is_some_and(|limit| at >= limit) {
            break;
        }
        let Some(tag) = Tag::at(input, at)? else {
            at += 1;
            continue;
        };
        if search.visit(&tag)? {
            break;
        }
        at = tag.span.end;
    }
    search.seen.conclude(input, from)
}

/// Parts of marks that are left of broken ones.
const FRAGMENTS: &[&str] =
    &["arg_key>", "arg_value>", "arg_key<", "<parameter", "/parameter>", "parameter="];

/// Returns whether parts of broken marks are in `text`.
pub(crate) fn holds_fragments(text: &str) -> bool {
    let prefix = || text.contains("minimax") && text.replace(PREFIX_TOKEN, "").contains("minimax");
    text.contains(['<', '>']) && (FRAGMENTS.iter().any(|part| text.contains(part)) || prefix())
}

/// The tags that were met.
#[derive(Debug, Default)]
struct Seen {
    /// The closing tag that ends the value.
    end: Option<Span>,
    /// One that stands right behind it.
    doubled: Option<Span>,
    /// The first closing tag under another name.
    wrong: Option<Span>,
    /// The first tag that ends the call or begins another.
    frame: Option<Span>,
    /// The first tag that begins another value.
    opened: Option<Span>,
    /// Names of the tags of values that began and did not end.
    open: Vec<String>,
    /// Number of tags of values inside this one.
    inner: usize,
    frames: usize,
    closing_frames: usize,
    /// The first tag of the notation.
    first: Option<Span>,
    /// Where the search for a later end stops.
    limit: Option<usize>,
}

/// A search for the end of a value.
struct Search<'i, 'a> {
    input: Input<'i>,
    around: &'a dyn Fn(&Tag<'_>) -> Around,
    seen: Seen,
}

impl Search<'_, '_> {
    /// Takes a tag. Returns true if what follows cannot change the end.
    fn visit(&mut self, tag: &Tag<'_>) -> Read<bool> {
        let (input, around) = (self.input, self.around);
        let seen = &mut self.seen;
        let found = seen.end.or(seen.wrong);
        let is_next = |end: Span| input.skip_space(end.end) == tag.span.start;
        let role = around(tag);
        // A tag of the frame alone is more often text; the end of a call has two.
        seen.closing_frames += usize::from(role == Around::Frame && tag.closing);
        if !matches!(role, Around::Text | Around::Frame) || seen.closing_frames == 2 {
            seen.first = seen.first.or(Some(tag.span));
        }
        match role {
            Around::Text => {}
            Around::MayOpen if found.is_some_and(is_next) => return Ok(true),
            Around::MayOpen => seen.inner += 1,
            Around::Opens if found.is_some() => return Ok(true),
            Around::Opens => {
                seen.open.push(tag.name.to_owned());
                seen.opened = seen.opened.or(Some(tag.span));
                return Ok(seen.open.len() > MAX_OPEN);
            }
            Around::Closes if seen.open.pop().is_some() => {}
            Around::Closes => {
                if !seen.end.is_some_and(is_next) {
                    if is_followed(input, tag.span.end, around)? {
                        seen.end = Some(tag.span);
                    }
                } else if seen.inner > 0 {
                    // The one before closes a tag inside the value.
                    seen.inner -= 1;
                    seen.end = Some(tag.span);
                } else {
                    seen.doubled = Some(tag.span);
                }
            }
            Around::ClosesWrongly => {
                if seen.open.last().is_some_and(|name| name == tag.name) {
                    seen.open.pop();
                } else if found.is_none()
                    && seen.open.is_empty()
                    && is_followed(input, tag.span.end, around)?
                {
                    seen.wrong = Some(tag.span);
                }
            }
            // A tag that begins another call confirms the end before it.
            Around::Frame if found.is_some() && !tag.closing => return Ok(true),
            Around::Frame if found.is_some() => {
                let limit = tag.span.end + REACH;
                seen.limit = Some(seen.limit.map_or(limit, |earlier| earlier.min(limit)));
            }
            Around::Frame => {
                seen.frames += 1;
                seen.frame = seen.frame.or(Some(tag.span));
                return Ok(seen.frames > MAX_OPEN);
            }
        }
        Ok(false)
    }
}

impl Seen {
    /// Returns the end that the tags tell.
    fn conclude(self, input: Input<'_>, from: usize) -> Read<ValueEnd> {
        if let Some(close) = self.end {
            let doubled =
                self.doubled.filter(|doubled| input.skip_space(close.end) == doubled.start);
            let next = doubled.map_or(close.end, |doubled| doubled.end);
            // The value may as well end with the text of its closing tag.
            let repair = doubled.map(|doubled| repair(Rule::StrayCloser, doubled, ""));
            let holds_marks = self.first.is_some_and(|first| first.start < close.start)
                || holds_fragments(input.slice(from, close.start));
            return Ok(ValueEnd { end: close.start, next, repair, holds_marks });
        }
        let unclosed = |at: usize| {
            let repair = Some(repair(Rule::UnclosedInside, Span::at(at), ""));
            Ok(ValueEnd { end: at, next: at, repair, holds_marks: false })
        };
        let before_frame = |open: &Span| self.frame.is_none_or(|frame| open.start < frame.start);
        if let Some(open) = self.opened.filter(before_frame) {
            return unclosed(open.start);
        }
        if let Some(close) = self.wrong {
            let repair = Some(repair(Rule::WrongCloser, close, ""));
            return Ok(ValueEnd { end: close.start, next: close.end, repair, holds_marks: false });
        }
        match self.frame {
            Some(tag) if tag.of(input.text).contains("</") => unclosed(tag.start),
            _ => Err(input.end()),
        }
    }
}

/// Returns whether another value or the end of the call follows at `at`.
fn is_followed(input: Input<'_>, at: usize, around: &dyn Fn(&Tag<'_>) -> Around) -> Read<bool> {
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

/// Creates the finding for a value that holds marks of its notation.
pub(crate) fn marks_inside(key: &str, span: Span) -> Diagnostic {
    let message = format!("the value of `{key}` holds marks of the notation");
    Diagnostic::new("calls/marks-in-value", Severity::Warning, message)
        .at(span)
        .class(Class::Guess)
        .help("Check that the value ends where it should.")
}
