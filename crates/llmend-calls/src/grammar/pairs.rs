//! An element for each key and each value.

use llmend_json::{Builder, Class, Span};

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
    tools::{Kinds, Tool},
    untyped,
};

/// Returns whether `tag` may follow the name of such a call.
pub(crate) fn continues(tag: &Tag<'_>) -> bool {
    matches!(role(tag), Some(Role::Key | Role::Value | Role::Separator)) || is_close(tag)
}

fn is_close(tag: &Tag<'_>) -> bool {
    role(tag) == Some(Role::Close)
        && !["arg_key", "arg_value", "arg_type", "longcat_arg_key", "longcat_arg_value"]
            .contains(&tag.name)
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
    let found = Found::new(written.of(input.text), Arguments::empty(base), written);
    let mut reader = Reader { input, context, tool, base, builder, found };
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
        at = match role(&tag) {
            Some(Role::Key) if !tag.closing => reader.pair(&tag)?,
            // A separator, or a closer that stands twice.
            Some(Role::Separator) => tag.span.end,
            Some(Role::Close) if !is_close(&tag) => tag.span.end,
            Some(Role::Close | Role::TurnEnd | Role::Turn | Role::Open) => {
                let end = if tag.closing { tag.span.end } else { tag.span.start };
                return Ok((reader.finish(at, end), end, Family::Pairs));
            }
            _ => return Err(Stop::Other),
        };
    }
}

/// The call that is being read.
struct Reader<'c, 't> {
    input: Input<'t>,
    context: Context<'c>,
    tool: Option<&'c Tool>,
    base: usize,
    builder: Builder<'t>,
    found: Found<'t>,
}

impl<'t> Reader<'_, 't> {
    /// Reads the key and value whose key `tag` opens, and returns their end.
    fn pair(&mut self, tag: &Tag<'t>) -> Read<usize> {
        let Key { name: key, type_name, start } = self::key(self.input, tag)?;
        let end = value_end::find(self.input, start, &|other| around(self.input, other))?;
        if let Some(repair) = end.repair {
            self.found.repairs.push(repair);
        }
        if end.holds_marks || key.contains(['<', '>']) {
            self.found.class = self.found.class.max(Some(Class::Guess));
            self.found.diagnostics.push(value_end::marks_inside(key, Span::new(start, end.end)));
        }
        self.write(key, tag.span, Span::new(start, end.end), type_name);
        Ok(end.next)
    }

    fn write(&mut self, key: &str, key_span: Span, span: Span, type_name: Option<&str>) {
        let parameter = self.tool.and_then(|tool| tool.parameter(key));
        let kinds = parameter.map_or(Kinds::ANY, |parameter| parameter.kinds);
        let optional = parameter.is_some_and(|parameter| !parameter.required);
        let text = span.of(self.input.text);
        let mut raw = untyped::Raw { key, key_span, text, span, kinds, optional };
        if kinds == Kinds::ANY {
            let options = self.context.options;
            match type_name {
                Some("string" | "str") => raw.kinds = Kinds::STRING,
                Some(_) if untyped::write_json(&mut self.builder, self.base, raw, options) => {
                    return;
                }
                _ => {}
            }
        }
        let read = untyped::write(&mut self.builder, self.base, raw, self.context.options);
        self.found.class = self.found.class.max(read.class);
        self.found.repairs.extend(read.repairs);
        if read.omitted {
            self.found.diagnostics.push(untyped::omitted(key, span));
        }
    }

    /// Returns the call, whose pairs end at `end`.
    fn finish(mut self, end: usize, next: usize) -> Found<'t> {
        self.builder.end();
        self.found.arguments = Arguments::built(self.builder, Span::new(self.base, end));
        self.found.span.end = next;
        self.found.class = self.found.class.max(literal::class(&self.found.repairs));
        self.found
    }
}

/// A key, and where its value begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key<'t> {
    pub(crate) name: &'t str,
    pub(crate) type_name: Option<&'t str>,
    pub(crate) start: usize,
}

/// Reads the key that `tag` opens, up to its value.
pub(crate) fn key<'t>(input: Input<'t>, tag: &Tag<'t>) -> Read<Key<'t>> {
    let key_end = next_tag(input, tag.span.end)?;
    let key = input.slice(tag.span.end, key_end.span.start).trim();
    let mut at = skip(input, if key_end.closing { key_end.span.end } else { key_end.span.start })?;
    let mut type_name = None;
    let mut open = value_tag(input, at)?;
    // A closer that stands twice.
    while let Some(again) = open.filter(|tag| tag.closing && tag.name == key_end.name) {
        at = skip(input, again.span.end)?;
        open = value_tag(input, at)?;
    }
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
    Ok(Key { name: key, type_name, start })
}

/// Returns what `other` is to the value before it.
pub(crate) fn around(input: Input<'_>, other: &Tag<'_>) -> Around {
    match role(other) {
        // A key that is not closed is text.
        Some(Role::Key) if !other.closing => match next_tag(input, other.span.end) {
            Ok(next)
                if next.closing
                    && next.name == other.name
                    && value_follows(input, next.span.end) =>
            {
                Around::Opens
            }
            _ => Around::MayOpen,
        },
        Some(Role::Close) if other.closing && other.name.ends_with("arg_value") => Around::Closes,
        Some(Role::Close) if other.closing && other.name.ends_with("arg_key") => {
            Around::ClosesWrongly
        }
        Some(Role::Close | Role::TurnEnd | Role::Turn | Role::Open) => Around::Frame,
        _ => Around::Text,
    }
}

/// Returns whether a value, perhaps with its type, follows a key.
fn value_follows(input: Input<'_>, at: usize) -> bool {
    let Ok(at) = skip(input, at) else { return false };
    let tag = Tag::at(input, at).ok().flatten();
    tag.is_some_and(|tag| matches!(role(&tag), Some(Role::Value | Role::Type)))
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
