//! Which members of an event are held back.

use llmend::json::Node;

use crate::calls::signs::may_begin_call;
use crate::protocol::ResponseDefaults;
use crate::protocol::chat::choice::{
    Delivered, beside, calls, finish, is_numbered, is_silent, legacy, pieces, words,
};
use crate::protocol::chat::chunk::{HEAD, OBJECT};
use crate::protocol::chat::rewrite::{Presence, as_delta};
use crate::protocol::request::{OutputRequest, UsageReporting};
use crate::splice::Splice;

/// What an event contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Whether a member is held back.
    pub(crate) held: Presence,
    /// Whether a member is sent at once.
    pub(crate) flowing: Presence,
    /// Whether the held members can be sent as they arrived.
    pub(crate) form: Form,
}

/// Whether every client can read an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    #[default]
    Good,
    /// It has to be rewritten.
    Bad,
}

impl Form {
    pub(super) const fn of(is_good: bool) -> Self {
        if is_good { Self::Good } else { Self::Bad }
    }
}

/// Returns the piece of a choice.
pub(super) fn delta(choice: Node<'_>) -> Option<Node<'_>> {
    crate::protocol::chat::choice::message_of(choice, Delivered::InEvents)
}

/// Inspects an event and its choices.
pub(crate) fn inspect(
    root: Node<'_>,
    choices: &[(u32, Node<'_>)],
    request: &OutputRequest,
) -> Seen {
    let mut seen = Seen { form: form(root, request), ..Seen::default() };
    for (number, choice) in choices {
        seen.held = seen.held.max(Presence::of(finish(*choice).is_some()));
        let is_good = is_numbered(*choice, *number as usize) && choice.get("message").is_none();
        seen.form = seen.form.max(Form::of(is_good));
        for (key, value) in delta(*choice).into_iter().flat_map(Node::members) {
            match member(key.str().unwrap_or_default(), value, request) {
                Member::Silent => {}
                Member::Held => seen.held = Presence::Present,
                Member::Flowing => seen.flowing = Presence::Present,
            }
        }
        if request.calls.is_some() {
            let delta = delta(*choice);
            let functions =
                delta.into_iter().flat_map(calls).filter_map(|call| call.get("function"));
            let mut functions = functions.chain(delta.and_then(legacy));
            seen.form = seen.form.max(Form::of(functions.all(is_text)));
        }
    }
    seen
}

/// Whether a choice contains anything that is held back, besides its finish reason, or may begin a
/// call in a text that is read for calls.
pub(crate) fn has_held(choice: Node<'_>, request: &OutputRequest) -> bool {
    let may_call = |delta: Node<'_>| request.reading.is_some() && may_begin_call(&words(delta));
    let is_held = |(key, value): (Node<'_>, Node<'_>)| {
        matches!(member(key.str().unwrap_or_default(), value, request), Member::Held)
    };
    delta(choice).is_some_and(|delta| may_call(delta) || delta.members().any(is_held))
}

enum Member {
    /// It is empty.
    Silent,
    Held,
    Flowing,
}

fn member(key: &str, value: Node<'_>, request: &OutputRequest) -> Member {
    match key {
        "role" => Member::Silent,
        _ if is_silent(value) => Member::Silent,
        "content" if request.content.is_some() => Member::Held,
        "tool_calls" | "function_call" if request.calls.is_some() => Member::Held,
        _ => Member::Flowing,
    }
}

fn form(root: Node<'_>, request: &OutputRequest) -> Form {
    let has = |key: &str| root.get(key).is_some_and(|value| !value.is_null());
    let has_head = HEAD.into_iter().all(has);
    Form::of(has_head && (request.usage == UsageReporting::Included || !has("usage")))
}

/// Whether the arguments are a string.
fn is_text(function: Node<'_>) -> bool {
    function.get("arguments").is_none_or(|arguments| arguments.str().is_some())
}

/// The part of an event to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    All,
    /// The members that are sent at once, if others are held back.
    Flowing,
    /// The members that are held back, if others are sent at once.
    Waiting,
    /// All but the finish reasons, which were sent before.
    Unended,
}

/// Writes a part of an event, with the members that clients need and without unrequested usage.
pub(crate) fn shared(
    data: &str,
    root: Node<'_>,
    share: Share,
    request: &OutputRequest,
    defaults: &ResponseDefaults,
) -> String {
    let mut splice = Splice::new(data);
    // The usage is sent once, with the end.
    let keeps_usage = match share {
        Share::Flowing => false,
        Share::Waiting => true,
        Share::All | Share::Unended => request.usage == UsageReporting::Included,
    };
    let with = if share == Share::Waiting { Vec::new() } else { defaults.missing(root, OBJECT) };
    splice.members(root, if keeps_usage { &[] } else { &["usage"] }, &with);
    for (number, choice) in pieces(root).unwrap_or_default() {
        share_choice(number, choice, share, request, &mut splice);
    }
    splice.finish().into_owned()
}

fn share_choice(
    number: u32,
    choice: Node<'_>,
    share: Share,
    request: &OutputRequest,
    splice: &mut Splice<'_>,
) {
    if share != Share::Waiting {
        let mut with = Vec::new();
        if !is_numbered(choice, number as usize) {
            with.push(("index", number.to_string()));
        }
        // The end and the log probabilities go with the members that are held back.
        let waiting: &[&str] = match share {
            Share::All | Share::Waiting => &[],
            Share::Flowing => &["finish_reason", "logprobs"],
            Share::Unended => &["finish_reason"],
        };
        let waiting = waiting.iter().filter(|key| choice.get(key).is_some());
        with.extend(waiting.map(|key| (*key, "null".to_owned())));
        let without = beside(choice, Delivered::InEvents).or_else(|| as_delta(choice, splice));
        splice.members(choice, without.as_slice(), &with);
    }
    let is_out = |key: &str, value| match (share, member(key, value, request)) {
        (Share::Flowing, Member::Held) | (Share::Waiting, Member::Flowing) => true,
        // It was sent with the other members.
        (Share::Waiting, _) => key == "role",
        _ => false,
    };
    if let Some(delta) = delta(choice) {
        let out =
            delta.members().filter_map(|(key, value)| key.str().filter(|key| is_out(key, value)));
        splice.members(delta, &out.collect::<Vec<_>>(), &[]);
    }
}
