//! What goes to the client while the answer is still arriving?
//!
//! Bytes come in, cut anywhere, and bytes go out; nothing here waits or reads a clock. What is looked at
//! is held back until its choice is complete, and all else flows. If nothing has to be repaired, what was
//! held back goes out as it came, byte for byte.

use std::sync::Arc;

use llmend::json::Node;
use llmend_models::sse::{Decoder, Delta, Dialect, Options};
use serde_json::{Value, json};

use super::answer::error_object;
use super::chunk::Defaults;
use super::request::{Asked, Report, Usage};
use super::settle::{Finish, Written, report, settle};
use super::stream_event::{Form, Presence, completed, flowing, look, waiting};
use crate::config::Policy;
use crate::decide::{Decision, Left, Part, PlaceKind};
use crate::failure::Failure;
use crate::frames::{Content, Frame, Frames};
use crate::mend::Reach;
use crate::splice::{quoted, strict};

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
    /// What is known of the calls besides: choice, index, id, and members that only the upstream
    /// understands.
    calls: Vec<CallHead>,
    /// What waits, as it came.
    held: Vec<u8>,
    /// Whether it may go out as it came.
    form: Form,
    /// What came behind it.
    tail: Vec<u8>,
    /// The choices whose role the client was told.
    roles: Vec<u32>,
    /// What of it is passed on as it arrives.
    told: Told,
    out: Vec<u8>,
    phase: Phase,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct CallHead {
    choice: u32,
    index: u32,
    id: Option<String>,
    more: Vec<(String, String)>,
}

/// Where a stream stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The answer is still arriving.
    Open,
    /// It is complete, and has to be settled.
    Complete,
    /// It was given, and what follows passes.
    Given,
    /// Nothing more is said.
    Ended,
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
            held: Vec::new(),
            form: Form::Good,
            tail: Vec::new(),
            roles: Vec::new(),
            told: Told::Already,
            out: Vec::new(),
            phase: Phase::Open,
        }
    }

    /// An answer that came whole, although a stream was asked for.
    pub(crate) fn whole(
        asked: Arc<Asked>,
        reach: Reach,
        defaults: Defaults,
        body: &str,
    ) -> Result<Self, Failure> {
        let value = super::answer::parse(body, &reach.limits)?;
        let mut stream = Self::new(asked, reach, defaults);
        stream.defaults.learn(value.root());
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
        if !rest.raw.is_empty() {
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
        }
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
            // A name without data is an event to some clients, and breaks them.
            Content::Nothing if frame.name().is_some() => {}
            Content::Nothing => self.out.extend_from_slice(&frame.raw),
            Content::Empty => {}
            Content::Garbled => self.fail(&malformed("it is no UTF-8")),
            Content::Done => self.done(frame),
            Content::Data(data) => match strict(&data, self.reach.limits.depth) {
                Ok(value) => self.event(frame, &data, value.root()),
                Err(error) => self.fail(&malformed(&error.to_string())),
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
        if root.get("choices").is_none_or(Node::is_empty) {
            self.aside(frame, data, root);
        } else if self.phase == Phase::Open {
            self.choices(frame, data, root);
        }
    }

    /// An event without choices: the usage, as a rule.
    fn aside(&mut self, frame: &Frame, data: &str, root: Node<'_>) {
        let is_usage = root.get("usage").is_some_and(|usage| !usage.is_null());
        if is_usage && self.asked.usage == Usage::Kept {
            return;
        }
        let form = if frame.has_mark() { Form::Bad } else { look(root, &self.asked).form };
        let event = match form {
            Form::Good => frame.raw.clone(),
            Form::Bad => completed(data, root, &self.asked, &self.defaults).into_bytes(),
        };
        // The usage comes behind the answer, which is not given yet.
        let target =
            if is_usage && self.phase == Phase::Open { &mut self.tail } else { &mut self.out };
        target.extend_from_slice(&event);
    }

    fn choices(&mut self, frame: &Frame, data: &str, root: Node<'_>) {
        let mut seen = look(root, &self.asked);
        if frame.has_mark() {
            seen.form = Form::Bad;
        }
        self.decoder.push(&frame.raw);
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
                self.held.extend_from_slice(&frame.raw);
                self.form = self.form.max(seen.form);
            }
            (Presence::Present, Presence::Present) => {
                self.note_roles(root);
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

    /// Notes what only the upstream understands of a call, such as the signature of a thought.
    fn read_calls(&mut self, root: Node<'_>) {
        for choice in root.get("choices").map(Node::items).into_iter().flatten() {
            let number = choice.get("index").and_then(|index| index.number()?.parse().ok());
            let calls = choice.get("delta").and_then(|delta| delta.get("tool_calls"));
            for call in calls.map(Node::items).into_iter().flatten() {
                let index = call.get("index").and_then(|index| index.number()?.parse().ok());
                let known = ["index", "id", "type", "function"];
                let more = call.members().filter_map(|(key, value)| {
                    let key = key.str().filter(|key| !known.contains(key))?;
                    Some((key.to_owned(), value.to_string()))
                });
                let more: Vec<_> = more.collect();
                if !more.is_empty() {
                    self.call(number.unwrap_or(0), index.unwrap_or(0)).more.extend(more);
                }
            }
        }
    }

    fn call(&mut self, choice: u32, index: u32) -> &mut CallHead {
        let is_it = |call: &CallHead| (call.choice, call.index) == (choice, index);
        let at = self.calls.iter().position(is_it).unwrap_or_else(|| {
            self.calls.push(CallHead { choice, index, ..CallHead::default() });
            self.calls.len() - 1
        });
        &mut self.calls[at]
    }

    /// Takes over what the decoder has read.
    fn read_deltas(&mut self) {
        while let Some(delta) = self.decoder.next_delta() {
            match delta {
                Ok(delta) => self.delta(delta),
                Err(llmend_models::sse::Error::UnexpectedEnd { .. }) => {}
                Err(error) => self.fail(&malformed(&error.to_string())),
            }
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
                if self.asked.calls.is_none() && told == Told::Already {
                    self.choice(choice);
                    return;
                }
                if let Some(id) = id {
                    self.call(choice, index).id = Some(id);
                }
                let calls = &mut self.choice(choice).calls;
                let index = index as usize;
                if calls.len() <= index {
                    calls.resize_with(index + 1, Default::default);
                }
                if let Some(call) = calls.get_mut(index) {
                    call.0.push_str(&name.unwrap_or_default());
                    call.1.push_str(&arguments);
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

    /// Gives the answer that was settled, and reads what has come behind it.
    pub(crate) fn give(&mut self, parts: &[Part], cut_off: &[u32], attempts: u32) {
        let report = (self.asked.report == Report::Field).then(|| report(parts, attempts));
        let is_repaired = parts
            .iter()
            .any(|part| part.outcome.as_ref().is_ok_and(|mended| mended.json.is_some()));
        let is_told_so = |written: &Written| {
            let word = written.finish.as_ref().map(|finish| finish.word.as_str());
            word == Some(written.finish_word(cut_off))
        };
        let has_ids = self.written.iter().all(|written| {
            (0..written.calls.len()).all(|index| {
                self.call_head(written.choice, index).is_some_and(|head| head.id.is_some())
            })
        });
        let is_as_it_came = self.form == Form::Good
            && !is_repaired
            && report.is_none()
            && has_ids
            && self.written.iter().all(is_told_so);
        let held = std::mem::take(&mut self.held);
        if is_as_it_came {
            self.out.extend_from_slice(&held);
        } else {
            self.write(parts, cut_off, report.as_ref());
        }
        let tail = std::mem::take(&mut self.tail);
        self.out.extend_from_slice(&tail);
        self.phase = Phase::Given;
        self.read_frames();
    }

    fn call_head(&self, choice: u32, index: usize) -> Option<&CallHead> {
        self.calls.iter().find(|call| call.choice == choice && call.index as usize == index)
    }

    /// Writes the answer anew.
    fn write(&mut self, parts: &[Part], cut_off: &[u32], report: Option<&Value>) {
        let mut out = String::new();
        for written in &self.written {
            let choice = written.choice;
            let json = |kind: &dyn Fn(&PlaceKind) -> bool| {
                let part =
                    parts.iter().find(|part| part.place.choice == choice && kind(&part.place.kind));
                part.and_then(|part| part.outcome.as_ref().ok()?.json.as_deref())
            };
            let mut delta = serde_json::Map::new();
            if !self.roles.contains(&choice) {
                delta.insert("role".to_owned(), json!("assistant"));
            }
            if !written.reasoning.is_empty() {
                delta.insert("reasoning_content".to_owned(), json!(written.reasoning));
            }
            let content = json(&|kind| *kind == PlaceKind::Content).unwrap_or(&written.content);
            if !content.is_empty() {
                delta.insert("content".to_owned(), json!(content));
            }
            if self.told == Told::Later && !written.refusal.is_empty() {
                delta.insert("refusal".to_owned(), json!(written.refusal));
            }
            if !delta.is_empty() {
                out.push_str(&self.defaults.event(choice, &delta.into(), None));
            }
            if !written.calls.is_empty() {
                let calls: Vec<String> = written
                    .calls
                    .iter()
                    .enumerate()
                    .map(|(index, (name, arguments))| {
                        let json = json(&|kind| matches!(kind, PlaceKind::Call { index: at, .. } if *at == index));
                        self.written_call(choice, index, name, json.unwrap_or(arguments))
                    })
                    .collect();
                let event = self.defaults.event(choice, &json!({"tool_calls": []}), None);
                out.push_str(&event.replacen(
                    "\"tool_calls\":[]",
                    &format!("\"tool_calls\":[{}]", calls.join(",")),
                    1,
                ));
            }
            let finish = Some(written.finish_word(cut_off));
            self.defaults.write_event(choice, &json!({}), finish, report, &mut out);
        }
        self.out.extend_from_slice(out.as_bytes());
    }

    fn written_call(&self, choice: u32, index: usize, name: &str, arguments: &str) -> String {
        let head = self.call_head(choice, index);
        let id = head.and_then(|head| head.id.clone());
        let id = id.unwrap_or_else(|| self.defaults.call_id(choice, index));
        let more = head.map(|head| head.more.as_slice()).unwrap_or_default();
        let more: Vec<String> =
            more.iter().map(|(key, json)| format!(",{}:{json}", quoted(key))).collect();
        let more = more.concat();
        format!(
            "{{\"index\":{index},\"id\":{},\"type\":\"function\",\"function\":{{\"name\":{},\"arguments\":{}}}{more}}}",
            quoted(&id),
            quoted(name),
            quoted(arguments)
        )
    }
}

/// Whether a piece was passed on already, where it flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Already,
    Later,
}

const DONE: &[u8] = b"data: [DONE]\n\n";

/// An answer with a gap is none.
fn malformed(why: &str) -> Failure {
    let message = format!("an event of the upstream's stream cannot be read: {why}");
    Failure::upstream("stream/malformed", message)
}
