//! What of an event has to wait until the answer is complete, and what flows?

use llmend::json::{Kind, Node};

use crate::chat::chunk::{Defaults, OBJECT};
use crate::request::{Asked, Usage};
use crate::splice::Splice;

/// What stands in an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Whether something of it waits.
    pub(crate) held: Presence,
    /// Whether something of it flows.
    pub(crate) flowing: Presence,
    /// Whether what waits can be sent as it came, should nothing have to be repaired.
    pub(crate) form: Form,
}

/// Whether there is something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Presence {
    #[default]
    Absent,
    Present,
}

/// Whether an event has the form that all clients read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    #[default]
    Good,
    /// It has to be written anew.
    Bad,
}

/// Looks at the choices of an event.
pub(crate) fn look(root: Node<'_>, asked: &Asked) -> Seen {
    let mut seen = Seen { form: form(root, asked), ..Seen::default() };
    for choice in root.get("choices").map(Node::items).into_iter().flatten() {
        if choice.get("finish_reason").is_some_and(|reason| !reason.is_null()) {
            seen.held = Presence::Present;
        }
        if choice.get("index").is_none() || choice.get("message").is_some() {
            seen.form = Form::Bad;
        }
        let Some(delta) = choice.get("delta") else { continue };
        for (key, value) in delta.members() {
            match member(key.str().unwrap_or_default(), value, asked) {
                Member::Silent => {}
                Member::Held => seen.held = Presence::Present,
                Member::Flowing => seen.flowing = Presence::Present,
            }
        }
        if asked.calls.is_some() {
            let calls = delta.get("tool_calls").map(Node::items).into_iter().flatten();
            let functions = calls.clone().filter_map(|call| call.get("function"));
            let functions = functions.chain(delta.get("function_call"));
            seen.form =
                calls.map(call_form).chain(functions.map(function_form)).fold(seen.form, Ord::max);
        }
    }
    seen
}

/// Whether a choice of an event says something that waits, besides why it ends.
pub(crate) fn says_held(root: Node<'_>, asked: &Asked) -> bool {
    let choices = root.get("choices").map(Node::items).into_iter().flatten();
    let mut members = choices.filter_map(|choice| choice.get("delta")).flat_map(Node::members);
    members.any(|(key, value)| {
        matches!(member(key.str().unwrap_or_default(), value, asked), Member::Held)
    })
}

enum Member {
    /// It says nothing by itself.
    Silent,
    Held,
    Flowing,
}

fn member(key: &str, value: Node<'_>, asked: &Asked) -> Member {
    let says_nothing = value.is_null()
        || value.str().is_some_and(str::is_empty)
        || (value.kind() == Kind::Array && value.is_empty());
    match key {
        _ if says_nothing => Member::Silent,
        "role" => Member::Silent,
        "content" if asked.content.is_some() => Member::Held,
        "tool_calls" | "function_call" if asked.calls.is_some() => Member::Held,
        _ => Member::Flowing,
    }
}

fn form(root: Node<'_>, asked: &Asked) -> Form {
    let has_head =
        ["id", "object", "created", "model"].into_iter().all(|key| root.get(key).is_some());
    let has_usage = root.get("usage").is_some_and(|usage| !usage.is_null());
    if has_head && (asked.usage == Usage::Told || !has_usage) { Form::Good } else { Form::Bad }
}

/// A piece of a call is as it has to be: with an index.
fn call_form(call: Node<'_>) -> Form {
    let has_index = call.get("index").is_some_and(|index| index.number().is_some());
    if has_index { Form::Good } else { Form::Bad }
}

/// Its arguments are text.
fn function_form(function: Node<'_>) -> Form {
    let is_text = function.get("arguments").is_none_or(|arguments| arguments.str().is_some());
    if is_text { Form::Good } else { Form::Bad }
}

/// An event with the members that every client wants, and without a usage that was not asked for.
pub(crate) fn completed(data: &str, root: Node<'_>, asked: &Asked, defaults: &Defaults) -> String {
    let mut splice = Splice::new(data);
    let with = defaults.missing(root, OBJECT);
    let without: &[&str] = if asked.usage == Usage::Told { &[] } else { &["usage"] };
    splice.members(root, without, &with);
    for (choice, at) in root.get("choices").map(Node::items).into_iter().flatten().zip(0_u32..) {
        if choice.get("index").is_none() {
            splice.members(choice, &[], &[("index", at.to_string())]);
        }
    }
    event(&splice.finish())
}

/// The part of an event that flows, where another part of it waits.
pub(crate) fn flowing(data: &str, root: Node<'_>, asked: &Asked) -> String {
    part(data, root, |key, value| matches!(member(key, value, asked), Member::Held), Ending::Put)
}

/// The part of an event that waits, where another part of it flows.
pub(crate) fn waiting(data: &str, root: Node<'_>, asked: &Asked) -> String {
    part(
        data,
        root,
        |key, value| matches!(member(key, value, asked), Member::Flowing),
        Ending::Kept,
    )
}

/// An event without its reasons to stop, which were told, and a usage that was not asked for.
pub(crate) fn unended(data: &str, root: Node<'_>, asked: &Asked) -> String {
    let mut splice = Splice::new(data);
    if asked.usage == Usage::Kept {
        splice.members(root, &["usage"], &[]);
    }
    for choice in root.get("choices").map(Node::items).into_iter().flatten() {
        if let Some(reason) = choice.get("finish_reason") {
            splice.replace(reason, "null");
        }
    }
    event(&splice.finish())
}

/// What becomes of the reason to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Kept,
    Put,
}

fn part(
    data: &str,
    root: Node<'_>,
    is_out: impl Fn(&str, Node<'_>) -> bool,
    ending: Ending,
) -> String {
    let mut splice = Splice::new(data);
    if ending == Ending::Put {
        // It is told once, where it belongs: beside the end.
        splice.members(root, &["usage"], &[]);
    }
    for choice in root.get("choices").map(Node::items).into_iter().flatten() {
        if let (Ending::Put, Some(reason)) = (ending, choice.get("finish_reason")) {
            splice.replace(reason, "null");
        }
        let Some(delta) = choice.get("delta") else { continue };
        let out: Vec<&str> = delta
            .members()
            .filter_map(|(key, value)| key.str().filter(|key| is_out(key, value)))
            .collect();
        splice.members(delta, &out, &[]);
    }
    event(&splice.finish())
}

/// One event with this data, whose line breaks are white space between tokens.
pub(super) fn event(data: &str) -> String {
    format!("data: {}\n\n", data.replace(['\r', '\n'], " "))
}
