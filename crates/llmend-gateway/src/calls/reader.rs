//! The reader of the texts of one choice, whole or in pieces.

use std::sync::Arc;

use llmend::Diagnostic;
use llmend::calls::{Call, CallEvent, CallStream, Family, Refused};
use llmend::json::Relocate;

use crate::answer::from_text::{FromText, TextCall, UnreadCall};
use crate::answer::part::{Fault, FaultKind};
use crate::calls::arguments_alone::name_alone;
use crate::calls::context::ConvertContext;
use crate::calls::ids::CallIds;
use crate::calls::native::NativeCall;
use crate::calls::tool_input::{TextPieces, ToolInput};
use crate::calls::{CallReading, Pace, Parallel};
use crate::protocol::request::OutputRequest;
use crate::splice::quoted;

mod at_limit;
mod beside_native;
mod close;
mod drafts;
mod reasoning;
mod response_format;

pub(crate) use self::close::TextEnd;
use self::drafts::{Before, NO_TEXT, TAKEN_BACK};
pub(crate) use self::response_format::reading_for;

/// What a piece of text says, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    Text(String),
    Reasoning(String),
    /// A call begins.
    Call {
        id: String,
        name: String,
        input: ToolInput,
    },
    /// More of the arguments or the text of the last call that began.
    Arguments(String),
    /// The last call that began is complete.
    CallEnd,
    /// What was said of a call does not hold, and cannot be taken back.
    Unread,
}

/// Reads the texts of one choice.
#[derive(Debug)]
pub(crate) struct ChoiceReader {
    reading: Arc<CallReading>,
    ids: CallIds,
    /// The text that is being read.
    text: Option<OpenText>,
    found: FromText,
    /// Whether the call that is being said is another one than the request demands.
    is_other: bool,
    /// The calls of the server in a whole answer that no call of the text was the same as yet.
    native: Vec<NativeCall>,
    /// The calls of the text that give way to those of the server.
    superseded: Vec<TextCall>,
}

/// A text that is being read.
#[derive(Debug)]
struct OpenText {
    stream: CallStream,
    source: String,
    timing: Timing,
    before: Before,
    /// The calls of the server that calls of the text are the same as.
    met: Vec<NativeCall>,
    /// The place of each call among those that were found, if it is one of them.
    places: Vec<Option<usize>>,
    /// The id of a call that was begun at once.
    begun: Option<String>,
    /// The text of that call, if its tool takes one.
    pieces: Option<TextPieces>,
    /// Whether the name of the call that is being read is certain.
    is_named: bool,
    /// Whether a call that was begun is none.
    is_withdrawn: bool,
    /// What waits, since the text may be the arguments of the demanded tool.
    held: Vec<Output>,
}

/// When calls are said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Timing {
    /// Each in its place, since the text is whole.
    InPlace,
    /// As they become certain.
    AtOnce,
    /// When the text has ended.
    AtTheEnd,
}

impl ChoiceReader {
    pub(crate) fn new(reading: Arc<CallReading>, ids: CallIds) -> Self {
        Self {
            reading,
            ids,
            text: None,
            found: FromText::default(),
            is_other: false,
            native: Vec::new(),
            superseded: Vec::new(),
        }
    }

    /// Creates the reader of a choice, or `None` if its texts stay text.
    pub(crate) fn of(request: &OutputRequest, ids: &CallIds) -> Option<Self> {
        request.reading.as_ref().map(|reading| Self::new(Arc::clone(reading), ids.clone()))
    }

    pub(crate) const fn ids(&self) -> &CallIds {
        &self.ids
    }

    /// Reads a whole text as what was asked for. Returns `None` if the text stays as it is.
    pub(crate) fn read_for(
        &mut self,
        text: &str,
        end: TextEnd,
        context: &ConvertContext<'_>,
    ) -> Option<Vec<Output>> {
        self.reading = reading_for(text, context)?;
        Some(self.read(text, end))
    }

    /// Reads a whole text.
    pub(crate) fn read(&mut self, text: &str, end: TextEnd) -> Vec<Output> {
        let mut open = self.open(Timing::InPlace);
        open.source.push_str(text);
        let events = open.stream.push(text);
        let mut outputs = self.close_open(open, events, end);
        if self.reading.pace == Pace::AtTheEnd {
            // As in a stream.
            outputs.sort_by_key(|one| !one.is_text());
        }
        if end.is_early() {
            self.drop_superseded();
        }
        outputs
    }

    /// Reads the next piece of a text.
    pub(crate) fn push(&mut self, piece: &str) -> Vec<Output> {
        let timing = match self.reading.pace {
            Pace::AtOnce => Timing::AtOnce,
            Pace::AtTheEnd => Timing::AtTheEnd,
        };
        let mut open = self.text.take().unwrap_or_else(|| self.open(timing));
        open.source.push_str(piece);
        let events = open.stream.push(piece);
        let outputs = self.take(events, &mut open);
        let outputs = self.hold_arguments(&mut open, outputs);
        self.text = Some(open);
        outputs
    }

    /// Holds back a text that may be the arguments of the tool that has to be called.
    fn hold_arguments(&self, open: &mut OpenText, outputs: Vec<Output>) -> Vec<Output> {
        let start = open.source.trim_start();
        let may_be = ["{", "```"].into_iter().any(|sign| start.starts_with(sign));
        if self.reading.demanded.is_none() || !may_be && !"```".starts_with(start) {
            return std::mem::take(&mut open.held).into_iter().chain(outputs).collect();
        }
        open.held.extend(outputs);
        let is_decided = open.held.iter().any(|one| !matches!(one, Output::Text(_)));
        if is_decided { std::mem::take(&mut open.held) } else { Vec::new() }
    }

    /// Ends the text that is being read, if there is one.
    pub(crate) fn close(&mut self, end: TextEnd) -> Vec<Output> {
        let outputs = self.text.take().map(|open| self.close_open(open, Vec::new(), end));
        outputs.unwrap_or_default()
    }

    /// Forgets the text that is being read, which is sent as it arrived.
    pub(crate) fn forget(&mut self) {
        self.text = None;
    }

    /// The number of bytes that are kept.
    pub(crate) fn kept(&self) -> usize {
        self.text.as_ref().map_or(0, |open| open.source.len())
    }

    /// What was found so far.
    pub(crate) const fn found(&self) -> &FromText {
        &self.found
    }

    fn open(&self, timing: Timing) -> OpenText {
        let (stream, source) = (self.no_stream(), String::new());
        let before = Before::of(&self.found);
        let (places, begun, pieces) = (Vec::new(), None, None);
        OpenText {
            stream,
            source,
            timing,
            before,
            met: Vec::new(),
            places,
            begun,
            pieces,
            is_named: false,
            is_withdrawn: false,
            held: Vec::new(),
        }
    }

    fn no_stream(&self) -> CallStream {
        CallStream::new(Arc::clone(&self.reading.tools), self.reading.options.clone())
    }

    /// Whether no more calls are wanted.
    fn is_enough(&self) -> bool {
        self.reading.parallel == Parallel::One && !self.found.calls.is_empty()
    }

    fn take(&mut self, events: Vec<CallEvent>, open: &mut OpenText) -> Vec<Output> {
        let mut outputs = Vec::new();
        for event in with_ends(events, &open.source) {
            self.take_one(event, open, &mut outputs);
        }
        if open.is_withdrawn {
            open.is_withdrawn = false;
            self.withdraw(TAKEN_BACK, &mut outputs);
        }
        self.only_demanded(outputs)
    }

    /// Leaves out calls of other tools than the one that has to be called.
    fn only_demanded(&mut self, mut outputs: Vec<Output>) -> Vec<Output> {
        outputs.retain(|one| {
            if let Output::Call { name, .. } = one {
                self.is_other = self.reading.is_other(name);
            }
            !self.is_other || one.is_text() || *one == Output::Unread
        });
        outputs
    }

    /// Notes a call of another tool than the one that has to be called. Returns whether it is one.
    fn drop_other(&mut self, call: &Call, open: &mut OpenText) -> bool {
        let is_other = self.reading.is_other(&call.name);
        if is_other {
            self.found.others.push(call.name.clone());
            self.found.dropped += 1;
            open.begun = None;
        }
        is_other
    }

    fn take_one(&mut self, event: CallEvent, open: &mut OpenText, outputs: &mut Vec<Output>) {
        let is_at_once = open.timing == Timing::AtOnce && !self.is_enough();
        match event {
            CallEvent::Text(text) => {
                // What began before it was no call.
                open.is_named &= text.trim().is_empty();
                outputs.push(Output::Text(text));
            }
            CallEvent::Reasoning(text) => outputs.push(Output::Reasoning(text)),
            CallEvent::Started { name, id, .. } if is_at_once => {
                open.is_named = true;
                // Another call in its place cannot take back the name.
                if open.is_withdrawn {
                    open.is_withdrawn = false;
                    self.withdraw(TAKEN_BACK, outputs);
                }
                let id = self.ids.next(id.as_deref());
                open.begun = Some(id.clone());
                let input = self.reading.input_of(&name);
                open.pieces = (input == ToolInput::Text).then(TextPieces::default);
                outputs.push(Output::Call { id, name, input });
            }
            CallEvent::Arguments { delta, .. } if is_at_once => {
                let piece = match &mut open.pieces {
                    Some(pieces) => pieces.push(&delta),
                    None => Some(delta),
                };
                match piece {
                    Some(piece) => outputs.push(Output::Arguments(piece)),
                    None => self.withdraw(NO_TEXT, outputs),
                }
            }
            CallEvent::Started { .. } => open.is_named = true,
            CallEvent::Arguments { .. } => {}
            CallEvent::Done { call, .. } => {
                open.is_named = false;
                let count = self.found.calls.len();
                self.call(call, open, outputs);
                open.places.push((self.found.calls.len() > count).then_some(count));
            }
            CallEvent::Abandoned { .. } => open.is_withdrawn |= open.begun.take().is_some(),
            CallEvent::Refused(refused) => {
                (open.is_withdrawn, open.is_named) = (false, false);
                self.refuse(&refused, open, outputs);
            }
            CallEvent::AllReasoning => self.all_reasoning(open, outputs),
        }
    }

    fn call(&mut self, mut call: Box<Call>, open: &mut OpenText, outputs: &mut Vec<Output>) {
        if self.is_native(&call, open) || self.drop_other(&call, open) {
            return;
        }
        if self.is_enough() {
            self.found.dropped += 1;
            return;
        }
        let source = take_source(&mut call, &open.source);
        let is_unfit = !call.violations.is_empty();
        let input = self.reading.input_of(&call.name);
        if is_unfit && input == ToolInput::Text {
            // A text has no arguments that could be asked for again.
            self.found.unread.push(unfit(&call, source));
            return outputs.push(Output::Unread);
        }
        let begun = open.begun.take();
        let was_begun = begun.is_some();
        let id = begun.unwrap_or_else(|| self.ids.next(written_id(&call, &source)));
        let call = TextCall::new(id, source, call, input);
        match open.timing {
            Timing::AtOnce if is_unfit => outputs.push(Output::Unread),
            Timing::AtOnce if was_begun => outputs.push(Output::CallEnd),
            Timing::AtOnce | Timing::InPlace => outputs.extend(outputs_of(&call)),
            Timing::AtTheEnd => {}
        }
        self.found.calls.push(call);
    }

    fn refuse(&mut self, refused: &Refused, open: &mut OpenText, outputs: &mut Vec<Output>) {
        if refused.is_text {
            return;
        }
        if self.is_enough() {
            self.found.dropped += 1;
            return;
        }
        if let Some(call) = &refused.call {
            // The client answers it as it answers such calls of servers.
            return self.unknown_tool(call.clone(), &refused.diagnostic, open, outputs);
        }
        let source = refused.span.of(&open.source).to_owned();
        if let Some(mut call) = name_alone(&source, &self.reading) {
            call.relocate(&mut |_| refused.span.start);
            call.span = refused.span;
            return self.call(call, open, outputs);
        }
        self.found.unread.push(UnreadCall {
            name: refused.name.clone().unwrap_or_default(),
            source,
            notation: Some(refused.notation.name),
            fault: Fault { kind: FaultKind::Syntax, diagnostics: vec![refused.diagnostic.clone()] },
        });
        outputs.push(Output::Unread);
    }

    fn unknown_tool(
        &mut self,
        mut call: Box<Call>,
        why: &Diagnostic,
        open: &mut OpenText,
        outputs: &mut Vec<Output>,
    ) {
        if self.is_native(&call, open) || self.drop_other(&call, open) {
            return;
        }
        let source = take_source(&mut call, &open.source);
        let id = self.ids.next(written_id(&call, &source));
        let call = TextCall::new(id, source, call, ToolInput::Arguments);
        let call = TextCall { unknown: Some(why.clone()), ..call };
        if open.timing != Timing::AtTheEnd {
            outputs.extend(outputs_of(&call));
        }
        self.found.calls.push(call);
    }
}

/// Returns the text of a call, from whose start its spans count from then on.
fn take_source(call: &mut Call, text: &str) -> String {
    let source = call.span.of(text).to_owned();
    let start = call.span.start;
    call.relocate(&mut |at| at.saturating_sub(start));
    source
}

/// Returns the id of a call that stands before its arguments, and in JSON before its name: it is
/// known when the call is sent.
fn written_id<'c>(call: &'c Call, source: &str) -> Option<&'c str> {
    let id = call.id.as_deref()?;
    let name = call.written_name.as_deref().unwrap_or(&call.name);
    let at = |text: &str| source.find(&quoted(text));
    let is_known = call.notation.family != Family::Json || at(id)? < at(name)?;
    is_known.then_some(id)
}

/// Tells the beginnings of calls what their ends say: the id, and whether anything is sent of a call
/// at all, since nothing is that does not fit.
fn with_ends(events: Vec<CallEvent>, source: &str) -> Vec<CallEvent> {
    let mut kept: Vec<CallEvent> = Vec::new();
    for event in events {
        if let CallEvent::Done { call, .. } = &event {
            let is_of_it = |one: &CallEvent| {
                matches!(one, CallEvent::Started { .. } | CallEvent::Arguments { .. })
            };
            let at = kept.iter().rposition(|one| !is_of_it(one)).map_or(0, |at| at + 1);
            if !call.violations.is_empty() {
                kept.truncate(at);
            }
            for one in kept.iter_mut().skip(at) {
                if let CallEvent::Started { id, .. } = one {
                    *id = written_id(call, call.span.of(source)).map(str::to_owned);
                }
            }
        }
        kept.push(event);
    }
    kept
}

impl Output {
    /// Whether it is text of the answer or of its reasoning.
    const fn is_text(&self) -> bool {
        matches!(self, Self::Text(_) | Self::Reasoning(_))
    }

    fn into_text(self) -> Option<String> {
        match self {
            Self::Text(text) | Self::Reasoning(text) => Some(text),
            Self::Call { .. } | Self::Arguments(_) | Self::CallEnd | Self::Unread => None,
        }
    }
}

/// Returns all of a call.
fn outputs_of(call: &TextCall) -> [Output; 3] {
    let TextCall { id, call, input, .. } = call;
    let begun = Output::Call { id: id.clone(), name: call.name.clone(), input: *input };
    [begun, Output::Arguments(input.passed(call)), Output::CallEnd]
}

/// Returns what is said of a call that does not fit the schema of its tool.
fn unfit(call: &Call, source: String) -> UnreadCall {
    let diagnostics = call.violations.iter().map(Diagnostic::from).collect();
    UnreadCall {
        name: call.name.clone(),
        source,
        notation: Some(call.notation.name),
        fault: Fault { kind: FaultKind::Schema, diagnostics },
    }
}
