//! Labelled lines, `Action:` and `Action Input:`.

use llmend_json::{Class, Span};

use super::{json, pythonic, text};
use crate::{
    found::{Arguments, Body, Context, Found, unwrapped},
    input::{Input, Read, Stop},
    name,
    notation::Family,
    placeholder,
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
        let mut found = text::read(input, name, span, false, context)?;
        found.span = Span::new(start, line);
        found.explicit = false;
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
            let mut found = Found::new(written, Arguments::empty(line), Span::new(start, line));
            found.explicit = false;
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
    let tool = name::resolve(written, context.tools).tool;
    let takes_none = tool.is_some_and(|tool| tool.parameters.is_empty());
    if (start == input.len() && takes_none && input.complete) || label(input, start)?.is_some() {
        return Ok(Found::new(written, Arguments::empty(at), Span::new(at, at)));
    }
    if start == input.len() {
        return Err(input.end());
    }
    let in_string = ["\"{", "\"["].iter().any(|begin| input.from(start).starts_with(begin));
    if matches!(input.byte(start), Some(b'{' | b'[')) || in_string {
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
    let end = end_of_text(input, start, fenced)?;
    let text = input.slice(start, end).trim_end();
    let inner = if fenced { text.strip_suffix("```").unwrap_or(text).trim_end() } else { text };
    if placeholder::is_value(inner) {
        return Err(Stop::Other);
    }
    let span = Span::new(start, start + inner.len());
    let mut found = text::read(input, written, span, false, context)?;
    found.span = Span::new(start, end);
    if fenced {
        found.diagnostics.push(unwrapped("the code block", span));
    } else if inner.lines().any(|line| line.trim().is_empty()) {
        found.class = Some(Class::Guess);
        let row = text::one_argument("read several paragraphs as one argument", span);
        found.diagnostics.push(row.help("Check where the argument ends."));
    }
    Ok(found)
}

/// Returns where text behind `Action Input:` ends: before the next label, and, of one line, behind
/// it if a blank line follows.
fn end_of_text(input: Input<'_>, start: usize, fenced: bool) -> Read<usize> {
    let line = input.line_end(start);
    let mut end = line;
    while end < input.len() && label(input, end + 1)?.is_none() {
        end = input.line_end(end + 1);
    }
    if end == input.len() && !input.complete {
        return Err(Stop::More);
    }
    let behind = input.slice(line + 1, end);
    let paragraph = behind.lines().next().is_some_and(|next| next.trim().is_empty());
    Ok(if paragraph && !fenced { line } else { end })
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
