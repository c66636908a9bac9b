//! A mark in a text: a tag, a token of a chat template, or a literal.

use llmend_json::{Diagnostic, Severity, Span};

use super::{
    Event, Machine, Mode,
    block::Block,
    prose::Prose,
    reasoning::Reasoning,
    start::{element, is_word},
};
use crate::{
    evidence::Marking,
    found::Context,
    grammar::{pairs, parameters},
    input::{Input, Read, Stop},
    marks::{Literal, Role, role},
    options::InReasoning,
    tag::{Form, Tag},
};

impl Machine {
    pub(super) fn literal_step(
        &mut self,
        literal: Literal,
        span: Span,
        input: Input<'_>,
        context: Context<'_>,
    ) -> Read<()> {
        if self.is_quoted(input, span.start) {
            self.prose.add(span.of(input.text));
            self.text(span.end);
            return Ok(());
        }
        match literal {
            Literal::Open => {
                // The bracket of `functools[` begins the list, a brace the call.
                let bracket = span.of(input.text).starts_with("functools");
                self.open_block(Block::new(span, Marking::Token), span.end - usize::from(bracket));
            }
            Literal::Reasoning(close) => self.open_reasoning(Reasoning::new(close), span.end),
            Literal::ReasoningEnd => return self.end_reasoning(span.end, input, context),
            Literal::Result if self.calls > 0 => self.stop(),
            Literal::Drop if self.is_in_sentence(input, span)? => {
                self.prose.add(span.of(input.text));
                self.text(span.end);
            }
            Literal::Result | Literal::Drop => self.mark(span.end),
            Literal::Arrows => return self.arrows_step(span, input, context),
            Literal::Recipient => return self.recipient_step(span, input, context),
            Literal::Tag | Literal::Line => self.text(span.end),
        }
        Ok(())
    }

    pub(super) fn tag_step(
        &mut self,
        input: Input<'_>,
        place: usize,
        context: Context<'_>,
    ) -> Read<()> {
        // Nothing in a comment of HTML is a call.
        if input.starts(place, "<!--")? {
            let end = match input.find(place, "-->") {
                Some(end) => end + "-->".len(),
                None if input.complete => input.len(),
                None => return Err(Stop::More),
            };
            self.prose.add(input.slice(place, end));
            self.text(end);
            return Ok(());
        }
        let Some(tag) = Tag::at(input, place)? else {
            return self.element_step(Span::new(place, place + 1), input, context);
        };
        let plain = |machine: &mut Self| {
            machine.prose.add(tag.span.of(input.text));
            machine.text(tag.span.end);
            Ok(())
        };
        if self.is_quoted(input, place) {
            return plain(self);
        }
        let token = tag.form != Form::Tag;
        let marking = if token { Marking::Token } else { Marking::Tag };
        let glued = !tag.closing && parameters::glued(&tag, context).is_some();
        let Some(role) = role(&tag).or(glued.then_some(Role::Head)) else {
            return self.element_step(tag.span, input, context);
        };
        match role {
            Role::Open | Role::Payload => {
                self.open_block(Block::new(tag.span, marking), tag.span.end);
            }
            Role::Head => self.open_block(Block::new(Span::at(place), marking), place),
            Role::Reasoning { close } => {
                let close =
                    close.map_or_else(|| closing_tag(tag.span.of(input.text)), str::to_owned);
                self.open_reasoning(Reasoning::new(&close), tag.span.end);
            }
            Role::ReasoningEnd => return self.end_reasoning(tag.span.end, input, context),
            Role::Content if token || self.prose.is_empty() || tag.closing => {
                self.mark(tag.span.end);
                self.line = true;
            }
            Role::Close | Role::Separator if token || self.calls > 0 => {
                if self.is_in_sentence(input, tag.span)? {
                    return plain(self);
                }
                self.mark(tag.span.end);
            }
            Role::TurnEnd => return self.turn_end(tag, input),
            Role::Turn => return self.turn(tag, input),
            Role::Result if self.calls > 0 => self.stop(),
            Role::Result if token => self.mark(tag.span.end),
            Role::Result if !tag.closing => {
                // Nothing in the result of a call is the model's call.
                let close = closing_tag(tag.span.of(input.text));
                let Some(end) = input.find(tag.span.end, &close) else {
                    if !input.complete {
                        return Err(Stop::More);
                    }
                    return plain(self);
                };
                self.prose.add(input.slice(place, end));
                self.text(end + close.len());
            }
            Role::Key if !tag.closing => return self.key_step(tag, input, context),
            Role::Header => return self.header_step(tag, input, context),
            _ => return plain(self),
        }
        Ok(())
    }

    /// Reads what begins with `span`: an element that has the name of a tool, or text.
    fn element_step(&mut self, span: Span, input: Input<'_>, context: Context<'_>) -> Read<()> {
        let place = span.start;
        let name = if context.tools.are_given() && !self.is_quoted(input, place) {
            match element(input, place, context) {
                Err(Stop::Cut) if !self.prose.is_in_line() => {
                    return self.end_in_call(Stop::Cut, input);
                }
                name => name?.filter(|_| self.stands_alone(input, place)),
            }
        } else {
            None
        };
        match name {
            Some(name) if !is_word(name) => {
                self.open_block(Block::new(Span::at(place), Marking::Tag), place);
                return Ok(());
            }
            Some(_) if place >= self.bare_from => {
                self.bare(place, place, Marking::Bare, "", input, context)?;
                if self.at > place {
                    return Ok(());
                }
            }
            _ => {}
        }
        self.prose.add(span.of(input.text));
        self.text(span.end);
        Ok(())
    }

    /// Reads a call whose mark is lost: the name of an offered tool stands before the key.
    fn key_step(&mut self, tag: Tag<'_>, input: Input<'_>, context: Context<'_>) -> Read<()> {
        let line = input.line_before(tag.span.start);
        let before = line.trim_end();
        let is_whole = |name: &&str| {
            let lead = before.strip_suffix(name).map(|lead| lead.chars().next_back());
            lead.is_some_and(|last| {
                last.is_none_or(|c| !(c.is_alphanumeric() || "_.-".contains(c)))
            })
        };
        let name = context.tools.names().find(is_whole);
        let read = name.map(|name| {
            let end = tag.span.start - (line.len() - before.len());
            pairs::read(input, Span::new(end - name.len(), end), context)
        });
        match read {
            Some(Ok((found, end, family))) => {
                self.take(vec![found], family, "<tool_call>", None, Marking::Tag, context);
                self.mark(end);
                let mut block = Block::new(Span::at(end), Marking::Tag);
                block.calls = 1;
                self.mode = Mode::Block(block);
            }
            Some(Err(Stop::Other | Stop::Unreadable(_))) | None => {
                self.prose.add(tag.span.of(input.text));
                self.text(tag.span.end);
            }
            Some(Err(stop)) => return self.end_in_call(stop, input),
        }
        Ok(())
    }

    /// Ends reasoning, whose beginning may not be in the text: everything so far was reasoning then.
    /// As in reasoning whose beginning is there, its marked calls may be meant where nothing follows.
    fn end_reasoning(&mut self, end: usize, input: Input<'_>, context: Context<'_>) -> Read<()> {
        if self.in_reasoning {
            self.in_reasoning = false;
        } else if context.options.in_reasoning == InReasoning::Ignore {
            let is_last = input.skip_space(end) == input.len();
            if self.marked > 0 && is_last {
                if !input.complete {
                    return Err(Stop::More);
                }
                self.events.push(Event::InReasoning);
            } else {
                self.events.push(Event::AllReasoning);
                (self.calls, self.marked) = (0, 0);
            }
        }
        self.mark(end);
        self.prose = Prose::default();
        self.line = true;
        Ok(())
    }

    /// Ends the answer at a token that ends a turn, if nothing or another turn follows.
    fn turn_end(&mut self, tag: Tag<'_>, input: Input<'_>) -> Read<()> {
        let next = input.skip_space(tag.span.end);
        if next == input.len() && !input.complete {
            return Err(Stop::More);
        }
        let strikethrough = tag.is("s") && next < input.len() && self.calls == 0;
        if strikethrough {
            self.text(tag.span.end);
            return Ok(());
        }
        self.mark(tag.span.end);
        self.line = true;
        Ok(())
    }

    /// Ends the answer where another turn begins. The header of the first turn is left out.
    fn turn(&mut self, tag: Tag<'_>, input: Input<'_>) -> Read<()> {
        if self.calls > 0 || !self.prose.is_empty() {
            self.stop();
            return Ok(());
        }
        let end = input.line_end(tag.span.end);
        if end == input.len() && !input.complete {
            return Err(Stop::More);
        }
        // What another role says is not the model's answer.
        let header = input.slice(tag.span.end, end).trim_start();
        if !header.starts_with("assistant") && !header.starts_with("model") {
            self.stop();
            return Ok(());
        }
        self.mark((end + 1).min(input.len()));
        self.line = true;
        Ok(())
    }

    /// Ignores the rest of the text, which is not the model's answer.
    pub(super) fn stop(&mut self) {
        let row =
            Diagnostic::new("calls/after-answer", Severity::Info, "ignored text after the answer")
                .at(Span::at(self.at));
        self.events.push(Event::Boundary);
        self.events.push(Event::Finding(Box::new(row)));
        self.mode = Mode::Done;
    }
}

/// Returns the closing tag of an opening one.
fn closing_tag(open: &str) -> String {
    let inner = open.trim_start_matches('<').trim_end_matches('>');
    format!("</{}>", inner.split(' ').next().unwrap_or(inner))
}
