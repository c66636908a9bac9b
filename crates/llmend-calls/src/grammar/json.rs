//! A JSON object or list of objects.

use llmend_json::{Builder, Class, Diagnostic, Kind, Node, Parsed, Repair, Severity, Span};

use super::envelope::{self, Candidate, Parts};
use crate::{
    found::{Arguments, Body, Context, Found, unwrapped},
    input::{Input, Read, Stop},
    marks::{Role, role},
    notation::Family,
    tag::Tag,
};

/// How far a mark other than a tag is searched for, in bytes.
const MAX_SEARCH: usize = 1 << 16;
/// What the reading of a byte of a broken value costs, in bytes of plain reading.
const BROKEN: usize = 4;
/// Maximum number of closing marks at which a broken value is tried to end.
const MAX_CLOSERS: usize = 3;

/// Maximum length of a mark, in bytes.
const MAX_CLOSE: usize = 400;

/// Marks other than tags that end or begin calls.
const CLOSING: &[&str] = &[
    "✿RESULT✿",
    "✿FUNCTION✿",
    "[TOOL_CALLS]",
    "[/TOOL_CALLS]",
    "\n```",
    "\nObservation:",
    "\n>>>",
];

/// Reads the calls in the JSON at `at`.
pub(crate) fn read<'t>(input: Input<'t>, at: usize, context: Context<'_>) -> Read<Body<'t>> {
    let parsed = value(input, at, context)?;
    let root = parsed.value.root();
    let complete = parsed.report.cut.is_none();
    let mut candidates = Vec::new();
    let envelope = envelope::calls(root, context.tools, !complete, &mut candidates).ok_or(
        // What is cut off may yet become a call.
        if complete { Stop::Other } else { Stop::Cut },
    )?;
    let mut unclosed = false;
    if !complete {
        let whole = whole_items(input, context, &candidates);
        let all = candidates.len();
        candidates.truncate(whole);
        if candidates.is_empty() {
            return Err(Stop::Cut);
        }
        // The last call is whole, and only what is around the calls is not closed.
        let last = candidates.last().map_or(0, |last| last.span.end);
        unclosed = whole == all
            && input
                .from(last)
                .trim_matches(|c: char| c.is_whitespace() || matches!(c, '}' | ']'))
                .is_empty();
    }
    if candidates.is_empty() {
        return Err(Stop::Other);
    }
    let end = parsed.report.candidate.span.end;
    let mut calls: Vec<Found<'t>> =
        candidates.iter().map(|candidate| found(candidate, context)).collect();
    share_repairs(&parsed, &mut calls);
    let notation = envelope.notation();
    let mut body = Body::new(Family::Json, calls, end);
    body.envelope = notation.is_some();
    body.notation = notation;
    if unclosed {
        body.calls
            .iter_mut()
            .rev()
            .take(1)
            .for_each(|call| call.diagnostics.push(unclosed_list(end)));
    } else {
        body.is_cut = parsed.report.cut.is_some();
    }
    Ok(body)
}

/// Creates the finding for a list of calls whose end is missing.
pub(crate) fn unclosed_list(end: usize) -> Diagnostic {
    Diagnostic::new("calls/unclosed", Severity::Warning, "the list of calls is not closed")
        .at(Span::at(end))
        .help("Check that no call is missing.")
}

/// Reads the arguments of a call at `at`, and returns them with their end and repairs. `closed` says
/// that the end of the text is known to be the end of the arguments.
pub(crate) fn arguments<'t>(
    input: Input<'t>,
    at: usize,
    closed: bool,
    context: Context<'_>,
) -> Read<(Arguments, Found<'t>)> {
    let parsed = value(input, at, context)?;
    if parsed.report.cut.is_some() && !closed {
        return Err(Stop::Cut);
    }
    let root = parsed.value.root();
    let arguments = of_node(root, context);
    let mut found = Found::new("", arguments.clone(), parsed.report.candidate.span);
    found.class = parsed.report.class;
    found.repairs = parsed.report.repairs;
    Ok((arguments, found))
}

/// Parses the value at `at`. A value that is broken, or runs over a closing mark, ends there.
pub(crate) fn value<'t>(input: Input<'t>, at: usize, context: Context<'_>) -> Read<Parsed<'t>> {
    let options = &context.options.json;
    let whole = match parse(input, at, options) {
        Ok(None) => return Err(Stop::More),
        Ok(Some(parsed)) => {
            if parsed.report.cut.is_none() && parsed.report.class <= Some(Class::Notation) {
                return Ok(parsed);
            }
            Ok(parsed)
        }
        Err(error) => Err(error),
    };
    // How far the value may reach decides how it is repaired, so all of it has to be there.
    if !input.complete {
        return Err(Stop::More);
    }
    let mut from = at;
    let reach = match &whole {
        Ok(parsed) if parsed.report.cut.is_none() => parsed.report.candidate.span.end,
        _ => input.len(),
    };
    for _ in 0..MAX_CLOSERS {
        let Some(close) = next_close(input, from).filter(|close| close.start < reach) else {
            break;
        };
        let limited = input.until(close.start);
        if let Ok(Some(parsed)) = parse(limited, at, options) {
            let rest = parsed.report.candidate.span.end;
            let closers_only =
                limited.from(rest).chars().all(|c| c.is_whitespace() || matches!(c, '}' | ']'));
            let parts = parsed.value.root().kind();
            if closers_only && matches!(parts, Kind::Object | Kind::Array) {
                let mut parsed = parsed;
                // The closing mark says that the text is complete.
                if parsed.report.cut.take().is_some() {
                    parsed.report.class = parsed.report.class.max(Some(Class::Completion));
                    if rest == limited.len() && ends_in_string(&parsed) {
                        // The mark may as well be part of the string.
                        parsed.report.class = parsed.report.class.max(Some(Class::Guess));
                        if goes_on(input, close) {
                            return Err(Stop::unreadable(
                                "expected the end of a string, found a mark",
                                close,
                                "Close the string before the mark.",
                            ));
                        }
                    }
                }
                return Ok(parsed);
            }
        }
        from = close.end;
    }
    whole.map_err(|error| {
        let span = error.span().unwrap_or(Span::at(at));
        Stop::unreadable(error.message().clone(), span, error.kind().help())
    })
}

/// Returns whether the text of a value that is cut off ends within a string.
fn ends_in_string(parsed: &Parsed<'_>) -> bool {
    let closes = |repair: &Repair| repair.replacement.starts_with('"');
    parsed.report.repairs.iter().any(|repair| repair.span.is_empty() && closes(repair))
}

/// Returns whether text goes on behind a mark to another that closes the same.
fn goes_on(input: Input<'_>, close: Span) -> bool {
    let behind = input.skip_space(close.end);
    next_close(input, behind)
        .is_some_and(|next| next.start > behind && next.of(input.text) == close.of(input.text))
}

/// Parses the value at `at`, as far as the text goes.
fn parse<'t>(
    input: Input<'t>,
    at: usize,
    options: &llmend_json::Options,
) -> Result<Option<Parsed<'t>>, llmend_json::Error> {
    let parsed = llmend_json::parse_at(input.text, at, input.complete, options);
    input.count(match &parsed {
        Ok(Some(parsed)) if parsed.report.class <= Some(Class::Notation) => {
            parsed.report.candidate.span.len()
        }
        Ok(None) => input.len() - at,
        // What is broken is read again and again.
        _ => BROKEN * (input.len() - at),
    });
    parsed
}

/// Returns the first offset at or after `from` at which the end of the text may be the beginning of
/// a mark that ends or begins calls.
pub(crate) fn close_begins(input: Input<'_>, from: usize) -> usize {
    let bytes = input.text.as_bytes();
    let near = input.until(input.len().saturating_sub(MAX_CLOSE)).len().max(from);
    let is_cut = |at: &usize| {
        let rest = input.from(*at);
        matches!(Tag::at(input, *at), Err(Stop::More))
            || CLOSING.iter().any(|mark| mark.starts_with(rest))
    };
    let begins = |at: &usize| matches!(bytes.get(*at), Some(b'<' | b'[' | b'\n' | 0xe2));
    (near..input.len()).filter(begins).find(is_cut).unwrap_or(input.len())
}

/// Returns the next mark at or after `from` that ends or begins calls.
pub(crate) fn next_close(input: Input<'_>, from: usize) -> Option<Span> {
    let tag = next_tag(input, from);
    let end = tag.map_or(input.len(), |tag| tag.start).min(from + MAX_SEARCH);
    let before = input.until(end);
    let literal = CLOSING.iter().filter_map(|mark| {
        let at = before.find(from, mark)?;
        Some(Span::new(at, at + mark.len()))
    });
    literal.min().or(tag)
}

/// Returns the first tag at or after `from` that begins or ends calls.
pub(super) fn next_tag(input: Input<'_>, from: usize) -> Option<Span> {
    let bytes = input.text.as_bytes();
    let mut at = from;
    while let Some(found) = memchr::memchr(b'<', bytes.get(at..)?) {
        at += found;
        if let Ok(Some(tag)) = Tag::at(input, at)
            && matches!(role(&tag), Some(Role::Close | Role::TurnEnd | Role::Open | Role::Turn))
        {
            return Some(tag.span);
        }
        at += 1;
    }
    None
}

/// Returns how many of the candidates are complete in a text that is cut off: all but the last, and
/// the last if it can be read alone.
fn whole_items(input: Input<'_>, context: Context<'_>, candidates: &[Candidate<'_>]) -> usize {
    let Some(last) = candidates.last() else { return 0 };
    // The span of an item that is named by its key begins with the key.
    let start = match &last.arguments {
        Parts::Node(value) if !matches!(input.byte(last.span.start), Some(b'{' | b'[')) => {
            value.span().start
        }
        _ => last.span.start,
    };
    let alone = parse(input.until(input.len()), start, &context.options.json);
    let complete = matches!(alone, Ok(Some(parsed)) if parsed.report.cut.is_none());
    candidates.len() - usize::from(!complete)
}

/// Converts a candidate to a call.
fn found<'t>(candidate: &Candidate<'_>, context: Context<'_>) -> Found<'t> {
    let arguments = match &candidate.arguments {
        Parts::Node(node) => of_node(*node, context),
        Parts::Members(members) => {
            let start = candidate.span.start;
            let mut builder = Builder::of_text("");
            builder.begin_object(Span::new(0, candidate.span.len()));
            let place = |span: Span| {
                Span::new(span.start.saturating_sub(start), span.end.saturating_sub(start))
            };
            for (key, value) in members {
                builder.take_placed(*key, place);
                builder.take_placed(*value, place);
            }
            builder.end();
            Arguments::built(builder, candidate.span)
        }
        Parts::None | Parts::Other => Arguments::empty(candidate.span.end),
    };
    let mut found = Found::new(candidate.name.to_owned(), arguments, candidate.span);
    found.id = candidate.id.map(str::to_owned);
    (found.explicit, found.beside) = (candidate.explicit, candidate.beside);
    if candidate.inner {
        found.diagnostics.push(unwrapped("another object", candidate.span));
    }
    if matches!(candidate.arguments, Parts::Other) {
        found.unreadable = Some(Box::new(other_json(candidate.span)));
    }
    found
}

/// Creates the finding for JSON in the place of a call.
pub(crate) fn other_json(span: Span) -> Diagnostic {
    let message = "expected a call, found other JSON";
    Diagnostic::new("calls/unreadable", Severity::Error, message)
        .at(span)
        .help("Write the name and the arguments of an offered tool.")
}

/// Returns the arguments in a value: an object, or JSON text that holds one.
pub(crate) fn of_node(node: Node<'_>, context: Context<'_>) -> Arguments {
    let span = node.span();
    let text = match node.kind() {
        Kind::Null => return Arguments::empty(span.end),
        Kind::Array if node.is_empty() => return Arguments::empty(span.end),
        Kind::String => node.str().unwrap_or_default(),
        _ => return Arguments { value: node.to_value().into_owned(), span },
    };
    if text.trim().is_empty() {
        return Arguments::empty(span.end);
    }
    // JSON in a string, perhaps twice.
    let parsed = llmend_json::parse_at(text, 0, true, &context.options.json).ok().flatten();
    let whole = parsed.filter(|parsed| {
        let end = parsed.report.candidate.span.end;
        parsed.report.cut.is_none() && text.get(end..).is_none_or(|rest| rest.trim().is_empty())
    });
    match whole {
        Some(parsed)
            if parsed.report.class.is_none() && parsed.value.root().kind() == Kind::Object =>
        {
            let mut builder = Builder::of_text("");
            builder.take_placed(parsed.value.root(), |_| Span::new(0, span.len()));
            Arguments::built(builder, span)
        }
        Some(parsed)
            if parsed.report.class.is_none() && parsed.value.root().kind() == Kind::String =>
        {
            let mut inner = of_node(parsed.value.root(), context);
            inner.span = span;
            inner
        }
        // The coercion to the schema repairs the text and records it.
        _ => Arguments { value: node.to_value().into_owned(), span },
    }
}

/// Gives each repair to the call that contains it, or else to the call before it.
fn share_repairs(parsed: &Parsed<'_>, calls: &mut [Found<'_>]) {
    for repair in &parsed.report.repairs {
        let before = calls.iter().rposition(|call| call.span.start <= repair.span.start);
        if let Some(call) = calls.get_mut(before.unwrap_or(0)) {
            call.repairs.push(repair.clone());
            call.class = call.class.max(Some(repair.class()));
        }
    }
}
