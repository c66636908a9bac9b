//! The grammar for what stands at a place: its first token says which family it is.

use llmend_json::{Class, Span};

use super::{attributes, json, named, pairs, parameters, pythonic, typed};
use crate::{
    found::{Arguments, Body, Context, Found},
    input::{Input, Read, Stop},
    marks::{Role, role},
    name,
    notation::Family,
    tag::Tag,
};

/// Reads the calls at `at` in the family that their beginning tells.
pub(crate) fn read<'t>(input: Input<'t>, at: usize, context: Context<'_>) -> Read<Body<'t>> {
    match input.need(at)? {
        b'{' => return json::read(input, at, context),
        b'[' => {
            return if pythonic::begins(input, at, context)? {
                pythonic::read(input, at, context)
            } else {
                json::read(input, at, context)
            };
        }
        b'"' | b'\'' => return pythonic::read(input, at, context),
        b'<' | b']' => {
            let Some(tag) = Tag::at(input, at)? else {
                let (found, end) = attributes::read(input, at, context)?.ok_or(Stop::Other)?;
                return Ok(Body::new(Family::Parameters, vec![found], end));
            };
            let (found, end, family) = parameters::read(input, tag, context)?;
            return Ok(Body::new(family, vec![found], end));
        }
        _ => {}
    }
    if input.starts(at, typed::CALL)? && input.starts(at, "call: ").is_ok_and(|blank| !blank) {
        let (found, end) = typed::read(input, at, context)?;
        return Ok(Body::new(Family::Typed, vec![found], end));
    }
    if pythonic::begins(input, at, context)? {
        return pythonic::read(input, at, context);
    }
    let Some(written) = named::name_at(input, at, context)? else { return Err(Stop::Other) };
    let after = parameters::skip(input, written.end)?;
    if after == input.len() {
        return Err(input.end());
    }
    let separated = named::separated(input, written.end)?;
    if separated.is_none()
        && let Some(found) = without_arguments(input, written, context)?
    {
        let end = found.span.end;
        return Ok(Body::new(Family::Named, vec![found], end));
    }
    if let Some((arguments, id)) = separated {
        if Tag::at(input, after)?.is_some_and(|tag| role(&tag) == Some(Role::Payload))
            && let Some(body) = payload(input, written, arguments, context)?
        {
            return Ok(body);
        }
        let id = id.map(str::to_owned);
        let (mut found, end, family) = named::read(input, written, arguments, context)?;
        found.id = found.id.or(id);
        return Ok(Body::new(family, vec![found], end));
    }
    match Tag::at(input, after)? {
        Some(tag) if pairs::continues(&tag) => {
            let (found, end, family) = pairs::read(input, written, context)?;
            Ok(Body::new(family, vec![found], end))
        }
        _ => Err(Stop::Other),
    }
}

/// Reads a whole call at `at`, behind the name at `written`. Its own name counts.
fn payload<'t>(
    input: Input<'t>,
    written: Span,
    at: usize,
    context: Context<'_>,
) -> Read<Option<Body<'t>>> {
    let mut body = match json::read(input, at, context) {
        Err(Stop::Other) => return Ok(None),
        body => body?,
    };
    let tool = |name: &str| name::resolve(name, context.tools).tool.map(|tool| &tool.name);
    let header = tool(written.of(input.text));
    for found in &mut body.calls {
        found.span.start = written.start;
        // Two tools are named.
        if header.is_some() && header != tool(&found.name) {
            found.class = found.class.max(Some(Class::Guess));
        }
    }
    Ok(Some(body))
}

/// Reads a call without arguments: a name, a separator, and the end.
fn without_arguments<'t>(
    input: Input<'t>,
    written: Span,
    context: Context<'_>,
) -> Read<Option<Found<'t>>> {
    let mut at = input.skip_space(written.end);
    if input.starts(at, "[ARGS]")? {
        at = input.skip_space(at + "[ARGS]".len());
    } else {
        match Tag::at(input, at)? {
            Some(tag) if role(&tag) == Some(Role::Separator) => at = input.skip_space(tag.span.end),
            _ => return Ok(None),
        }
    }
    let ends = input.starts(at, "[TOOL_CALLS]")?
        || Tag::at(input, at)?.is_some_and(|tag| {
            matches!(role(&tag), Some(Role::Close | Role::TurnEnd | Role::Open))
        });
    let text = written.of(input.text);
    let tool = name::resolve(text, context.tools).tool;
    let needs_none = tool.is_some_and(|tool| tool.parameters.iter().all(|one| !one.required));
    let span = Span::new(written.start, at);
    Ok((ends && needs_none).then(|| Found::new(text, Arguments::empty(at), span)))
}
