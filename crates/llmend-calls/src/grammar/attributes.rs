//! An element that has the name of a tool and its arguments as attributes.

use std::borrow::Cow;

use llmend_json::{Builder, Class, Span};

use super::{frame, text};

use crate::{
    found::{Arguments, Context, Found},
    input::{Input, Read},
    tools::{Kinds, Tool},
    untyped,
};

/// Maximum length of the tag, in bytes.
const MAX_TAG: usize = 4096;

/// A tag `<NAME key="value" …>` whose name is that of an offered tool.
#[derive(Clone, Debug)]
pub(crate) struct Head<'c> {
    tool: &'c Tool,
    span: Span,
    /// The names and values of the attributes.
    attributes: Vec<(Span, Span)>,
    /// Whether the element has no content: `<NAME …/>`.
    is_empty: bool,
}

impl<'c> Head<'c> {
    /// Reads the tag at `at`; `None` if there is none.
    pub(crate) fn at(input: Input<'_>, at: usize, context: Context<'c>) -> Read<Option<Self>> {
        if input.byte(at) != Some(b'<') {
            return Ok(None);
        }
        let Some(name) = input.name(at + 1)? else { return Ok(None) };
        let Some(tool) = context.tools.named(name.of(input.text)) else { return Ok(None) };
        let mut attributes = Vec::new();
        let mut next = name.end;
        while next < at + MAX_TAG {
            let start = input.skip_space(next);
            match input.need(start)? {
                b'>' if !attributes.is_empty() => {
                    let span = Span::new(at, start + 1);
                    return Ok(Some(Self { tool, span, attributes, is_empty: false }));
                }
                b'/' if input.need(start + 1)? == b'>' => {
                    let span = Span::new(at, start + 2);
                    return Ok(Some(Self { tool, span, attributes, is_empty: true }));
                }
                _ if start == next => return Ok(None),
                _ => {}
            }
            let Some(key) = input.name(start)? else { return Ok(None) };
            let equals = input.skip_blanks(key.end);
            if input.need(equals)? != b'=' {
                return Ok(None);
            }
            let open = input.skip_blanks(equals + 1);
            let quote = match input.need(open)? {
                b'"' => "\"",
                b'\'' => "'",
                _ => return Ok(None),
            };
            let Some(close) = input.find(open + 1, quote) else { return Err(input.end()) };
            attributes.push((key, Span::new(open + 1, close)));
            next = close + 1;
        }
        Ok(None)
    }

    /// Returns the name of the tool.
    pub(crate) fn name(&self) -> &'c str {
        &self.tool.name
    }
}

/// Reads the call at `at`. Returns it with its end; `None` if there is none.
pub(crate) fn read<'t>(
    input: Input<'t>,
    at: usize,
    context: Context<'_>,
) -> Read<Option<(Found<'t>, usize)>> {
    let Some(head) = Head::at(input, at, context)? else { return Ok(None) };
    let close = format!("</{}>", head.name());
    let mut end = head.span.end;
    let mut content = Span::at(end);
    if !head.is_empty {
        let Some(close_at) = input.find(end, &close) else { return Err(input.end()) };
        content = frame::between(input, end, close_at);
        end = close_at + close.len();
    }
    let mut builder = Builder::of_text("");
    builder.begin_object(Span::at(0));
    let mut found = Found::new(head.name().to_owned(), Arguments::empty(end), Span::new(at, end));
    let values = head.attributes.iter().map(|(key, span)| (key.of(input.text), *key, *span));
    let rest = open_parameter(&head, input).filter(|_| !content.of(input.text).trim().is_empty());
    let inner = rest.map(|name| (name, content, content));
    for (key, key_span, span) in values.chain(inner) {
        let parameter = head.tool.near_parameter(key);
        let kinds = parameter.map_or(Kinds::ANY, |one| one.kinds);
        let optional = parameter.is_some_and(|one| !one.required);
        // Only an attribute has to write its quotes so.
        let written = span.of(input.text);
        let value = if span == content { written.into() } else { without_entities(written) };
        let raw = untyped::Raw { key, key_span, text: &value, span, kinds, optional };
        let read = untyped::write(&mut builder, at, raw, context.options);
        found.class = found.class.max(read.class);
        found.repairs.extend(read.repairs);
        if read.omitted {
            found.diagnostics.push(untyped::omitted(key, span));
        }
    }
    builder.end();
    found.arguments = Arguments::built(builder, Span::new(at, end));
    match rest {
        Some(name) => {
            found.class = Some(Class::Guess);
            let message = format!("read the content of the element as the argument `{name}`");
            let row = text::one_argument(message, content).help("Check that it was meant.");
            found.diagnostics.push(row);
        }
        None if content.of(input.text).trim().is_empty() => {}
        None => return Err(text::not_json(content)),
    }
    Ok(Some((found, end)))
}

/// Returns the value of an attribute without the entities of XML.
fn without_entities(text: &str) -> Cow<'_, str> {
    const ENTITIES: [(&str, &str); 5] =
        [("&quot;", "\""), ("&apos;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];
    let mut text = Cow::Borrowed(text);
    for (entity, plain) in ENTITIES {
        if text.contains(entity) {
            text = text.replace(entity, plain).into();
        }
    }
    text
}

/// Returns the one parameter that a call must have and that no attribute gives.
fn open_parameter<'c>(head: &Head<'c>, input: Input<'_>) -> Option<&'c str> {
    let is_given = |name: &str| {
        head.attributes.iter().any(|(key, _)| {
            head.tool.near_parameter(key.of(input.text)).is_some_and(|one| one.name == name)
        })
    };
    let mut open = head.tool.parameters.iter().filter(|one| one.required && !is_given(&one.name));
    open.next().filter(|_| open.next().is_none()).map(|one| one.name.as_str())
}
