//! Which edit of the model's text does what a fix does?
//!
//! Only where the text around it is strict JSON as it stands, so that what is put there is read as it
//! is meant.

use llmend_json::{Edit, Span};
use serde_json::Value;

use crate::{
    Fix, Places,
    fix::End,
    places::{ItemPlaces, Place},
    read::steps::StepFields,
};

/// The edit of `text` that does what `fix` does, if it is certain.
pub(crate) fn edit(fix: &Fix, places: &Places, text: &str) -> Option<Edit> {
    match fix {
        Fix::AddDependency { step, on } => add(item(places, "steps", *step)?, on, text),
        Fix::RemoveDependency { step, dependency } => {
            remove(item(places, "steps", *step)?, *dependency, text)
        }
        Fix::RenameDependency { step, dependency, to } => {
            let item = item(places, "steps", *step)?;
            rename(item.parts.get(&dependency_path(*dependency))?, to, text)
        }
        Fix::RenameEnd { edge, end, to } => {
            let part = match end {
                End::From => "/from",
                End::To => "/to",
            };
            rename(item(places, "edges", *edge)?.parts.get(part)?, to, text)
        }
    }
}

fn item<'p>(places: &'p Places, list: &str, at: usize) -> Option<&'p ItemPlaces> {
    places.lists.get(list)?.get(at)
}

fn dependency_path(nth: usize) -> String {
    format!("/depends_on/{nth}")
}

/// The text at `span`, and the value that it is as strict JSON.
fn strict(span: Span, text: &str) -> Option<(&str, Value)> {
    let text = text.get(span.start..span.end)?;
    Some((text, serde_json::from_str(text).ok()?))
}

fn quoted(name: &str) -> String {
    Value::from(name).to_string()
}

fn rename(place: &Place, to: &str, text: &str) -> Option<Edit> {
    let Span { start, end } = place.span;
    strict(place.span, text)?.1.as_str()?;
    Some(Edit { start, end, replacement: quoted(to) })
}

fn add(item: &ItemPlaces, on: &str, text: &str) -> Option<Edit> {
    if let Some(list) = item.parts.get("/depends_on") {
        let (_, value) = strict(list.span, text)?;
        let comma = if value.as_array()?.is_empty() { "" } else { ", " };
        let at = list.span.end - 1;
        return Some(Edit { start: at, end: at, replacement: format!("{comma}{}", quoted(on)) });
    }
    let whole = item.whole.as_ref()?;
    let (_, value) = strict(whole.span, text)?;
    // A null would stand there twice, and under another name it would not be read.
    let map = value.as_object().filter(|map| !map.is_empty())?;
    if StepFields::CANONICAL.depends_on.iter().any(|name| map.contains_key(*name)) {
        return None;
    }
    let at = whole.span.start + 1;
    let replacement = format!("\"depends_on\": [{}], ", quoted(on));
    Some(Edit { start: at, end: at, replacement })
}

fn remove(item: &ItemPlaces, nth: usize, text: &str) -> Option<Edit> {
    let list = item.parts.get("/depends_on")?;
    strict(list.span, text)?;
    let span = |nth: usize| item.parts.get(&dependency_path(nth)).map(|place| place.span);
    let own = span(nth)?;
    let (start, end) = match (span(nth + 1), nth.checked_sub(1).and_then(span)) {
        (Some(next), _) => (own.start, next.start),
        (None, Some(before)) => (before.end, own.end),
        (None, None) => (own.start, own.end),
    };
    let inside = list.span.start <= start && start <= end && end <= list.span.end;
    inside.then(|| Edit { start, end, replacement: String::new() })
}
