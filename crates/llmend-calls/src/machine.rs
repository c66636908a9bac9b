//! The machine that reads a text: prose, reasoning, messages and blocks of calls.
//!
//! It reads text of which more may arrive. A step that needs more is undone and tried again, so
//! that what it decides does not depend on where the text is cut.

mod bare;
mod begun;
mod between;
mod block;
mod finish;
mod lead;
mod limits;
mod line;
mod mark;
mod message;
mod prose;
mod quotation;
mod reasoning;
mod start;
mod turn;
mod unread;
mod withheld;

use std::cell::Cell;

use llmend_json::{Class, Diagnostic, Severity, Span};

use crate::{
    Call, Notation, Options, Refused, Tools,
    evidence::{self, Evidence, Marking, Verdict},
    fit,
    found::{Body, Context, Found},
    grammar::channel,
    input::{Input, Read, Stop},
    marks::{self, LONGEST, Literal, held_back},
    notation::Family,
};
use block::Block;
use quotation::Fence;
use reasoning::Reasoning;

/// What the machine has read.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// Text for the user.
    Text(Span),
    /// Reasoning.
    Reasoning(Span),
    /// A mark between texts.
    Boundary,
    /// Another message begins.
    Break,
    Call(Box<Call>),
    Refused(Box<Refused>),
    Finding(Box<Diagnostic>),
    /// The text is cut off inside a call, which begins here.
    Cut(Span),
    /// Everything so far was reasoning.
    AllReasoning,
    /// The calls so far are inside reasoning, with which the text ends.
    InReasoning,
}

/// The state between steps.
#[derive(Clone, Debug, Default)]
enum Mode {
    #[default]
    Text,
    Block(Block),
    Reasoning(Reasoning),
    /// A message that is text, or reasoning, whatever it looks like.
    Message {
        reasoning: bool,
    },
    /// Text to the end: the search for calls was given up.
    Rest,
    /// What follows is not the answer.
    Done,
}

/// Maximum number of steps in a row that read nothing: changes of the mode.
const MAX_STALLED: usize = 8;

/// Length of text, in bytes, that any byte behind it may decide.
const SHORT_WAIT: usize = 64;
/// Work of attempts that need more text, as a multiple of the text that waits.
const ATTEMPTS_SHARE: usize = 16;
/// Work of attempts at any place.
const ATTEMPTS_FLOOR: usize = 1 << 11;

/// The reader of a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Machine {
    /// Everything before this offset is decided.
    at: usize,
    mode: Mode,
    /// Whether `at` is the start of a line that has not been inspected.
    line: bool,
    fence: Option<Fence>,
    /// Number of calls and refused calls.
    calls: usize,
    /// Number of them between marks.
    marked: usize,
    /// End of the last of them.
    called_to: usize,
    /// Offset behind a code block that ends on the line.
    fenced_to: usize,
    /// End of the last call that is text, since the words before it say that it is not made.
    withheld_to: usize,
    /// Whether reasoning without its end holds the calls.
    in_reasoning: bool,
    /// Lines of prose so far, and the length of the longest.
    prose: prose::Prose,
    /// Offset before which no unmarked call is searched for.
    bare_from: usize,
    /// Work of the steps so far, without attempts that needed more text.
    work: usize,
    events: Vec<Event>,
    /// What is behind the last call.
    behind: Behind,
    /// Whether the events say why something that looks like a call is none.
    reported: bool,
    attempts: Attempts,
    /// Number of steps in a row that read nothing.
    stalled: usize,
}

/// What is behind the last call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Behind {
    /// There is no call, or it is a guess.
    #[default]
    Ignored,
    Nothing,
    /// Text from this offset on.
    Text(usize),
}

/// When a step that needs more text is tried again.
#[derive(Clone, Copy, Debug, Default)]
struct Attempts {
    /// Length of the text at the last attempt.
    length: usize,
    /// Work of the attempts at the current place.
    spent: usize,
    /// How far the text was searched for what may close something, and whether that was found
    /// since the last attempt.
    seen: usize,
    closes: bool,
}

impl Machine {
    /// Creates a machine at the start of a text.
    pub(crate) fn new() -> Self {
        Self { line: true, ..Self::default() }
    }

    /// Reads on as far as the text goes. What was read is in [`Self::events`].
    pub(crate) fn advance(&mut self, input: Input<'_>, tools: &Tools, options: &Options) {
        let context = Context { tools, options };
        let work = Cell::new(0);
        let input = input.counted(&work);
        self.plain(input);
        while !(matches!(self.mode, Mode::Done) || (self.at >= input.len() && self.is_idle())) {
            if !self.is_due(input) {
                break;
            }
            let before = self.at;
            if self.limit_calls() {
                break;
            }
            self.limit_work();
            work.set(0);
            match self.step(input, context) {
                Ok(()) => {
                    self.work += work.get();
                    self.attempts = Attempts::default();
                    self.stalled = if self.at == before { self.stalled + 1 } else { 0 };
                    if self.stalled > MAX_STALLED {
                        // No way of reading goes on here.
                        self.mode = Mode::Text;
                        self.line = false;
                        self.text(next_char(input.text, before));
                        self.stalled = 0;
                    }
                }
                Err(_) if !input.complete => {
                    self.attempts.length = input.len();
                    self.attempts.seen = input.len();
                    self.attempts.closes = false;
                    if self.at == before {
                        self.attempts.spent += work.get().max(input.len() - self.at);
                    }
                    break;
                }
                // Nothing is left that could be read in another way.
                Err(_) => {
                    self.text(input.len());
                    self.mode = Mode::Text;
                }
            }
        }
        if input.complete {
            self.finish(input, tools);
        }
    }

    /// Takes text inside of a line that can begin no mark, which most pieces of prose are.
    fn plain(&mut self, input: Input<'_>) {
        let rest = input.from(self.at);
        if matches!(self.mode, Mode::Text)
            && self.at > 0
            && !self.line
            && !rest.bytes().any(marks::may_begin)
        {
            self.prose.add(rest);
            self.text(input.len());
        }
    }

    /// Tries the next step again, whether or not that is worth it.
    pub(crate) fn retry(&mut self) {
        self.attempts = Attempts::default();
    }

    /// Returns what was read since the last call.
    pub(crate) fn events(&mut self) -> std::vec::Drain<'_, Event> {
        self.events.drain(..)
    }

    /// Returns how far the text is decided.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// Returns whether the call that began when the text was decided up to `at` is still read.
    pub(crate) const fn is_reading(&self, at: usize) -> bool {
        matches!(self.mode, Mode::Block(_)) || self.at == at
    }

    /// Returns whether nothing waits for more text.
    const fn is_idle(&self) -> bool {
        matches!(self.mode, Mode::Text | Mode::Message { .. } | Mode::Rest)
    }

    /// Returns whether a step that needed more text is tried again: when what arrived may close
    /// something, as long as all attempts together cost a fixed multiple of the text.
    fn is_due(&mut self, input: Input<'_>) -> bool {
        let attempts = &mut self.attempts;
        if input.complete || attempts.spent == 0 {
            return true;
        }
        let waiting = input.len() - self.at.min(input.len());
        let bytes = input.text.as_bytes();
        // No part of a word ends anything in a block.
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let last = bytes.get(attempts.seen.saturating_sub(1)..).unwrap_or_default();
        if matches!(self.mode, Mode::Block(_)) && last.iter().all(word) {
            return false;
        }
        let new = bytes.get(attempts.seen..).unwrap_or_default();
        attempts.closes |= new.iter().any(|byte| b">}])\n".contains(byte));
        attempts.seen = input.len();
        let may_close = attempts.closes || waiting < SHORT_WAIT;
        (may_close && attempts.spent <= ATTEMPTS_FLOOR + ATTEMPTS_SHARE * waiting)
            || input.len() >= attempts.length + waiting / 2
    }

    fn step(&mut self, input: Input<'_>, context: Context<'_>) -> Read<()> {
        match self.mode.clone() {
            Mode::Text => self.text_step(input, context),
            Mode::Block(block) => self.block_step(block, input, context),
            Mode::Reasoning(reasoning) => self.reasoning_step(&reasoning, input, context),
            Mode::Message { reasoning } => self.message_step(reasoning, input),
            Mode::Rest => {
                self.text(input.len());
                if input.complete { Ok(()) } else { Err(Stop::More) }
            }
            Mode::Done => Ok(()),
        }
    }

    /// Takes the text up to `end` as text for the user, or as reasoning that has not ended.
    fn text(&mut self, end: usize) {
        if end <= self.at {
            return;
        }
        let start = std::mem::replace(&mut self.at, end);
        let span = Span::new(start, end);
        if self.behind == Behind::Nothing {
            self.behind = Behind::Text(start);
        }
        match self.events.last_mut() {
            _ if self.in_reasoning => self.events.push(Event::Reasoning(span)),
            Some(Event::Text(last)) if last.end == start => last.end = end,
            _ => self.events.push(Event::Text(span)),
        }
    }

    /// Takes the rest of the text as a call that is cut off.
    fn cut(&mut self, input: Input<'_>) {
        self.reported = true;
        let start = match &self.mode {
            Mode::Block(block) if block.calls == 0 => block.fence.unwrap_or(block.opener.start),
            _ => self.at,
        };
        self.events.push(Event::Boundary);
        self.events.push(Event::Cut(Span::new(start, input.len())));
        self.at = input.len();
    }

    /// Leaves out the text up to `end`, a mark.
    fn mark(&mut self, end: usize) {
        self.events.push(Event::Boundary);
        self.at = end;
    }

    fn text_step(&mut self, input: Input<'_>, context: Context<'_>) -> Read<()> {
        if self.at == 0 {
            self.beginning(input, context)?;
            if self.at > 0 {
                return Ok(());
            }
        }
        if self.line {
            return self.line_step(input, context);
        }
        let from = self.at;
        let Some((mark, literal)) = marks::find(input.text, from) else {
            let end = if input.complete { input.len() } else { held_back(input.text, from) };
            self.prose.add(input.slice(from, end));
            self.text(end);
            return if input.complete { Ok(()) } else { Err(Stop::More) };
        };
        let place = mark.start;
        // A longer mark may begin here or before.
        let near_end = !input.complete && place + LONGEST >= input.len();
        let held = if near_end { held_back(input.text, from) } else { usize::MAX };
        if held <= place {
            self.prose.add(input.slice(from, held));
            self.text(held);
            return Err(Stop::More);
        }
        if place > from {
            self.prose.add(input.slice(from, place));
            self.text(place);
        }
        match literal {
            Literal::Line => {
                self.prose.end_line();
                self.text(mark.end);
                self.line = true;
                Ok(())
            }
            Literal::Tag => self.tag_step(input, place, context),
            literal => self.literal_step(literal, mark, input, context),
        }
    }

    /// Reads what stands at the start of a text only: the rest of a header whose beginning is in
    /// the prompt.
    fn beginning(&mut self, input: Input<'_>, context: Context<'_>) -> Read<()> {
        if input.starts(0, "\u{feff}")? {
            self.mark("\u{feff}".len());
            return Ok(());
        }
        let at = input.skip_space(0);
        if input.starts(at, "to=")? {
            if let Some(header) = channel::header(input, at)? {
                return self.message(header, Span::at(at), input, context);
            }
        } else if input.starts(at, "analysis")? {
            // Without its tokens the header sticks to the text.
            let next = at + "analysis".len();
            if next == input.len() && !input.complete {
                return Err(Stop::More);
            }
            if input.from(next).starts_with(char::is_alphabetic) {
                let ends = ["assistantcommentary", "assistantfinal", "assistantanalysis"];
                if let Some(end) = ends.iter().filter_map(|end| input.find(next, end)).min() {
                    self.mark(next);
                    self.events.push(Event::Reasoning(Span::new(next, end)));
                    let word = ends.iter().find(|word| input.from(end).starts_with(**word));
                    self.mark(end + word.map_or(0, |word| word.len()));
                } else if !input.complete {
                    return Err(Stop::More);
                }
            }
        }
        Ok(())
    }

    /// Judges calls that were read, and takes them as calls or refuses them. Returns false if they
    /// are text.
    fn take(
        &mut self,
        calls: Vec<Found<'_>>,
        family: Family,
        opener: &str,
        known: Option<&'static Notation>,
        marking: Marking,
        context: Context<'_>,
    ) -> bool {
        let notation = known.unwrap_or_else(|| Notation::of(family, opener));
        let mut any = false;
        for mut found in calls {
            found.refuse_without_name();
            let evidence = Evidence::marked(marking, fit::name_of(&found, context));
            if evidence::judge(evidence) != Verdict::Text {
                any = true;
                self.marked += 1;
                self.accept(found, notation, context);
            }
        }
        any
    }

    fn accept(&mut self, mut found: Found<'_>, notation: &'static Notation, context: Context<'_>) {
        self.calls += 1;
        self.called_to = found.span.end;
        if self.in_reasoning {
            found.class = found.class.max(Some(Class::Guess));
            let message = "the call is inside reasoning that does not end";
            found.diagnostics.push(in_reasoning(message, found.span));
        }
        self.events.push(Event::Boundary);
        let event = match fit::call(found, notation, context) {
            Ok(call) => Event::Call(Box::new(call)),
            Err(refused) => Event::Refused(refused),
        };
        let is_sure = matches!(&event, Event::Call(call) if call.class < Some(Class::Guess));
        self.behind = if is_sure { Behind::Nothing } else { Behind::Ignored };
        self.events.push(event);
    }

    /// Reports a call of an unknown tool that stays in the text. JSON may as well be data.
    fn report_unknown(
        &mut self,
        found: Found<'_>,
        notation: &'static Notation,
        context: Context<'_>,
    ) {
        if let Err(mut refused) = fit::call(found, notation, context) {
            if notation.family == Family::Json {
                refused.diagnostic.severity = Severity::Warning;
                self.events.push(Event::Finding(Box::new(refused.diagnostic)));
            } else {
                (refused.call, refused.is_text) = (None, true);
                self.events.push(Event::Refused(refused));
            }
        }
    }

    fn refuse(&mut self, diagnostic: Diagnostic, notation: &'static Notation) {
        self.calls += 1;
        let span = diagnostic.span.unwrap_or(Span::at(self.at));
        self.events.push(Event::Boundary);
        self.events.push(Event::Refused(fit::refuse(None, span, notation, diagnostic)));
    }
}

/// Creates the finding for a call inside reasoning.
pub(crate) fn in_reasoning(message: &'static str, span: Span) -> Diagnostic {
    let row = Diagnostic::new("calls/in-reasoning", Severity::Warning, message).at(span);
    row.class(Class::Guess).help("Check that the call was meant.")
}

/// Returns the calls of a body, with the notation that the text tells.
fn notation_of(body: &Body<'_>, opener: &str) -> &'static Notation {
    body.notation.unwrap_or_else(|| Notation::of(body.family, opener))
}

/// Returns the offset after the character at `at`.
fn next_char(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.chars().next().map_or(0, char::len_utf8)
}
