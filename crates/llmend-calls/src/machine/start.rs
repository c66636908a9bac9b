//! Where an unmarked call may begin.

use crate::{
    found::Context,
    grammar::{attributes::Head, named, parameters, pythonic},
    input::{Input, Read, Stop},
    marks::{LITERALS, Role, role},
    name,
    tag::Tag,
};

/// Returns whether an unmarked call may begin at `at`.
pub(super) fn begins(input: Input<'_>, at: usize, context: Context<'_>) -> Read<bool> {
    match input.byte(at) {
        None => return if input.complete { Ok(false) } else { Err(Stop::More) },
        Some(b'{') => return Ok(true),
        Some(b'<') => {
            return match element(input, at, context) {
                Err(Stop::Cut) => Ok(false),
                name => Ok(name?.is_some_and(is_word)),
            };
        }
        Some(b'[') => {
            if LITERALS
                .iter()
                .any(|(mark, _)| mark.starts_with('[') && input.starts(at, mark).is_ok_and(|is| is))
            {
                return Ok(false);
            }
            let next = input.skip_space(at + 1);
            return match input.byte(next) {
                Some(b'{') => Ok(true),
                None if !input.complete => Err(Stop::More),
                _ => {
                    Ok(begins_pair(input, next, context)? || pythonic::begins(input, at, context)?)
                }
            };
        }
        _ => {}
    }
    if input.starts(at, "call:")? {
        return Ok(true);
    }
    if pythonic::begins(input, at, context)? {
        return Ok(true);
    }
    // A name that is offered, and JSON behind it.
    let Some(name) = named::name_at(input, at, context)? else { return Ok(false) };
    let mut next = input.skip_space(name.end);
    if input.starts(next, "```")? {
        next = input.skip_space(input.line_end(next));
    }
    let follows = match input.byte(next) {
        Some(b'{') => true,
        Some(b'<') => Tag::at(input, next)?.is_some_and(|tag| {
            matches!(role(&tag), Some(Role::Key | Role::Separator | Role::Payload))
        }),
        Some(b'[') => input.starts(next, "[ARGS]")? || input.starts(next, "[CALL_ID]")?,
        None if !input.complete => return Err(Stop::More),
        _ => false,
    };
    Ok(follows && name::resolve(name.of(input.text), context.tools).tool.is_some())
}

/// Returns the name of the tool that the element at `at` has.
pub(super) fn element<'t>(
    input: Input<'t>,
    at: usize,
    context: Context<'t>,
) -> Read<Option<&'t str>> {
    Ok(match Tag::at(input, at)? {
        Some(tag) => parameters::is_tool(&tag, context).then_some(tag.name),
        None => Head::at(input, at, context)?.map(|head| head.name()),
    })
}

/// Returns whether the name of a tool is a word that other elements may have as well, as `<note>` is
/// and `<read_file>` is not.
pub(super) fn is_word(name: &str) -> bool {
    name.chars().all(char::is_lowercase)
}

/// Returns whether a list of the name of an offered tool and its arguments may be at `at`, behind
/// its bracket, or a list of such lists.
fn begins_pair(input: Input<'_>, at: usize, context: Context<'_>) -> Read<bool> {
    let at = if input.byte(at) == Some(b'[') { input.skip_space(at + 1) } else { at };
    let Some(quote @ (b'"' | b'\'')) = input.byte(at) else { return Ok(false) };
    let Some(name) = input.name(at + 1)? else { return Ok(false) };
    if input.need(name.end)? != quote {
        return Ok(false);
    }
    let comma = input.skip_space(name.end + 1);
    if input.need(comma)? != b',' || input.need(input.skip_space(comma + 1))? != b'{' {
        return Ok(false);
    }
    Ok(name::resolve(name.of(input.text), context.tools).tool.is_some())
}
