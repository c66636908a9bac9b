//! Rewriting of the choices of a response or an event.
//!
//! Only what has to change is changed: the first piece of a part receives all of it, and the others
//! become empty. A whole response is one piece.

use crate::answer::completion::{CallForm, Completion, FinishChanges};
use std::collections::{BTreeMap, BTreeSet};

use llmend::json::{Kind, Node};
use llmend_models::sse::Calls;
use serde_json::{Map, Value, json};

use super::choice::{
    Delivered, arguments, beside, call_piece, finish, is_numbered, is_silent, message_of, word,
};
use crate::answer::part::{PartKind, ResponsePart};
use crate::protocol::ResponseDefaults;
use crate::splice::{Splice, quoted};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Presence {
    #[default]
    Absent,
    Present,
}

impl Presence {
    pub(crate) const fn of(is_there: bool) -> Self {
        if is_there { Self::Present } else { Self::Absent }
    }
}

/// What is known of the calls of a response besides their arguments, by choice and place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heads(BTreeMap<(u32, usize), Head>);

#[derive(Clone, Copy, Debug, Default)]
struct Head {
    has_id: bool,
    has_type: bool,
}

impl Heads {
    /// Takes over what a call, or a piece of one, contains.
    pub(crate) fn note(&mut self, choice: u32, at: usize, call: Node<'_>) {
        let head = self.0.entry((choice, at)).or_default();
        head.has_id |= word(call, "id").is_some();
        head.has_type |= word(call, "type").is_some();
    }

    /// Whether the call has an id.
    pub(crate) fn has_id(&self, choice: u32, at: usize) -> bool {
        self.get(choice, at).has_id
    }

    fn get(&self, choice: u32, at: usize) -> Head {
        self.0.get(&(choice, at)).copied().unwrap_or_default()
    }
}

/// What is written once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Once {
    Role,
    Content,
    Finish,
    Id(usize),
    Name(usize),
    /// The arguments of a call, and the members that a call needs.
    Function(usize),
}

/// Rewrites the choices of one response.
pub(crate) struct ChoiceRewriter<'a> {
    delivered: Delivered,
    /// The JSON of each inspected part, by choice and place of the call.
    replacements: BTreeMap<(u32, Option<usize>), Option<&'a str>>,
    /// The finish reason of each choice, and how its calls are written.
    ends: BTreeMap<u32, (&'a str, CallForm)>,
    /// The name of each call, by choice and place.
    names: BTreeMap<(u32, usize), &'a str>,
    heads: &'a Heads,
    defaults: &'a ResponseDefaults,
    /// The calls that pieces belong to.
    numbers: Calls,
    written: BTreeSet<(u32, Once)>,
}

impl<'a> ChoiceRewriter<'a> {
    pub(crate) fn new(
        delivered: Delivered,
        parts: &'a [ResponsePart],
        written: &'a [Completion],
        ends: &'a FinishChanges,
        heads: &'a Heads,
        defaults: &'a ResponseDefaults,
    ) -> Self {
        let place = |part: &ResponsePart| match part.place.kind {
            PartKind::Content => (part.place.choice, None),
            PartKind::Call { index, .. } | PartKind::Input { index, .. } => {
                (part.place.choice, Some(index))
            }
        };
        let replacements = parts.iter().map(|part| (place(part), part.json()));
        let end = |one: &'a Completion| (one.choice, (one.finish_word(ends), one.call_form));
        let names = |one: &'a Completion| {
            one.calls.iter().enumerate().map(|(at, (name, _))| ((one.choice, at), name.as_str()))
        };
        Self {
            delivered,
            replacements: replacements.collect(),
            ends: written.iter().map(end).collect(),
            names: written.iter().flat_map(names).collect(),
            heads,
            defaults,
            numbers: Calls::default(),
            written: BTreeSet::new(),
        }
    }

    /// Adds the choices whose role was sent before.
    pub(crate) fn with_roles(mut self, roles: &[u32]) -> Self {
        self.written.extend(roles.iter().map(|choice| (*choice, Once::Role)));
        self
    }

    /// Adds the calls that were sent before.
    pub(crate) fn with_calls(mut self, sent: &Calls) -> Self {
        self.numbers = sent.clone();
        self
    }

    fn first(&mut self, number: u32, what: Once) -> bool {
        self.written.insert((number, what))
    }

    /// Returns the JSON that replaces the text of a choice.
    fn json(&self, number: u32) -> Option<&'a str> {
        self.replacements.get(&(number, None)).copied().flatten()
    }

    /// Rewrites a choice. Returns whether it still says something.
    pub(crate) fn choice(
        &mut self,
        number: u32,
        choice: Node<'_>,
        splice: &mut Splice<'_>,
    ) -> Presence {
        let is_whole = self.delivered == Delivered::Whole;
        let is_end = (is_whole || finish(choice).is_some()) && self.first(number, Once::Finish);
        let word = self.ends.get(&number).map_or("stop", |(word, _)| *word);
        let mut with = Vec::new();
        match choice.get("finish_reason").and_then(Node::str) {
            Some(found) if is_end && found == word => {}
            _ if is_end => with.push(("finish_reason", quoted(word))),
            Some(_) => with.push(("finish_reason", "null".to_owned())),
            None => {}
        }
        let is_numbered = match choice.get("index") {
            Some(index) if is_whole => !index.is_null(),
            _ => is_numbered(choice, number as usize),
        };
        if !is_numbered {
            with.push(("index", number.to_string()));
        }
        let has_logprobs = choice.get("logprobs").is_some_and(|logprobs| !logprobs.is_null());
        let mut says = Presence::of(is_end || has_logprobs);
        if let Some(message) = message_of(choice, self.delivered) {
            says = says.max(self.message(number, message, is_end, splice));
        } else if is_end {
            let lacking = self.lacking(number, is_end);
            match is_whole {
                true if lacking.is_empty() => {}
                true => with.push(("message", Value::from(lacking).to_string())),
                false => with.push(("delta", Value::from(lacking).to_string())),
            }
        }
        let without = beside(choice, self.delivered);
        let replaced = if is_whole { None } else { as_delta(choice, splice) };
        splice.members(choice, without.or(replaced).as_slice(), &with);
        says
    }

    /// Returns what a choice needs and no piece of it contained.
    fn lacking(&mut self, number: u32, is_end: bool) -> Map<String, Value> {
        let mut lacking = Map::new();
        if self.delivered == Delivered::InEvents && self.first(number, Once::Role) {
            lacking.insert("role".to_owned(), "assistant".into());
        }
        // No text was there that it could replace.
        let json = self.json(number).filter(|_| is_end);
        if let Some(json) = json.filter(|_| self.first(number, Once::Content)) {
            lacking.insert("content".to_owned(), json.into());
        }
        lacking
    }

    /// Returns the rest of a choice that no event ended: its content and finish reason.
    pub(crate) fn rest(&mut self, number: u32) -> Option<(Value, &'a str)> {
        let (word, _) = *self.ends.get(&number)?;
        self.first(number, Once::Finish).then(|| (self.lacking(number, true).into(), word))
    }

    /// Rewrites a message, or a piece of one.
    fn message(
        &mut self,
        number: u32,
        message: Node<'_>,
        is_end: bool,
        splice: &mut Splice<'_>,
    ) -> Presence {
        let mut says = Presence::Absent;
        let mut without = Vec::new();
        for (key, value) in message.members().filter(|(_, value)| !is_silent(*value)) {
            says = says.max(match key.str().unwrap_or_default() {
                "role" if self.first(number, Once::Role) => Presence::Present,
                "role" => {
                    without.push("role");
                    Presence::Absent
                }
                // It no longer matches the text.
                "parsed" if self.json(number).is_some() => {
                    without.push("parsed");
                    Presence::Absent
                }
                "content" => self.content(number, value, splice),
                "tool_calls" => self.calls(number, value, splice),
                "function_call" => self.legacy(number, value, splice),
                _ => Presence::Present,
            });
        }
        let mut with = Vec::new();
        for (key, value) in self.lacking(number, is_end) {
            says = Presence::Present;
            let list = message.get(&key).filter(|list| list.kind() == Kind::Array);
            match list {
                Some(list) => {
                    splice.append(list, json!({"type": "text", "text": value}).to_string());
                }
                None => with.push((key, value.to_string())),
            }
        }
        let with: Vec<_> = with.iter().map(|(key, json)| (key.as_str(), json.clone())).collect();
        splice.members(message, &without, &with);
        says
    }

    /// Rewrites a text, or the texts in a list of parts.
    fn content(&mut self, number: u32, content: Node<'_>, splice: &mut Splice<'_>) -> Presence {
        let Some(json) = self.json(number) else { return Presence::Present };
        let mut says = Presence::Absent;
        let is_list = content.kind() == Kind::Array;
        let alone = (!is_list).then_some(Some(content));
        let texts = content.items().map(|part| {
            part.get("text").filter(|text| text.str().is_some_and(|text| !text.is_empty()))
        });
        for text in alone.into_iter().chain(texts) {
            says = says.max(match text {
                Some(text) if self.first(number, Once::Content) => {
                    splice.replace(text, quoted(json));
                    Presence::Present
                }
                Some(text) => {
                    splice.replace(text, quoted(""));
                    Presence::Absent
                }
                None => Presence::Present,
            });
        }
        says
    }

    fn calls(&mut self, number: u32, list: Node<'_>, splice: &mut Splice<'_>) -> Presence {
        let mut says = Presence::Absent;
        for (call, place) in list.items().zip(0..) {
            let at = match self.delivered {
                Delivered::Whole => place,
                // It was counted when it was read, so this cannot fail.
                Delivered::InEvents => call_piece(&mut self.numbers, number, call)
                    .map_or(place, |piece| piece.index as usize),
            };
            says = says.max(self.call(number, at, call, splice));
        }
        says
    }

    fn call(
        &mut self,
        number: u32,
        at: usize,
        call: Node<'_>,
        splice: &mut Splice<'_>,
    ) -> Presence {
        let mut with = Vec::new();
        let mut without: &[&str] = &[];
        if self.delivered == Delivered::InEvents && !is_numbered(call, at) {
            with.push(("index", at.to_string()));
        }
        let mut says = Presence::Absent;
        // A call of anything but a function is not changed.
        let is_inspected = self.replacements.contains_key(&(number, Some(at)));
        for (key, value) in call.members().filter(|(_, value)| !is_silent(*value)) {
            says = says.max(match key.str().unwrap_or_default() {
                "index" => Presence::Absent,
                "type" if is_inspected => Presence::Absent,
                "id" if is_inspected && !self.first(number, Once::Id(at)) => {
                    without = &["id"];
                    Presence::Absent
                }
                "function" if is_inspected => {
                    let is_first = self.first(number, Once::Function(at));
                    if is_first {
                        with.extend(self.missing(number, at));
                    }
                    self.function(number, at, is_first, value, splice)
                }
                _ => Presence::Present,
            });
        }
        splice.members(call, without, &with);
        says
    }

    /// Returns the members that clients need of a call and that no piece contained.
    fn missing(
        &self,
        number: u32,
        at: usize,
    ) -> impl Iterator<Item = (&'static str, String)> + use<> {
        let Head { has_id, has_type } = self.heads.get(number, at);
        let id = (!has_id).then(|| ("id", quoted(&self.defaults.call_id(number, at))));
        let kind = (!has_type).then(|| ("type", quoted("function")));
        id.into_iter().chain(kind)
    }

    /// Rewrites the function call of older clients.
    fn legacy(&mut self, number: u32, function: Node<'_>, splice: &mut Splice<'_>) -> Presence {
        let form = self.ends.get(&number).map(|(_, form)| *form);
        if form != Some(CallForm::Function) || !self.replacements.contains_key(&(number, Some(0))) {
            return Presence::Present;
        }
        let is_first = self.first(number, Once::Function(0));
        self.function(number, 0, is_first, function, splice)
    }

    fn function(
        &mut self,
        number: u32,
        at: usize,
        is_first: bool,
        function: Node<'_>,
        splice: &mut Splice<'_>,
    ) -> Presence {
        let json = self.replacements.get(&(number, Some(at))).copied().flatten();
        let passed = function.get("arguments");
        let is_text = passed.is_some_and(|passed| passed.str().is_some());
        let text = match json {
            Some(json) if is_first => Some(json.to_owned()),
            Some(_) => passed.map(|_| String::new()),
            None if is_text => None,
            None => Some(arguments(function)).filter(|text| is_first || !text.is_empty()),
        };
        let mut with: Vec<_> = text.iter().map(|text| ("arguments", quoted(text))).collect();
        let name = word(function, "name");
        let is_named = name.is_some();
        let is_written = is_named && !self.first(number, Once::Name(at));
        // A name in pieces is written at once.
        let whole = self.names.get(&(number, at)).filter(|_| is_named && !is_written);
        if let Some(whole) = whole.filter(|whole| name != Some(**whole)) {
            with.push(("name", quoted(whole)));
        }
        splice.members(function, if is_written { &["name"] } else { &[] }, &with);
        let mut others = function.members().filter(|(key, value)| match key.str() {
            Some("name") => false,
            Some("arguments") => json.is_none() && !is_silent(*value),
            _ => !is_silent(*value),
        });
        let is_news = is_named && !is_written || is_first && json.is_some();
        Presence::of(is_news || others.next().is_some())
    }
}

/// Renames `message` to `delta` where a server mixes them up. Returns the member that gives way.
pub(crate) fn as_delta(choice: Node<'_>, splice: &mut Splice<'_>) -> Option<&'static str> {
    let is_delta = choice.get("delta").is_some_and(|delta| !delta.is_null());
    match choice.members().find(|(key, _)| key.str() == Some("message")) {
        Some((key, message)) if !is_delta && !message.is_null() => {
            splice.replace(key, quoted("delta"));
            Some("delta")
        }
        _ => None,
    }
}
