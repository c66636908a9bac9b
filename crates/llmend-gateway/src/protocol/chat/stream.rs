//! What goes to the client while the answer is still arriving?
//!
//! Bytes come in, cut anywhere, and bytes go out; nothing here waits or reads a clock. What is looked at
//! is held back until its choice is complete, and all else flows. If nothing has to be repaired, what was
//! held back goes out as it came, byte for byte.

mod event;
mod read;
mod write;

use std::collections::BTreeSet;
use std::sync::Arc;

use llmend::json::Node;
use llmend::model::Usage;
use llmend_models::sse::Calls;

use self::event::{Form, Share, event, look, said, says_held, shared};
use self::read::behind_the_end;
use super::choice::{finish, is_readable, pieces, word};
use super::chunk::{Defaults, OBJECT};
use super::response::numbered;
use super::rewrite::{Heads, Presence};
use crate::answer::usage::Told as Used;
use crate::config::Policy;
use crate::error::Failure;
use crate::protocol::Protocol;
use crate::protocol::request::{Asked, Usage as Tells};
use crate::repair::Reach;
use crate::repair::decide::{Decision, Left, Part};
use crate::repair::evaluate::{Finish, Phase, Written, half_of_a_pair, is_changed, settle};
use crate::splice::{has_half, strict};
use crate::stream::frames::{Content, Frame, Frames};

/// An answer that arrives in pieces.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    asked: Arc<Asked>,
    reach: Reach,
    frames: Frames,
    defaults: Defaults,
    /// What the model wrote so far, by choice.
    written: Vec<Written>,
    /// How many choices an event has, if they are told by their places.
    by_place: Option<usize>,
    /// Which call a piece belongs to.
    numbers: Calls,
    heads: Heads,
    /// The choices of which pieces said something.
    spoken: BTreeSet<u32>,
    /// The calls whose arguments came read already, by choice and place in it.
    read_calls: Vec<(u32, usize)>,
    /// What waits, as it came.
    held: Vec<u8>,
    /// How much of that is the answer; the rest stands behind it.
    answer_end: usize,
    /// Whether it may go out as it came.
    form: Form,
    /// What was used besides what the upstream will tell.
    more: Usage,
    /// The choices whose role the client was told.
    roles: Vec<u32>,
    /// The ends that it was told, by choice, in the upstream's words.
    ended: Vec<End>,
    out: Vec<u8>,
    phase: Phase,
    used: Used,
    /// Whether an event said something of which nobody knows what it is.
    is_odd: bool,
    /// Whether half of a surrogate pair is in it.
    has_half: bool,
    failure: Option<Failure>,
}

impl Stream {
    pub(crate) fn new(asked: Arc<Asked>, reach: Reach, defaults: Defaults) -> Self {
        Self {
            asked,
            reach,
            frames: Frames::default(),
            defaults,
            written: Vec::new(),
            by_place: None,
            numbers: Calls::default(),
            heads: Heads::default(),
            spoken: BTreeSet::new(),
            read_calls: Vec::new(),
            held: Vec::new(),
            answer_end: 0,
            form: Form::Good,
            more: Usage::default(),
            roles: Vec::new(),
            ended: Vec::new(),
            out: Vec::new(),
            phase: Phase::Open,
            used: Used::default(),
            is_odd: false,
            has_half: false,
            failure: None,
        }
    }

    /// An answer that came whole, although a stream was asked for: it is one event.
    pub(crate) fn whole(
        asked: Arc<Asked>,
        reach: Reach,
        defaults: Defaults,
        body: &str,
    ) -> Result<Self, Failure> {
        let value = Protocol::Chat.parse(body, &reach.limits)?;
        let mut stream = Self::new(asked, reach, defaults);
        stream.push(event(&numbered(body, value.root())).as_bytes());
        stream.push(DONE);
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
        // What comes behind a complete answer is looked at when that is settled.
        while matches!(self.phase, Phase::Open | Phase::Given) {
            let Some(frame) = self.frames.next_frame() else { break };
            self.read(&frame);
        }
        let limit = self.reach.limits.answer_bytes;
        let held = self.held.len() + self.frames.partial().len();
        if held > limit && self.phase == Phase::Open {
            let message = format!("the answer has more than {limit} bytes, which is the limit");
            self.fail(&Failure::upstream("limit/bytes", message));
        }
    }

    /// Says that no more will arrive. An answer of which nobody said that it is complete is none.
    pub(crate) fn finish(&mut self) {
        if self.phase == Phase::Ended || self.phase == Phase::Complete {
            return;
        }
        let rest = self.frames.rest();
        if rest.is_line_end() {
            self.out.extend_from_slice(&rest.raw);
        } else if !rest.raw.is_empty() {
            // Servers leave the last blank line out. A cut leaves no whole JSON behind.
            if matches!(rest.content(), Content::Data(data) if strict(&data, self.reach.limits.depth).is_err())
            {
                self.form = Form::Bad;
            } else {
                let mut raw = rest.raw;
                raw.extend_from_slice(b"\n\n");
                self.read(&Frame { raw });
            }
        }
        match self.phase {
            Phase::Open if self.is_finished() => self.complete(),
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
            self.out.extend_from_slice(failure.event().as_bytes());
            self.phase = Phase::Ended;
            self.failure = Some(failure.clone());
        }
    }

    /// Why it ended without an answer, if it did.
    pub(crate) const fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// What the events told of usage.
    pub(crate) const fn used(&self) -> Used {
        self.used
    }

    /// Takes what is to be sent.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    pub(crate) const fn phase(&self) -> Phase {
        self.phase
    }

    /// How many bytes are to be looked at.
    pub(crate) fn size(&self) -> usize {
        let size = |written: &Written| {
            let calls: usize = written.calls.iter().map(|(_, arguments)| arguments.len()).sum();
            calls + written.content.len()
        };
        self.written.iter().map(size).sum()
    }

    /// What the model wrote, and what becomes of it.
    pub(crate) fn settled(&self, policy: &Policy, left: Left) -> (Vec<Part>, Decision) {
        let (parts, decision) = settle(&self.written, &self.asked, policy, self.reach, left);
        if self.has_half && is_changed(&parts) {
            return (parts, Decision::Refuse(half_of_a_pair()));
        }
        (parts, decision)
    }

    /// Reads one frame.
    fn read(&mut self, frame: &Frame) {
        match frame.content() {
            Content::Nothing => self.out.extend_from_slice(&frame.raw),
            Content::Empty => {}
            Content::Garbled => self.fail(&Failure::malformed("it is no UTF-8")),
            Content::Error(said) => self.fail(&Failure::said(&said)),
            Content::Done => self.done(frame),
            Content::Data(data) => match strict(&data, self.reach.limits.depth) {
                Ok(value) => self.event(frame, &data, value.root()),
                Err(error) => self.fail(&Failure::malformed(&error.to_string())),
            },
        }
    }

    fn done(&mut self, frame: &Frame) {
        if self.phase == Phase::Given {
            self.out.extend_from_slice(&frame.raw);
            return;
        }
        self.held.extend_from_slice(&frame.raw);
        if self.is_odd && !self.is_finished() {
            // It may have been an error in the server's own words: that is no end.
            return self.fail(&Failure::malformed("it is no part of a chat completion"));
        }
        self.complete();
    }

    fn event(&mut self, frame: &Frame, data: &str, root: Node<'_>) {
        if let Some(failure) = Failure::of_error_object(root) {
            // As it came, where clients find its text there.
            let is_read = root.get("error").is_some_and(|error| error.get("message").is_some());
            if is_read && frame.name().is_none() && !frame.has_mark() {
                self.out.extend_from_slice(&frame.raw);
                self.phase = Phase::Ended;
            } else {
                self.fail(&failure);
            }
            return;
        }
        match frame.name() {
            Some("ping") => return,
            Some("error") => {
                let text = root.get("message").and_then(Node::str).unwrap_or(data);
                return self.fail(&Failure::upstream("upstream_error", text));
            }
            _ => {}
        }
        self.defaults.learn(root);
        self.used.look(root);
        self.has_half |= has_half(data, self.reach.limits.depth);
        let choices = pieces(root).filter(|_| is_readable(root));
        let told = match choices {
            None => Err(Failure::malformed("it is no part of a chat completion")),
            Some(choices) if choices.is_empty() => {
                self.aside(frame, data, root);
                Ok(())
            }
            Some(choices) if self.phase == Phase::Open => self.choices(frame, data, root, &choices),
            Some(choices) => self.behind(frame, data, root, &choices),
        };
        if let Err(failure) = told {
            self.fail(&failure);
        }
    }

    /// An event without choices: the usage, as a rule.
    fn aside(&mut self, frame: &Frame, data: &str, root: Node<'_>) {
        let is_usage = has_usage(root);
        if root.get("choices").is_none() && !is_usage {
            self.is_odd = true;
            return self.out.extend_from_slice(&frame.raw);
        }
        if is_usage && self.asked.usage == Tells::Kept {
            return;
        }
        let event = self.completed(frame, data, root, look(root, &[], &self.asked).form);
        // The usage comes behind the answer, which is not given yet.
        if is_usage && self.phase == Phase::Open {
            self.held.extend_from_slice(&event);
        } else {
            self.pass(event);
        }
    }

    /// An event with choices behind the end of the answer: the usage of some servers, or what a filter found.
    /// What says more of what was judged comes too late, and cannot be told any more.
    fn behind(
        &mut self,
        frame: &Frame,
        data: &str,
        root: Node<'_>,
        choices: &Choices<'_>,
    ) -> Result<(), Failure> {
        if choices.iter().any(|(_, choice)| says_held(*choice, &self.asked)) {
            return Err(behind_the_end());
        }
        let seen = look(root, choices, &self.asked);
        let tells_usage = has_usage(root) && self.asked.usage == Tells::Told;
        let ends = choices.iter().filter_map(|(number, choice)| Some((*number, finish(*choice)?)));
        let (again, new): (Vec<End>, Vec<End>) = ends.partition(|end| self.ended.contains(end));
        self.ended.extend(new.iter().cloned());
        match seen.flowing {
            _ if again.is_empty() || !new.is_empty() => {
                self.pass(self.completed(frame, data, root, seen.form));
            }
            // The reason to stop once more, and nothing besides.
            Presence::Absent if !tells_usage => {}
            _ => self.pass(self.share(data, root, Share::Unended)),
        }
        Ok(())
    }

    /// An event as it came, or with what it lacks.
    fn completed(&self, frame: &Frame, data: &str, root: Node<'_>, form: Form) -> Vec<u8> {
        if form == Form::Good && !frame.has_mark() {
            frame.raw.clone()
        } else {
            self.share(data, root, Share::All)
        }
    }

    fn share(&self, data: &str, root: Node<'_>, share: Share) -> Vec<u8> {
        shared(data, root, share, &self.asked, &self.defaults).into_bytes()
    }

    /// Tells an event.
    fn pass(&mut self, event: Vec<u8>) {
        let event = self.with_usage(event);
        self.out.extend_from_slice(&event);
    }

    fn choices(
        &mut self,
        frame: &Frame,
        data: &str,
        root: Node<'_>,
        choices: &Choices<'_>,
    ) -> Result<(), Failure> {
        let mut seen = look(root, choices, &self.asked);
        let tells_usage = has_usage(root) && self.asked.usage == Tells::Told;
        if tells_usage && seen.flowing == Presence::Absent {
            // It becomes more, should the model be asked again.
            seen.held = Presence::Present;
        }
        let mut form = seen.form.max(Form::of(!frame.has_mark()));
        form = form.max(self.note(choices)?);
        if (seen.held, seen.flowing) != (Presence::Present, Presence::Absent) {
            self.note_roles(choices);
        }
        match (seen.held, seen.flowing) {
            (Presence::Absent, _) => self.pass(self.completed(frame, data, root, form)),
            (Presence::Present, Presence::Absent) => self.hold(&frame.raw, form),
            (Presence::Present, Presence::Present) => {
                self.pass(self.share(data, root, Share::Flowing));
                self.hold(&self.share(data, root, Share::Waiting), form);
            }
        }
        // One that nobody asked for is given to its end too.
        if self.is_finished() && self.written.len() as u64 >= u64::from(self.asked.choices) {
            self.complete();
        }
        Ok(())
    }

    fn hold(&mut self, raw: &[u8], form: Form) {
        self.held.extend_from_slice(raw);
        self.answer_end = self.held.len();
        self.form = self.form.max(form);
    }

    fn note_roles(&mut self, choices: &Choices<'_>) {
        for (number, choice) in choices {
            if said(*choice).is_some_and(|said| word(said, "role").is_some()) {
                self.roles.push(*number);
            }
        }
    }

    /// Whether each choice that has begun has come to its end.
    fn is_finished(&self) -> bool {
        !self.written.is_empty() && self.written.iter().all(|written| written.finish.is_some())
    }

    fn complete(&mut self) {
        if self.phase == Phase::Open {
            if self.written.is_empty() {
                return self.fail(&Failure::lacks("choices"));
            }
            let read_calls = &self.read_calls;
            let with_end = |written: Written| {
                let last = (written.choice, written.calls.len().saturating_sub(1));
                if read_calls.contains(&last) { written.with_last_read() } else { written }
            };
            self.written = std::mem::take(&mut self.written).into_iter().map(with_end).collect();
            self.written.sort_by_key(|written| written.choice);
            self.phase = Phase::Complete;
        }
    }
}

fn has_usage(root: Node<'_>) -> bool {
    root.get("usage").is_some_and(|usage| !usage.is_null())
}

/// The choices of an event, by number.
type Choices<'v> = [(u32, Node<'v>)];

/// Why a choice ends, with its number.
type End = (u32, Finish);

const DONE: &[u8] = b"data: [DONE]\n\n";

#[cfg(test)]
mod tests;
