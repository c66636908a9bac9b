//! Calls out of the texts of a streamed chat completion.

use std::collections::BTreeMap;
use std::sync::Arc;

use llmend::json::Node;
use serde_json::{Map, Value, json};

use super::calls::{kind, tool_call, words_key};
use super::choice::{
    Delivered, calls, finish, has_value, index, is_readable, is_silent, message_of, pieces, word,
    words,
};
use super::chunk::OBJECT;
use super::later_calls::LaterCall;
use crate::answer::completion::CallForm;
use crate::answer::from_text::FromText;
use crate::calls::Pace;
use crate::calls::ids::CallIds;
use crate::calls::reader::{ChoiceReader, Output, TextEnd};
use crate::calls::tool_input::ToolInput;
use crate::protocol::event::{CallEvents, ConvertedEvent, EventData, event};
use crate::protocol::queue::Release;
use crate::protocol::request::OutputRequest;
use crate::protocol::{ResponseDefaults, StreamContext};
use crate::repair::RepairOptions;
use crate::splice::Splice;

mod open_choice;

use self::open_choice::{Choice, Held};

/// Reads the texts of the choices of one chat completion.
#[derive(Debug)]
pub(super) struct ChatCalls {
    pub(super) request: Arc<OutputRequest>,
    pace: Pace,
    options: RepairOptions,
    defaults: ResponseDefaults,
    ids: CallIds,
    choices: BTreeMap<u32, Choice>,
}

/// What an event keeps of a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kept {
    /// Whether its text was written anew.
    pub(super) without_text: bool,
    /// Whether its role was sent before.
    pub(super) without_role: bool,
    /// Whether its calls wait until the choice ends.
    pub(super) without_calls: bool,
    /// What the indices of the server's own calls grow by.
    pub(super) shift: usize,
}

impl ChatCalls {
    pub(super) fn new(context: &StreamContext) -> Option<Self> {
        let StreamContext { request, options, defaults, call_ids, .. } = context;
        Some(Self {
            options: *options,
            pace: request.reading.as_ref()?.pace,
            request: Arc::clone(request),
            defaults: defaults.clone(),
            ids: call_ids.clone(),
            choices: BTreeMap::new(),
        })
    }

    pub(super) fn learn(&mut self, root: Node<'_>) {
        self.defaults.learn(root);
    }

    pub(super) fn choice(&mut self, number: u32) -> Option<&mut Choice> {
        if !self.choices.contains_key(&number) {
            let reader = ChoiceReader::of(&self.request, &self.ids.of(number))?;
            let choice = Choice::new(reader);
            self.choices.insert(number, choice);
        }
        self.choices.get_mut(&number)
    }

    /// Reads a piece of a choice. Returns what the event keeps of it.
    fn piece(&mut self, number: u32, choice: Node<'_>, out: &mut Vec<ConvertedEvent>) -> Kept {
        let mut kept = Kept::default();
        let delta = message_of(choice, Delivered::InEvents);
        let content = delta.map(words).unwrap_or_default();
        let content = content.as_ref();
        let has_role = delta.is_some_and(|delta| word(delta, "role").is_some());
        let native = has_native_calls(choice);
        let Some(known) = self.choice(number) else { return kept };
        known.note(delta);
        let outputs = known.read(content, native, finish(choice).as_ref());
        let had_role = known.has_role;
        known.has_role |= has_role;
        if !is_only(&outputs, content) {
            known.has_role = had_role;
            let before = out.len();
            self.write(number, &outputs, out);
            let is_written = out.len() > before;
            kept.without_text = !content.is_empty();
            kept.without_role = is_written || had_role;
            if let Some(known) = self.choice(number) {
                known.has_role |= has_role;
            }
        }
        if let (Some(known), true, Some(delta)) = (self.choice(number), native, delta) {
            if known.written > 0 {
                kept.without_calls = known.later.note(delta);
                kept.shift = if kept.without_calls { 0 } else { known.written };
            } else {
                known.native = known.native.max(native_calls(delta));
                if !known.reader.superseded().is_empty() {
                    known.later.note(delta);
                }
            }
        }
        if finish(choice).is_some() {
            self.send_later(number, out);
        }
        kept
    }

    /// Writes the calls that the server found after others, but for those that were written.
    fn send_later(&mut self, number: u32, out: &mut Vec<ConvertedEvent>) {
        let (form, options, defaults) =
            (self.request.call_form, self.options, self.defaults.clone());
        let request = Arc::clone(&self.request);
        let Some(known) = self.choice(number) else { return };
        let is_passed = known.written == 0;
        for later in known.later.take() {
            let read =
                if is_passed { known.reader.superseded() } else { &known.reader.found().calls };
            if known.later.sent.has(&later.call, read, &request, options) || is_passed {
                continue;
            }
            if form == CallForm::Function {
                known.later.dropped += 1;
                continue;
            }
            known.written += 1;
            for delta in whole_call(known.last(), &later) {
                let chunk = chunk(&defaults, number, &delta, !known.has_role);
                known.has_role = true;
                out.push(ConvertedEvent::Written(chunk));
            }
        }
    }

    /// Writes what was said as events of a choice.
    pub(super) fn write(&mut self, number: u32, outputs: &[Output], out: &mut Vec<ConvertedEvent>) {
        let (form, pace, defaults) = (self.request.call_form, self.pace, self.defaults.clone());
        let Some(known) = self.choice(number) else { return };
        for one in outputs {
            let (delta, is_call) = match one {
                Output::Text(text) => (json!({ "content": text }), false),
                Output::Reasoning(text) => (json!({ "reasoning_content": text }), false),
                Output::Call { id, name, input } => {
                    if known.written == 0 {
                        known.first = known.native;
                    }
                    known.written += 1;
                    known.input = *input;
                    (begun(form, known.last(), id, name, *input), true)
                }
                Output::Arguments(delta) if !delta.is_empty() => {
                    (grown(form, known.last(), delta, known.input), true)
                }
                Output::Unread if pace == Pace::AtOnce => {
                    out.push(ConvertedEvent::Unread(number));
                    continue;
                }
                Output::Arguments(_) | Output::CallEnd | Output::Unread => continue,
            };
            let chunk = chunk(&defaults, number, &delta, !known.has_role);
            known.has_role = true;
            out.push(match pace {
                Pace::AtOnce if is_call => ConvertedEvent::Checked(chunk),
                Pace::AtOnce | Pace::AtTheEnd => ConvertedEvent::Written(chunk),
            });
        }
    }
}

impl ChatCalls {
    /// Reads an event of one choice. It waits while its text is held back, and passes as it arrived
    /// if that is only text.
    fn one(&mut self, event: &EventData<'_>, number: u32, choice: Node<'_>) -> Vec<ConvertedEvent> {
        let mut out = Vec::new();
        let delta = message_of(choice, Delivered::InEvents);
        let content = delta.map(words).unwrap_or_default();
        let content = content.as_ref();
        let has_role = delta.is_some_and(|delta| word(delta, "role").is_some());
        let Some(known) = self.choice(number) else { return vec![ConvertedEvent::Raw] };
        let end = finish(choice);
        known.note(delta);
        let outputs = known.read(content, false, end.as_ref());
        if known.queue.is_empty() && is_only(&outputs, content) {
            known.has_role |= has_role;
            if end.is_some() {
                self.send_later(number, &mut out);
            }
            out.push(ConvertedEvent::Raw);
            return out;
        }
        let has_content = delta.and_then(|delta| delta.get("content"));
        if end.is_none() && content.is_empty() && has_content.is_some_and(|it| !is_silent(it)) {
            // Something between two texts, which keeps its place.
            let outputs = known.reader.close(TextEnd::Complete);
            self.emit(number, &outputs, &mut out);
            self.discard(number, &mut out);
            out.push(ConvertedEvent::Raw);
            return out;
        }
        let without_text = Kept { without_text: true, without_role: true, ..Kept::default() };
        let rest = || rest(event.data, event.root, &[(number, choice)], &[without_text]);
        if !content.is_empty() {
            let more = rest().filter(|_| end.is_none());
            let raw = more.is_none().then(|| event.raw.to_vec());
            out.extend(more.map(ConvertedEvent::Written));
            known.queue.push(raw, content, Held { has_role, is_end: end.is_some() });
        }
        let has_ended = self.emit(number, &outputs, &mut out);
        if end.is_some() {
            self.discard(number, &mut out);
            self.send_later(number, &mut out);
        } else if let Some(text) = self.choice(number).and_then(|known| known.queue.overdue()) {
            self.write(number, &[Output::Text(text)], &mut out);
        }
        match end {
            Some(_) if has_ended => {}
            Some(_) if !content.is_empty() || has_role && !outputs.is_empty() => {
                out.extend(rest().map(ConvertedEvent::Written));
            }
            None if !content.is_empty() => {}
            Some(_) | None => out.push(ConvertedEvent::Raw),
        }
        out
    }

    /// Sends what was said. Returns whether the event that ends the choice was sent with it.
    fn emit(&mut self, number: u32, outputs: &[Output], out: &mut Vec<ConvertedEvent>) -> bool {
        let mut has_ended = false;
        for one in outputs {
            if let Output::Text(text) = one {
                has_ended |= self.release(number, text, out);
            } else {
                self.discard(number, out);
                self.write(number, std::slice::from_ref(one), out);
            }
        }
        has_ended
    }

    /// Sends a text in the events that brought it, if it is all that they brought.
    fn release(&mut self, number: u32, text: &str, out: &mut Vec<ConvertedEvent>) -> bool {
        let mut left = text;
        let mut has_ended = false;
        while !left.is_empty() {
            let Some(known) = self.choice(number) else { break };
            match known.queue.next(left) {
                Release::Event(one, rest) => {
                    left = rest;
                    if let Some(raw) = one.raw {
                        known.has_role |= one.tag.has_role;
                        has_ended |= one.tag.is_end;
                        out.push(ConvertedEvent::Earlier(raw));
                    } else {
                        self.write(number, &[Output::Text(one.released)], out);
                    }
                }
                Release::Later => break,
                Release::Text(text) => {
                    self.write(number, &[Output::Text(text.to_owned())], out);
                    break;
                }
                Release::Other => self.discard(number, out),
            }
        }
        has_ended
    }

    /// Drops the events that wait, since their texts are written anew.
    fn discard(&mut self, number: u32, out: &mut Vec<ConvertedEvent>) {
        let Some(known) = self.choice(number) else { return };
        let waiting = known.queue.clear();
        let has_role = waiting.iter().any(|one| one.tag.has_role);
        let lacks_role = has_role && !known.has_role;
        let text: String = waiting.into_iter().map(|one| one.released).collect();
        if !text.is_empty() || lacks_role {
            self.write(number, &[Output::Text(text)], out);
        }
    }
}

/// Whether what was said is the content of an event and nothing else.
fn is_only(outputs: &[Output], content: &str) -> bool {
    match outputs {
        [] => content.is_empty(),
        [Output::Text(text)] => text == content,
        _ => false,
    }
}

impl CallEvents for ChatCalls {
    fn event(&mut self, event: &EventData<'_>) -> Vec<ConvertedEvent> {
        let root = event.root;
        let choices = pieces(root).filter(|_| is_readable(root)).unwrap_or_default();
        if choices.is_empty() {
            return vec![ConvertedEvent::Raw];
        }
        self.defaults.learn(root);
        if let [(number, choice)] = choices[..]
            && !has_native_calls(choice)
        {
            return self.one(event, number, choice);
        }
        let mut out = Vec::new();
        for (number, _) in &choices {
            self.discard(*number, &mut out);
        }
        let kept: Vec<Kept> =
            choices.iter().map(|(number, choice)| self.piece(*number, *choice, &mut out)).collect();
        if kept.iter().all(|kept| *kept == Kept::default()) {
            out.push(ConvertedEvent::Raw);
        } else if let Some(rest) = rest(event.data, root, &choices, &kept) {
            out.push(ConvertedEvent::Written(rest));
        }
        out
    }

    fn end(&mut self) -> Vec<ConvertedEvent> {
        let mut out = Vec::new();
        let numbers: Vec<u32> = self.choices.keys().copied().collect();
        for number in numbers {
            let outputs = self.choice(number).filter(|known| !known.has_ended).map(|known| {
                known.has_ended = true;
                known.reader.close(TextEnd::Complete)
            });
            self.emit(number, &outputs.unwrap_or_default(), &mut out);
            self.discard(number, &mut out);
            self.send_later(number, &mut out);
        }
        out
    }

    fn is_finished(&self) -> bool {
        !self.choices.is_empty() && self.choices.values().all(|known| known.has_ended)
    }

    fn found(&self) -> Vec<(u32, FromText)> {
        let found = |(number, known): (&u32, &Choice)| {
            let found = known.reader.found();
            let doubled = known.later.sent.doubled();
            let superseded = known.reader.superseded().len();
            let dropped = found.dropped + known.later.dropped + superseded.saturating_sub(doubled);
            (*number, FromText { first: known.first, dropped, doubled, ..found.clone() })
        };
        self.choices.iter().map(found).collect()
    }

    fn kept(&self) -> usize {
        self.choices.values().map(Choice::kept).sum()
    }
}

/// Whether the server found calls itself.
fn has_native_calls(choice: Node<'_>) -> bool {
    message_of(choice, Delivered::InEvents)
        .is_some_and(|delta| has_value(delta, "tool_calls") || has_value(delta, "function_call"))
}

/// Returns one more than the highest index of the server's own calls in a piece.
fn native_calls(delta: Node<'_>) -> usize {
    let numbered = calls(delta)
        .zip(0..)
        .map(|(call, at)| call.get("index").and_then(index).map_or(at, |index| index as usize) + 1);
    numbered.max().unwrap_or(1)
}

/// Writes what is left of an event, if it still says anything.
pub(super) fn rest(
    data: &str,
    root: Node<'_>,
    choices: &[(u32, Node<'_>)],
    kept: &[Kept],
) -> Option<String> {
    let mut splice = Splice::new(data);
    let mut says = root.get("usage").is_some_and(|usage| !usage.is_null());
    for ((_, choice), kept) in choices.iter().zip(kept) {
        let Some(delta) = message_of(*choice, Delivered::InEvents) else { continue };
        let is_out = |key: &str| match key {
            "content" => kept.without_text,
            "role" => kept.without_role,
            "tool_calls" | "function_call" => kept.without_calls,
            _ => false,
        };
        let mut left = delta.members().filter_map(|(key, value)| Some((key.str()?, value)));
        says |=
            finish(*choice).is_some() || left.any(|(key, value)| !is_out(key) && !is_silent(value));
        let all = ["content", "role", "tool_calls", "function_call"];
        let out: Vec<&str> = all.into_iter().filter(|key| is_out(key)).collect();
        splice.members(delta, &out, &[]);
        if kept.without_text && choice.get("logprobs").is_some() {
            // They belong to what the model wrote.
            splice.members(*choice, &[], &[("logprobs", "null".to_owned())]);
        }
        for (call, at) in calls(delta).zip(0..).filter(|_| kept.shift > 0) {
            let known = call.get("index").and_then(index).map_or(at, |index| index as usize);
            splice.members(call, &[], &[("index", usize::to_string(&(known + kept.shift)))]);
        }
    }
    says.then(|| self::event(&splice.finish()))
}

/// Returns the beginning of a call.
fn begun(form: CallForm, index: usize, id: &str, name: &str, input: ToolInput) -> Value {
    match form {
        CallForm::Tools => {
            let mut call = tool_call(id, name, input, "");
            call["index"] = index.into();
            json!({ "tool_calls": [call] })
        }
        CallForm::Function => json!({"function_call": {"name": name, "arguments": ""}}),
    }
}

/// Returns the pieces of a call that the server found.
fn whole_call(index: usize, later: &LaterCall) -> [Value; 2] {
    let LaterCall { call, input, passed } = later;
    let begun = begun(CallForm::Tools, index, &call.id, &call.name, *input);
    [begun, grown(CallForm::Tools, index, passed, *input)]
}

/// Returns a piece of what a call passes to its tool.
fn grown(form: CallForm, index: usize, delta: &str, input: ToolInput) -> Value {
    let piece = json!({ words_key(input): delta });
    match form {
        CallForm::Tools => json!({"tool_calls": [{"index": index, kind(input): piece}]}),
        CallForm::Function => json!({ "function_call": piece }),
    }
}

/// Writes an event of a choice.
fn chunk(defaults: &ResponseDefaults, number: u32, delta: &Value, with_role: bool) -> String {
    let mut whole = Map::new();
    if with_role {
        whole.insert("role".to_owned(), "assistant".into());
    }
    whole.extend(delta.as_object().cloned().unwrap_or_default());
    let chunk = json!({
        "id": defaults.id,
        "object": OBJECT,
        "created": defaults.created,
        "model": defaults.model,
        "choices": [{"index": number, "delta": whole, "logprobs": null, "finish_reason": null}],
    });
    event(&chunk.to_string())
}
