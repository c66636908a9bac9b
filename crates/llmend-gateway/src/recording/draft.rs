//! Notes on an exchange in progress.
//!
//! A draft accompanies the answer and is submitted when it is dropped: at the end of a stream, after a
//! refusal, or when the client disconnects. It is empty if recording is off.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use llmend::model::Usage;

use super::{Outcome, Recorder};
use crate::answer::final_answer::FinalAnswer;
use crate::answer::part::{ResponsePart, is_reported};
use crate::answer::usage::UsageCounts;
use crate::config::Level;
use crate::error::Failure;
use crate::protocol::Protocol;
use crate::protocol::request::OutputRequest;
use crate::repair::decide::Decision;

/// Record of an exchange in progress.
#[derive(Debug, Default)]
pub(crate) struct Draft(Option<Box<(Recorder, Notes)>>);

/// Everything known about an exchange.
#[derive(Debug)]
pub(crate) struct Notes {
    pub(crate) at: SystemTime,
    pub(crate) started: Instant,
    pub(crate) protocol: Protocol,
    pub(crate) request_id: String,
    /// The requested model. `None` if the request was invalid.
    pub(crate) model: Option<String>,
    /// HTTP status sent to the client.
    pub(crate) status: Option<u16>,
    pub(crate) outcome: Outcome,
    /// Error code, if there is no answer.
    pub(crate) code: Option<String>,
    pub(crate) attempts: u32,
    /// Token usage of the first answer, as reported by the upstream.
    pub(crate) first_usage: UsageCounts,
    /// Token usage of all retries.
    pub(crate) more_usage: Usage,
    /// What the answer is validated against; `None` if it is not inspected.
    pub(crate) inspected: Option<(Arc<OutputRequest>, Level)>,
    pub(crate) parts: Vec<ResponsePart>,
    /// The parts before they were retried.
    pub(crate) before: Vec<ResponsePart>,
}

impl Notes {
    fn fail(&mut self, code: &str) {
        self.outcome = Outcome::Failed;
        self.code = Some(code.to_owned());
    }

    /// Returns the approximate size of its texts in bytes.
    pub(super) fn weight(&self) -> usize {
        let of_part = |part: &ResponsePart| {
            let json = part.outcome.as_ref().ok().and_then(|repaired| repaired.json.as_ref());
            part.text.len() + json.map_or(0, String::len)
        };
        self.parts.iter().chain(&self.before).map(of_part).sum()
    }
}

impl Draft {
    pub(super) fn new(recorder: Recorder, protocol: Protocol) -> Self {
        let notes = Notes {
            at: SystemTime::now(),
            started: Instant::now(),
            protocol,
            request_id: String::new(),
            model: None,
            status: None,
            outcome: Outcome::ClientGone,
            code: None,
            attempts: 0,
            first_usage: UsageCounts::default(),
            more_usage: Usage::default(),
            inspected: None,
            parts: Vec::new(),
            before: Vec::new(),
        };
        Self(Some(Box::new((recorder, notes))))
    }

    /// Adds a note, unless recording is off.
    fn note(&mut self, note: impl FnOnce(&mut Notes)) {
        if let Some(open) = &mut self.0 {
            note(&mut open.1);
        }
    }

    /// Notes the requested model.
    pub(crate) fn model(&mut self, model: &str, request_id: &str) {
        self.note(|notes| {
            notes.model = Some(model.to_owned());
            request_id.clone_into(&mut notes.request_id);
        });
    }

    /// Notes that the request was sent to the upstream.
    pub(crate) fn sent(&mut self) {
        self.note(|notes| notes.attempts = 1);
    }

    /// Notes what the answer is validated against.
    pub(crate) fn inspected(&mut self, request: &Arc<OutputRequest>, level: Level) {
        self.note(|notes| notes.inspected = Some((Arc::clone(request), level)));
    }

    /// Notes the status sent to the client.
    pub(crate) fn status(&mut self, status: u16) {
        self.note(|notes| notes.status = Some(status));
    }

    /// Notes the token usage of the first answer.
    pub(crate) fn used(&mut self, usage: UsageCounts) {
        self.note(|notes| notes.first_usage = usage);
    }

    /// Notes the end of the response. An inspected answer that was not delivered before is an error of the
    /// upstream.
    pub(crate) fn ended(&mut self) {
        self.note(|notes| match (notes.outcome, &notes.inspected) {
            (Outcome::ClientGone, None) => notes.outcome = Outcome::Passthrough,
            (Outcome::ClientGone, Some(_)) => notes.fail("upstream_error"),
            _ => {}
        });
    }

    /// Notes the decision on the first answer. Delivered answers are noted by [`Self::delivered`].
    pub(crate) fn decided(&mut self, parts: &[ResponsePart], decision: &Decision) {
        self.note(|notes| match decision {
            Decision::Answer { .. } => {}
            Decision::Refuse(_) | Decision::Again { .. } => notes.parts = parts.to_vec(),
            Decision::Reask { parts: bad, .. } => {
                notes.parts = parts.to_vec();
                notes.before = bad.iter().filter_map(|&at| parts.get(at).cloned()).collect();
            }
        });
    }

    /// Notes the delivered answer.
    pub(crate) fn delivered(&mut self, answer: FinalAnswer) {
        self.note(|notes| {
            notes.outcome = match () {
                () if !answer.ends.cut_off.is_empty() => Outcome::Truncated,
                () if is_reported(&answer.parts) => Outcome::Repaired,
                () => Outcome::Unchanged,
            };
            notes.attempts = answer.attempts;
            notes.more_usage = answer.usage;
            notes.parts = answer.parts;
        });
    }

    /// Notes that there is no answer, or no end of it.
    pub(crate) fn failed(&mut self, failure: &Failure) {
        self.note(|notes| {
            notes.outcome = Outcome::of(failure);
            notes.code = Some(code(failure).to_owned());
            if notes.attempts > 0 {
                notes.attempts = notes.attempts.max(failure.attempts);
            }
        });
    }

    /// Notes that the upstream responded with an error.
    pub(crate) fn upstream_failed(&mut self) {
        self.note(|notes| notes.fail("upstream_error"));
    }
}

/// Returns the code of a failure. Codes of upstreams are not recorded, since they may contain keys.
fn code(failure: &Failure) -> &str {
    let ours = [
        "bad_answer",
        "connection",
        "encoded",
        "input/utf8",
        "limit/bytes",
        "redirect",
        "stream/malformed",
        "stream/unexpected-end",
        "unreachable",
    ];
    let is_ours = failure.kind != "upstream_error" || ours.contains(&failure.code.as_str());
    if is_ours { &failure.code } else { "upstream_error" }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(open) = self.0.take() {
            let (recorder, notes) = *open;
            recorder.submit(notes);
        }
    }
}
