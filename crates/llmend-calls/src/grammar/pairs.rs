//! Family E: an element for each key and each value.

use llmend_json::{Builder, Span};

use super::{
    literal, named,
    parameters::skip,
    value_end::{self, Around},
};
use crate::{
    found::{Arguments, Context, Found},
    input::{Input, Read, Stop},
    marks::{Role, role},
    name,
    notation::Family,
    tag::{self, Tag},
    tools::Kinds,
    untyped,
};

/// Returns whether `tag` may follow the name of such a call.
pub(crate) fn continues(tag: &Tag<'_>) -> bool {
    matches!(role(tag), Some(Role::Key | Role::Value | Role::Separator)) || is_close(tag)
}

fn is_close(tag: &Tag<'_>) -> bool {
    role(tag) == Some(Role::Close)
        && !["arg_key", "arg_value", "arg_type", "longcat_arg_key", "longcat_arg_value"].contains(&tag.name)
}

/// Reads the call whose name is at `written`.
pub(crate) fn read<'t>(
    input: Input<'t>,
    written: Span,
    context: Context<'_>,
) -> Read<(Found<'t>, usize, Family)> {
    let tool = name::resolve(written.of(input.text), context.tools).tool;
    let base = written.end;
    let mut builder = Builder::of_text("");
    builder.begin_object(Span::at(0));
    let mut found =
        Found::new(written.of(input.text), Arguments::empty(base), written);
    let place = |span: Span| Span::new(span.start.saturating_sub(base), span.end.saturating_sub(base));
    let mut at = written.end;
    loop {
        at = skip(input, at)?;
        if at == input.len() {
            return Err(input.end());
        }
        if input.byte(at) == Some(b'{') {
            // JSON after all.
            return named::read(input, written, at, context);
        }
        let Some(tag) = Tag::at(input, at)? else {
            return Err(if tag::is_cut(input, at) { input.end() } else { Stop::Other });
        };
        match role(&tag) {
            Some(Role::Separator) => {
                at = tag.span.end;
                continue;
            }
            Some(Role::Key) if !tag.closing => {}
            // A closer that stands twice.
            Some(Role::Close) if !is_close(&tag) => {
                at = tag.span.end;
                continue;
            }
            Some(Role::Close | Role::TurnEnd | Role::Turn | Role::Open) => {
                builder.end();
                let end = if tag.closing { tag.span.end } else { tag.span.start };
                found.arguments = Arguments::built(builder, Span::new(base, at));
                found.span.end = end;
                found.class = found.class.max(literal::class(&found.repairs));
                return Ok((found, end, Family::Pairs));
            }
            _ => return Err(Stop::Other),
        }
        let key_end = next_tag(input, tag.span.end)?;
        let key = input.slice(tag.span.end, key_end.span.start).trim();
        at = skip(input, if key_end.closing { key_end.span.end } else { key_end.span.start })?;
        let mut type_name = None;
        let mut open = value_tag(input, at)?;
        if let Some(kind) = open.filter(|tag| role(tag) == Some(Role::Type)) {
            let close = next_tag(input, kind.span.end)?;
            type_name = Some(input.slice(kind.span.end, close.span.start).trim());
            at = skip(input, close.span.end)?;
            open = value_tag(input, at)?;
        }
        // A value whose opening tag is lost begins behind the key.
        let start = match open.filter(|tag| role(tag) == Some(Role::Value)) {
            Some(tag) => tag.span.end,
            None => at,
        };
        let around = |other: &Tag<'_>| match role(other) {
            // A key that is not closed is text.
            Some(Role::Key) if !other.closing => match next_tag(input, other.span.end) {
                Ok(next) if next.closing && role(&next) == Some(Role::Close) && next.name == other.name => {
                    Around::Opens
                }
                _ => Around::MayOpen,
            },
            Some(Role::Close) if other.closing && other.name.ends_with("arg_value") => Around::Closes,
            Some(Role::Close) if other.closing && other.name.ends_with("arg_key") => Around::ClosesWrongly,
            Some(Role::Close | Role::TurnEnd | Role::Turn) => Around::Frame,
            Some(Role::Open) => Around::Frame,
            _ => Around::Text,
        };
        let end = value_end::find(input, start, &around)?;
        if let Some(repair) = end.repair {
            found.class = found.class.max(Some(repair.class()));
            found.repairs.push(repair);
        }
        let span = Span::new(start, end.end);
        let parameter = tool.and_then(|tool| tool.parameter(key));
        let mut kinds = parameter.map_or(Kinds::ANY, |parameter| parameter.kinds);
        if kinds == Kinds::ANY && matches!(type_name, Some("string" | "str")) {
            kinds = Kinds::STRING;
        }
        let optional = parameter.is_some_and(|parameter| !parameter.required);
        if kinds == Kinds::ANY && type_name.is_some() && take_json(&mut builder, (key, place(tag.span)), input, span, base, context)
        {
            at = end.next;
            continue;
        }
        let text = span.of(input.text);
        let read = untyped::write(
            &mut builder,
            (key, tag.span),
            text,
            span,
            base,
            kinds,
            optional,
            context.options,
        );
        found.class = found.class.max(read.class);
        found.repairs.extend(read.repairs);
        if read.omitted {
            found.diagnostics.push(untyped::omitted(key, span));
        }
        at = end.next;
    }
}

/// Writes a value that the text says is JSON, if it is.
fn take_json(
    builder: &mut Builder<'_>,
    key: (&str, Span),
    input: Input<'_>,
    span: Span,
    base: usize,
    context: Context<'_>,
) -> bool {
    let text = span.of(input.text);
    let parsed = llmend_json::parse_at(text, 0, true, &context.options.json).ok().flatten();
    let whole = |parsed: &llmend_json::Parsed<'_>| {
        let rest = text.get(parsed.report.candidate.span.end..).unwrap_or_default();
        parsed.report.class.is_none() && rest.trim().is_empty()
    };
    let Some(parsed) = parsed.filter(whole) else { return false };
    builder.key(key.0, key.1);
    let start = span.start - base;
    builder.take_placed(parsed.value.root(), |part| Span::new(part.start + start, part.end + start));
    true
}

fn value_tag(input: Input<'_>, at: usize) -> Read<Option<Tag<'_>>> {
    if at == input.len() {
        return Err(input.end());
    }
    Tag::at(input, at)
}

/// Returns the next tag at or after `from`.
fn next_tag(input: Input<'_>, from: usize) -> Read<Tag<'_>> {
    let mut at = from;
    loop {
        let Some(found) = input.find(at, "<") else { return Err(input.end()) };
        if let Some(tag) = Tag::at(input, found)? {
            return Ok(tag);
        }
        at = found + 1;
    }
}
