//! The end of a text: what is open there, and what becomes of it, whole and streamed alike.

use llmend::calls::{CallEvent, Reading};
use llmend::{Diagnostic, Severity};

use super::reasoning::has_words;
use super::{ChoiceReader, OpenText, Output, Timing, at_limit, outputs_of};
use crate::answer::completion::Finish;
use crate::answer::from_text::{TextCall, UnreadCall};
use crate::answer::part::{Fault, FaultKind};
use crate::calls::arguments_alone::arguments_alone;
use crate::calls::closed::closed;

/// What ends a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TextEnd {
    /// The model, or something else that is no call follows. Unmarked calls count; a call that is
    /// cut off is an error.
    #[default]
    Complete,
    /// The limit of the answer. The same, and a mark with which it ends began a call.
    AtLimit,
    /// A call that the server found. Only marked calls count. What is cut off is text, unless the
    /// name of the call is certain: then it is an error.
    BeforeCall,
    /// The provider, since the answer was filtered or is not complete. The same.
    Stopped,
}

impl TextEnd {
    /// Returns what ends the last text of an answer.
    pub(crate) fn of(finish: Option<&Finish>) -> Self {
        match finish {
            Some(finish) if !finish.is_answered() => Self::Stopped,
            Some(finish) if finish.is_at_limit() => Self::AtLimit,
            _ => Self::Complete,
        }
    }

    /// Whether the model did not end the text itself.
    pub(super) const fn is_early(self) -> bool {
        matches!(self, Self::BeforeCall | Self::Stopped)
    }
}

impl ChoiceReader {
    /// Ends a text, of which the last events were not taken yet.
    pub(super) fn close_open(
        &mut self,
        mut open: OpenText,
        mut events: Vec<CallEvent>,
        end: TextEnd,
    ) -> Vec<Output> {
        let mut stream = std::mem::replace(&mut open.stream, self.no_stream());
        if end.is_early() {
            events.extend(stream.only_marked());
        }
        let (mut last, reading) = stream.finish();
        // What is cut off is an error of its own.
        last.retain(|event| reading.cut.is_none() || !matches!(event, CallEvent::Abandoned { .. }));
        events.extend(last);
        let mut outputs = std::mem::take(&mut open.held);
        outputs.extend(self.take(events, &mut open));
        self.note_findings(&reading, &open);
        let is_fault = self.close_cut(&reading, &open, end, &mut outputs);
        if open.timing == Timing::AtTheEnd && !self.yields(end) {
            let new = self.found.calls.get(open.before.calls..);
            let new: Vec<Output> = new.into_iter().flatten().flat_map(outputs_of).collect();
            outputs.extend(self.only_demanded(new));
        }
        if !end.is_early() {
            self.read_demanded(&open, &mut outputs);
        }
        if end == TextEnd::AtLimit {
            self.drop_begun_mark(&open.source, &mut outputs);
        }
        if is_fault {
            outputs.push(Output::Unread);
        }
        if end == TextEnd::BeforeCall {
            self.supersede(&open, &mut outputs);
        }
        outputs
    }

    /// Decides what becomes of a call in which a text is cut off. Returns whether it is an error.
    fn close_cut(
        &mut self,
        reading: &Reading,
        open: &OpenText,
        end: TextEnd,
        outputs: &mut Vec<Output>,
    ) -> bool {
        let at_limit = || at_limit::mark_at_end(&open.source).filter(|_| end == TextEnd::AtLimit);
        let Some(start) = reading.cut_call.map(|span| span.start).or_else(at_limit) else {
            return false;
        };
        let source = open.source.get(start..).unwrap_or_default();
        if end.is_early() && !open.is_named && open.begun.is_none() {
            // With the line feeds before it, which belong to a mark.
            let before = open.source.get(..start).unwrap_or_default();
            let from = before.trim_end_matches(['\n', '\r']).len();
            let source = open.source.get(from..).unwrap_or_default();
            outputs.push(Output::Text(source.to_owned()));
            self.found.is_marked |= reading.text.len() + source.len() != open.source.len();
            return false;
        }
        self.found.is_marked = true;
        if self.is_enough() {
            return false;
        }
        let closed = closed(&open.source, start, &self.reading);
        let closed = closed.filter(|(call, _)| !self.reading.is_other(&call.name));
        if let Some((call, source)) = closed.filter(|_| self.reading.closes) {
            let id = self.ids.next(None);
            let input = self.reading.input_of(&call.name);
            let call = TextCall { is_cut: true, ..TextCall::new(id, source, call, input) };
            if open.timing == Timing::InPlace {
                outputs.extend(outputs_of(&call));
            }
            self.found.calls.push(call);
            return false;
        }
        let rows = reading.diagnostics.iter().filter(|row| row.severity == Severity::Error);
        let mut diagnostics: Vec<Diagnostic> = rows.cloned().collect();
        if diagnostics.is_empty() {
            diagnostics.push(at_limit::diagnostic());
        }
        self.found.unread.push(UnreadCall {
            name: String::new(),
            source: source.to_owned(),
            notation: None,
            fault: Fault { kind: FaultKind::Truncated, diagnostics },
        });
        true
    }

    /// Takes a text that is nothing but the arguments of the tool that has to be called for the call,
    /// if nothing of it was sent.
    fn read_demanded(&mut self, open: &OpenText, outputs: &mut Vec<Output>) {
        let is_nothing = self.found.calls.is_empty() && self.found.unread.is_empty();
        let is_unsent = || {
            let texts = outputs.iter().map(|one| match one {
                Output::Text(text) => Some(text.as_str()),
                _ => None,
            });
            texts.collect::<Option<String>>().is_some_and(|text| text == open.source)
        };
        if self.reading.demanded.is_none() || !is_nothing || !is_unsent() {
            return;
        }
        let Some(call) = arguments_alone(&open.source, &self.reading) else { return };
        let (id, source) = (self.ids.next(None), open.source.clone());
        let input = self.reading.input_of(&call.name);
        let call = TextCall::new(id, source, call, input);
        *outputs = outputs_of(&call).to_vec();
        self.found.calls.push(call);
        self.found.others.clear();
    }

    /// Drops what a mark began with where the answer met its limit.
    fn drop_begun_mark(&mut self, source: &str, outputs: &mut Vec<Output>) {
        let has_calls = !self.found.calls.is_empty();
        let Some(start) = at_limit::begun_mark(source, has_calls) else { return };
        let begun = source.get(start..).unwrap_or_default();
        let last = outputs.iter_mut().rev().find(|one| matches!(one, Output::Text(_)));
        if let Some(Output::Text(text)) = last
            && let Some(before) = text.strip_suffix(begun)
        {
            text.truncate(before.len());
            self.found.is_marked = true;
        }
        outputs.retain(|one| !matches!(one, Output::Text(text) if text.is_empty()));
    }

    /// Notes what the reading of the whole text says of it and of its calls.
    fn note_findings(&mut self, reading: &Reading, open: &OpenText) {
        let is_whole = reading.cut.is_none();
        self.found.is_marked |= is_whole && reading.text != open.source;
        self.found.has_reasoning |= !reading.reasoning.is_empty();
        self.found.ignored = self.found.ignored.take().or_else(|| ignored(reading, &open.source));
        self.found.uncertain = self.found.uncertain.take().or_else(|| uncertain(reading));
        for (call, place) in reading.calls.iter().zip(&open.places) {
            let known = place.and_then(|place| self.found.calls.get_mut(place));
            if let Some(known) = known {
                known.call.class = call.class;
                known.call.diagnostics.clone_from(&call.diagnostics);
            }
        }
    }
}

/// Returns what is said of something like a call that is not taken for one.
fn uncertain(reading: &Reading) -> Option<Diagnostic> {
    let is_it = |row: &&Diagnostic| matches!(&*row.code, "calls/mention" | "calls/draft");
    let refused = reading.refused.iter().find(|refused| refused.is_text);
    let refused = refused.map(|refused| refused.diagnostic.clone());
    refused.or_else(|| reading.diagnostics.iter().find(is_it).cloned())
}

/// Returns what is said of text that is left out, if there are words in it.
fn ignored(reading: &Reading, source: &str) -> Option<Diagnostic> {
    let row = reading.diagnostics.iter().find(|row| row.code == "calls/after-answer")?;
    let behind = source.get(row.span?.start..)?;
    has_words(behind, [&['<'], &['>']]).then(|| row.clone())
}
