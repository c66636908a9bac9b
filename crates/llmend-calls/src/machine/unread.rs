//! What stands between the marks of calls and cannot be read as one.

use llmend_json::{Diagnostic, Severity, Span};

use super::{Machine, Mode, between::end_of_unreadable, block::Block, lead::Lead, quotation};
use crate::{
    Notation,
    evidence::Marking,
    found::Context,
    input::{Input, Read, Stop},
    marks::{Role, role},
    notation::Family,
    placeholder,
    tag::{Form, Tag},
};

/// How far behind the mark of a call the one that closes it is searched for, in bytes.
const MAX_INSIDE: usize = 1 << 12;

impl Machine {
    /// Returns whether JSON that is no call stands behind the mark of a call. A tag that may hold
    /// definitions, and one that prose mentions, prove nothing.
    pub(super) fn holds_other_json(
        &self,
        input: Input<'_>,
        at: usize,
        block: &Block,
    ) -> Read<bool> {
        let opener = block.opener.of(input.text);
        Ok(matches!(input.byte(at), Some(b'{' | b'['))
            && !opener.is_empty()
            && !opener.starts_with("<tools")
            && !matches!(input.byte(input.skip_space(at + 1)), Some(b'}' | b']'))
            && self.fence.is_none()
            && !quotation::is_mentioned(input, block.opener)?
            && (!self.prose.is_in_line() || Self::ends_answer(block, input)?))
    }

    /// Returns whether the answer ends with a block that is closed, and the prose before it neither
    /// shows nor denies it.
    fn ends_answer(block: &Block, input: Input<'_>) -> Read<bool> {
        let lead = Lead::at(input, block.opener.start);
        if lead.announces_example() || lead.denies() || lead.sets_off() {
            return Ok(false);
        }
        let Some(close) = closer(input, block.opener)? else { return Ok(false) };
        let end = Tag::at(input, close)?.map_or(close, |tag| tag.span.end);
        let (behind, opener) = (input.from(end).trim(), block.opener.of(input.text));
        if opener.starts_with(behind) && behind.len() < opener.len() && !input.complete {
            return Err(Stop::More);
        }
        Ok(behind.is_empty() || behind.starts_with(opener))
    }

    /// Returns why a block in which no call was read was meant as one, and where that is: the name
    /// of an offered tool follows its mark, or another mark closes it.
    pub(super) fn unread(
        &self,
        block: &Block,
        input: Input<'_>,
        context: Context<'_>,
    ) -> Read<Option<(Diagnostic, usize)>> {
        let row = |message: &str, span: Span| {
            Diagnostic::new("calls/unreadable", Severity::Error, message)
                .at(span)
                .help("Write the call in one notation, with all of its marks.")
        };
        if let Some(span) = self.unread_name(block, input, context) {
            return Ok(Some((row("expected arguments behind the name of a tool", span), span.end)));
        }
        let inside = self.unread_inside(block, input)?;
        Ok(inside.map(|span| (row("expected a call between its marks", span), span.end)))
    }

    /// Returns the span of the name of an offered tool right behind the mark of a block in which no
    /// call can be read.
    fn unread_name(&self, block: &Block, input: Input<'_>, context: Context<'_>) -> Option<Span> {
        let opener = block.opener.of(input.text);
        if opener.is_empty()
            || block.marking < Marking::Tag
            || self.fence.is_some()
            || self.prose.is_in_line()
            || !context.tools.are_given()
        {
            return None;
        }
        let mut at = input.skip_space(block.opener.end);
        for lead in
            ["<function=", "<invoke name=\"", "{\"name\":", "{\"name\": \"", "call:", "functions."]
        {
            if input.from(at).starts_with(lead) {
                at += lead.len();
            }
        }
        let rest = input.from(at);
        let name = context.tools.names().find(|name| rest.starts_with(name))?;
        let ends = rest.get(name.len()..)?.chars().next().is_none_or(|c| !c.is_alphanumeric());
        ends.then(|| Span::new(at, at + name.len()))
    }

    /// Returns what stands between the mark of a block and the one that closes it, unless it is a
    /// form to fill in, or prose mentions the marks.
    fn unread_inside(&self, block: &Block, input: Input<'_>) -> Read<Option<Span>> {
        let opener = block.opener.of(input.text);
        let is_tag = block.marking == Marking::Tag;
        if !opener.starts_with(['<', ']'])
            // Definitions may stand there.
            || opener.starts_with("<tools")
            || block.marking < Marking::Tag
            || self.fence.is_some()
            || quotation::is_mentioned(input, block.opener)?
        {
            return Ok(None);
        }
        let introduces = || Lead::at(input, block.opener.start).introduces();
        if is_tag && !self.prose.is_empty() && (introduces() || !Self::ends_answer(block, input)?) {
            return Ok(None);
        }
        let Some(close) = closer(input, block.opener)? else { return Ok(None) };
        let span = Span::new(block.opener.end, close);
        let text = span.of(input.text);
        // Words, outside of tags.
        let outside = |part: &str| {
            part.rsplit('>').next().is_some_and(|text| text.chars().any(char::is_alphanumeric))
        };
        let words = text.split('<').any(outside);
        Ok((words && !is_form(text) && !quotation::is_named(input, block.opener)?).then_some(span))
    }

    /// Refuses a line between the marks of calls, and reads on behind it, or refuses all up to the
    /// next mark.
    pub(super) fn refuse_line(
        &mut self,
        row: Diagnostic,
        block: &Block,
        at: usize,
        input: Input<'_>,
    ) {
        self.refuse_block(row, block, at, input);
        // Where each line is an object, the next may be good.
        let line = input.line_end(at);
        let next = input.skip_space(line);
        let is_object = input.slice(at, line).trim_end().ends_with('}');
        if is_object && next < self.at() && input.byte(next) == Some(b'{') {
            let mut block = block.clone();
            block.calls += 1;
            self.mark(next);
            self.mode = Mode::Block(block);
        }
    }

    /// Refuses what cannot be read at `at`, up to the next mark.
    pub(super) fn refuse_block(
        &mut self,
        row: Diagnostic,
        block: &Block,
        at: usize,
        input: Input<'_>,
    ) {
        self.refuse(row, Notation::of(Family::Json, block.opener.of(input.text)));
        self.mark(end_of_unreadable(input, at));
        self.mode = Mode::Text;
    }
}

/// Returns the offset of the mark that closes the one at `opener`: a tag of its name, or a token.
fn closer(input: Input<'_>, opener: Span) -> Read<Option<usize>> {
    let Some(open) = Tag::at(input, opener.start)? else { return Ok(None) };
    let near = input.until(opener.end + MAX_INSIDE);
    let mut at = opener.end;
    while let Some(found) = near.find(at, "<") {
        if let Some(tag) = Tag::at(near, found)? {
            let closes = match open.form {
                Form::Tag => tag.closing && tag.name == open.name,
                _ => tag.form == Form::Token && role(&tag) == Some(Role::Close),
            };
            if closes {
                return Ok(Some(tag.span.start));
            }
            // A function that is named, and another message, are read by themselves.
            let named = tag.given_name().is_some_and(|name| !name.is_empty());
            match role(&tag) {
                Some(Role::Content | Role::Reasoning { .. } | Role::Header | Role::Turn) => {
                    return Ok(None);
                }
                Some(Role::Head) if named => return Ok(None),
                _ => {}
            }
        }
        at = found + 1;
    }
    // It may come yet.
    if !input.complete && near.len() == input.len() { Err(Stop::More) } else { Ok(None) }
}

/// Returns whether `text` is a form to fill in, as documentation shows it.
fn is_form(text: &str) -> bool {
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')));
    // An attribute has this name as well.
    let mut words = words.filter(|word| !matches!(*word, "" | "name"));
    text.contains("...") || text.contains('…') || words.any(placeholder::is_name)
}
