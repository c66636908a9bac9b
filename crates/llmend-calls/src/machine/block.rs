//! A block of calls behind a mark.

use llmend_json::{Diagnostic, Severity, Span};

use super::{Event, Machine, Mode, between::skip_between, lead::Lead, notation_of, quotation};
use crate::{
    evidence::{Doubt, Marking},
    found::{Body, Context, Found},
    grammar::{body, json, parameters},
    input::{Input, Read, Stop},
    marks::{CALL_MARKS, CLOSING_MARKS, Role, role},
    tag::{Form, Tag},
};

mod state;

pub(super) use state::Block;

/// What is at a place of a block.
enum Next<'t> {
    Body(Box<Body<'t>>),
    /// A mark to skip.
    Mark(Tag<'t>),
    /// The block ends.
    Leave,
}

impl Machine {
    pub(super) fn open_block(&mut self, block: Block, at: usize) {
        // The mark is text if no call follows, so nothing is decided yet.
        self.at = at;
        self.line = false;
        self.mode = Mode::Block(block);
    }

    pub(super) fn block_step(
        &mut self,
        mut block: Block,
        input: Input<'_>,
        context: Context<'_>,
    ) -> Read<()> {
        let mut at = self.at;
        let mut closed_at = at;
        let mut marks = 0;
        loop {
            at = skip_between(input, at)?;
            if at == input.len() {
                return self.end_block(&block, input, context);
            }
            if block.is_over(input, at)? {
                // White space behind the end belongs to the text.
                let end = if block.calls == 0 { closed_at } else { self.at };
                return self.leave_block(&block, end, input, context);
            }
            match next(input, at, context) {
                Ok(Next::Mark(tag)) => {
                    marks += usize::from(block.mark(&tag, input));
                    at = tag.span.end;
                    closed_at = at;
                    if block.calls > 0 {
                        self.at = at;
                        self.mode = Mode::Block(block.clone());
                    } else if marks > MAX_MARKS {
                        // Marks that follow each other open nothing.
                        self.at = block.fence.unwrap_or(block.opener.start);
                        self.text(at);
                        self.mode = Mode::Text;
                        return Ok(());
                    }
                }
                // Behind a call, prose may look like another.
                Ok(Next::Body(body)) if block.calls > 0 && is_prose(input, at, &body, context) => {
                    return self.leave_block(&block, self.at, input, context);
                }
                Ok(Next::Body(body)) => return self.take_block(block, *body, input, context),
                Ok(Next::Leave) => match block.noise(input, at)? {
                    Some(behind) => at = behind,
                    None => return self.leave_block(&block, self.at, input, context),
                },
                Err(Stop::Other) => match block.noise(input, at)? {
                    Some(behind) => at = behind,
                    None => return self.unread_block(&block, None, at, input, context),
                },
                Err(Stop::Unreadable(row)) => {
                    return self.unread_block(&block, Some(*row), at, input, context);
                }
                // Behind a call, a word is no beginning of another.
                Err(Stop::Cut)
                    if block.calls > 0
                        && (block.closed
                            || !input.from(at).contains(['{', '(', '<', '[', '"'])) =>
                {
                    return self.leave_block(&block, self.at, input, context);
                }
                Err(Stop::Cut) if self.is_told_of(&block, input)? => {
                    return self.leave_mentioned(&block, input);
                }
                Err(stop) => return self.end_in_call(stop, input),
            }
        }
    }

    /// Returns whether the mark of a block is text: the words before it say that its call is not made,
    /// or a sentence ends with it, which is about the mark then.
    fn is_told_of(&self, block: &Block, input: Input<'_>) -> Read<bool> {
        if self.is_withheld(block, input) {
            return Ok(true);
        }
        let is_open = block.calls == 0 && !block.closed;
        Ok(is_open && self.prose.is_in_line() && quotation::ends_sentence(input, block.opener)?)
    }

    /// Ends a block with the text.
    fn end_block(&mut self, block: &Block, input: Input<'_>, context: Context<'_>) -> Read<()> {
        if !input.complete {
            return Err(Stop::More);
        }
        if self.is_told_of(block, input)? {
            return self.leave_mentioned(block, input);
        }
        if block.calls == 0
            && block.closed
            && let Some((row, end)) = self.unread(block, input, context)?
        {
            self.refuse_block(row, block, end, input);
            return Ok(());
        }
        if block.calls == 0 && !block.closed {
            self.cut(input);
        } else {
            self.mark(input.len());
        }
        self.mode = Mode::Text;
        Ok(())
    }

    /// Handles what cannot be read as a call at `at`: it is refused if it was meant as one, and else
    /// left as text.
    fn unread_block(
        &mut self,
        block: &Block,
        row: Option<Diagnostic>,
        at: usize,
        input: Input<'_>,
        context: Context<'_>,
    ) -> Read<()> {
        let prose = block.calls > 0 && input.from(at).starts_with(char::is_alphabetic);
        let meant = match row {
            _ if self.is_withheld(block, input) => false,
            Some(_) => !prose && !quotation::is_mentioned(input, block.opener)?,
            None => block.calls == 0 && self.holds_other_json(input, at, block)?,
        };
        if !meant {
            return self.leave_block(block, self.at, input, context);
        }
        if !input.complete {
            return Err(Stop::More);
        }
        let row = row
            .unwrap_or_else(|| json::other_json(Span::new(block.opener.start, input.line_end(at))));
        self.refuse_line(row, block, at, input);
        Ok(())
    }

    fn take_block(
        &mut self,
        mut block: Block,
        mut body: Body<'_>,
        input: Input<'_>,
        context: Context<'_>,
    ) -> Read<()> {
        let first = if block.calls == 0 { block.opener } else { block.inner };
        let opener = input.slice(first.start, first.end.max(first.start + 24).min(input.len()));
        let opener = if opener.is_empty() { input.from(first.start) } else { opener };
        let outer = notation_of(&body, opener);
        let inner = notation_of(&body, input.slice(block.inner.start, input.len()));
        // The mark that has a row for this family tells the notation.
        let notation =
            if outer.openers.iter().any(|own| opener.starts_with(own)) { outer } else { inner };
        let whole = Span::new(block.opener.start, body.end);
        if self.is_withheld(&block, input) {
            return self.withhold(&block, whole, input);
        }
        let mentioned = block.calls == 0
            && (self.is_mentioned_call(input, whole, block.marking)?
                || self.is_example(input, body.end)?
                || self.is_word(input, whole, &body, context));
        let (end, is_cut) = (body.end, body.is_cut);
        let mut calls = std::mem::take(&mut body.calls);
        let lead = Lead::at(input, block.opener.start);
        let doubt = if block.calls > 0 {
            None
        } else if lead.announces_example() {
            Some(Doubt::Example)
        } else {
            let is_set_off = self.may_be_set_off(input, &block)? && lead.sets_off();
            let denied = lead.denies() || is_set_off || ends_sentence(input, whole)?;
            denied.then_some(Doubt::Denied)
        };
        if let Some(doubt) = doubt {
            for found in &mut calls {
                found.doubt(doubt);
            }
        }
        if mentioned
            || !self.take(calls, body.family, opener, Some(notation), block.marking, context)
        {
            self.bare_from = end;
            self.leave_mentioned(&block, input)?;
            if mentioned {
                self.reported = true;
                self.events.push(Event::Finding(Box::new(mentioned_call(whole))));
            }
            return Ok(());
        }
        block.calls += 1;
        block.reopened = None;
        self.mark(end);
        self.mode = Mode::Block(block);
        if is_cut {
            self.at = self.called_to.min(end);
            self.cut(input);
        }
        Ok(())
    }

    /// Returns whether prose on the same line mentions the call, and does not make it.
    fn is_mentioned_call(&self, input: Input<'_>, span: Span, marking: Marking) -> Read<bool> {
        let before = self.own_line(input, span.start).trim();
        if before.is_empty() || self.calls > 0 && !before.contains(char::is_alphanumeric) {
            return Ok(false);
        }
        // The closing tags belong to the call.
        let mut end = span.end;
        loop {
            let next = input.skip_space(end);
            if next == input.len() && !input.complete {
                return Err(Stop::More);
            }
            match Tag::at(input, next)? {
                // Prose that mentions a token of a template does not close it.
                Some(tag) if role(&tag) == Some(Role::Close) && marking == Marking::Token => {
                    return Ok(false);
                }
                Some(tag) if tag.closing => end = tag.span.end,
                _ => break,
            }
        }
        // Of several calls in a sentence, what is behind the last decides.
        let close =
            input.slice(span.start, end).rfind("</").map(|at| input.slice(span.start + at, end));
        if let Some(close) = close
            && let Some(last) = input.whole_line_after(end)?.rfind(close)
        {
            end += last + close.len();
        }
        quotation::is_mentioned(input, Span::new(span.start, end))
    }

    /// Returns whether what is before the mark of a block may set it off as a quotation.
    fn may_be_set_off(&self, input: Input<'_>, block: &Block) -> Read<bool> {
        let is_tag = Tag::at(input, block.opener.start)?.is_none_or(|tag| tag.form == Form::Tag);
        // The end of a code block sets nothing off.
        let is_behind_block =
            self.fenced_to > 0 && input.slice(self.fenced_to, block.opener.start).trim().is_empty();
        Ok(is_tag && !is_behind_block && block.fence.is_none() && !self.prose.is_empty())
    }

    /// Returns whether the call is in a code block that prose follows, as an example is.
    fn is_example(&self, input: Input<'_>, end: usize) -> Read<bool> {
        if self.fence.is_none() {
            return Ok(false);
        }
        let Some(close) = input.find(end, "```") else {
            return if input.complete { Ok(false) } else { Err(Stop::More) };
        };
        let after = input.from(close + 3).trim();
        if after.is_empty() && !input.complete {
            return Err(Stop::More);
        }
        Ok(after.chars().any(char::is_alphanumeric) && !after.starts_with(['<', '[']))
    }

    /// Leaves a block. Its mark is text if no call was read.
    fn leave_block(
        &mut self,
        block: &Block,
        at: usize,
        input: Input<'_>,
        context: Context<'_>,
    ) -> Read<()> {
        if block.calls == 0
            && !self.is_withheld(block, input)
            && let Some((row, end)) = self.unread(block, input, context)?
        {
            if !input.complete {
                self.at = at;
                self.mode = Mode::Block(block.clone());
                return Err(Stop::More);
            }
            self.refuse_block(row, block, end, input);
            return Ok(());
        }
        self.mode = Mode::Text;
        if block.calls > 0
            && !block.closed
            && let Some(mark) = block.reopened
        {
            // What is behind another mark is judged by itself.
            self.mark(mark.start);
            return Ok(());
        }
        if block.calls > 0 || block.closed {
            self.mark(at);
            self.line = true;
            return Ok(());
        }
        self.leave_mentioned(block, input)
    }

    /// Leaves the mark of a block in which nothing was meant as a call.
    fn leave_mentioned(&mut self, block: &Block, input: Input<'_>) -> Read<()> {
        self.mode = Mode::Text;
        self.at = block.fence.unwrap_or(block.opener.start);
        self.text(block.opener.start);
        if block.opener.is_empty() {
            // A tag that names the function.
            let end = Tag::at(input, self.at)?.map_or(self.at + 1, |tag| tag.span.end);
            self.prose.add(input.slice(self.at, end));
            self.text(end);
        } else if block.marking == Marking::Token
            && !self.is_told_of(block, input)?
            && !(self.prose.is_in_line() && quotation::is_named(input, block.opener)?)
        {
            // A token of a chat template is never text.
            self.mark(block.opener.end);
            self.line = true;
        } else {
            self.prose.add(block.opener.of(input.text));
            self.text(block.opener.end);
        }
        Ok(())
    }
}

/// Returns whether the end of a sentence that begins before the call follows it.
fn ends_sentence(input: Input<'_>, span: Span) -> Read<bool> {
    if input.line_before(span.start).trim().is_empty() {
        return Ok(false);
    }
    let mut end = span.end;
    while let Some(tag) = Tag::at(input, input.skip_space(end))?.filter(|tag| tag.closing) {
        end = tag.span.end;
    }
    if end == input.len() && !input.complete {
        return Err(Stop::More);
    }
    Ok(input.from(end).starts_with(['.', '?', '。', '？', '!']))
}

/// Creates the finding for a whole call that is left as text.
pub(super) fn mentioned_call(span: Span) -> Diagnostic {
    Diagnostic::new(
        "calls/mention",
        Severity::Warning,
        "ignored a call that the text only mentions",
    )
    .at(span)
    .help("Ask again if it was meant.")
}

/// Maximum number of opening marks before a call.
const MAX_MARKS: usize = 6;
/// Returns whether a body behind a call is prose: it begins with a name that is not offered.
fn is_prose(input: Input<'_>, at: usize, body: &Body<'_>, context: Context<'_>) -> bool {
    let named = input.from(at).starts_with(|c: char| c.is_alphabetic() || c == '_');
    let unknown =
        |found: &Found<'_>| crate::name::resolve(&found.name, context.tools).tool.is_none();
    named && context.tools.are_given() && body.calls.iter().any(unknown)
}

/// Returns what is at `at`.
fn next<'t>(input: Input<'t>, at: usize, context: Context<'_>) -> Read<Next<'t>> {
    if let Some(mark) = mark(input, at, context)? {
        return Ok(Next::Mark(mark));
    }
    if let Some(tag) = Tag::at(input, at)? {
        let head = match role(&tag) {
            Some(role) => role == Role::Head,
            None => {
                parameters::is_tool(&tag, context) || parameters::glued(&tag, context).is_some()
            }
        };
        if !head {
            return Ok(Next::Leave);
        }
    }
    body::read(input, at, context).map(|body| Next::Body(Box::new(body)))
}

/// Returns the mark at `at` that opens, separates or closes calls.
pub(super) fn mark<'t>(input: Input<'t>, at: usize, context: Context<'_>) -> Read<Option<Tag<'t>>> {
    if let Some(tag) = Tag::at(input, at)? {
        let is_mark =
            matches!(role(&tag), Some(Role::Open | Role::Close | Role::Separator | Role::Payload));
        return Ok(is_mark.then_some(tag));
    }
    // `function` and a separator, without a name.
    if input.starts(at, "function")? {
        let after = at + "function".len();
        let rest = input.skip_space(after);
        let rest = if input.starts(rest, "call")? { input.skip_space(rest + 4) } else { rest };
        if let Some(tag) = Tag::at(input, rest)?
            && role(&tag) == Some(Role::Separator)
            && context.tools.named("function").is_none()
        {
            return Ok(Some(Tag { span: Span::new(at, tag.span.end), ..tag }));
        }
    }
    let opening = CALL_MARKS.iter().map(|mark| (mark, false));
    for (mark, closing) in opening.chain(CLOSING_MARKS.iter().map(|mark| (mark, true))) {
        if input.starts(at, mark)? {
            let span = Span::new(at, at + mark.len());
            let (name, form) = ("tool_calls", Form::Token);
            return Ok(Some(Tag { span, closing, name, rest: "", form }));
        }
    }
    Ok(None)
}
