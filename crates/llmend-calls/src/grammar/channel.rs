//! Messages whose header names the channel and the recipient.

use llmend_json::Span;

use super::{json, text};
use crate::{
    found::{Arguments, Context, Found},
    input::{Input, Read, Stop},
    name,
    tag::{Form, Tag},
};

/// What the header of a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Message<'t> {
    /// Reasoning.
    Reasoning,
    /// Text for the user, whatever it looks like.
    Text,
    /// Text for the user in which calls of other notations count.
    Open,
    /// The arguments of a call of this tool.
    Call(&'t str),
}

/// A header, and where its message begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header<'t> {
    pub(crate) message: Message<'t>,
    pub(crate) body: MessageBody,
}

/// The body of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageBody {
    pub(crate) at: usize,
    /// Whether the header says that it is JSON.
    pub(crate) json: bool,
}

/// Maximum length of a header, in bytes.
const MAX_HEADER: usize = 300;
/// Names of the channels. The last one in a header counts.
const CHANNELS: &[(&str, Message<'static>)] = &[
    ("analysis", Message::Reasoning),
    ("thought", Message::Reasoning),
    ("commentary", Message::Text),
    ("final", Message::Text),
];
/// Recipients that are no tools.
const RECIPIENTS: &[(&str, Message<'static>)] =
    &[("self", Message::Reasoning), ("user", Message::Text), ("commentary", Message::Text)];

/// Reads the header that begins at `at`, with `<|channel|>` or `<|start|>`. Returns `None` if it is
/// none.
pub(crate) fn header(input: Input<'_>, at: usize) -> Read<Option<Header<'_>>> {
    let bound = input.until(at + MAX_HEADER).len();
    let mut next = at;
    let mut half_open = false;
    let message = loop {
        let Some(offset) = input.slice(next, bound).find(['<', '\n']) else {
            return if bound == input.len() { Err(input.end()) } else { Ok(None) };
        };
        let place = next + offset;
        if input.byte(place) == Some(b'\n') {
            // Gemma's `<|channel>thought` ends with its line.
            if half_open {
                break Span::new(place, place + 1);
            }
            return Ok(None);
        }
        let Some(tag) = Tag::at(input, place)? else { return Ok(None) };
        if tag.form != Form::Token {
            return Ok(None);
        }
        half_open |=
            tag.is("channel") && !input.slice(tag.span.start, tag.span.end).ends_with("|>");
        next = tag.span.end;
        if tag.is("message") {
            break tag.span;
        }
        if !(tag.is("channel") || tag.is("start") || tag.is("constrain")) {
            return Ok(None);
        }
    };
    let text = input.slice(at, message.start);
    let json = text.trim_end().ends_with("json") && text.contains("constrain");
    Ok(Some(Header { message: meaning(text), body: MessageBody { at: message.end, json } }))
}

/// Returns what a header says.
fn meaning(header: &str) -> Message<'_> {
    let recipient = header.find("to=").map(|at| header.get(at + 3..).unwrap_or_default());
    let recipient = recipient.map(|rest| {
        let end = rest.find(|c: char| c.is_whitespace() || c == '<').unwrap_or(rest.len());
        rest.get(..end).unwrap_or(rest)
    });
    // What is sent to the assistant itself is what its channel says.
    if let Some(name) = recipient.filter(|name| !matches!(*name, "" | "assistant")) {
        let other = RECIPIENTS.iter().find(|(own, _)| *own == name).map(|(_, message)| *message);
        return other.unwrap_or(Message::Call(name));
    }
    let places =
        CHANNELS.iter().filter_map(|(name, message)| Some((header.rfind(name)?, *message)));
    places.max_by_key(|(at, _)| *at).map_or(Message::Open, |(_, message)| message)
}

/// Returns the span of the token that ends the message at `at`; `None` if it is at the end of the
/// text.
pub(crate) fn end(input: Input<'_>, at: usize) -> Read<Option<Span>> {
    let mut from = at;
    while let Some(found) = input.find(from, "<") {
        if let Some(tag) = Tag::at(input, found)?
            && tag.form == Form::Token
            && ["end", "call", "return", "start", "channel", "eom", "eot"].iter().any(|name| tag.is(name))
            // A token that no header follows is part of the text.
            && (!tag.is("channel") || begins_message(input, found)?)
            && (tag.is("channel") || tag.is("start") || is_behind(input, tag.span.end)?)
        {
            return Ok(Some(tag.span));
        }
        from = found + 1;
    }
    if input.complete { Ok(None) } else { Err(Stop::More) }
}

/// Returns the recipient `functions.NAME` whose name begins at `at`, and the offset of its
/// arguments, where the tokens of the header are lost: `to=functions.NAME json{…}`.
pub(crate) fn stripped(input: Input<'_>, at: usize) -> Read<Option<(Span, usize)>> {
    let Some(written) = input.name(at)? else { return Ok(None) };
    let mut next = input.skip_space(written.end);
    loop {
        next = input.skip_space(next);
        match input.need(next)? {
            b'{' => return Ok(Some((written, next))),
            b'<' => match Tag::at(input, next)? {
                Some(tag) if tag.form == Form::Token && !tag.is("call") => next = tag.span.end,
                _ => return Ok(None),
            },
            _ => {
                let mut known = false;
                for word in ["json", "code", "commentary", "analysis"] {
                    if input.starts(next, word)? {
                        next += word.len();
                        known = true;
                        break;
                    }
                }
                if !known {
                    return Ok(None);
                }
            }
        }
    }
}

/// Returns whether nothing, a token or the word of a role is at `at`, as behind a message.
fn is_behind(input: Input<'_>, at: usize) -> Read<bool> {
    let next = input.skip_space(at);
    if next == input.len() {
        return if input.complete { Ok(true) } else { Err(Stop::More) };
    }
    Ok(input.byte(next) == Some(b'<') || input.starts(next, "assistant")?)
}

/// Returns whether a message begins at `at`, perhaps one that is cut off.
fn begins_message(input: Input<'_>, at: usize) -> Read<bool> {
    match header(input, at) {
        Ok(header) => Ok(header.is_some()),
        Err(Stop::Cut) => Ok(true),
        Err(stop) => Err(stop),
    }
}

/// Reads the call of `written` whose arguments begin at `body`, and returns it with its end.
pub(crate) fn read<'t>(
    input: Input<'t>,
    written: &'t str,
    MessageBody { at: body, json }: MessageBody,
    context: Context<'_>,
) -> Read<(Found<'t>, usize)> {
    let at = input.skip_space(body);
    if at == input.len() {
        return Err(input.end());
    }
    let tool = name::resolve(written, context.tools).tool;
    if matches!(input.byte(at), Some(b'{' | b'"')) {
        let (arguments, read) = json::arguments(input, at, false, context)?;
        let end = read.span.end;
        let mut found = Found::new(written, arguments, Span::new(at, end));
        found.repairs = read.repairs;
        found.class = read.class;
        return Ok((found, end));
    }
    // Built-in tools take text.
    let close = end(input, body)?;
    let stop = close.map_or(input.len(), |close| close.start);
    let span = Span::new(body, stop);
    if span.of(input.text).trim().is_empty() {
        return Ok((Found::new(written, Arguments::empty(stop), span), stop));
    }
    if json || tool.is_none() {
        return Err(text::not_json(Span::new(at, input.line_end(at))));
    }
    if close.is_none() {
        return Err(input.end());
    }
    Ok((text::read(input, written, span, true, context)?, stop))
}
