//! The answer of a stream: what is evaluated of it, and how it is sent.

use std::sync::Arc;

use super::Rewriter;
use crate::answer::completion::{Completion, Ending};
use crate::answer::final_answer::FinalAnswer;
use crate::answer::from_text::FromText;
use crate::answer::part::{ResponsePart, is_changed};
use crate::calls::Pace;
use crate::calls::parts::read_parts;
use crate::protocol::event::{HeldEvent, StreamRewrite};
use crate::protocol::request::ReportTarget;
use crate::repair::decide::refusal;
use crate::repair::evaluate::report;
use crate::stream::evaluation::Evaluation;
use crate::stream::frame::{Content, Frame, number_behind};
use crate::stream::phase::Phase;

impl Rewriter {
    /// The answer to be evaluated.
    pub(crate) fn evaluation(&self) -> Evaluation {
        Evaluation {
            completions: self.events.completions().map(|completions| self.with_found(completions)),
            request: Arc::clone(&self.request),
            options: self.options,
            has_half: self.has_half,
        }
    }

    /// Adds what was found in texts and is not sent yet.
    fn with_found(&self, mut completions: Vec<Completion>) -> Vec<Completion> {
        let reading = self.request.reading.as_ref();
        let is_unsent = reading.is_some_and(|reading| reading.pace == Pace::AtTheEnd);
        for (choice, found) in self.found() {
            if let Some(one) = completions.iter_mut().find(|one| one.choice == choice) {
                one.from_text = if is_unsent { found } else { found.without_parts() };
            }
        }
        completions
    }

    /// Ends the stream since something found in the texts of a choice is no call.
    pub(super) fn refuse_unread(&mut self, choice: u32) {
        let bad = self
            .checked_parts()
            .into_iter()
            .find(|part| part.place.choice == choice && part.outcome.is_err());
        if let Some(part) = bad {
            self.fail(&refusal(&part, Ending::Complete));
        }
    }

    fn found(&self) -> Vec<(u32, FromText)> {
        self.calls.as_ref().map(|calls| calls.found()).unwrap_or_default()
    }

    /// The parts that were read in texts and sent before the answer was evaluated.
    pub(crate) fn checked_parts(&self) -> Vec<ResponsePart> {
        if self.request.reading.as_ref().is_none_or(|reading| reading.pace != Pace::AtOnce) {
            return Vec::new();
        }
        self.parts_in_text()
    }

    /// The parts that were read in texts.
    pub(crate) fn parts_in_text(&self) -> Vec<ResponsePart> {
        let found = self.found();
        found.iter().flat_map(|(choice, found)| read_parts(found, *choice, &self.request)).collect()
    }

    /// Sends the evaluated answer, and reads what arrived behind it.
    pub(crate) fn deliver(&mut self, answer: &FinalAnswer) {
        let report = (self.request.report == ReportTarget::Field).then(|| {
            let parts = [self.checked_parts(), answer.parts.clone()].concat();
            report(&parts, answer.attempts)
        });
        let held = std::mem::take(&mut self.held);
        let is_rewritten =
            is_changed(&answer.parts) || report.is_some() || self.events.needs_rewrite(answer);
        self.events.send(answer);
        let before = self.out.len();
        if is_rewritten {
            let frames = held.into_iter().map(|held| (Frame { raw: held.raw }, held.is_trailing));
            let frames: Vec<_> = frames.collect();
            let events = frames.iter().map(|(frame, is_trailing)| HeldEvent {
                raw: &frame.raw,
                data: match frame.content() {
                    Content::Data(data) => Some(data),
                    _ => None,
                },
                is_trailing: *is_trailing,
            });
            let events: Vec<_> = events.collect();
            let rewrite = StreamRewrite { answer, report: report.as_ref(), used: self.used };
            self.out.append(&mut self.events.rewrite(&events, rewrite));
        } else {
            for held in &held {
                self.out.extend_from_slice(&held.raw);
            }
        }
        let sent = self.out.get(before..).unwrap_or_default();
        let number = number_behind(sent, self.options.limits.depth);
        self.next_number = number.unwrap_or(self.next_number);
        self.phase = Phase::Delivered;
        self.read_frames();
    }
}
