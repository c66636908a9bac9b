//! What goes to the client of a stream whose events are named, while the answer is still arriving?
//!
//! In responses and messages each event has its place: items begin, grow and end, and some are counted. So
//! from the first piece on that is looked at everything waits, and then goes out as it came, or with the
//! repaired parts in their places and the numbers anew.

use std::sync::Arc;

use llmend::json::Node;
use llmend_models::sse::FinishReason;

use crate::answer::slot::{Slot, is_judged};
use crate::answer::usage::Told;
use crate::config::Policy;
use crate::error::Failure;
use crate::protocol::Protocol;
use crate::protocol::request::{Asked, Report};
use crate::protocol::{messages, responses};
use crate::repair::Reach;
use crate::repair::decide::{Decision, Left, Part};
use crate::repair::evaluate::{Phase, half_of_a_pair, is_changed, report, settle};
use crate::retry::Settled;
use crate::splice::{has_half, strict};
use crate::stream::frames::{Content, Frame, Frames, on_one_line};

use gathered::{Gathered, Sight};
use rewrite::{Anew, Retold};

mod agree;
pub(crate) mod gathered;
pub(crate) mod rewrite;

/// What an event says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    /// It is about a text or a call.
    Piece(Slot),
    /// It is about the answer, and in its order.
    Other,
    /// It has no place in the order.
    Aside,
    /// It says why the answer goes no further. More of it may follow all the same.
    Finish,
    /// The answer is complete.
    End,
    /// It says what cannot be read where it stands; why.
    Misplaced(&'static str),
    /// The answer failed, in the upstream's words.
    Error(String),
    /// The answer failed, which clients do not read from the name of the event.
    Failed(Failure),
}

/// An answer that arrives in named events.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    asked: Arc<Asked>,
    reach: Reach,
    frames: Frames,
    gathered: Gathered,
    /// What waits, as it came.
    held: Vec<Frame>,
    held_bytes: usize,
    out: Vec<u8>,
    phase: Phase,
    used: Told,
    /// Whether half of a surrogate pair is in it.
    has_half: bool,
    failure: Option<Failure>,
}

impl Typed {
    pub(crate) fn new(asked: Arc<Asked>, reach: Reach) -> Self {
        let gathered = Gathered::new(reach.limits.depth);
        Self {
            asked,
            reach,
            frames: Frames::default(),
            gathered,
            held: Vec::new(),
            held_bytes: 0,
            out: Vec::new(),
            phase: Phase::Open,
            used: Told::default(),
            has_half: false,
            failure: None,
        }
    }

    /// An answer that came whole, although a stream was asked for.
    pub(crate) fn whole(asked: Arc<Asked>, reach: Reach, body: &str) -> Result<Self, Failure> {
        let protocol = asked.protocol;
        let value = protocol.parse(body, &reach.limits)?;
        // Half of a character is nothing that can be written anew.
        let events = Some(()).filter(|()| !has_half(body, reach.limits.depth));
        let events = events.and_then(|()| protocol.events(body, &value)).ok_or_else(|| {
            let message = "the upstream sends a whole answer where a stream was asked for";
            Failure::upstream("bad_answer", message)
        })?;
        let mut stream = Self::new(asked, reach);
        stream.push(events.as_bytes());
        stream.finish();
        Ok(stream)
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
        } else if rest.is_line_end() {
            // It belongs to the event before it, which may still wait.
            let waits = self.held.last_mut().filter(|_| self.phase == Phase::Open);
            match (waits, self.phase) {
                (Some(last), _) => last.raw.extend_from_slice(&rest.raw),
                (None, Phase::Given) => self.out.extend_from_slice(&rest.raw),
                (None, _) => {}
            }
        }
        match self.phase {
            // Only the mark of the end is missing.
            Phase::Open if self.gathered.finish().is_some() => self.phase = Phase::Complete,
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
        self.gathered.size()
    }

    fn read(&mut self, frame: Frame) {
        match frame.content() {
            Content::Nothing => self.out.extend_from_slice(&frame.raw),
            // Neither form has this mark.
            Content::Empty | Content::Done => {}
            Content::Garbled => self.fail(&Failure::malformed("it is no UTF-8")),
            Content::Error(said) => self.fail(&Failure::said(&said)),
            Content::Data(data) => {
                self.has_half |= has_half(&data, self.reach.limits.depth);
                let event = match strict(&data, self.reach.limits.depth) {
                    Ok(value) => {
                        self.used.look(value.root());
                        self.event(value.root())
                    }
                    Err(error) => return self.fail(&Failure::malformed(&error.to_string())),
                };
                drop(data);
                self.place(event, frame);
            }
        }
    }

    fn event(&mut self, root: Node<'_>) -> Event {
        let sight = self.sight();
        match self.asked.protocol {
            Protocol::Messages => messages::stream::event(root, &mut self.gathered, sight),
            Protocol::Responses | Protocol::Chat => {
                responses::stream::event(root, &mut self.gathered, sight)
            }
        }
    }

    fn sight(&self) -> Sight {
        Sight { texts: self.asked.content.is_some(), calls: self.asked.calls.is_some() }
    }

    /// Passes an event on, or keeps it.
    fn place(&mut self, event: Event, frame: Frame) {
        let is_looked_at = match event {
            Event::Piece(slot) => self.sight().sees(slot),
            // So that an answer without any piece is settled too.
            Event::Finish | Event::End => true,
            Event::Other | Event::Aside => false,
            Event::Misplaced(_) | Event::Error(_) | Event::Failed(_) => false,
        };
        let waits = is_looked_at || !self.held.is_empty();
        let is_behind = self.phase != Phase::Open && is_looked_at && !self.says_nothing(&event);
        match event {
            Event::Misplaced(why) => self.fail(&Failure::malformed(why)),
            Event::Failed(failure) => self.fail(&failure),
            // What was judged cannot be added to.
            _ if is_behind => {
                self.fail(&Failure::malformed("it says more of the answer behind its end"));
            }
            Event::Error(_) => {
                self.out.extend_from_slice(&frame.raw);
                self.phase = Phase::Ended;
            }
            _ if self.phase != Phase::Open || event == Event::Aside || !waits => {
                self.out.extend_from_slice(&frame.raw);
            }
            event => {
                self.held_bytes += frame.raw.len();
                self.held.push(frame);
                if event == Event::End {
                    self.phase = Phase::Complete;
                }
            }
        }
    }

    /// Whether an event is the mark of the end alone.
    fn says_nothing(&self, event: &Event) -> bool {
        *event == Event::End && self.asked.protocol == Protocol::Messages
    }

    /// What the model wrote, and what becomes of it.
    pub(crate) fn settled(&self, policy: &Policy, left: Left) -> (Vec<Part>, Decision) {
        if self.gathered.is_torn() {
            let message = "one event says something else of a text or a call than another";
            return (Vec::new(), Decision::Refuse(Failure::malformed(message)));
        }
        let written = self.gathered.written(self.sight());
        let (parts, decision) = settle(&[written], &self.asked, policy, self.reach, left);
        if self.has_half && is_changed(&parts) {
            return (parts, Decision::Refuse(half_of_a_pair()));
        }
        (parts, decision)
    }

    /// Gives the answer that was settled.
    pub(crate) fn give(&mut self, settled: &Settled) {
        let Settled { parts, ends, attempts, .. } = settled;
        let report = (self.asked.report == Report::Field).then(|| report(parts, *attempts));
        let held = std::mem::take(&mut self.held);
        let is_as_it_came = !is_changed(parts) && ends.is_as_told() && report.is_none();
        if is_as_it_came && !self.is_misread(parts) {
            for held in &held {
                self.out.extend_from_slice(&held.raw);
            }
        } else {
            self.retell(&held, settled, report.as_ref());
        }
        self.phase = Phase::Given;
        self.read_frames();
    }

    /// Whether clients misread what is sound: arguments in another form, a copy that says something else, or an
    /// end that hides calls.
    fn is_misread(&self, parts: &[Part]) -> bool {
        let stops = self.asked.protocol == Protocol::Messages
            && self.gathered.finish().is_some_and(|finish| finish.reason == FinishReason::Stop);
        if self.gathered.is_stale(parts) {
            return true;
        }
        let mut calls = self.gathered.of(Slot::Call).enumerate();
        calls.any(|(number, call)| stops || call.is_misshapen() && is_judged(parts, number))
    }

    fn retell(&mut self, held: &[Frame], settled: &Settled, report: Option<&serde_json::Value>) {
        let Settled { parts, ends, usage, .. } = settled;
        let depth = self.reach.limits.depth;
        let mut retold = Retold::new(&self.gathered, parts, ends, report, depth);
        (retold.usage, retold.used) = (*usage, self.used);
        for frame in held {
            // It was read when it came.
            let Content::Data(data) = frame.content() else { continue };
            let Ok(value) = strict(&data, depth) else { continue };
            let event = match self.asked.protocol {
                Protocol::Messages => messages::stream::retold(&data, value.root(), &mut retold),
                Protocol::Responses | Protocol::Chat => {
                    responses::stream::retold(&data, value.root(), &mut retold)
                }
            };
            let Some(Anew { before, name, data: anew }) = event else { continue };
            self.out.extend_from_slice(before.as_bytes());
            if anew == data {
                self.out.extend_from_slice(&frame.raw);
            } else {
                self.out.extend_from_slice(named(&name, &anew).as_bytes());
            }
        }
    }
}

/// An event under its name. Its data are JSON, in which the end of a line means nothing.
pub(crate) fn named(name: &str, data: &str) -> String {
    ["event: ", name, "\ndata: ", &on_one_line(data), "\n\n"].concat()
}
