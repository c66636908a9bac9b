//! The state machine of a stream whose answer is inspected.
//!
//! Bytes come in, cut anywhere, and bytes go out; nothing here waits or reads a clock. The protocol says
//! what each event is. Inspected events are held back until the answer is evaluated, and then sent as they
//! arrived or with the repaired parts in their places.

use std::sync::Arc;

use llmend::json::Node;
use llmend_models::sse::SseFrames;

use crate::answer::usage::UsageCounts;
use crate::calls::ids::CallIds;
use crate::error::Failure;
use crate::protocol::event::{
    CallEvents, ConvertedEvent, Event, EventData, Piece, StreamAdapter, behind_the_end,
};
use crate::protocol::request::OutputRequest;
use crate::protocol::{ResponseDefaults, StreamContext};
use crate::repair::RepairOptions;
use crate::splice::{has_half, strict, text};
use crate::stream::failed_calls::FailedCalls;
use crate::stream::frame::{Content, Frame, next_number};
use crate::stream::phase::{Hold, Phase};

mod answer;

/// A stream whose answer is inspected.
#[derive(Debug)]
pub(crate) struct Rewriter {
    request: Arc<OutputRequest>,
    options: RepairOptions,
    frames: SseFrames,
    events: Box<dyn StreamAdapter>,
    /// The reader of calls in texts.
    calls: Option<Box<dyn CallEvents>>,
    held: Vec<Held>,
    held_bytes: usize,
    out: Vec<u8>,
    phase: Phase,
    used: UsageCounts,
    /// Whether an event holds half of a surrogate pair.
    has_half: bool,
    /// Whether the upstream sent the mark of the end.
    has_end_mark: bool,
    hold: Hold,
    /// Whether more waits to be sent than the head of the answer.
    has_content: bool,
    failure: Option<Failure>,
    /// The number of the next event that is sent, where events are numbered.
    next_number: u64,
    failed_calls: FailedCalls,
}

/// The bytes of an event that is held back.
#[derive(Debug)]
struct Held {
    raw: Vec<u8>,
    is_trailing: bool,
}

impl Rewriter {
    pub(crate) fn new(
        request: Arc<OutputRequest>,
        options: RepairOptions,
        defaults: ResponseDefaults,
    ) -> Self {
        let depth = options.limits.depth;
        let call_ids = CallIds::new(&defaults.id, request.protocol.profile().call_ids);
        let theirs = Arc::clone(&request);
        let context = StreamContext { request: theirs, options, call_ids, depth, defaults };
        let adapter = request.protocol.adapter();
        let calls = adapter.call_events(&context);
        let events = adapter.stream(context);
        Self {
            request,
            options,
            frames: SseFrames::default(),
            events,
            calls,
            held: Vec::new(),
            held_bytes: 0,
            out: Vec::new(),
            phase: Phase::Open,
            used: UsageCounts::default(),
            has_half: false,
            has_end_mark: false,
            hold: Hold::Nothing,
            has_content: false,
            failure: None,
            next_number: 0,
            failed_calls: FailedCalls::Left,
        }
    }

    /// Reads the calls in an error with which the stream begins.
    pub(crate) fn reading_failed_calls(mut self, defaults: ResponseDefaults) -> Self {
        self.failed_calls = FailedCalls::Readable(defaults);
        self
    }

    /// Holds back what would keep another answer from taking the place of this one.
    pub(crate) const fn holding(mut self, hold: Hold) -> Self {
        self.hold = hold;
        self
    }

    /// Whether another answer can take the place of this one, since nothing was sent.
    pub(crate) fn is_replaceable(&self) -> bool {
        self.hold != Hold::Nothing && matches!(self.phase, Phase::Open | Phase::Complete)
    }

    /// Reads a response that arrived whole although a stream was asked for.
    pub(crate) fn from_whole(
        request: Arc<OutputRequest>,
        options: RepairOptions,
        defaults: ResponseDefaults,
        body: &str,
    ) -> Result<Self, Failure> {
        let value = request.protocol.parse(body, &options.limits)?;
        let events = request.protocol.adapter().events(body, &value, options.limits.depth);
        let events = events.ok_or_else(|| {
            let message = "the upstream sent a whole response, expected a stream";
            Failure::upstream("bad_answer", message)
        })?;
        let mut stream = Self::new(request, options, defaults);
        stream.push(events.as_bytes());
        stream.finish();
        Ok(stream)
    }

    /// Adds bytes that arrived.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.phase == Phase::Ended {
            return;
        }
        self.frames.push(bytes);
        self.read_frames();
    }

    fn read_frames(&mut self) {
        // What follows a complete answer is read when that has been sent.
        while matches!(self.phase, Phase::Open | Phase::Delivered) {
            let is_read = matches!(self.failed_calls, FailedCalls::Read);
            let Some(raw) = self.frames.next_frame().filter(|_| !is_read) else { break };
            self.read(&Frame { raw });
        }
        let limit = self.options.limits.answer_bytes;
        let read = self.calls.as_ref().map_or(0, |calls| calls.kept());
        let waiting = if self.is_replaceable() { self.out.len() } else { 0 };
        let kept = self.held_bytes + read + waiting + self.frames.partial_len();
        if self.phase == Phase::Open && kept > limit {
            let message = format!("the response is larger than the limit of {limit} bytes");
            self.fail(&Failure::upstream("limit/bytes", message));
        }
    }

    /// Notes the end of the bytes. An answer that is not known to be complete is an error.
    pub(crate) fn finish(&mut self) {
        if matches!(self.phase, Phase::Complete | Phase::Ended) {
            return;
        }
        self.read_rest();
        let calls = self.calls.as_mut().filter(|calls| calls.is_finished());
        let before = calls.map(|calls| calls.end()).unwrap_or_default();
        self.place_all(before, None);
        match self.phase {
            // Only the mark of the end is missing.
            Phase::Open if self.events.is_finished() => self.complete(),
            Phase::Open => {
                let message = "the upstream's stream ended before the response was complete";
                self.fail(&Failure::upstream("stream/unexpected-end", message));
            }
            Phase::Delivered => {
                self.out.extend_from_slice(self.end_mark().as_bytes());
                self.phase = Phase::Ended;
            }
            Phase::Complete | Phase::Ended => {}
        }
    }

    /// Reads what no blank line ended. Servers leave the last one out; a cut leaves no whole JSON behind.
    fn read_rest(&mut self) {
        let mut rest = Frame { raw: self.frames.rest() };
        if rest.is_line_end() {
            // It belongs to the event before it, which may be held back.
            match self.held.last_mut().filter(|_| self.phase == Phase::Open) {
                Some(last) => last.raw.append(&mut rest.raw),
                None => self.out.append(&mut rest.raw),
            }
            return;
        }
        let depth = self.options.limits.depth;
        let is_read = match rest.content() {
            Content::Data(data) => strict(&data, depth).is_ok(),
            _ if rest.raw.is_empty() => return,
            _ => self.events.keeps_fragments(),
        };
        if is_read {
            rest.raw.extend_from_slice(b"\n\n");
            self.read(&rest);
        } else {
            self.events.lose_fragment();
        }
    }

    /// Returns the mark of the end, where clients wait for it and the upstream sent none.
    fn end_mark(&self) -> &'static str {
        if self.has_end_mark { "" } else { self.request.protocol.adapter().end_mark() }
    }

    /// Ends the stream with an error.
    pub(crate) fn fail(&mut self, failure: &Failure) {
        if self.phase != Phase::Ended {
            let event = self.request.protocol.adapter().error_event(failure, self.next_number);
            self.out.extend_from_slice(event.as_bytes());
            self.phase = Phase::Ended;
            self.failure = Some(failure.clone());
        }
    }

    /// The error that ended the stream.
    pub(crate) const fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// The usage that the events reported.
    pub(crate) const fn used(&self) -> UsageCounts {
        self.used
    }

    /// Takes the bytes that are to be sent.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        match self.hold {
            Hold::Answer if self.is_replaceable() => return Vec::new(),
            Hold::Head if self.is_replaceable() && !self.has_content => return Vec::new(),
            Hold::Answer | Hold::Head | Hold::Nothing => self.hold = Hold::Nothing,
        }
        std::mem::take(&mut self.out)
    }

    pub(crate) const fn phase(&self) -> Phase {
        self.phase
    }

    fn read(&mut self, frame: &Frame) {
        match frame.content() {
            Content::Nothing => self.out.extend_from_slice(&frame.raw),
            Content::Empty => {}
            Content::Garbled => self.fail(&Failure::malformed("it is not UTF-8")),
            Content::Error(message) => self.fail(&Failure::reported(&message)),
            Content::Done => {
                self.has_end_mark = true;
                let before = self.calls.as_mut().map(|calls| calls.end());
                self.place_all(before.unwrap_or_default(), None);
                let event = self.events.done();
                self.place(event, frame);
            }
            Content::Data(data) => match strict(&data, self.options.limits.depth) {
                Ok(value) => self.convert(&data, value.root(), frame),
                Err(error) => self.fail(&Failure::malformed(&error.to_string())),
            },
        }
    }

    /// Reads the calls in the texts of an event, and places what it becomes.
    fn convert(&mut self, data: &str, root: Node<'_>, frame: &Frame) {
        let (name, has_mark) = (frame.name(), frame.has_mark());
        let raw = &frame.raw;
        let event = EventData { raw, data, root, name, has_mark, is_checked: false };
        self.used.add(root);
        self.has_end_mark |= text(root, "type") == Some("message_stop");
        let is_open = self.phase == Phase::Open;
        let is_error = name == Some("error") || Failure::of_error_object(root).is_some();
        let error = is_error.then_some(data);
        if let Some(events) = self.failed_calls.read(error, &self.request, self.options) {
            let mut frames = SseFrames::default();
            frames.push(events.as_bytes());
            while let Some(raw) = frames.next_frame() {
                self.read(&Frame { raw });
            }
            return;
        }
        let calls = self.calls.as_mut().filter(|_| is_open && !is_error);
        // Half of a surrogate pair cannot be written anew.
        let calls = calls.filter(|_| !has_half(data, self.options.limits.depth));
        let Some(converted) = calls.map(|calls| calls.event(&event)) else {
            self.has_half |= has_half(data, self.options.limits.depth);
            return self.adapt(&event, frame);
        };
        self.place_all(converted, Some((&event, frame)));
    }

    /// Places the events in the place of one.
    fn place_all(
        &mut self,
        converted: Vec<ConvertedEvent>,
        arrived: Option<(&EventData<'_>, &Frame)>,
    ) {
        for one in converted {
            match (one, arrived) {
                _ if self.phase == Phase::Ended => return,
                (ConvertedEvent::Raw, Some((event, frame))) => self.adapt(event, frame),
                (ConvertedEvent::Raw, None) => {}
                (ConvertedEvent::Earlier(raw), _) => self.place_written(raw, false),
                (ConvertedEvent::Written(text), _) => self.place_written(text.into_bytes(), false),
                (ConvertedEvent::Checked(text), _) => self.place_written(text.into_bytes(), true),
                (ConvertedEvent::Unread(choice), _) => self.refuse_unread(choice),
            }
        }
    }

    fn place_written(&mut self, raw: Vec<u8>, is_checked: bool) {
        let frame = Frame { raw };
        let Content::Data(data) = frame.content() else { return };
        let Ok(value) = strict(&data, self.options.limits.depth) else { return };
        let (name, has_mark) = (frame.name(), frame.has_mark());
        let (raw, root) = (&frame.raw, value.root());
        let event = EventData { raw, data: &data, root, name, has_mark, is_checked };
        self.adapt(&event, &frame);
    }

    /// Places an event as the protocol takes it.
    fn adapt(&mut self, event: &EventData<'_>, frame: &Frame) {
        let adapted = self.events.event(event);
        let is_head = match &adapted {
            Event::Held { passed: Some(passed), .. } => self.is_head(passed),
            _ => self.events.is_head(event.root),
        };
        let before = self.out.len();
        self.place(adapted, frame);
        let is_sent = self.out.len() > before;
        self.has_content |= !is_head && is_sent;
        if let Some(number) = next_number(event.root).filter(|_| is_sent) {
            self.next_number = number;
        }
    }

    /// Whether an event that was written says nothing yet.
    fn is_head(&self, written: &str) -> bool {
        let frame = Frame { raw: written.as_bytes().to_vec() };
        let Content::Data(data) = frame.content() else { return true };
        strict(&data, self.options.limits.depth)
            .is_ok_and(|value| self.events.is_head(value.root()))
    }

    /// Sends an event, holds it back, or ends the stream with it.
    fn place(&mut self, event: Event, frame: &Frame) {
        let is_open = self.phase == Phase::Open;
        match event {
            Event::Ignored => {}
            Event::Failed(failure) => self.fail(&failure),
            Event::Error => {
                self.out.extend_from_slice(&frame.raw);
                self.phase = Phase::Ended;
            }
            Event::Passed(piece) => self.send(piece, frame),
            Event::Ordered if is_open && !self.held.is_empty() => {
                self.hold(Piece::Raw, frame, false);
            }
            Event::Ordered => self.send(Piece::Raw, frame),
            Event::Trailing(piece) if is_open => self.hold(piece, frame, true),
            Event::Trailing(piece) => self.send(piece, frame),
            Event::End if is_open => {
                self.hold(Piece::Raw, frame, true);
                self.complete();
            }
            Event::End => self.send(Piece::Raw, frame),
            // What was evaluated cannot be added to.
            Event::Held { .. } if !is_open => self.fail(&behind_the_end()),
            Event::Held { held, passed, ends } => {
                self.out.extend_from_slice(passed.unwrap_or_default().as_bytes());
                self.hold(held, frame, false);
                if ends {
                    self.complete();
                }
            }
        }
    }

    fn send(&mut self, piece: Piece, frame: &Frame) {
        match piece {
            Piece::Raw => self.out.extend_from_slice(&frame.raw),
            Piece::Text(text) => self.out.extend_from_slice(text.as_bytes()),
        }
    }

    fn hold(&mut self, piece: Piece, frame: &Frame, is_trailing: bool) {
        let raw = match piece {
            Piece::Raw => frame.raw.clone(),
            Piece::Text(text) => text.into_bytes(),
        };
        self.held_bytes += raw.len();
        self.held.push(Held { raw, is_trailing });
    }

    fn complete(&mut self) {
        if self.phase == Phase::Open {
            match self.events.complete() {
                Ok(()) => self.phase = Phase::Complete,
                Err(failure) => self.fail(&failure),
            }
        }
    }
}

#[cfg(test)]
mod tests;
