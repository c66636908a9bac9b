//! A name, then the arguments as JSON.

use llmend_json::Span;

use super::json;
use crate::{
    found::{Arguments, Context, Found},
    input::{Input, Read},
    marks::{Role, SEPARATORS, role},
    name,
    notation::Family,
    tag::{self, Tag},
};

/// What stands before an id between the name and the arguments.
const CALL_ID: &str = "[CALL_ID]";

/// Returns the offset of the arguments behind the name that ends at `at`, and the id there, if any;
/// `None` if they do not follow.
pub(crate) fn separated(input: Input<'_>, at: usize) -> Read<Option<(usize, Option<&str>)>> {
    let mut at = at;
    let mut id = None;
    loop {
        at = input.skip_space(at);
        let Some(byte) = input.byte(at) else { return Err(input.end()) };
        match byte {
            // Arguments may be JSON text.
            b'{' | b'"' => return Ok(Some((at, id))),
            b'<' if tag::is_cut(input, at) => return Err(input.end()),
            b'<' => match Tag::at(input, at)? {
                Some(tag)
                    if matches!(role(&tag), Some(Role::Separator | Role::Payload))
                        || (tag.is("message") && !tag.closing) =>
                {
                    at = tag.span.end;
                    // `<|constrain|>json`
                    if tag.is("constrain") && input.starts(at, "json")? {
                        at += "json".len();
                    }
                }
                _ => return Ok(None),
            },
            b'[' if input.starts(at, CALL_ID)? => {
                let start = at + CALL_ID.len();
                let length =
                    input.from(start).bytes().take_while(u8::is_ascii_alphanumeric).count();
                id = Some(input.slice(start, start + length));
                at = start + length;
                if at == input.len() {
                    return Err(input.end());
                }
            }
            _ => {
                let mut skipped = false;
                for separator in SEPARATORS {
                    if input.starts(at, separator)? {
                        at += separator.len();
                        skipped = true;
                        break;
                    }
                }
                if !skipped {
                    let cut = input.complete
                        && SEPARATORS
                            .iter()
                            .chain([&CALL_ID])
                            .any(|mark| mark.starts_with(input.from(at)));
                    return if cut { Err(input.end()) } else { Ok(None) };
                }
            }
        }
    }
}

/// Reads the call whose name is at `written` and whose arguments are at `at`.
pub(crate) fn read<'t>(
    input: Input<'t>,
    written: Span,
    at: usize,
    context: Context<'_>,
) -> Read<(Found<'t>, usize, Family)> {
    let (arguments, read) = json::arguments(input, at, false, context)?;
    let end = read.span.end;
    let text = written.of(input.text);
    let mut found = Found::new(text, arguments, Span::new(written.start, end));
    found.repairs = read.repairs;
    found.class = read.class;
    found.explicit = false;
    found.id = id_of_name(text).map(str::to_owned);
    unwrap(&mut found, context);
    Ok((found, end, Family::Named))
}

/// Returns the id that a written name is: Kimi's is the name with its number.
pub(crate) fn id_of_name(written: &str) -> Option<&str> {
    (written.contains(':') && written.ends_with(|c: char| c.is_ascii_digit())).then_some(written)
}

/// Opens arguments that are a call of the same name.
fn unwrap(found: &mut Found<'_>, context: Context<'_>) {
    let root = found.arguments.value.root();
    let named = root.get("name").and_then(llmend_json::Node::str);
    let inner = ["args", "arguments", "parameters"].iter().find_map(|key| root.get(key));
    if inner.is_none() && root.len() != 1 {
        return;
    }
    let tool = name::resolve(&found.name, context.tools).tool;
    let same = named.is_some_and(|named| {
        let inner = name::resolve(named, context.tools).tool;
        named == found.name
            || (tool.is_some() && inner.map(|one| &one.name) == tool.map(|one| &one.name))
    });
    // A tool may have a parameter `name` of its own.
    let envelope = root.members().all(|(key, _)| {
        let declared = |key: &str| tool.is_some_and(|tool| tool.parameter(key).is_some());
        key.str().is_some_and(|key| key == "name" || !declared(key))
    }) && (inner.is_some()
        || tool.is_none_or(|tool| tool.parameter("name").is_none()));
    if same && envelope {
        let span = found.arguments.span;
        found.arguments = match inner {
            Some(inner) => Arguments { span, ..json::of_node(inner, context) },
            None => Arguments::empty(span.end),
        };
    }
}

/// Reads the name at `at`, with what belongs to it: `functions.NAME:0`. A name may have blanks where a tool
/// has them.
pub(crate) fn name_at(input: Input<'_>, at: usize, context: Context<'_>) -> Read<Option<Span>> {
    for tool in context.tools {
        if tool.name.contains(' ') && input.starts(at, &tool.name)? {
            return Ok(Some(Span::new(at, at + tool.name.len())));
        }
    }
    input.name(at)
}
