//! The reader of the texts of one choice, whole or in pieces.

use std::sync::Arc;

use llmend::calls::{Call, CallEvent, CallStream, Family, Reading, Refused};
use llmend::json::Relocate;
use llmend::{Diagnostic, Severity};

use crate::answer::from_text::{FromText, TextCall, UnreadCall};
use crate::answer::part::{Fault, FaultKind};
use crate::calls::closed::closed;
use crate::calls::context::ConvertContext;
use crate::calls::ids::CallIds;
use crate::calls::own::OwnCall;
use crate::calls::{CallReading, Pace, Parallel};
use crate::protocol::request::OutputRequest;
use crate::splice::quoted;

mod asked;
mod at_limit;
mod beside_own;
mod reasoning;

pub(crate) use self::asked::reading_asked;
use self::reasoning::says_words;

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
    /// The calls before the one that is demanded, until it begins.
    waiting: Vec<Said>,
    has_demanded: bool,
    /// The calls of the server in a whole answer that no call of the text was the same as yet.
    own: Vec<OwnCall>,
    /// The calls of the text that give way to those of the server.
    given_way: Vec<TextCall>,
    /// Whether the answer reached its limit.
    is_at_limit: bool,
}

/// A text that is being read.
#[derive(Debug)]
struct OpenText {
    stream: CallStream,
    source: String,
    /// The number of bytes that were said as text.
    said: usize,
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
        Self {
            reading,
            ids,
            text: None,
            found: FromText::default(),
            waiting: Vec::new(),
            has_demanded: false,
            own: Vec::new(),
            given_way: Vec::new(),
            is_at_limit: false,
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
        if self.close_cut(&reading, &open) {
            said.extend(self.found.calls.last().into_iter().flat_map(said_call));
        }
        if self.reading.pace == Pace::AtTheEnd {
            // As in a stream.
            said.sort_by_key(|one| !one.is_text());
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
        self.close_cut(&reading, &open);
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
        if !self.waiting.is_empty() {
            self.waiting.clear();
            self.found.calls.clear();
        }
        let (calls, unread) = (self.found.calls.len(), self.found.unread.len());
        let mut said = self.end_text();
        said.retain(Said::is_text);
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
        let (begun, is_withdrawn) = (None, false);
        OpenText { stream, source, said: 0, timing, calls_before, begun, is_withdrawn }
    }

    fn no_stream(&self) -> CallStream {
        CallStream::new(Arc::clone(&self.reading.tools), self.reading.options.clone())
    }

    /// Closes the call in which a text is cut off, if that is allowed. Returns whether there is one.
    fn close_cut(&mut self, reading: &Reading, open: &OpenText) -> bool {
        if reading.cut.is_none() || !self.reading.closes || self.is_enough() {
            return false;
        }
        let Some((call, source)) = closed(&open.source, &self.reading) else { return false };
        let id = self.ids.next(None);
        self.found.calls.push(TextCall {
            id,
            source,
            call,
            unknown: None,
            is_cut: true,
            in_reasoning: false,
        });
        true
    }

    /// Notes what the reading of the whole text says.
    fn end_with(&mut self, reading: &Reading, open: &OpenText, said: &mut Vec<Said>) {
        self.found.is_marked |= reading.text != open.source;
        self.found.has_reasoning |= !reading.reasoning.is_empty();
        self.found.ignored = self.found.ignored.take().or_else(|| ignored(reading, &open.source));
        let is_closed = self.found.calls.last().is_some_and(|call| call.is_cut);
        let cut = reading.cut.or_else(|| self.mark_at_limit(&open.source));
        if let Some(at) = cut.filter(|_| !self.is_enough() && !is_closed) {
            let source = open.source.get(at..).unwrap_or_default().to_owned();
            let rows = reading.diagnostics.iter().filter(|row| row.severity == Severity::Error);
            let mut diagnostics: Vec<Diagnostic> = rows.cloned().collect();
            if diagnostics.is_empty() {
                diagnostics.push(at_limit::diagnostic());
            }
            self.found.unread.push(UnreadCall {
                name: String::new(),
                source,
                notation: None,
                fault: Fault { kind: FaultKind::Truncated, diagnostics },
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
        for event in with_ends(events, &open.source) {
            self.take_one(event, open, &mut said);
        }
        if open.is_withdrawn {
            open.is_withdrawn = false;
            self.withdraw(&mut said);
        }
        if open.timing == Timing::AtOnce { self.behind_demanded(said) } else { said }
    }

    /// Keeps calls back until the tool is called that has to be: without that call, they are wrong.
    fn behind_demanded(&mut self, said: Vec<Said>) -> Vec<Said> {
        let Some(demanded) = self.reading.demanded.clone() else { return said };
        let mut out = Vec::new();
        for one in said {
            match &one {
                Said::Call { name, .. } if *name == demanded => {
                    self.has_demanded = true;
                    out.append(&mut self.waiting);
                    out.push(one);
                }
                Said::Call { .. } | Said::Arguments(_) | Said::CallEnd if !self.has_demanded => {
                    self.waiting.push(one);
                }
                _ => out.push(one),
            }
        }
        out
    }

    fn take_one(&mut self, event: CallEvent, open: &mut OpenText, said: &mut Vec<Said>) {
        let is_at_once = open.timing == Timing::AtOnce && !self.is_enough();
        match event {
            CallEvent::Text(text) => {
                open.said += text.len();
                said.push(Said::Text(text));
            }
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
        if self.is_own(&call) {
            return;
        }
        if self.is_enough() {
            self.found.dropped += 1;
            return;
        }
        let source = take_source(&mut call, &open.source);
        let is_unfit = !call.violations.is_empty();
        let begun = open.begun.take();
        let was_begun = begun.is_some();
        let id = begun.unwrap_or_else(|| self.ids.next(own_id(&call, &source)));
        let call = TextCall { id, source, call, unknown: None, is_cut: false, in_reasoning: false };
        match open.timing {
            Timing::AtOnce if is_unfit => said.push(Said::Unread),
            Timing::AtOnce if was_begun => said.push(Said::CallEnd),
            Timing::AtOnce | Timing::InPlace => said.extend(said_call(&call)),
            Timing::AtTheEnd => {}
        }
        self.found.calls.push(call);
    }

    fn refuse(&mut self, refused: &Refused, open: &OpenText, said: &mut Vec<Said>) {
        if refused.is_text {
            return;
        }
        if self.is_enough() {
            self.found.dropped += 1;
            return;
        }
        if let Some(call) = &refused.call {
            // The client answers it as it answers such calls of servers.
            return self.unknown_tool(call.clone(), &refused.diagnostic, open, said);
        }
        self.found.unread.push(UnreadCall {
            name: refused.name.clone().unwrap_or_default(),
            source: refused.span.of(&open.source).to_owned(),
            notation: Some(refused.notation.name),
            fault: Fault { kind: FaultKind::Syntax, diagnostics: vec![refused.diagnostic.clone()] },
        });
        said.push(Said::Unread);
    }

    fn unknown_tool(
        &mut self,
        mut call: Box<Call>,
        why: &Diagnostic,
        open: &OpenText,
        said: &mut Vec<Said>,
    ) {
        if self.is_own(&call) {
            return;
        }
        let (source, unknown) = (take_source(&mut call, &open.source), Some(why.clone()));
        let id = self.ids.next(own_id(&call, &source));
        let call = TextCall { id, source, call, unknown, is_cut: false, in_reasoning: false };
        if open.timing != Timing::AtTheEnd {
            said.extend(said_call(&call));
        }
        self.found.calls.push(call);
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

/// Returns the text of a call, from whose start its spans count from then on.
fn take_source(call: &mut Call, text: &str) -> String {
    let source = call.span.of(text).to_owned();
    let start = call.span.start;
    call.relocate(&mut |at| at.saturating_sub(start));
    source
}

/// Returns what is said of text that is left out, if there are words in it.
fn ignored(reading: &Reading, source: &str) -> Option<Diagnostic> {
    let row = reading.diagnostics.iter().find(|row| row.code == "calls/after-answer")?;
    let behind = source.get(row.span?.start..)?;
    says_words(behind, [&['<'], &['>']]).then(|| row.clone())
}

/// Returns the id of a call that stands before its arguments, and in JSON before its name: it is
/// known when the call is sent.
fn own_id<'c>(call: &'c Call, source: &str) -> Option<&'c str> {
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
                    *id = own_id(call, call.span.of(source)).map(str::to_owned);
                }
            }
        }
        kept.push(event);
    }
    kept
}

impl Said {
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
fn said_call(call: &TextCall) -> [Said; 3] {
    let TextCall { id, call, .. } = call;
    let begun = Said::Call { id: id.clone(), name: call.name.clone() };
    [begun, Said::Arguments(call.arguments.to_string()), Said::CallEnd]
}
