//! A call in a string.

use llmend_json::{Builder, Span};

use super::{call, name_at};
use crate::{
    found::{Arguments, Context, Found},
    grammar::literal::Literals,
    input::{Input, Read, Stop},
    name,
};

/// Reads the call of an offered tool in the quotes at `at`. Returns `None` if there is none.
pub(super) fn read<'t>(
    input: Input<'t>,
    at: usize,
    context: Context<'_>,
) -> Read<Option<(Found<'t>, usize)>> {
    let Some(quote @ (b'"' | b'\'')) = input.byte(at) else { return Ok(None) };
    let Some(name) = name_at(input, at + 1, context)? else { return Err(Stop::Other) };
    let is_call = input.need(input.skip_blanks(name.end))? == b'('
        && name::resolve(name.of(input.text), context.tools).tool.is_some();
    if !is_call {
        return Err(Stop::Other);
    }
    match call(input, at + 1, context, 0) {
        Ok((found, end)) if input.need(input.skip_blanks(end))? == quote => {
            let close = input.skip_blanks(end) + 1;
            let follows = input.byte(input.skip_space(close));
            match follows {
                None if !input.complete => Err(Stop::More),
                None | Some(b',' | b']' | b'`') => Ok(Some((found, close))),
                Some(_) => Err(Stop::Other),
            }
        }
        Ok(_) | Err(Stop::Other) => escaped(input, at, context),
        Err(Stop::Unreadable(row)) => {
            escaped(input, at, context).map_err(|_| Stop::Unreadable(row))
        }
        Err(stop) => Err(stop),
    }
}

/// Reads the call in the string at `at`, whose content is escaped.
fn escaped<'t>(
    input: Input<'t>,
    at: usize,
    context: Context<'_>,
) -> Read<Option<(Found<'t>, usize)>> {
    let mut builder = Builder::of_text("");
    let mut repairs = Vec::new();
    let end =
        Literals { input, builder: &mut builder, base: at, repairs: &mut repairs }.read(at)?;
    let value = builder.finish().ok_or(Stop::Other)?;
    let text = value.root().str().unwrap_or_default();
    let inner = Input::new(text, true);
    let (found, inner_end) = call(inner, 0, context, 0).map_err(|_| Stop::Other)?;
    if !inner.from(inner_end).trim().is_empty() {
        return Err(Stop::Other);
    }
    // The places are those of the whole string.
    let span = Span::new(at, end);
    let mut arguments = Builder::of_text("");
    arguments.take_placed(found.arguments.value.root(), |_| Span::new(0, span.len()));
    let mut whole = Found::new(found.name.into_owned(), Arguments::built(arguments, span), span);
    whole.class = found.class;
    whole.explicit = found.explicit;
    whole.repairs = found.repairs;
    whole.repairs.iter_mut().for_each(|repair| repair.span = span);
    Ok(Some((whole, end)))
}
