//! An element for each parameter.

use std::borrow::Cow;

use llmend_json::{Builder, Class, Rule, Span};

use super::{
    elements::{self, DEPTH, Elements},
    envelope, frame, json, literal,
    slot::{Slot, is_named},
    text, value_end,
};
use crate::{
    found::{Arguments, Context, Found, repair, unwrapped},
    input::{Input, Read, Stop},
    marks::{Role, role},
    name,
    notation::Family,
    tag::{self, Form, PREFIX_TOKEN, Tag},
    tools::{Kinds, Tool},
    untyped,
};

/// Reads the call whose head is `head`: `<function=NAME>`, `<invoke name="NAME">`, `<NAME>`.
/// Returns it with its end and family.
pub(crate) fn read<'t>(
    input: Input<'t>,
    head: Tag<'t>,
    context: Context<'_>,
) -> Read<(Found<'t>, usize, Family)> {
    if let Some(name) = glued(&head, context) {
        return of_head(input, head, name.into(), head.span.end, context);
    }
    if head.is("use_mcp_tool") && context.tools.named(head.name).is_none() {
        return of_server(input, head, context);
    }
    if role(&head) != Some(Role::Head) {
        // The tool's name is the tag.
        return of_head(input, head, head.name.into(), head.span.end, context);
    }
    if let Some(written) = head.given_name() {
        return of_head(input, head, written, head.span.end, context);
    }

    // The name has a tag of its own: `<tool_name>NAME</tool_name>`, or `<function>NAME</function>`.
    let at = input.skip_space(head.span.end);
    let inner = Tag::at(input, at)?;
    if let Some(inner) = inner.filter(|tag| !tag.closing && (tag.is("tool_name") || tag.is("name")))
    {
        let close = closing(input, inner)?;
        let written = input.slice(inner.span.end, close.start).trim();
        return of_head(input, head, written.into(), close.end, context);
    }
    let Some(written) = input.name(at)? else {
        return Err(if at == input.len() { input.end() } else { Stop::Other });
    };
    let mut next = input.skip_space(written.end);
    if let Some(close) = Tag::at(input, next)?
        && close.closing
        && role(&close) == Some(Role::Close)
    {
        next = input.skip_space(close.span.end);
    }
    if input.need(next)? != b'{' {
        return Err(Stop::Other);
    }
    of_head(input, head, written.of(input.text).into(), next, context)
}

/// Reads `<use_mcp_tool>`, whose elements name the server and the tool.
fn of_server<'t>(
    input: Input<'t>,
    head: Tag<'t>,
    context: Context<'_>,
) -> Read<(Found<'t>, usize, Family)> {
    let mut at = head.span.end;
    loop {
        at = skip(input, at)?;
        let tag = Tag::at(input, at)?.filter(|tag| !tag.closing).ok_or(Stop::Other)?;
        let close = closing(input, tag)?;
        if tag.is("tool_name") {
            let written = input.slice(tag.span.end, close.start).trim();
            return of_head(input, head, written.into(), close.end, context);
        }
        at = close.end;
    }
}

/// Returns whether `tag` opens an element that has the name of a tool.
pub(crate) fn is_tool(tag: &Tag<'_>, context: Context<'_>) -> bool {
    role(tag).is_none()
        && !tag.closing
        && tag.rest.is_empty()
        && tag.form == Form::Tag
        && (context.tools.named(tag.name).is_some() || tag.is("use_mcp_tool"))
}

/// Returns the name of the tool in `<functionNAME>`.
pub(crate) fn glued<'t>(tag: &Tag<'t>, context: Context<'_>) -> Option<&'t str> {
    let name = tag.name.strip_prefix("function")?;
    context.tools.named(name).map(|_| name)
}

/// Returns the closing tag of `tag`, before any other tag.
fn closing(input: Input<'_>, tag: Tag<'_>) -> Read<Span> {
    let bound = input.len().min(tag.span.end + 400);
    let Some(open) = input.find(tag.span.end, "<").filter(|at| *at < bound) else {
        return Err(if bound == input.len() { input.end() } else { Stop::Other });
    };
    match Tag::at(input, open)? {
        Some(close) if close.closing && close.name == tag.name => Ok(close.span),
        _ => Err(Stop::Other),
    }
}

/// The call that is being read.
struct Reader<'c, 't> {
    input: Input<'t>,
    head: Tag<'t>,
    context: Context<'c>,
    tool: Option<&'c Tool>,
    base: usize,
    builder: Builder<'t>,
    found: Found<'t>,
    /// Names of the parameters so far.
    given: Vec<Cow<'t, str>>,
}

fn of_head<'t>(
    input: Input<'t>,
    head: Tag<'t>,
    written: Cow<'t, str>,
    body: usize,
    context: Context<'_>,
) -> Read<(Found<'t>, usize, Family)> {
    let tool = name::resolve(&written, context.tools).tool;
    let mut builder = Builder::of_text("");
    builder.begin_object(Span::at(0));
    let mut found = Found::new(written, Arguments::empty(body), Span::new(head.span.start, body));
    if !head.span.of(input.text).ends_with('>') {
        found.repairs.push(repair(Rule::MissingCloser, Span::at(head.span.end), ">"));
    }
    let reader =
        Reader { input, head, context, tool, base: body, builder, found, given: Vec::new() };
    match attribute_object(input, &head) {
        Some(at) => reader.attribute(at),
        // `<NAME/>`
        None if head.span.of(input.text).ends_with("/>") && role(&head) != Some(Role::Open) => {
            Ok((reader.finish(body, body), body, Family::Parameters))
        }
        None => reader.body(body),
    }
}

/// Returns the offset of the arguments in `<tool_call name="NAME" arguments={…}>`.
fn attribute_object(input: Input<'_>, head: &Tag<'_>) -> Option<usize> {
    let text = head.span.of(input.text);
    ["arguments=", "parameters=", "args=", "input="].into_iter().find_map(|key| {
        let at = head.span.start + text.find(&format!(" {key}"))? + 1 + key.len();
        let at = if input.byte(at) == Some(b'\'') { at + 1 } else { at };
        (input.byte(at) == Some(b'{')).then_some(at)
    })
}

impl<'t> Reader<'_, 't> {
    fn body(mut self, body: usize) -> Read<(Found<'t>, usize, Family)> {
        let input = self.input;
        let mut at = skip(input, body)?;
        // JSON in the place of parameters.
        if input.byte(at) == Some(b'{') && !input.from(at).starts_with("{%") {
            return self.json(at);
        }
        let mut any = false;
        loop {
            at = skip(input, at)?;
            if at == input.len() {
                return Err(input.end());
            }
            let Some(tag) = Tag::at(input, at)? else {
                if tag::is_cut(input, at) {
                    return Err(input.end());
                }
                if any {
                    return Err(Stop::unreadable(
                        "unexpected text between the parameters of a call",
                        Span::new(at, input.line_end(at)),
                        "Put each value into an element of its own.",
                    ));
                }
                return self.raw(at);
            };
            if self.ends(&tag) {
                let end = if tag.closing { tag.span.end } else { tag.span.start };
                return Ok((self.finish(at, end), end, Family::Parameters));
            }
            if tag.closing || self.is_wrapper(&tag) {
                // A doubled closer, or the element around all parameters.
                at = tag.span.end;
                if !tag.closing {
                    at = skip(input, at)?;
                    if input.byte(at) == Some(b'{') {
                        return self.json(at);
                    }
                }
                continue;
            }
            let Some(key) = key(&tag) else {
                return Err(Stop::Other);
            };
            at = self.value(&tag, &key)?;
            self.given.push(key);
            any = true;
        }
    }

    /// Returns whether the element holds all parameters and is none itself.
    fn is_wrapper(&self, tag: &Tag<'_>) -> bool {
        (tag.form == Form::Xtml && tag.is("json"))
            || ((tag.is("parameters") || tag.is("arguments")) && !self.declares(tag.name))
    }

    /// Returns whether `tag` ends the call.
    fn ends(&self, tag: &Tag<'_>) -> bool {
        if tag.closing && tag.name == self.head.name {
            return true;
        }
        match role(tag) {
            Some(Role::Close) => {
                let is_frame =
                    !["parameter", "param", "parameters", "argument"].contains(&tag.name);
                tag.closing && is_frame && !self.declares(tag.name) || tag.form == Form::Token
            }
            Some(Role::TurnEnd | Role::Turn) => true,
            Some(Role::Head | Role::Open) => !self.declares(tag.name),
            _ => false,
        }
    }

    fn declares(&self, name: &str) -> bool {
        self.tool.is_some_and(|tool| tool.parameter(name).is_some())
    }

    /// Reads the value of the parameter that `tag` opens, and returns its end.
    fn value(&mut self, tag: &Tag<'t>, key: &str) -> Read<usize> {
        let input = self.input;
        let slot = Slot {
            input,
            tag: tag.name,
            is_named: is_named(tag),
            key,
            head: self.head.name,
            tool: self.tool,
            given: &self.given,
        };
        let end = value_end::find(input, tag.span.end, &|other| slot.around(other))?;
        let mut stop = end.end;
        if let Some(repair) = end.repair {
            let element = role(tag) != Some(Role::Parameter);
            if repair.span.is_empty() && element && self.tool.is_some() && !self.declares(key) {
                return Err(Stop::unreadable(
                    "expected the end of an element that is not declared",
                    tag.span,
                    "Close the element.",
                ));
            }
            if repair.span.is_empty() {
                // The line feed belongs to the tag that is missing.
                let text = input.slice(tag.span.end, stop).trim_end_matches(['\n', '\r']);
                stop = (tag.span.end + text.len()).max(frame::start(input, tag));
            }
            self.found.class = self.found.class.max(Some(repair.class()));
            self.found.repairs.push(repair);
        }
        let span = frame::inside(input, tag, stop);
        let elements = self.write(tag, key, span);
        if end.holds_marks && !elements {
            self.found.class = self.found.class.max(Some(Class::Guess));
            self.found.diagnostics.push(value_end::marks_inside(key, span));
        }
        Ok(end.next)
    }

    /// Writes a value. Returns whether its parts are elements.
    fn write(&mut self, tag: &Tag<'t>, key: &str, span: Span) -> bool {
        let mut text = span.of(self.input.text);
        let mut span = span;
        if let Some(inner) =
            text.trim().strip_prefix("<![CDATA[").and_then(|inner| inner.strip_suffix("]]>"))
        {
            let lead = text.find("<![CDATA[").unwrap_or_default() + "<![CDATA[".len();
            span = Span::new(span.start + lead, span.start + lead + inner.len());
            text = inner;
        }
        let parameter = self.tool.and_then(|tool| tool.near_parameter(key));
        let mut kinds = parameter.map_or(Kinds::ANY, |parameter| parameter.kinds);
        let optional = parameter.is_some_and(|parameter| !parameter.required);
        let says_text =
            tag.attribute("string") == Some("true") || tag.attribute("type") == Some("string");
        if says_text && kinds.has(Kinds::STRING) {
            kinds = Kinds::STRING;
        }
        // The text says what it is.
        let says_json = tag.attribute("string") == Some("false")
            || (kinds == Kinds::ANY && tag.attribute("type").is_some_and(|name| name != "string"));
        if says_json && (kinds == Kinds::ANY || text.trim_start().starts_with('"')) {
            let raw = untyped::Raw { key, key_span: tag.span, text, span, kinds, optional };
            if untyped::write_json(&mut self.builder, self.base, raw, self.context.options) {
                return false;
            }
        }
        let elements = !kinds.is_text() && (kinds.has(Kinds::OBJECT) || kinds.has(Kinds::ARRAY));
        if elements && self.write_elements(tag, key, span) {
            return true;
        }
        let raw = untyped::Raw { key, key_span: tag.span, text, span, kinds, optional };
        let read = untyped::write(&mut self.builder, self.base, raw, self.context.options);
        self.found.class = self.found.class.max(read.class);
        self.found.repairs.extend(read.repairs);
        if read.omitted {
            self.found.diagnostics.push(untyped::omitted(key, span));
        }
        false
    }

    fn place(&self, span: Span) -> Span {
        Span::new(span.start.saturating_sub(self.base), span.end.saturating_sub(self.base))
    }

    /// Writes a value whose parts are elements. An empty element of `MiniMax` M3 is an empty list or
    /// object.
    fn write_elements(&mut self, tag: &Tag<'t>, key: &str, span: Span) -> bool {
        let within = self.input.until(span.end);
        let nested = self.input.byte(tag.span.start) == Some(b']');
        let empty = nested && span.of(self.input.text).trim().is_empty();
        if !empty && !matches!(Tag::at(within, within.skip_space(span.start)), Ok(Some(_))) {
            return false;
        }
        let written = self.builder.written();
        self.builder.key(key, self.place(tag.span));
        let schema = self.tool.and_then(|tool| elements::Part::of_parameter(tool, key));
        let mut elements =
            Elements { builder: &mut self.builder, base: self.base, unclosed: Vec::new() };
        let done = if empty {
            elements.empty(span, schema)
        } else {
            elements.write(within, span.start, schema, DEPTH)
        };
        let unclosed = elements.unclosed;
        if done {
            self.found.repairs.extend(unclosed);
        } else {
            self.builder.rewind(&written);
        }
        done
    }

    /// Reads the arguments at `at`, within the tag that opens the call.
    fn attribute(mut self, at: usize) -> Read<(Found<'t>, usize, Family)> {
        let (input, head) = (self.input, self.head);
        self.object(input.until(head.span.end), at)?;
        let next = input.skip_space(head.span.end);
        let close = Tag::at(input, next)?.filter(|tag| tag.closing && tag.name == head.name);
        let end = close.map_or(head.span.end, |close| close.span.end);
        self.found.span.end = end;
        Ok((self.found, end, Family::Named))
    }

    /// Reads the object of the arguments at `at`, and returns its end.
    fn object(&mut self, input: Input<'t>, at: usize) -> Read<usize> {
        let (arguments, read) = json::arguments(input, at, false, self.context)?;
        let inner = envelope::given(arguments.value.root(), self.tool);
        let (base, span) = (arguments.span.start, inner.span());
        if span != arguments.value.root().span() {
            let place = Span::new(base + span.start, base + span.end);
            self.found.diagnostics.push(unwrapped("another object", place));
        }
        self.found.arguments = Arguments {
            value: inner.to_value().into_owned(),
            span: Span::new(base + span.start, base + span.end),
        };
        self.found.class = self.found.class.max(read.class);
        self.found.repairs.extend(read.repairs);
        Ok(read.span.end)
    }

    /// Reads JSON arguments at `at`.
    fn json(mut self, at: usize) -> Read<(Found<'t>, usize, Family)> {
        let input = self.input;
        let mut end = self.object(input, at)?;
        // The closing tags of the head and of what was around the JSON.
        loop {
            let next = skip(input, end)?;
            match Tag::at(input, next)? {
                Some(tag) if tag.closing && (tag.name == self.head.name || !self.ends(&tag)) => {
                    end = tag.span.end;
                    if tag.name == self.head.name {
                        break;
                    }
                }
                _ => break,
            }
        }
        self.found.span.end = end;
        Ok((self.found, end, Family::Named))
    }

    /// Reads text in the place of parameters.
    fn raw(self, at: usize) -> Read<(Found<'t>, usize, Family)> {
        let input = self.input;
        if self.tool.is_none() {
            return Err(Stop::Other);
        }
        let close = format!("</{}>", self.head.name);
        let Some(end) = input.find(at, &close) else {
            return Err(if input.complete { Stop::Other } else { Stop::More });
        };
        let span = frame::between(input, self.head.span.end, end);
        if holds_mark(input.until(end), span.start) {
            return Err(Stop::unreadable(
                "expected parameters, found text with marks",
                span,
                "Put each value into an element of its own.",
            ));
        }
        let mut found = text::read(input, self.found.name, span, true, self.context)?;
        let next = end + close.len();
        found.span = Span::new(self.head.span.start, next);
        Ok((found, next, Family::Named))
    }

    /// Returns the call, whose parameters end at `end`.
    fn finish(mut self, end: usize, next: usize) -> Found<'t> {
        self.builder.end();
        self.found.arguments = Arguments::built(self.builder, Span::new(self.base, end));
        self.found.span.end = next;
        self.found.class = self.found.class.max(literal::class(&self.found.repairs));
        self.found
    }
}

/// Returns whether the mark of a notation, whole or broken, is at or behind `at`.
fn holds_mark(input: Input<'_>, at: usize) -> bool {
    let text = input.from(at);
    let is_mark = |(offset, _)| {
        Tag::at(input, at + offset).is_ok_and(|tag| tag.is_some_and(|tag| role(&tag).is_some()))
    };
    text.contains(PREFIX_TOKEN)
        || value_end::holds_fragments(text)
        || text.match_indices('<').any(is_mark)
}

/// Returns the name of the parameter that `tag` opens.
pub(crate) fn key<'t>(tag: &Tag<'t>) -> Option<Cow<'t, str>> {
    match role(tag) {
        Some(Role::Parameter) => tag.given_name(),
        _ if tag.form == Form::Tag && tag.rest.trim().is_empty() => Some(tag.name.into()),
        _ => None,
    }
}

/// Skips white space, and `\n` written as two characters, between tags.
pub(crate) fn skip(input: Input<'_>, at: usize) -> Read<usize> {
    let mut at = input.skip_space(at);
    while input.byte(at) == Some(b'\\') && input.starts(at, "\\n")? {
        at = input.skip_space(at + 2);
    }
    if at < input.len() && input.byte(at) == Some(b']') && !input.complete {
        // Perhaps the token before a tag.
        input.starts(at, PREFIX_TOKEN)?;
    }
    Ok(at)
}
