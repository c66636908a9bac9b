//! The reader of the texts of one choice, whole or in pieces.

use std::sync::Arc;

use llmend::calls::{Accept, Call, CallEvent, CallStream, Reading, Refused};
use llmend::json::Relocate;
use llmend::{Diagnostic, Severity};

use crate::answer::expectation::Expectation;
use crate::answer::from_text::{FromText, TextCall, UnreadCall};
use crate::answer::part::{Fault, FaultKind};
use crate::calls::context::ConvertContext;
use crate::calls::ids::CallIds;
use crate::calls::{CallReading, Pace, Parallel};
use crate::protocol::request::OutputRequest;
use crate::repair::repair;

/// What a piece of text says, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Text(String),
    Reasoning(String),
    /// A call begins.
    Call {
        id: String,
        name: String,
    },
    /// More of the arguments of the last call that began.
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
}

/// A text that is being read.
#[derive(Debug)]
struct OpenText {
    stream: CallStream,
    source: String,
    timing: Timing,
    /// The number of calls in the texts before.
    calls_before: usize,
    /// The id of a call that was begun at once.
    begun: Option<String>,
    /// Whether a call that was begun is none.
    is_withdrawn: bool,
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
        Self { reading, ids, text: None, found: FromText::default() }
    }

    /// Creates the reader of a choice, or `None` if its texts stay text.
    pub(crate) fn of(request: &OutputRequest, ids: &CallIds) -> Option<Self> {
        request.reading.as_ref().map(|reading| Self::new(Arc::clone(reading), ids.clone()))
    }

    pub(crate) const fn ids(&self) -> &CallIds {
        &self.ids
    }

    /// Reads a whole text as what was asked for. Returns `None` if the text stays as it is.
    pub(crate) fn read_asked(
        &mut self,
        text: &str,
        context: &ConvertContext<'_>,
    ) -> Option<Vec<Said>> {
        self.reading = reading_asked(text, context)?;
        Some(self.read(text))
    }

    /// Reads a whole text.
    pub(crate) fn read(&mut self, text: &str) -> Vec<Said> {
        let mut open = self.open(Timing::InPlace);
        open.source.push_str(text);
        let mut events = open.stream.push(text);
        let stream = std::mem::replace(&mut open.stream, self.no_stream());
        let (last, reading) = stream.finish();
        events.extend(last);
        let mut said = self.take(events, &mut open);
        if self.reading.pace == Pace::AtTheEnd {
            // As in a stream.
            said.sort_by_key(|one| !matches!(one, Said::Text(_) | Said::Reasoning(_)));
        }
        self.end_with(&reading, &open, &mut said);
        said
    }

    /// Reads the next piece of a text.
    pub(crate) fn push(&mut self, piece: &str) -> Vec<Said> {
        let timing = match self.reading.pace {
            Pace::AtOnce => Timing::AtOnce,
            Pace::AtTheEnd => Timing::AtTheEnd,
        };
        let mut open = self.text.take().unwrap_or_else(|| self.open(timing));
        open.source.push_str(piece);
        let events = open.stream.push(piece);
        let said = self.take(events, &mut open);
        self.text = Some(open);
        said
    }

    /// Ends a text.
    pub(crate) fn end_text(&mut self) -> Vec<Said> {
        let Some(mut open) = self.text.take() else { return Vec::new() };
        let stream = std::mem::replace(&mut open.stream, self.no_stream());
        let (events, reading) = stream.finish();
        let mut said = self.take(events, &mut open);
        if open.timing == Timing::AtTheEnd {
            let new = self.found.calls.get(open.calls_before..);
            said.extend(new.into_iter().flatten().flat_map(said_call));
        }
        self.end_with(&reading, &open, &mut said);
        said
    }

    /// Ends a text whose calls do not count, but for one that was begun. Returns the rest of it.
    pub(crate) fn give_up(&mut self) -> Vec<Said> {
        if self.text.as_ref().is_some_and(|open| open.begun.is_some()) {
            return self.end_text();
        }
        let (calls, unread) = (self.found.calls.len(), self.found.unread.len());
        let mut said = self.end_text();
        said.retain(|one| matches!(one, Said::Text(_) | Said::Reasoning(_)));
        self.found.calls.truncate(calls);
        self.found.unread.truncate(unread);
        said
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
        let calls_before = self.found.calls.len();
        OpenText { stream, source, timing, calls_before, begun: None, is_withdrawn: false }
    }

    fn no_stream(&self) -> CallStream {
        CallStream::new(Arc::clone(&self.reading.tools), self.reading.options.clone())
    }

    /// Notes what the reading of the whole text says.
    fn end_with(&mut self, reading: &Reading, open: &OpenText, said: &mut Vec<Said>) {
        self.found.is_marked |= reading.text != open.source;
        if let Some(at) = reading.cut.filter(|_| !self.is_enough()) {
            let source = open.source.get(at..).unwrap_or_default().to_owned();
            let rows = reading.diagnostics.iter().filter(|row| row.severity == Severity::Error);
            self.found.unread.push(UnreadCall {
                name: String::new(),
                source,
                notation: None,
                fault: Fault { kind: FaultKind::Truncated, diagnostics: rows.cloned().collect() },
            });
            said.push(Said::Unread);
        }
    }

    /// Whether no more calls are wanted.
    fn is_enough(&self) -> bool {
        self.reading.parallel == Parallel::One && !self.found.calls.is_empty()
    }

    fn take(&mut self, events: Vec<CallEvent>, open: &mut OpenText) -> Vec<Said> {
        let mut said = Vec::new();
        for event in events {
            self.take_one(event, open, &mut said);
        }
        if open.is_withdrawn {
            open.is_withdrawn = false;
            self.withdraw(&mut said);
        }
        said
    }

    fn take_one(&mut self, event: CallEvent, open: &mut OpenText, said: &mut Vec<Said>) {
        let is_at_once = open.timing == Timing::AtOnce && !self.is_enough();
        match event {
            CallEvent::Text(text) => said.push(Said::Text(text)),
            CallEvent::Reasoning(text) => said.push(Said::Reasoning(text)),
            CallEvent::Started { name, id, .. } if is_at_once => {
                // Another call in its place cannot take back the name.
                if open.is_withdrawn {
                    open.is_withdrawn = false;
                    self.withdraw(said);
                }
                let id = self.ids.next(id.as_deref());
                open.begun = Some(id.clone());
                said.push(Said::Call { id, name });
            }
            CallEvent::Arguments { delta, .. } if is_at_once => said.push(Said::Arguments(delta)),
            CallEvent::Started { .. } | CallEvent::Arguments { .. } => {}
            CallEvent::Done { call, .. } => self.call(call, open, said),
            CallEvent::Abandoned { .. } => open.is_withdrawn |= open.begun.take().is_some(),
            CallEvent::Refused(refused) => {
                open.is_withdrawn = false;
                self.refuse(&refused, open, said);
            }
            CallEvent::AllReasoning => self.all_reasoning(open.timing, said),
        }
    }

    fn call(&mut self, mut call: Box<Call>, open: &mut OpenText, said: &mut Vec<Said>) {
        if self.is_enough() {
            self.found.dropped += 1;
            return;
        }
        let source = call.span.of(&open.source).to_owned();
        let start = call.span.start;
        call.relocate(&mut |at| at.saturating_sub(start));
        let is_unfit = !call.violations.is_empty();
        let begun = open.begun.take();
        let was_begun = begun.is_some();
        let id = begun.unwrap_or_else(|| self.ids.next(call.id.as_deref()));
        let call = TextCall { id, source, call };
        match open.timing {
            Timing::AtOnce if is_unfit => said.push(Said::Unread),
            Timing::AtOnce if was_begun => said.push(Said::CallEnd),
            Timing::AtOnce | Timing::InPlace => said.extend(said_call(&call)),
            Timing::AtTheEnd => {}
        }
        self.found.calls.push(call);
    }

    fn refuse(&mut self, refused: &Refused, open: &OpenText, said: &mut Vec<Said>) {
        if self.is_enough() {
            self.found.dropped += 1;
            return;
        }
        self.found.unread.push(UnreadCall {
            name: refused.name.clone().unwrap_or_default(),
            source: refused.span.of(&open.source).to_owned(),
            notation: Some(refused.notation.name),
            fault: Fault { kind: FaultKind::Syntax, diagnostics: vec![refused.diagnostic.clone()] },
        });
        said.push(Said::Unread);
    }

    /// Notes that everything so far was reasoning. Calls in it are drafts.
    fn all_reasoning(&mut self, timing: Timing, said: &mut Vec<Said>) {
        self.found.unread.clear();
        if timing == Timing::AtOnce && !self.found.calls.is_empty() {
            return self.withdraw(said);
        }
        self.found.calls.clear();
        if timing == Timing::InPlace {
            let reasoning: String = said.drain(..).filter_map(Said::into_text).collect();
            let reasoning = reasoning.trim_matches(['\n', '\r']);
            if !reasoning.is_empty() {
                said.push(Said::Reasoning(reasoning.to_owned()));
            }
        }
    }

    /// Notes that a call which was sent is none.
    fn withdraw(&mut self, said: &mut Vec<Said>) {
        let message = "the model took back a call of which a part was sent";
        self.found.unread.push(UnreadCall {
            name: String::new(),
            source: String::new(),
            notation: None,
            fault: Fault {
                kind: FaultKind::Syntax,
                diagnostics: vec![Diagnostic::new("calls/withdrawn", Severity::Error, message)],
            },
        });
        said.push(Said::Unread);
    }
}

/// Returns how a text is read. If JSON was asked for, marked calls count, and unmarked ones if the
/// text is not that JSON.
pub(crate) fn reading_asked(text: &str, context: &ConvertContext<'_>) -> Option<Arc<CallReading>> {
    let reading = context.request.reading.as_ref()?;
    let Some(wanted) = &context.request.content else { return Some(Arc::clone(reading)) };
    let holds = |reading: &CallReading| {
        !llmend::calls::read(text, &reading.tools, &reading.options).calls.is_empty()
    };
    let is_answer = || match wanted {
        Expectation::Json => true,
        Expectation::Schema(_) => repair(text, wanted, context.options).is_ok(),
    };
    let mut marked = CallReading::clone(reading);
    marked.options.accept = Accept::Marked;
    if holds(&marked) {
        return Some(Arc::new(marked));
    }
    (!is_answer() && holds(reading)).then(|| Arc::clone(reading))
}

impl Said {
    fn into_text(self) -> Option<String> {
        match self {
            Self::Text(text) | Self::Reasoning(text) => Some(text),
            Self::Call { .. } | Self::Arguments(_) | Self::CallEnd | Self::Unread => None,
        }
    }
}

/// Returns all of a call.
fn said_call(call: &TextCall) -> [Said; 3] {
    let TextCall { id, call, .. } = call;
    let begun = Said::Call { id: id.clone(), name: call.name.clone() };
    [begun, Said::Arguments(call.arguments.to_string()), Said::CallEnd]
}
