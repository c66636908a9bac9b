//! Texts of answers in which the server found calls itself.
//!
//! Beside such calls a text holds a call only where it is marked. If it is the same, it is sent
//! once. If it is another one, both are calls, unless the request allows only one: then it is the
//! server's.

use llmend::calls::{Accept, Call, Options, read};

use super::{ChoiceReader, Said, Timing, said_call};
use crate::answer::from_text::TextCall;
use crate::calls::Parallel;
use crate::calls::context::ConvertContext;
use crate::calls::own::OwnCall;

impl ChoiceReader {
    /// Notes the calls of the server in a whole answer.
    pub(crate) fn beside(&mut self, own: Vec<OwnCall>, context: &ConvertContext<'_>) {
        let ConvertContext { request, options, .. } = context;
        self.own = own.into_iter().map(|call| call.repaired(request, *options)).collect();
    }

    /// Reads a whole text before calls of the server.
    pub(crate) fn read_before_own(&mut self, text: &str) -> Vec<Said> {
        let mut open = self.open(Timing::InPlace);
        open.source.push_str(text);
        let events = open.stream.push(text);
        let mut said = self.take(events, &mut open);
        self.text = Some(open);
        said.extend(self.end_before_own());
        let given_way = std::mem::take(&mut self.given_way);
        if !given_way.is_empty() {
            said.retain(Said::is_text);
        }
        self.found.dropped += given_way.len();
        said
    }

    /// Ends a text that calls of the server follow. What is cut off in it stays text, unless a part
    /// was sent as a call.
    pub(crate) fn end_before_own(&mut self) -> Vec<Said> {
        if self.text.as_ref().is_some_and(|open| open.begun.is_some()) {
            return self.end_text();
        }
        let Some(mut open) = self.text.take() else { return Vec::new() };
        let marked = Options { accept: Accept::Marked, ..self.reading.options.clone() };
        if read(&open.source, &self.reading.tools, &marked).text == open.source {
            let rest = open.source.split_off(open.said.min(open.source.len()));
            return if rest.is_empty() { Vec::new() } else { vec![Said::Text(rest)] };
        }
        let stream = std::mem::replace(&mut open.stream, self.no_stream());
        let (events, reading) = stream.finish();
        let mut said = self.take(events, &mut open);
        let cut = reading.cut.and_then(|at| open.source.get(at..));
        said.extend(cut.map(|rest| Said::Text(rest.to_owned())));
        self.found.is_marked |= cut.is_none() || !self.found.calls.is_empty();
        self.found.has_reasoning |= !reading.reasoning.is_empty();
        let new = open.calls_before.min(self.found.calls.len());
        if !self.is_wanted_beside_own() {
            self.given_way.extend(self.found.calls.drain(new..));
            self.waiting.clear();
            said.retain(Said::is_text);
        } else if open.timing == Timing::AtTheEnd {
            said.extend(self.found.calls.iter().skip(new).flat_map(said_call));
        }
        said
    }

    /// The calls of the text that gave way to those of the server.
    pub(crate) fn given_way(&self) -> &[TextCall] {
        &self.given_way
    }

    /// Whether the calls of the text are calls beside those of the server: not if one is enough, and
    /// not if they lack the one that has to be called.
    fn is_wanted_beside_own(&self) -> bool {
        let demanded = self.reading.demanded.as_ref();
        let calls = |name: &String| self.found.calls.iter().any(|one| one.call.name == *name);
        self.reading.parallel == Parallel::Many && demanded.is_none_or(calls)
    }

    /// Whether a call is one of the server's, each of which is met once.
    pub(super) fn is_own(&mut self, call: &Call) -> bool {
        let depth = self.reading.options.json.max_depth;
        let known = self.own.iter().position(|own| own.is(call, depth));
        if let Some(at) = known {
            self.own.swap_remove(at);
            self.found.doubled += 1;
        }
        known.is_some()
    }
}
