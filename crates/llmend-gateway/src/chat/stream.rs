//! What goes to the client while the answer is still arriving?
//!
//! Bytes come in, cut anywhere, and bytes go out; nothing here waits or reads a clock. What is looked at
//! is held back until its choice is complete, and all else flows. If nothing has to be repaired, what was
//! held back goes out as it came, byte for byte.

mod calls;
mod event;
mod write;

use std::collections::VecDeque;
use std::sync::Arc;

use llmend::json::Node;
use llmend::model::Usage;
use llmend_models::sse::{Decoder, Delta, Dialect, Options};

use self::calls::{CallHead, Of, Piece};
use self::event::{Form, Presence, completed, flowing, look, says_held, unended, waiting};
use super::answer::error_object;
use super::chunk::Defaults;
use crate::config::Policy;
use crate::decide::{Decision, Left, Part};
use crate::failure::Failure;
use crate::frames::{Content, Frame, Frames};
use crate::mend::Reach;
use crate::protocol::Protocol;
use crate::request::{Asked, Usage as Tells};
use crate::settle::{CallForm, Finish, Phase, Written, settle};
use crate::splice::strict;
use crate::usage::Told as Used;

/// An answer that arrives in pieces.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    asked: Arc<Asked>,
    reach: Reach,
    frames: Frames,
    decoder: Decoder,
    defaults: Defaults,
    /// What the model wrote so far, by choice.
    written: Vec<Written>,
    /// What is known of the calls besides.
    calls: Vec<CallHead>,
    /// What the pieces of calls in the event that is read say besides, in the order in which the decoder
    /// tells of them.
    pieces: VecDeque<Piece>,
    /// What waits, as it came.
    held: Vec<u8>,
    /// Whether it may go out as it came.
    form: Form,
    /// What stood beside the choices of what waits, such as the usage, by name and in JSON: what was told
    /// last holds.
    beside: Vec<(String, String)>,
    /// What came behind it.
    tail: Vec<u8>,
    /// What was used besides what the upstream will tell.
    more: Usage,
    /// The choices whose role the client was told.
    roles: Vec<u32>,
    /// What of it is passed on as it arrives.
    told: Told,
    out: Vec<u8>,
    phase: Phase,
    used: Used,
    failure: Option<Failure>,
}

impl Stream {
    pub(crate) fn new(asked: Arc<Asked>, reach: Reach, defaults: Defaults) -> Self {
        let options = Options { max_event_bytes: reach.limits.answer_bytes };
        Self {
            asked,
            reach,
            frames: Frames::default(),
            decoder: Decoder::new(Dialect::OpenAiChat, options),
            defaults,
            written: Vec::new(),
            calls: Vec::new(),
            pieces: VecDeque::new(),
            held: Vec::new(),
            form: Form::Good,
            beside: Vec::new(),
            tail: Vec::new(),
            more: Usage::default(),
            roles: Vec::new(),
            told: Told::Already,
            out: Vec::new(),
            phase: Phase::Open,
            used: Used::default(),
            failure: None,
        }
    }

    /// An answer that came whole, although a stream was asked for.
    pub(crate) fn whole(
        asked: Arc<Asked>,
        reach: Reach,
        defaults: Defaults,
        body: &str,
    ) -> Result<Self, Failure> {
        let value = Protocol::Chat.parse(body, &reach.limits)?;
        let mut stream = Self::new(asked, reach, defaults);
        stream.defaults.learn(value.root());
        stream.used.look(value.root());
        stream.note_forms(value.root());
        stream.note_beside(value.root());
        stream.read_calls(value.root());
        stream.decoder.push(body.as_bytes());
        stream.decoder.finish();
        stream.form = Form::Bad;
        stream.told = Told::Later;
        stream.tail = DONE.to_vec();
        stream.read_deltas();
        if stream.phase == Phase::Open {
            stream.complete();
        }
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
            Phase::Open if self.decoder.is_complete() => self.complete(),
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
        settle(&self.written, &self.asked, policy, self.reach, left)
    }

    /// Reads one frame.
    fn read(&mut self, frame: &Frame) {
        match frame.content() {
            Content::Nothing => self.out.extend_from_slice(&frame.raw),
            Content::Empty => {}
            Content::Garbled => self.fail(&Failure::malformed("it is no UTF-8")),
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
        self.tail.extend_from_slice(&frame.raw);
        self.decoder.push(&frame.raw);
        self.read_deltas();
        self.complete();
    }

    fn event(&mut self, frame: &Frame, data: &str, root: Node<'_>) {
        if let Some(failure) = error_object(root) {
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
        if root.get("choices").is_none_or(Node::is_empty) {
            self.aside(frame, data, root);
        } else if self.phase == Phase::Open {
            self.choices(frame, data, root);
        } else {
            self.behind(frame, data, root);
        }
    }

    /// An event without choices: the usage, as a rule.
    fn aside(&mut self, frame: &Frame, data: &str, root: Node<'_>) {
        let is_usage = root.get("usage").is_some_and(|usage| !usage.is_null());
        if is_usage && self.asked.usage == Tells::Kept {
            return;
        }
        let form = if frame.has_mark() { Form::Bad } else { look(root, &self.asked).form };
        let event = match form {
            Form::Good => frame.raw.clone(),
            Form::Bad => completed(data, root, &self.asked, &self.defaults).into_bytes(),
        };
        // The usage comes behind the answer, which is not given yet.
        let event = self.with_usage(event);
        let target =
            if is_usage && self.phase == Phase::Open { &mut self.tail } else { &mut self.out };
        target.extend_from_slice(&event);
    }

    /// An event with choices behind the end of the answer: the usage of some servers. What says more of what
    /// was judged comes too late, and cannot be told any more.
    fn behind(&mut self, frame: &Frame, data: &str, root: Node<'_>) {
        if says_held(root, &self.asked) {
            return self.fail(&Failure::malformed("it says more of the answer behind its end"));
        }
        let seen = look(root, &self.asked);
        let is_good = seen.form == Form::Good && !frame.has_mark();
        let has_usage = root.get("usage").is_some_and(|usage| !usage.is_null());
        let tells_usage = has_usage && self.asked.usage == Tells::Told;
        let event = match (seen.held, seen.flowing) {
            // The reason to stop once more, and nothing besides.
            (Presence::Present, Presence::Absent) if !tells_usage => return,
            (Presence::Present, _) => unended(data, root, &self.asked).into_bytes(),
            (Presence::Absent, _) if is_good => frame.raw.clone(),
            (Presence::Absent, _) => {
                completed(data, root, &self.asked, &self.defaults).into_bytes()
            }
        };
        let event = self.with_usage(event);
        self.out.extend_from_slice(&event);
    }

    fn choices(&mut self, frame: &Frame, data: &str, root: Node<'_>) {
        let mut seen = look(root, &self.asked);
        if frame.has_mark() {
            seen.form = Form::Bad;
        }
        self.decoder.push(&frame.raw);
        self.note_forms(root);
        self.read_calls(root);
        self.read_deltas();
        if self.phase != Phase::Open {
            return;
        }
        match (seen.held, seen.flowing) {
            (Presence::Absent, _) if seen.form == Form::Good => {
                self.note_roles(root);
                self.out.extend_from_slice(&frame.raw);
            }
            (Presence::Absent, _) => {
                self.note_roles(root);
                let event = completed(data, root, &self.asked, &self.defaults);
                self.out.extend_from_slice(event.as_bytes());
            }
            (Presence::Present, Presence::Absent) => {
                self.note_beside(root);
                self.held.extend_from_slice(&frame.raw);
                self.form = self.form.max(seen.form);
            }
            (Presence::Present, Presence::Present) => {
                self.note_roles(root);
                self.note_beside(root);
                let flows = flowing(data, root, &self.asked);
                self.out.extend_from_slice(flows.as_bytes());
                self.held.extend_from_slice(waiting(data, root, &self.asked).as_bytes());
                self.form = self.form.max(seen.form);
            }
        }
        let finished = self.written.iter().filter(|written| written.finish.is_some()).count();
        if finished as u64 >= u64::from(self.asked.choices) {
            self.complete();
        }
    }

    fn note_roles(&mut self, root: Node<'_>) {
        for choice in root.get("choices").map(Node::items).into_iter().flatten() {
            let has_role = choice.get("delta").is_some_and(|delta| delta.get("role").is_some());
            let number = choice.get("index").and_then(|index| index.number()?.parse().ok());
            if has_role {
                self.roles.push(number.unwrap_or(0));
            }
        }
    }

    /// Notes what stands beside the choices: it is told even if they are written anew.
    fn note_beside(&mut self, root: Node<'_>) {
        for (key, value) in root.members() {
            let Some(key) = key.str() else { continue };
            let is_ours = ["id", "object", "created", "model", "choices", "llmend"].contains(&key);
            let is_unwanted = key == "usage" && self.asked.usage == Tells::Kept;
            if is_ours || is_unwanted || value.is_null() {
                continue;
            }
            self.beside.retain(|(known, _)| known != key);
            self.beside.push((key.to_owned(), value.to_string()));
        }
    }

    /// Notes which choices tell of their call as it was told before there were lists of them.
    fn note_forms(&mut self, root: Node<'_>) {
        for choice in root.get("choices").map(Node::items).into_iter().flatten() {
            let said = choice.get("delta").or_else(|| choice.get("message"));
            if said.and_then(|said| said.get("function_call")).is_some_and(|call| !call.is_null()) {
                let number = choice.get("index").and_then(|index| index.number()?.parse().ok());
                self.choice(number.unwrap_or(0)).call_form = CallForm::Function;
            }
        }
    }

    /// Takes over what the decoder has read.
    fn read_deltas(&mut self) {
        while let Some(delta) = self.decoder.next_delta() {
            match delta {
                Ok(delta) => self.delta(delta),
                Err(llmend_models::sse::Error::UnexpectedEnd { .. }) => {}
                Err(error) => self.fail(&Failure::malformed(&error.to_string())),
            }
        }
        while !self.pieces.is_empty() {
            self.note_silent();
        }
    }

    fn delta(&mut self, delta: Delta) {
        let told = self.told;
        match delta {
            Delta::Content { choice, text } => {
                let is_held = self.asked.content.is_some() || told == Told::Later;
                let written = self.choice(choice);
                if is_held {
                    written.content.push_str(&text);
                }
            }
            Delta::Reasoning { choice, text } if told == Told::Later => {
                self.choice(choice).reasoning.push_str(&text);
            }
            Delta::Refusal { choice, text } => self.choice(choice).refusal.push_str(&text),
            Delta::ToolCall { choice, index, id, name, arguments } => {
                let piece = self.piece_of(choice, id.as_deref(), name.as_deref(), &arguments);
                if self.asked.calls.is_none() && told == Told::Already {
                    self.choice(choice).calls_told += 1;
                    return;
                }
                let head = self.call(choice, index);
                head.id = id.or(head.id.take());
                let of = head.note(piece);
                let written = self.choice(choice);
                let index = index as usize;
                if written.calls.len() <= index {
                    written.calls.resize_with(index + 1, Default::default);
                }
                match (of, written.calls.get_mut(index)) {
                    (Of::Function, Some(call)) => {
                        call.0.push_str(&name.unwrap_or_default());
                        call.1.push_str(&arguments);
                    }
                    _ if written.others.contains(&index) => {}
                    _ => written.others.push(index),
                }
            }
            Delta::Finish { choice, reason, raw } => {
                let finish = &mut self.choice(choice).finish;
                finish.get_or_insert(Finish { reason, word: raw });
            }
            _ => {}
        }
    }

    fn choice(&mut self, choice: u32) -> &mut Written {
        let at = self.written.iter().position(|written| written.choice == choice);
        let at = at.unwrap_or_else(|| {
            self.written.push(Written { choice, ..Written::default() });
            self.written.len() - 1
        });
        &mut self.written[at]
    }

    fn complete(&mut self) {
        if self.phase == Phase::Open {
            if self.written.is_empty() {
                self.choice(0);
            }
            self.written.sort_by_key(|written| written.choice);
            self.phase = Phase::Complete;
        }
    }
}

/// Whether a piece was passed on already, where it flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Already,
    Later,
}

const DONE: &[u8] = b"data: [DONE]\n\n";

#[cfg(test)]
mod tests;
