//! Reasoning: its calls are drafts, unless it never ends.

use llmend_json::Span;

use super::{Event, Machine, Mode, prose::Prose};
use crate::{
    found::Context,
    input::{Input, Read, Stop},
    marks::{CALL_MARKS, LONGEST, Role, held_before, role},
    options::InReasoning,
    tag::Tag,
};

/// Reasoning that is being read.
#[derive(Clone, Debug)]
pub(super) struct Reasoning {
    close: String,
}

impl Reasoning {
    pub(super) fn new(close: &str) -> Self {
        Self { close: close.to_owned() }
    }
}

impl Machine {
    pub(super) fn open_reasoning(&mut self, reasoning: Reasoning, at: usize) {
        self.mark(at);
        self.mode = Mode::Reasoning(reasoning);
    }

    pub(super) fn reasoning_step(
        &mut self,
        reasoning: &Reasoning,
        input: Input<'_>,
        context: Context<'_>,
    ) -> Read<()> {
        if context.options.in_reasoning == InReasoning::Accept {
            // The closing tag is dropped where it is met.
            self.mode = Mode::Text;
            self.in_reasoning = true;
            self.line = true;
            return Ok(());
        }
        let end = input.find(self.at, &reasoning.close);
        if let Some(end) = end {
            let behind = input.skip_space(end + reasoning.close.len());
            let call = first_call(input.until(end), self.at);
            if let Some(call) = call.filter(|_| behind == input.len()) {
                // Where nothing follows, the call may be meant.
                self.reasoning_text(call);
                if !input.complete {
                    return Err(Stop::More);
                }
                self.mode = Mode::Text;
                self.in_reasoning = true;
                self.line = false;
                return Ok(());
            }
            self.reasoning_text(end);
            self.mark(end + reasoning.close.len());
            self.prose = Prose::default();
            self.mode = Mode::Text;
            self.line = true;
            return Ok(());
        }
        let call = first_call(input, self.at);
        if let Some(call) = call {
            self.reasoning_text(call);
        }
        if !input.complete {
            if call.is_none() {
                let held = held(input, self.at, &reasoning.close);
                self.reasoning_text(held);
            }
            return Err(Stop::More);
        }
        if call.is_some() {
            self.mode = Mode::Text;
            self.in_reasoning = true;
            self.line = false;
            return Ok(());
        }
        self.reasoning_text(input.len());
        self.mode = Mode::Text;
        Ok(())
    }

    fn reasoning_text(&mut self, end: usize) {
        if end > self.at {
            self.events.push(Event::Reasoning(Span::new(self.at, end)));
            self.at = end;
        }
    }
}

/// Returns the offset of the first mark of a call at or after `at`.
fn first_call(input: Input<'_>, at: usize) -> Option<usize> {
    let literal = CALL_MARKS.iter().filter_map(|mark| input.find(at, mark)).min();
    let mut from = at;
    while let Some(found) = input.find(from, "<") {
        if literal.is_some_and(|literal| literal < found) {
            break;
        }
        match Tag::at(input, found) {
            Ok(Some(tag))
                if matches!(role(&tag), Some(Role::Open | Role::Head)) && !tag.closing =>
            {
                return Some(found);
            }
            Err(Stop::More) => return Some(found),
            _ => from = found + 1,
        }
    }
    literal
}

/// Returns where reasoning must be held back, since its end or a call may begin.
fn held(input: Input<'_>, at: usize, close: &str) -> usize {
    held_before(input.text, at, close.len().max(LONGEST), |rest| {
        close.starts_with(rest) || CALL_MARKS.iter().any(|mark| mark.starts_with(rest))
    })
}
