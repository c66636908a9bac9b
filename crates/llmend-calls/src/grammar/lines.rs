//! Labelled lines, `Action:` and `Action Input:`.

use llmend_json::{Builder, Class, Span};

use super::{json, literal::Literals, pythonic};
use crate::{
    found::{Arguments, Body, Context, Found},
    input::{Input, Read, Stop},
    name,
    notation::Family,
    untyped,
};

/// Labels of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    Thought,
    Action,
    Input,
    Observation,
    Final,
}

const LABELS: &[(&str, Label)] = &[
    ("Action Input", Label::Input),
    ("Action_Input", Label::Input),
    ("ActionInput", Label::Input),
    ("Action", Label::Action),
    ("Thought", Label::Thought),
    ("Observation", Label::Observation),
    ("Final Answer", Label::Final),
];

/// Returns the label of the line at `at`, and the offset after its colon.
pub(crate) fn label(input: Input<'_>, at: usize) -> Read<Option<(Label, usize)>> {
    let mut at = input.skip_blanks(at);
    let marks = |c: &u8| matches!(c, b'*' | b'#' | b'_' | b'-' | b' ');
    at += input.from(at).bytes().take(6).take_while(marks).count();
    match input.byte(at) {
        Some(b'A' | b'a' | b'T' | b't' | b'O' | b'o' | b'F' | b'f') => {}
        None if !input.complete => return Err(Stop::More),
        _ => return Ok(None),
    }
    for (text, label) in LABELS {
        let written = input.slice(at, (at + text.len()).min(input.len()));
        let begins =
            text.get(..written.len()).is_some_and(|text| text.eq_ignore_ascii_case(written));
        if written.len() < text.len() && begins && !input.complete {
            return Err(Stop::More);
        }
        if written.len() < text.len() || !begins {
            continue;
        }
        let mut end = at + text.len();
        // `Action 1:`
        end += input.from(end).bytes().take_while(|c| c.is_ascii_digit() || *c == b' ').count();
        end += input.from(end).bytes().take_while(|c| *c == b'*').count();
        if end == input.len() && !input.complete {
            return Err(Stop::More);
        }
        if input.byte(end) == Some(b':') {
            end += 1;
            end += input.from(end).bytes().take_while(|c| matches!(c, b'*' | b'_')).count();
            return Ok(Some((*label, end)));
        }
    }
    Ok(None)
}

/// Reads the call whose `Action:` label ends at `at`.
pub(crate) fn read<'t>(input: Input<'t>, at: usize, context: Context<'_>) -> Read<Body<'t>> {
    let start = at;
    let mut at = input.skip_blanks(at);
    if at == input.len() {
        return Err(input.end());
    }
    // Command R and some prompts write JSON behind the label.
    let mut json_at = input.skip_space(at);
    if input.starts(json_at, "```")? {
        json_at = input.skip_space(input.line_end(json_at));
    }
    if json_at == input.len() {
        return Err(input.end());
    }
    let is_list = input.byte(json_at) == Some(b'[') && pythonic::begins(input, json_at, context)?;
    let is_json = match input.byte(json_at) {
        Some(b'{') => true,
        Some(b'[') => matches!(input.byte(input.skip_space(json_at + 1)), Some(b'{') | None),
        _ => false,
    };
    if is_json && !is_list {
        let mut body = json::read(input, json_at, context)?;
        body.family = Family::Json;
        let after = input.skip_space(body.end);
        if input.starts(after, "```")? {
            body.end = after + 3;
        }
        return Ok(body);
    }
    let line = input.line_end(at);
    if line == input.len() && !input.complete {
        return Err(Stop::More);
    }
    if pythonic::begins(input, at, context)? {
        let mut body = pythonic::read(input, at, context)?;
        body.family = Family::Lines;
        return Ok(body);
    }
    // `Action: NAME[text]`
    let written = input.slice(at, line).trim();
    let paper = written.find('[').filter(|open| *open > 0 && written.ends_with(']'));
    if let Some(open) = paper {
        let name = written.get(..open).unwrap_or_default();
        let inner = written.get(open + 1..written.len() - 1).unwrap_or_default();
        let from = at + input.slice(at, line).find('[').unwrap_or_default() + 1;
        let span = Span::new(from, from + inner.len());
        let arguments = text_argument(input, name, span, context)?;
        let found = Found::new(name, arguments, Span::new(start, line));
        return Ok(Body::new(Family::Lines, vec![found], line));
    }
    at = input.skip_space(line);
    if at == input.len() && !input.complete {
        return Err(Stop::More);
    }
    let Some((Label::Input, value)) = label(input, at)? else {
        let tool = name::resolve(written, context.tools).tool;
        let bare = tool.is_some_and(|tool| tool.parameters.iter().all(|one| !one.required));
        if bare && (at == input.len() || label(input, at)?.is_some()) {
            let found = Found::new(written, Arguments::empty(line), Span::new(start, line));
            return Ok(Body::new(Family::Lines, vec![found], line));
        }
        return Err(if at == input.len() && tool.is_some() { input.end() } else { Stop::Other });
    };
    let mut found = arguments(input, written, value, context)?;
    found.span.start = start;
    let end = found.span.end;
    Ok(Body::new(Family::Lines, vec![found], end))
}

/// Reads the arguments behind `Action Input:`.
fn arguments<'t>(
    input: Input<'t>,
    written: &'t str,
    at: usize,
    context: Context<'_>,
) -> Read<Found<'t>> {
    let mut start = input.skip_space(at);
    let fenced = input.starts(start, "```")?;
    if fenced {
        start = input.skip_space(input.line_end(start));
    }
    if start == input.len() {
        return Err(input.end());
    }
    if matches!(input.byte(start), Some(b'{' | b'[' | b'"')) {
        let (arguments, read) = json_arguments(input, start, context)?;
        let mut end = read.span.end;
        let after = input.skip_space(end);
        if fenced && input.starts(after, "```")? {
            end = after + 3;
        }
        let mut found = Found::new(written, arguments, Span::new(start, end));
        found.repairs = read.repairs;
        found.class = read.class;
        return Ok(found);
    }
    // Text up to the next label.
    let mut end = input.line_end(start);
    loop {
        if end == input.len() {
            if !input.complete {
                return Err(Stop::More);
            }
            break;
        }
        let next = end + 1;
        if label(input, next)?.is_some() {
            break;
        }
        if input.from(next).trim_start().is_empty() && !input.complete {
            return Err(Stop::More);
        }
        end = input.line_end(next);
    }
    let text = input.slice(start, end).trim_end();
    let text = if fenced { text.strip_suffix("```").unwrap_or(text).trim_end() } else { text };
    let span = Span::new(start, start + text.len());
    if let Some(arguments) = keywords(input, written, span, context)? {
        return Ok(Found::new(written, arguments, Span::new(start, end)));
    }
    let arguments = text_argument(input, written, span, context)?;
    Ok(Found::new(written, arguments, Span::new(start, end)))
}

/// Reads arguments as JSON. If they are broken, the next label says where they end at the latest.
fn json_arguments<'t>(
    input: Input<'t>,
    at: usize,
    context: Context<'_>,
) -> Read<(Arguments, Found<'t>)> {
    let whole = json::arguments(input, at, false, context);
    let until = before_label(input, at);
    match whole {
        Ok((arguments, read)) if read.class <= Some(Class::Notation) => Ok((arguments, read)),
        whole if until.len() == input.len() => whole,
        Err(Stop::More) => Err(Stop::More),
        _ => json::arguments(until, at, true, context),
    }
}

/// Returns the text up to the next label, behind which nothing belongs to the arguments.
fn before_label(input: Input<'_>, at: usize) -> Input<'_> {
    let mut end = input.line_end(at);
    while end < input.len() {
        if matches!(label(input, end + 1), Ok(Some(_))) {
            return input.until(end);
        }
        end = input.line_end(end + 1);
    }
    input
}

/// Reads `key=value, key=value`.
fn keywords(
    input: Input<'_>,
    written: &str,
    span: Span,
    context: Context<'_>,
) -> Read<Option<Arguments>> {
    let tool = name::resolve(written, context.tools).tool;
    let within = input.until(span.end);
    let mut builder = Builder::of_text("");
    builder.begin_object(Span::at(0));
    let mut repairs = Vec::new();
    let mut at = span.start;
    while at < span.end {
        at = within.skip_space(at);
        if within.byte(at) == Some(b',') {
            at = within.skip_space(at + 1);
        }
        let Ok(Some(key)) = within.name(at) else { return Ok(None) };
        let equals = within.skip_blanks(key.end);
        if within.byte(equals) != Some(b'=') {
            return Ok(None);
        }
        builder.key(key.of(input.text), Span::new(key.start - span.start, key.end - span.start));
        let mut literals = Literals {
            input: within,
            builder: &mut builder,
            base: span.start,
            repairs: &mut repairs,
        };
        match literals.read(equals + 1) {
            Ok(end) => at = within.skip_space(end),
            // An expression in the place of a declared argument.
            Err(stop @ Stop::Unreadable(_)) => {
                let declared =
                    tool.is_some_and(|tool| tool.parameter(key.of(input.text)).is_some());
                return if declared { Err(stop) } else { Ok(None) };
            }
            Err(_) => return Ok(None),
        }
    }
    builder.end();
    Ok(Some(Arguments::built(builder, span)))
}

/// Returns text as the one string parameter of the tool.
fn text_argument(
    input: Input<'_>,
    written: &str,
    span: Span,
    context: Context<'_>,
) -> Read<Arguments> {
    let tool = name::resolve(written, context.tools).tool;
    let only = tool.and_then(|tool| {
        let required: Vec<_> = tool.parameters.iter().filter(|one| one.required).collect();
        match (required.as_slice(), tool.parameters.as_slice()) {
            ([one], _) => Some((one.name.clone(), one.kinds)),
            ([], [one]) => Some((one.name.clone(), one.kinds)),
            _ => None,
        }
    });
    let text = span.of(input.text).trim();
    if text.is_empty() || text == "None" {
        return Ok(Arguments::empty(span.end));
    }
    let Some((key, kinds)) = only else {
        return Err(if tool.is_some() {
            Stop::unreadable(
                "expected arguments as JSON, found text",
                span,
                "Write the arguments as a JSON object.",
            )
        } else {
            Stop::Other
        });
    };
    let quoted = text.len() > 1 && text.starts_with(['"', '\'']) && text.ends_with(['"', '\'']);
    let text = if quoted { text.get(1..text.len() - 1).unwrap_or(text) } else { text };
    let mut builder = Builder::of_text("");
    builder.begin_object(Span::at(0));
    let raw = untyped::Raw { key: &key, key_span: span, text, span, kinds, optional: false };
    untyped::write(&mut builder, span.start, raw, context.options);
    builder.end();
    Ok(Arguments::built(builder, span))
}
