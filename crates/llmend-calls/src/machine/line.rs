//! The start of a line: fences, labels, and calls without marks.

use llmend_json::{Diagnostic, Severity, Span};

use super::{
    Machine,
    bare::Candidate,
    block::Block,
    lead::{self, Lead},
    quotation::{Fence, Language, is_text},
    withheld::is_withheld,
};
use crate::{
    Notation,
    evidence::{Doubt, Marking, Surroundings},
    found::Context,
    grammar::{
        lines::{self, Label},
        pythonic,
    },
    input::{Input, Read, Stop},
    marks::{Role, role},
    notation::Family,
    tag::{Form, Tag},
};

/// What may stand before a call at the start of a line.
const PREFIXES: &[(&str, Marking)] = &[
    ("Call:", Marking::Label),
    (">>>", Marking::Label),
    ("function call", Marking::Bare),
    ("commentary ", Marking::Bare),
];

impl Machine {
    /// Inspects the start of a line: code blocks, labels, unmarked calls.
    pub(super) fn line_step(&mut self, input: Input<'_>, context: Context<'_>) -> Read<()> {
        let start = self.at;
        let at = input.skip_blanks(start);
        if at == input.len() {
            if !input.complete {
                return Err(Stop::More);
            }
            self.line = false;
            return Ok(());
        }
        // Blocks that hold other blocks are examples.
        for mark in ["~~~", "````"] {
            let inside = self.fence.is_some_and(|fence| fence.close == mark);
            if input.starts(at, mark)? && (inside || self.fence.is_none()) {
                self.fence = (!inside).then_some(Fence { code: true, close: mark });
                self.line = false;
                return Ok(());
            }
        }
        if input.starts(at, "```")? && self.fence.is_none_or(|fence| fence.close == "```") {
            return self.fence_line(at, input, context);
        }
        if self.fence.is_some_and(|fence| fence.code) || at < self.bare_from {
            self.line = false;
            return Ok(());
        }
        if self.prose.is_empty() && is_only_code_span(input, at, context)? {
            return self.bare(start, at + 1, Marking::Code, "", input, context);
        }
        if self.turn_line(input, at)? {
            return Ok(());
        }
        if let Some((label, after)) = lines::label(input, at)? {
            return self.label_line(label, after, input, context);
        }
        // The mark before the word "function" is lost.
        let word = at + "function".len();
        if input.starts(at, "function")?
            && Tag::at(input, word)?.is_some_and(|tag| role(&tag) == Some(Role::Separator))
        {
            self.open_block(Block::new(Span::at(at), Marking::Token), at);
            return Ok(());
        }
        if input.starts(at, ">>>all\n")? {
            // Text for the user.
            self.mark(at + ">>>all\n".len());
            return Ok(());
        }
        for (prefix, marking) in PREFIXES {
            if input.starts(at, prefix)? {
                let next =
                    if *prefix == ">>>" { at + 3 } else { input.skip_space(at + prefix.len()) };
                return self.bare(start, next, *marking, prefix, input, context);
            }
        }
        // An element that no notation has, around JSON.
        if input.byte(at) == Some(b'<')
            && let Some(tag) = Tag::at(input, at)?
            && role(&tag).is_none()
            && !tag.closing
            && context.tools.named(tag.name).is_none()
        {
            let next = input.skip_space(tag.span.end);
            if next == input.len() && !input.complete {
                return Err(Stop::More);
            }
            if matches!(input.byte(next), Some(b'{' | b'[')) {
                return self.bare(start, next, Marking::Fence, "", input, context);
            }
        }
        self.bare(start, at, Marking::Bare, "", input, context)
    }

    fn fence_line(&mut self, at: usize, input: Input<'_>, context: Context<'_>) -> Read<()> {
        let end = input.line_end(at);
        if end == input.len() && !input.complete {
            return Err(Stop::More);
        }
        if self.fence.take().is_some() {
            // What stands behind it on its line is outside of the block.
            let behind = input.slice(at + 3, end);
            self.line = is_text(behind);
            if self.line {
                self.prose.add("```");
                self.text(at + 3);
                self.fenced_to = self.at;
            }
            return Ok(());
        }
        let language = Language::of(input.slice(at + 3, end));
        // A block of one line has its end on it.
        if input.slice(at + 3, end).contains("```") {
            self.line = false;
            return Ok(());
        }
        let marking = match language {
            Language::Calls => Marking::Token,
            Language::Data => Marking::Fence,
            Language::Results if self.calls > 0 => {
                self.stop();
                return Ok(());
            }
            Language::Results => Marking::Bare,
            Language::Code => {
                // Code is an example, unless it is the whole answer.
                if self.prose.is_empty()
                    && !input.slice(input.skip_space(end), input.len()).starts_with("<!")
                {
                    Marking::Code
                } else {
                    self.fence = Some(Fence { code: true, close: "```" });
                    self.line = false;
                    return Ok(());
                }
            }
        };
        let opener = if language == Language::Calls { input.slice(at, end) } else { "" };
        let next = input.skip_space(end);
        if next == input.len() && !input.complete {
            return Err(Stop::More);
        }
        let tag = input.byte(next) == Some(b'<');
        let quoted = Some(Fence { code: language == Language::Code && !tag, close: "```" });
        let before = self.at;
        let outcome = self.bare(before, next, marking, opener, input, context);
        if outcome.is_ok() && self.at == before {
            // No call without a mark.
            if language != Language::Calls {
                self.fence = quoted;
                if let Some(tag) = Tag::at(input, next)?.filter(|_| tag) {
                    self.fenced_mark(tag, before);
                }
                return outcome;
            }
            let close = input.find(next, "\n```");
            if close.is_none() && !input.complete {
                return Err(self.again(Stop::More));
            }
            self.fence = quoted;
            let inside = close.map_or(input.from(next), |close| input.slice(next, close));
            let named = context.tools.names().any(|name| inside.contains(name));
            if named && !tag {
                let span = Span::new(next, next + inside.len());
                let row = unreadable_block(span);
                self.refuse(row, Notation::of(Family::Pythonic, opener));
                self.mark(span.end);
                self.fence = None;
            }
        }
        outcome
    }

    /// Begins the block of a mark that is the first in a code block, whose first line is at `fence`.
    fn fenced_mark(&mut self, tag: Tag<'_>, fence: usize) {
        let marking = if tag.form == Form::Tag { Marking::Tag } else { Marking::Token };
        let (mut block, at) = match role(&tag) {
            Some(Role::Open) => (Block::new(tag.span, marking), tag.span.end),
            Some(Role::Head) => (Block::new(Span::at(tag.span.start), marking), tag.span.start),
            _ => return,
        };
        block.fence = Some(fence);
        self.open_block(block, at);
    }

    fn label_line(
        &mut self,
        label: Label,
        after: usize,
        input: Input<'_>,
        context: Context<'_>,
    ) -> Read<()> {
        match label {
            Label::Observation if self.calls > 0 => {
                self.stop();
                Ok(())
            }
            Label::Action if Self::may_be_unmarked(context) => {
                let start = self.at;
                let mut body = match lines::read(input, after, context) {
                    Ok(body) => body,
                    Err(Stop::More) => return Err(Stop::More),
                    Err(Stop::Cut) => return self.end_in_call(Stop::Cut, input),
                    Err(Stop::Unreadable(row)) => {
                        self.refuse(*row, Notation::of(Family::Lines, ""));
                        self.mark(input.line_end(after));
                        return Ok(());
                    }
                    Err(Stop::Other) => {
                        self.line = false;
                        return Ok(());
                    }
                };
                // Prose that goes on behind it describes the form.
                let behind = input.skip_space(body.end);
                if behind == input.len() && !input.complete {
                    return Err(Stop::More);
                }
                let goes_on = input.from(behind).starts_with(char::is_lowercase)
                    && lines::label(input, behind)?.is_none();
                let gap = input.slice(body.end, behind);
                let continued = goes_on && gap.contains('\n');
                let lead = Lead::at(input, start);
                if continued || lead::is_in_example(input, start) || is_withheld(lead) {
                    self.line = false;
                    return Ok(());
                }
                let listed = input.slice(start, after).trim_start().starts_with("- ");
                let denied = lead.introduces() && lead.denies();
                let apart = !self.prose.is_empty() && !self.prose.thought;
                for found in &mut body.calls {
                    if (goes_on && !gap.contains('\n')) || listed || (apart && !found.explicit) {
                        found.doubt(Doubt::Label);
                    } else if denied {
                        found.doubt(Doubt::Denied);
                    }
                }
                let candidate = Candidate {
                    end: body.end,
                    marking: Marking::Label,
                    surroundings: (Surroundings::Alone, false),
                    bodies: vec![body],
                };
                self.judge(candidate, "Action:", input, context);
                Ok(())
            }
            label => {
                self.prose.thought |= label == Label::Thought;
                self.line = false;
                Ok(())
            }
        }
    }
}

/// Returns whether the rest of the text is a code span that may hold a call.
fn is_only_code_span(input: Input<'_>, at: usize, context: Context<'_>) -> Read<bool> {
    if input.byte(at) != Some(b'`') || !pythonic::begins(input, at + 1, context)? {
        return Ok(false);
    }
    let end = input.find(at + 1, "`");
    let only = end.is_none_or(|end| input.from(end + 1).trim().is_empty());
    if only && !input.complete { Err(Stop::More) } else { Ok(only && end.is_some()) }
}

/// Creates the finding for a block for calls in which none can be read.
fn unreadable_block(span: Span) -> Diagnostic {
    Diagnostic::new(
        "calls/unreadable",
        Severity::Error,
        "expected calls with literals, found other code",
    )
    .at(span)
    .help("Write calls of the offered tools only: code is not run.")
}
