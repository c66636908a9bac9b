//! What goes to the client of a stream whose events are named, while the answer is still arriving?
//!
//! In responses and messages each event has its place: items begin, grow and end, and some are counted. So
//! from the first piece on that is looked at everything waits, and then goes out as it came, or with the
//! repaired parts in their places and the numbers anew.

use std::sync::Arc;

use llmend::json::Node;
use llmend::model::Usage;

use crate::config::Policy;
use crate::decide::{Decision, Left, Part, PlaceKind, call_json, content_json};
use crate::failure::Failure;
use crate::frames::{Content, Frame, Frames};
use crate::mend::Reach;
use crate::protocol::Protocol;
use crate::reask::Settled;
use crate::request::{Asked, Report};
use crate::settle::{Ends, Finish, Phase, Written, is_changed, report, settle};
use crate::splice::strict;
use crate::usage::{Told, with_more};
use crate::{messages, responses};

/// What a piece belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Slot {
    #[default]
    Text,
    Call,
}

/// What an event says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// It is about a text or a call.
    Piece(Slot),
    /// It is about the answer, and in its order.
    Other,
    /// It has no place in the order.
    Aside,
    /// The answer is complete.
    End,
    /// The answer failed, in the upstream's words.
    Error(String),
}

/// An item and a part of it.
type At = (u32, u32);

#[derive(Clone, Debug, Default, PartialEq)]
struct Filled {
    slot: Slot,
    at: At,
    name: String,
    text: String,
    /// What a call passes if no piece of it comes.
    begun_with: String,
}

/// An answer that arrives in named events.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    asked: Arc<Asked>,
    reach: Reach,
    frames: Frames,
    filled: Vec<Filled>,
    refusal: String,
    finish: Option<Finish>,
    /// What the last event says that the whole answer is.
    whole: Option<Written>,
    held: Vec<Held>,
    held_bytes: usize,
    out: Vec<u8>,
    phase: Phase,
    used: Told,
    failure: Option<Failure>,
}

#[derive(Clone, Debug)]
struct Held {
    raw: Vec<u8>,
    data: String,
}

impl Typed {
    pub(crate) fn new(asked: Arc<Asked>, reach: Reach) -> Self {
        Self {
            asked,
            reach,
            frames: Frames::default(),
            filled: Vec::new(),
            refusal: String::new(),
            finish: None,
            whole: None,
            held: Vec::new(),
            held_bytes: 0,
            out: Vec::new(),
            phase: Phase::Open,
            used: Told::default(),
            failure: None,
        }
    }

    /// Adds what has arrived.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.phase == Phase::Ended {
            return;
        }
        self.frames.push(bytes);
        self.read_frames();
    }

    fn read_frames(&mut self) {
        while matches!(self.phase, Phase::Open | Phase::Given) {
            let Some(frame) = self.frames.next_frame() else { break };
            self.read(frame);
        }
        let limit = self.reach.limits.answer_bytes;
        if self.phase == Phase::Open && self.held_bytes + self.frames.partial().len() > limit {
            let message = format!("the answer has more than {limit} bytes, which is the limit");
            self.fail(&Failure::upstream("limit/bytes", message));
        }
    }

    /// Says that no more will arrive.
    pub(crate) fn finish(&mut self) {
        let rest = self.frames.rest();
        let depth = self.reach.limits.depth;
        if matches!(self.phase, Phase::Open | Phase::Given)
            && matches!(rest.content(), Content::Data(data) if strict(&data, depth).is_ok())
        {
            let mut raw = rest.raw;
            raw.extend_from_slice(b"\n\n");
            self.read(Frame { raw });
        } else if self.phase == Phase::Given && rest.is_line_end() {
            self.out.extend_from_slice(&rest.raw);
        }
        match self.phase {
            Phase::Open => {
                let message = "the upstream's stream ended before the answer did";
                self.fail(&Failure::upstream("stream/unexpected-end", message));
            }
            Phase::Given => self.phase = Phase::Ended,
            Phase::Complete | Phase::Ended => {}
        }
    }

    /// Ends the stream with an error.
    pub(crate) fn fail(&mut self, failure: &Failure) {
        if self.phase != Phase::Ended {
            let event = self.asked.protocol.error_event(failure);
            self.out.extend_from_slice(event.as_bytes());
            self.phase = Phase::Ended;
            self.failure = Some(failure.clone());
        }
    }

    /// Why it ended without an answer, if it did.
    pub(crate) const fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// What the events told of usage.
    pub(crate) const fn used(&self) -> Told {
        self.used
    }

    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    pub(crate) const fn phase(&self) -> Phase {
        self.phase
    }

    /// How many bytes are to be looked at.
    pub(crate) fn size(&self) -> usize {
        self.filled.iter().map(|filled| filled.text.len()).sum()
    }

    fn read(&mut self, frame: Frame) {
        match frame.content() {
            Content::Nothing => self.out.extend_from_slice(&frame.raw),
            // Neither form has this mark.
            Content::Empty | Content::Done => {}
            Content::Garbled => self.fail(&Failure::malformed("it is no UTF-8")),
            Content::Data(data) => {
                let event = match strict(&data, self.reach.limits.depth) {
                    Ok(value) => {
                        self.used.look(value.root());
                        self.event(value.root())
                    }
                    Err(error) => return self.fail(&Failure::malformed(&error.to_string())),
                };
                self.place(event, frame.raw, data);
            }
        }
    }

    fn event(&mut self, root: Node<'_>) -> Event {
        match self.asked.protocol {
            Protocol::Messages => messages::event(root, self),
            Protocol::Responses | Protocol::Chat => responses::event(root, self),
        }
    }

    /// Passes an event on, or keeps it.
    fn place(&mut self, event: Event, raw: Vec<u8>, data: String) {
        let is_looked_at = match event {
            Event::Piece(Slot::Text) => self.asked.content.is_some(),
            Event::Piece(Slot::Call) => self.asked.calls.is_some(),
            // So that an answer without any piece is settled too.
            Event::End => true,
            Event::Other | Event::Aside | Event::Error(_) => false,
        };
        let waits = is_looked_at || !self.held.is_empty();
        match event {
            Event::Error(_) => {
                self.out.extend_from_slice(&raw);
                self.phase = Phase::Ended;
            }
            _ if self.phase != Phase::Open || event == Event::Aside || !waits => {
                self.out.extend_from_slice(&raw);
            }
            event => {
                self.held_bytes += raw.len();
                self.held.push(Held { raw, data });
                if event == Event::End {
                    self.filled.sort_by_key(|filled| filled.at);
                    self.phase = Phase::Complete;
                }
            }
        }
    }

    /// A text or a call begins.
    pub(crate) fn begin(&mut self, slot: Slot, at: At, name: &str) {
        name.clone_into(&mut self.slot(slot, at).name);
    }

    /// A call begins with all that it passes, unless pieces come.
    pub(crate) fn begin_with(&mut self, at: At, json: String) {
        self.slot(Slot::Call, at).begun_with = json;
    }

    /// A text or a call grows.
    pub(crate) fn add(&mut self, slot: Slot, at: At, piece: &str) {
        self.slot(slot, at).text.push_str(piece);
    }

    fn slot(&mut self, slot: Slot, at: At) -> &mut Filled {
        let known = self.filled.iter().position(|filled| (filled.slot, filled.at) == (slot, at));
        let known = known.unwrap_or_else(|| {
            self.filled.push(Filled { slot, at, ..Filled::default() });
            self.filled.len() - 1
        });
        &mut self.filled[known]
    }

    pub(crate) fn refuse(&mut self, piece: &str) {
        self.refusal.push_str(piece);
    }

    pub(crate) fn finish_with(&mut self, finish: Option<Finish>) {
        self.finish = finish;
    }

    /// What the upstream says that all pieces come to.
    pub(crate) fn whole(&mut self, written: Written) {
        self.whole = Some(written);
    }

    /// Says what a call without any piece passes.
    pub(crate) fn name_empty(&mut self, json: &str) {
        let calls = self.filled.iter_mut().filter(|filled| filled.slot == Slot::Call);
        for call in calls.filter(|call| call.text.is_empty()) {
            let begun_with = call.begun_with.as_str();
            call.text = if begun_with.is_empty() { json } else { begun_with }.to_owned();
        }
    }

    fn written(&self) -> Written {
        let of = |slot: Slot| self.filled.iter().filter(move |filled| filled.slot == slot);
        let mut written = Written {
            content: of(Slot::Text).map(|filled| filled.text.as_str()).collect(),
            refusal: self.refusal.clone(),
            finish: self.finish.clone(),
            ..Written::default()
        };
        if self.asked.calls.is_some() {
            written.calls =
                of(Slot::Call).map(|call| (call.name.clone(), call.text.clone())).collect();
        } else {
            written.calls_told = of(Slot::Call).count();
        }
        written
    }

    /// What the model wrote, and what becomes of it.
    pub(crate) fn settled(&self, policy: &Policy, left: Left) -> (Vec<Part>, Decision) {
        let written = self.written();
        if let Some(whole) = &self.whole {
            let is_said = !whole.content.is_empty() || !whole.calls.is_empty();
            let calls = self.asked.calls.is_some().then_some(&whole.calls);
            let is_same = whole.content == written.content
                && calls.is_none_or(|calls| *calls == written.calls);
            if is_said && !is_same {
                let failure =
                    Failure::malformed("its last event says something else than the pieces before");
                return (Vec::new(), Decision::Refuse(failure));
            }
        }
        settle(&[written], &self.asked, policy, self.reach, left)
    }

    /// Gives the answer that was settled.
    pub(crate) fn give(&mut self, settled: &Settled) {
        let Settled { parts, ends, attempts, .. } = settled;
        let report = (self.asked.report == Report::Field).then(|| report(parts, *attempts));
        let held = std::mem::take(&mut self.held);
        let stop = self.finish.as_ref().is_some_and(|finish| {
            finish.reason == llmend_models::sse::FinishReason::Stop
                && self.asked.protocol == Protocol::Messages
        });
        let has_calls = parts.iter().any(|part| matches!(part.place.kind, PlaceKind::Call { .. }));
        let is_as_it_came =
            !is_changed(parts) && ends.is_as_told() && report.is_none() && !(stop && has_calls);
        if is_as_it_came {
            for held in &held {
                self.out.extend_from_slice(&held.raw);
            }
        } else {
            self.retell(&held, settled, report.as_ref());
        }
        self.phase = Phase::Given;
        self.read_frames();
    }

    fn retell(&mut self, held: &[Held], settled: &Settled, report: Option<&serde_json::Value>) {
        let mut retold = Retold {
            parts: &settled.parts,
            ends: &settled.ends,
            usage: settled.usage,
            depth: self.reach.limits.depth,
            report,
            filled: &self.filled,
            told: Vec::new(),
            number: None,
        };
        for Held { data, .. } in held {
            // It was read when it came.
            let Ok(value) = strict(data, self.reach.limits.depth) else { continue };
            let event = match self.asked.protocol {
                Protocol::Messages => messages::retold(data, value.root(), &mut retold),
                Protocol::Responses | Protocol::Chat => {
                    responses::retold(data, value.root(), &mut retold)
                }
            };
            self.out.extend_from_slice(event.unwrap_or_default().as_bytes());
        }
    }
}

/// What is told of an answer that was repaired.
#[derive(Debug)]
pub(crate) struct Retold<'a> {
    pub(crate) parts: &'a [Part],
    pub(crate) ends: &'a Ends,
    /// What was used besides.
    usage: Usage,
    depth: usize,
    pub(crate) report: Option<&'a serde_json::Value>,
    filled: &'a [Filled],
    told: Vec<(Slot, At)>,
    number: Option<u64>,
}

impl<'a> Retold<'a> {
    /// What the next piece of a text or a call says: `None` if it stays as it was, `Some(None)` if it says
    /// nothing, since the first one said all.
    #[expect(clippy::option_option, reason = "a piece stays, goes, or says something else")]
    pub(crate) fn text(&mut self, slot: Slot, at: At) -> Option<Option<&'a str>> {
        let json = self.whole(slot, at)?;
        let is_first = !self.told.contains(&(slot, at));
        self.told.push((slot, at));
        Some((is_first && !json.is_empty()).then_some(json))
    }

    /// What all of a text or a call says; `None` if it stays as it was. Several texts are one answer,
    /// which stands in the first of them.
    pub(crate) fn whole(&self, slot: Slot, at: At) -> Option<&'a str> {
        let mut of = self.filled.iter().filter(|filled| filled.slot == slot);
        let number = of.position(|filled| filled.at == at)?;
        match slot {
            Slot::Text => {
                content_json(self.parts, 0).map(|json| if number == 0 { json } else { "" })
            }
            Slot::Call => call_json(self.parts, 0, number),
        }
    }

    /// An event with what all attempts used, if it tells of that.
    pub(crate) fn with_usage(&self, data: &str) -> String {
        let more =
            (self.usage != Usage::default()).then(|| with_more(data, &self.usage, self.depth));
        more.flatten().unwrap_or_else(|| data.to_owned())
    }

    /// How many calls there are.
    pub(crate) fn calls(&self) -> usize {
        self.filled.iter().filter(|filled| filled.slot == Slot::Call).count()
    }

    /// The number of the next event. The first one keeps that which it was `told` with.
    pub(crate) fn next_number(&mut self, told: u64) -> u64 {
        let number = self.number.unwrap_or(told);
        self.number = Some(number + 1);
        number
    }
}
