//! What is noted of one exchange while it goes on?
//!
//! A draft goes along with the answer, and is handed in when it is dropped: at the end of a stream, with a
//! refusal, or with the connection of a client that left. Where nothing is recorded it is empty, and
//! notes nothing.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use llmend::model::Usage;

use super::{Outcome, Recorder};
use crate::answer::usage::Told;
use crate::config::Level;
use crate::error::Failure;
use crate::protocol::Protocol;
use crate::protocol::request::Asked;
use crate::repair::decide::{Decision, Part};
use crate::repair::evaluate::is_changed;
use crate::retry::Settled;

/// What is noted of one exchange while it goes on.
#[derive(Debug, Default)]
pub(crate) struct Draft(Option<Box<(Recorder, Notes)>>);

/// All that is known of an exchange.
#[derive(Debug)]
pub(crate) struct Notes {
    pub(crate) at: SystemTime,
    pub(crate) started: Instant,
    pub(crate) protocol: Protocol,
    pub(crate) request_id: String,
    /// The model that was asked for. Without one the request was none.
    pub(crate) model: Option<String>,
    /// The status that the client was told.
    pub(crate) status: Option<u16>,
    pub(crate) outcome: Outcome,
    /// Why there is no answer.
    pub(crate) code: Option<String>,
    pub(crate) attempts: u32,
    /// What the first answer used, as the upstream tells.
    pub(crate) first_usage: Told,
    /// What all others used.
    pub(crate) more_usage: Usage,
    /// What the answer is held against; nothing if nobody looks at it.
    pub(crate) held: Option<(Arc<Asked>, Level)>,
    pub(crate) parts: Vec<Part>,
    /// The parts as they were before the model was asked again.
    pub(crate) before: Vec<Part>,
}

impl Notes {
    fn broke(&mut self, code: &str) {
        self.outcome = Outcome::Failed;
        self.code = Some(code.to_owned());
    }

    /// How many bytes of texts hang on it, nearly.
    pub(super) fn weight(&self) -> usize {
        let of_part = |part: &Part| {
            let json = part.outcome.as_ref().ok().and_then(|mended| mended.json.as_ref());
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
            first_usage: Told::default(),
            more_usage: Usage::default(),
            held: None,
            parts: Vec::new(),
            before: Vec::new(),
        };
        Self(Some(Box::new((recorder, notes))))
    }

    /// Takes a note, if any are taken.
    fn note(&mut self, note: impl FnOnce(&mut Notes)) {
        if let Some(open) = &mut self.0 {
            note(&mut open.1);
        }
    }

    /// The request asks this model.
    pub(crate) fn asks(&mut self, model: &str, request_id: &str) {
        self.note(|notes| {
            notes.model = Some(model.to_owned());
            request_id.clone_into(&mut notes.request_id);
        });
    }

    /// The upstream was asked.
    pub(crate) fn sent(&mut self) {
        self.note(|notes| notes.attempts = 1);
    }

    /// The answer is held against this.
    pub(crate) fn held(&mut self, asked: &Arc<Asked>, level: Level) {
        self.note(|notes| notes.held = Some((Arc::clone(asked), level)));
    }

    /// The head of an answer goes to the client.
    pub(crate) fn status(&mut self, status: u16) {
        self.note(|notes| notes.status = Some(status));
    }

    /// The upstream told what the first answer used.
    pub(crate) fn used(&mut self, usage: Told) {
        self.note(|notes| notes.first_usage = usage);
    }

    /// The client has been told all. If nobody looked at it, that was the answer; else, if it was not given
    /// before, it was an error of the upstream's.
    pub(crate) fn ended(&mut self) {
        self.note(|notes| match (notes.outcome, &notes.held) {
            (Outcome::ClientGone, None) => notes.outcome = Outcome::Passthrough,
            (Outcome::ClientGone, Some(_)) => notes.broke("upstream_error"),
            _ => {}
        });
    }

    /// The first answer came to this. What is given is noted when it is.
    pub(crate) fn judged(&mut self, parts: &[Part], decision: &Decision) {
        self.note(|notes| match decision {
            Decision::Answer { .. } => {}
            Decision::Refuse(_) => notes.parts = parts.to_vec(),
            Decision::Reask { parts: bad, .. } => {
                notes.parts = parts.to_vec();
                notes.before = bad.iter().filter_map(|&at| parts.get(at).cloned()).collect();
            }
        });
    }

    /// The answer is given.
    pub(crate) fn settled(&mut self, settled: Settled) {
        self.note(|notes| {
            notes.outcome = match () {
                () if !settled.ends.cut_off.is_empty() => Outcome::Truncated,
                () if is_changed(&settled.parts) => Outcome::Repaired,
                () => Outcome::Unchanged,
            };
            notes.attempts = settled.attempts;
            notes.more_usage = settled.usage;
            notes.parts = settled.parts;
        });
    }

    /// There is no answer, or no end of it.
    pub(crate) fn failed(&mut self, failure: &Failure) {
        self.note(|notes| {
            notes.outcome = Outcome::of(failure);
            notes.code = Some(code(failure).to_owned());
            if notes.attempts > 0 {
                notes.attempts = notes.attempts.max(failure.attempts);
            }
        });
    }

    /// The upstream answered with an error.
    pub(crate) fn broke(&mut self) {
        self.note(|notes| notes.broke("upstream_error"));
    }
}

/// The code of a failure. An upstream's own word is not kept, since upstreams repeat keys in their errors.
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
            recorder.hand_in(notes);
        }
    }
}
