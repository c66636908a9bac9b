//! The events of a chat completion.
//!
//! What is inspected is held back until the response is complete, and all else is sent at once.

mod held;
mod read;
mod write;

use std::collections::BTreeSet;
use std::sync::Arc;

use llmend::json::Node;
use llmend::model::Usage;
use llmend_models::sse::Calls;

use self::held::{Form, Share, delta, has_held, inspect, shared};
use super::choice::{
    call_piece, called, calls, finish, is_readable, is_silent, legacy, pieces, word,
};
use super::rewrite::{Heads, Presence};
use crate::answer::completion::{CallForm, Completion, Finish};
use crate::answer::final_answer::FinalAnswer;
use crate::answer::usage::with_more;
use crate::error::Failure;
use crate::protocol::event::{
    self, Event, EventData, HeldEvent, Piece, StreamAdapter, StreamRewrite, behind_the_end,
};
use crate::protocol::request::{OutputRequest, UsageReporting};
use crate::protocol::{ResponseDefaults, StreamContext};

/// The events of one chat completion.
#[derive(Clone, Debug)]
pub(super) struct ChatStream {
    request: Arc<OutputRequest>,
    depth: usize,
    defaults: ResponseDefaults,
    /// What the model wrote so far, by choice.
    completions: Vec<Completion>,
    /// The number of choices in each event, if only their places identify them.
    by_place: Option<usize>,
    /// The calls that pieces belong to.
    numbers: Calls,
    /// The same, of the calls that were read in a text and sent at once.
    checked: Calls,
    heads: Heads,
    /// The choices with a piece that was not empty.
    spoken: BTreeSet<u32>,
    /// The calls whose arguments arrived parsed, by choice and place in it.
    read_calls: Vec<(u32, usize)>,
    /// Whether the events can be sent as they arrived.
    form: Form,
    /// The usage besides what the upstream will report.
    more: Usage,
    /// The choices whose role was sent.
    roles: Vec<u32>,
    /// The reasons to stop that were sent, by choice, in the upstream's words.
    ended: Vec<End>,
    /// Whether the answer was sent.
    is_sent: bool,
    /// Whether an event said something unknown.
    is_odd: bool,
}

impl ChatStream {
    pub(super) fn new(context: StreamContext) -> Self {
        let StreamContext { request, depth, defaults, .. } = context;
        Self {
            request,
            depth,
            defaults,
            completions: Vec::new(),
            by_place: None,
            numbers: Calls::default(),
            checked: Calls::default(),
            heads: Heads::default(),
            spoken: BTreeSet::new(),
            read_calls: Vec::new(),
            form: Form::Good,
            more: Usage::default(),
            roles: Vec::new(),
            ended: Vec::new(),
            is_sent: false,
            is_odd: false,
        }
    }

    /// Reads an event that is an error or a keep-alive.
    fn besides(event: &EventData<'_>) -> Option<Event> {
        if let Some(failure) = Failure::of_error_object(event.root) {
            // Clients find its text there.
            let error = event.root.get("error");
            let is_read = error.is_some_and(|error| error.get("message").is_some());
            let is_plain = event.name.is_none() && !event.has_mark;
            return Some(if is_read && is_plain { Event::Error } else { Event::Failed(failure) });
        }
        match event.name {
            Some("ping") => Some(Event::Ignored),
            Some("error") => {
                let text = event.root.get("message").and_then(Node::str).unwrap_or(event.data);
                Some(Event::Failed(Failure::upstream("upstream_error", text)))
            }
            _ => None,
        }
    }

    /// Reads an event without choices, usually the usage.
    fn aside(&mut self, event: &EventData<'_>) -> Event {
        let is_usage = has_usage(event.root);
        if event.root.get("choices").is_none() && !is_usage {
            self.is_odd = true;
            return Event::Passed(Piece::Raw);
        }
        if is_usage && self.request.usage == UsageReporting::Omitted {
            return Event::Ignored;
        }
        let piece = self.completed(event, inspect(event.root, &[], &self.request).form);
        // The usage follows the answer.
        if is_usage { Event::Trailing(piece) } else { Event::Passed(piece) }
    }

    /// Reads an event with choices behind the answer: the usage of some servers, or the result of a
    /// filter. Anything that adds to the evaluated answer comes too late.
    fn behind(&mut self, event: &EventData<'_>, choices: &Choices<'_>) -> Event {
        if choices.iter().any(|(_, choice)| has_held(*choice, &self.request)) {
            return Event::Failed(behind_the_end());
        }
        let seen = inspect(event.root, choices, &self.request);
        let has_reported_usage =
            has_usage(event.root) && self.request.usage == UsageReporting::Included;
        let ends = choices.iter().filter_map(|(number, choice)| Some((*number, finish(*choice)?)));
        let (repeated, new): (Vec<End>, Vec<End>) = ends.partition(|end| self.ended.contains(end));
        self.ended.extend(new.iter().cloned());
        match seen.flowing {
            _ if repeated.is_empty() || !new.is_empty() => {
                Event::Passed(self.completed(event, seen.form))
            }
            // It only repeats the finish reason.
            Presence::Absent if !has_reported_usage => Event::Ignored,
            _ => Event::Passed(Piece::Text(self.share(event, Share::Unended))),
        }
    }

    /// Returns an event as it arrived, or with the members that it lacks.
    fn completed(&self, event: &EventData<'_>, form: Form) -> Piece {
        if form == Form::Bad || event.has_mark {
            return Piece::Text(self.share(event, Share::All));
        }
        let with_usage = self.with_usage(event.data);
        with_usage.map_or(Piece::Raw, |data| Piece::Text(event::event(&data)))
    }

    fn share(&self, event: &EventData<'_>, share: Share) -> String {
        let data = shared(event.data, event.root, share, &self.request, &self.defaults);
        event::event(&self.with_usage(&data).unwrap_or(data))
    }

    /// Adds the usage of retries to data that reports usage.
    fn with_usage(&self, data: &str) -> Option<String> {
        if self.more == Usage::default() { None } else { with_more(data, &self.more, self.depth) }
    }

    fn choices(&mut self, event: &EventData<'_>, choices: &Choices<'_>) -> Result<Event, Failure> {
        let mut seen = inspect(event.root, choices, &self.request);
        let has_reported_usage =
            has_usage(event.root) && self.request.usage == UsageReporting::Included;
        if has_reported_usage && seen.flowing == Presence::Absent {
            // Retries increase it.
            seen.held = Presence::Present;
        }
        let mut form = seen.form.max(Form::of(!event.has_mark));
        form = form.max(self.note(choices)?);
        if (seen.held, seen.flowing) != (Presence::Present, Presence::Absent) {
            self.note_roles(choices);
        }
        if seen.held == Presence::Absent {
            return Ok(Event::Passed(self.completed(event, form)));
        }
        self.form = self.form.max(form);
        let (held, passed) = if seen.flowing == Presence::Absent {
            (Piece::Raw, None)
        } else {
            let passed = self.share(event, Share::Flowing);
            (Piece::Text(self.share(event, Share::Waiting)), Some(passed))
        };
        // A choice that was not asked for is waited for as well.
        let count = self.completions.len() as u64;
        let ends = self.is_finished() && count >= u64::from(self.request.choices);
        Ok(Event::Held { held, passed, ends })
    }

    /// Passes on a part of a call that was read in a text.
    fn checked(&mut self, event: &EventData<'_>) -> Event {
        let choices = pieces(event.root).unwrap_or_default();
        for (number, choice) in &choices {
            let delta = delta(*choice);
            for call in delta.into_iter().flat_map(calls) {
                // They are well-formed.
                let _ = call_piece(&mut self.numbers, *number, call);
                let _ = call_piece(&mut self.checked, *number, call);
            }
            let legacy = delta.and_then(legacy);
            let all = delta.into_iter().flat_map(calls).filter_map(called).chain(legacy);
            let names = all.filter_map(|called| word(called, "name"));
            let written = self.completion(*number);
            if legacy.is_some() {
                written.call_form = CallForm::Function;
            }
            written.sent_calls.extend(names.map(str::to_owned));
        }
        self.note_roles(&choices);
        Event::Passed(Piece::Raw)
    }

    fn note_roles(&mut self, choices: &Choices<'_>) {
        for (number, choice) in choices {
            if delta(*choice).is_some_and(|delta| word(delta, "role").is_some()) {
                self.roles.push(*number);
            }
        }
    }
}

impl StreamAdapter for ChatStream {
    fn event(&mut self, event: &EventData<'_>) -> Event {
        if let Some(event) = Self::besides(event) {
            return event;
        }
        self.defaults.learn(event.root);
        if event.is_checked {
            return self.checked(event);
        }
        match pieces(event.root).filter(|_| is_readable(event.root)) {
            None => Event::Failed(Failure::malformed("it is not a chat completion chunk")),
            Some(choices) if choices.is_empty() => self.aside(event),
            Some(choices) if self.is_sent => self.behind(event, &choices),
            Some(choices) => self.choices(event, &choices).unwrap_or_else(Event::Failed),
        }
    }

    fn is_head(&self, root: Node<'_>) -> bool {
        let is_silent = |(_, choice): &(u32, Node<'_>)| {
            let members = delta(*choice).into_iter().flat_map(Node::members);
            let mut spoken =
                members.filter(|(key, value)| key.str() != Some("role") && !is_silent(*value));
            spoken.next().is_none() && finish(*choice).is_none()
        };
        pieces(root).is_some_and(|choices| choices.iter().all(is_silent))
    }

    fn done(&mut self) -> Event {
        if !self.is_sent && self.is_odd && !self.is_finished() {
            // It may have been an error in an unknown form, so this is no end.
            return Event::Failed(Failure::malformed("it is not a chat completion chunk"));
        }
        Event::End
    }

    fn keeps_fragments(&self) -> bool {
        true
    }

    fn lose_fragment(&mut self) {
        self.form = Form::Bad;
    }

    /// Whether every choice that began has ended.
    fn is_finished(&self) -> bool {
        !self.completions.is_empty() && self.completions.iter().all(|one| one.finish.is_some())
    }

    fn complete(&mut self) -> Result<(), Failure> {
        if self.completions.is_empty() {
            return Err(Failure::lacks("choices"));
        }
        let read_calls = &self.read_calls;
        let with_end = |one: Completion| {
            let last = (one.choice, one.calls.len().saturating_sub(1));
            if read_calls.contains(&last) { one.with_last_read() } else { one }
        };
        self.completions =
            std::mem::take(&mut self.completions).into_iter().map(with_end).collect();
        self.completions.sort_by_key(|one| one.choice);
        Ok(())
    }

    fn completions(&self) -> Result<Vec<Completion>, Failure> {
        Ok(self.completions.clone())
    }

    fn needs_rewrite(&self, answer: &FinalAnswer) -> bool {
        let has_final_word = |one: &Completion| {
            let word = one.finish.as_ref().map(|finish| finish.word.as_str());
            word == Some(one.finish_word(&answer.ends))
        };
        self.form == Form::Bad
            || !self.has_ids(&answer.parts)
            || !self.completions.iter().all(has_final_word)
    }

    fn send(&mut self, answer: &FinalAnswer) {
        self.more = answer.usage;
        let end = |one: &Completion| Some((one.choice, one.finish.clone()?));
        self.ended = self.completions.iter().filter_map(end).collect();
        self.is_sent = true;
    }

    fn rewrite(&self, held: &[HeldEvent<'_>], rewrite: StreamRewrite<'_>) -> Vec<u8> {
        self.write(held, rewrite)
    }
}

fn has_usage(root: Node<'_>) -> bool {
    root.get("usage").is_some_and(|usage| !usage.is_null())
}

/// The choices of an event, by number.
type Choices<'v> = [(u32, Node<'v>)];

/// Why a choice ends, with its number.
type End = (u32, Finish);
