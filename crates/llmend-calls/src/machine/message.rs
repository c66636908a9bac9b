//! Messages whose header names the channel or the recipient.

use llmend_json::Span;

use super::{Event, Machine, Mode, block::Block, quotation, reasoning::Reasoning};
use crate::{
    Notation,
    evidence::Marking,
    found::Context,
    grammar::channel::{self, Header, Message, MessageBody},
    input::{Input, Read, Stop},
    marks::{Role, held_back, role},
    notation::Family,
    tag::Tag,
};

impl Machine {
    pub(super) fn header_step(
        &mut self,
        tag: Tag<'_>,
        input: Input<'_>,
        context: Context<'_>,
    ) -> Read<()> {
        // A message of a tool or the user is not the answer.
        if tag.is("start")
            && let Some(role) = input.name(tag.span.end)?
            && !role.of(input.text).starts_with("assistant")
        {
            self.stop();
            return Ok(());
        }
        let header = match channel::header(input, tag.span.start) {
            Err(Stop::Cut) if input.from(tag.span.start).contains("to=") => {
                return self.end_in_call(Stop::Cut, input);
            }
            Err(Stop::Cut) => None,
            header => header?,
        };
        let Some(header) = header else {
            if self.is_told_of_header(tag.span, input)? {
                self.prose.add(tag.span.of(input.text));
                self.text(tag.span.end);
            } else {
                self.mark(tag.span.end);
            }
            return Ok(());
        };
        self.message(header, tag.span, input, context)
    }

    /// Returns whether a sentence is about the token of a header.
    fn is_told_of_header(&self, token: Span, input: Input<'_>) -> Read<bool> {
        let is_apart = self.prose.is_in_line() && input.line_before(token.start).ends_with(' ');
        Ok(is_apart
            && (quotation::ends_sentence(input, token)? || quotation::is_mentioned(input, token)?))
    }

    /// Reads the message behind a header.
    pub(super) fn message(
        &mut self,
        header: Header<'_>,
        opener: Span,
        input: Input<'_>,
        context: Context<'_>,
    ) -> Read<()> {
        match header.message {
            Message::Reasoning if opener.is_empty() || opener.of(input.text).ends_with("|>") => {
                self.mark(header.body.at);
                self.mode = Mode::Message { reasoning: true };
            }
            Message::Reasoning => {
                self.open_reasoning(Reasoning::new("<channel|>"), header.body.at);
            }
            Message::Text => {
                self.events.push(Event::Break);
                self.mark(header.body.at);
                self.mode = Mode::Message { reasoning: false };
            }
            Message::Open => {
                self.mark(header.body.at);
                self.line = true;
            }
            Message::Call(name) => {
                let body = header.body;
                // A message to a tool may hold a call of another notation.
                let next = input.skip_space(body.at);
                if next == input.len() {
                    return Err(input.end()).or_else(|stop| self.end_in_call(stop, input));
                }
                if input.byte(next) == Some(b'<')
                    && let Some(inner) = Tag::at(input, next)?
                    && matches!(role(&inner), Some(Role::Open | Role::Head))
                {
                    self.mark(next);
                    self.line = false;
                    return Ok(());
                }
                return self.channel_call(opener, name, body, input, context);
            }
        }
        Ok(())
    }

    pub(super) fn recipient_step(
        &mut self,
        span: Span,
        input: Input<'_>,
        context: Context<'_>,
    ) -> Read<()> {
        let Some((written, body)) = channel::stripped(input, span.end)? else {
            self.text(span.end);
            return Ok(());
        };
        let before = input.line_before(span.start).trim_end();
        let headed = before.is_empty()
            || before.ends_with('>')
            || ["commentary", "analysis", "assistant", "final"]
                .iter()
                .any(|word| before.ends_with(word));
        if !headed && self.prose.is_in_line() {
            self.prose.add(span.of(input.text));
            self.text(span.end);
            return Ok(());
        }
        let body = MessageBody { at: body, json: false };
        self.channel_call(span, written.of(input.text), body, input, context)
    }

    pub(super) fn arrows_step(
        &mut self,
        span: Span,
        input: Input<'_>,
        context: Context<'_>,
    ) -> Read<()> {
        let name = input.name(span.end)?;
        let offered = name.is_some_and(|name| {
            crate::name::resolve(name.of(input.text), context.tools).tool.is_some()
        });
        let end = name.map_or(span.end, |name| name.end);
        let json = input.starts(end, "\n{")? || input.starts(end, "\n[")?;
        if (offered || (name.is_some() && json)) && input.byte(end) != Some(b'(') {
            self.open_block(Block::new(span, Marking::Label), span.end);
        } else {
            self.prose.add(">>>");
            self.text(span.end);
        }
        Ok(())
    }

    pub(super) fn channel_call(
        &mut self,
        opener: Span,
        name: &str,
        body: MessageBody,
        input: Input<'_>,
        context: Context<'_>,
    ) -> Read<()> {
        match channel::read(input, name, body, context) {
            Ok((mut found, end)) => {
                found.span.start = opener.start;
                let opener = opener.of(input.text);
                self.take(vec![found], Family::Channel, opener, None, Marking::Token, context);
                self.mark(end);
                self.line = true;
                Ok(())
            }
            Err(Stop::Unreadable(row)) => {
                self.refuse(*row, Notation::of(Family::Channel, ""));
                let end = channel::end(input, body.at)?.map_or(input.len(), |end| end.start);
                self.mark(end);
                Ok(())
            }
            Err(stop) => self.end_in_call(stop, input),
        }
    }

    /// Handles a text that ends inside a call.
    pub(super) fn end_in_call(&mut self, stop: Stop, input: Input<'_>) -> Read<()> {
        if matches!(stop, Stop::Cut) {
            self.cut(input);
            self.mode = Mode::Text;
            return Ok(());
        }
        Err(stop)
    }

    pub(super) fn message_step(&mut self, reasoning: bool, input: Input<'_>) -> Read<()> {
        let close = match channel::end(input, self.at) {
            Ok(close) => close,
            Err(stop) => {
                let end = held_back(input.text, self.at);
                let end = input.slice(self.at, end).rfind('<').map_or(end, |found| self.at + found);
                self.message_text(reasoning, end);
                return Err(stop);
            }
        };
        let end = close.map_or(input.len(), |close| close.start);
        self.message_text(reasoning, end);
        self.mode = Mode::Text;
        if let Some(close) = close {
            let begins =
                Tag::at(input, close.start)?.is_some_and(|tag| role(&tag) == Some(Role::Header));
            self.mark(if begins { close.start } else { close.end });
        }
        self.line = false;
        Ok(())
    }

    fn message_text(&mut self, reasoning: bool, end: usize) {
        if end > self.at {
            let span = Span::new(self.at, end);
            self.events.push(if reasoning { Event::Reasoning(span) } else { Event::Text(span) });
            self.at = end;
        }
    }
}
