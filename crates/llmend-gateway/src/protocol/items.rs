//! Streams whose events are about numbered items: those of responses and of messages.

use std::fmt::Debug;

use llmend::json::Node;

use self::assembly::{Assembly, Inspected};
use self::rewrite::{EventRewriter, RewrittenEvent};
use crate::answer::completion::{Completion, Finish};
use crate::answer::final_answer::FinalAnswer;
use crate::answer::part::is_inspected;
use crate::answer::slot::SlotKind;
use crate::error::Failure;
use crate::protocol::StreamContext;
use crate::protocol::event::{
    Event, EventData, HeldEvent, Piece, StreamAdapter, StreamRewrite, named,
};
use crate::splice::strict;

pub(crate) mod assembly;
pub(crate) mod calls;
pub(crate) mod deferred;
pub(crate) mod form;
mod later;
mod open_text;
pub(crate) mod rewrite;

/// What an event says of the items.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ItemEvent {
    /// It is about a text or a call.
    Slot(SlotKind),
    /// It is about the answer, and in its order.
    Other,
    /// It has no place in the order.
    Aside,
    /// It says why the answer ends. More of it may follow all the same.
    Finish,
    /// The answer is complete.
    End,
    /// The answer is complete, and the event says nothing else.
    EndMark,
    /// It is invalid at its place, for this reason.
    Misplaced(&'static str),
    /// The answer failed, in the upstream's words.
    Error,
    /// The answer failed, which clients do not read from the name of the event.
    Failed(Failure),
}

/// How a protocol reads and rewrites events about items.
pub(crate) trait ItemEvents: Debug + Sync {
    /// Reads an event into the assembly.
    fn event(&self, root: Node<'_>, assembly: &mut Assembly, inspected: Inspected) -> ItemEvent;

    /// Rewrites an event that was held back. Returns `None` if it has nothing to say any more.
    fn rewrite(
        &self,
        data: &str,
        root: Node<'_>,
        rewriter: &mut EventRewriter<'_>,
    ) -> Option<RewrittenEvent>;

    /// Returns the number of the item that an event is about, and the name of a call that begins
    /// with it.
    fn checked<'v>(&self, root: Node<'v>) -> Option<(u32, Option<&'v str>)>;

    /// Whether an event begins or ends something and says nothing: neither words nor a call.
    fn is_head(&self, root: Node<'_>) -> bool;

    /// Whether clients do not look for calls in an answer that ends so.
    fn hides_calls(&self, _finish: &Finish) -> bool {
        false
    }
}

/// The stream of one response in numbered items.
#[derive(Debug)]
pub(crate) struct ItemStream {
    protocol: &'static dyn ItemEvents,
    assembly: Assembly,
    inspected: Inspected,
    /// The names of the calls that were read in a text and sent at once.
    sent_calls: Vec<String>,
    depth: usize,
}

impl ItemStream {
    pub(crate) fn new(protocol: &'static dyn ItemEvents, context: &StreamContext) -> Self {
        let StreamContext { request, depth, .. } = context;
        let depth = *depth;
        let inspected =
            Inspected { texts: request.content.is_some(), calls: request.calls.is_some() };
        let (assembly, sent_calls) = (Assembly::new(depth), Vec::new());
        Self { protocol, assembly, inspected, sent_calls, depth }
    }
}

impl StreamAdapter for ItemStream {
    fn event(&mut self, event: &EventData<'_>) -> Event {
        if event.is_checked {
            if let Some((item, name)) = self.protocol.checked(event.root) {
                self.assembly.check(item);
                self.sent_calls.extend(name.map(str::to_owned));
            }
            return Event::Ordered;
        }
        let held = |ends| Event::Held { held: Piece::Raw, passed: None, ends };
        match self.protocol.event(event.root, &mut self.assembly, self.inspected) {
            ItemEvent::Slot(kind) if self.inspected.includes(kind) => held(false),
            ItemEvent::Slot(_) | ItemEvent::Other => Event::Ordered,
            // An answer without any slot is evaluated too.
            ItemEvent::Finish => held(false),
            ItemEvent::End => held(true),
            ItemEvent::EndMark => Event::End,
            ItemEvent::Aside => Event::Passed(Piece::Raw),
            ItemEvent::Misplaced(why) => Event::Failed(Failure::malformed(why)),
            ItemEvent::Error => Event::Error,
            ItemEvent::Failed(failure) => Event::Failed(failure),
        }
    }

    fn is_head(&self, root: Node<'_>) -> bool {
        self.protocol.is_head(root)
    }

    fn is_finished(&self) -> bool {
        self.assembly.finish().is_some()
    }

    fn completions(&self) -> Result<Vec<Completion>, Failure> {
        if self.assembly.is_torn() {
            let message = "its events contradict each other";
            return Err(Failure::malformed(message));
        }
        let completion = self.assembly.completion(self.inspected);
        Ok(vec![Completion { sent_calls: self.sent_calls.clone(), ..completion }])
    }

    /// Whether clients misread what is sound: arguments in another form, a copy that says something else,
    /// or an end that hides calls.
    fn needs_rewrite(&self, answer: &FinalAnswer) -> bool {
        if !answer.ends.is_empty() || self.assembly.is_stale(&answer.parts) {
            return true;
        }
        let hides = self.assembly.finish().is_some_and(|finish| self.protocol.hides_calls(finish));
        let mut calls = self.assembly.of(SlotKind::Call).enumerate();
        calls.any(|(number, call)| {
            hides || call.is_misshapen() && is_inspected(&answer.parts, number)
        })
    }

    fn rewrite(&self, held: &[HeldEvent<'_>], rewrite: StreamRewrite<'_>) -> Vec<u8> {
        let mut rewriter = EventRewriter::new(&self.assembly, rewrite, self.depth);
        let mut out = Vec::new();
        for event in held {
            // It was read when it came.
            let Some(data) = &event.data else { continue };
            let Ok(value) = strict(data, self.depth) else { continue };
            let rewritten = self.protocol.rewrite(data, value.root(), &mut rewriter);
            let Some(RewrittenEvent { before, name, data: new }) = rewritten else { continue };
            out.extend_from_slice(before.as_bytes());
            if new == *data {
                out.extend_from_slice(event.raw);
            } else {
                out.extend_from_slice(named(&name, &new).as_bytes());
            }
        }
        out
    }
}
