//! Edits of the model's text that correspond to fixes.
//!
//! An edit is offered only if the surrounding text is strict JSON, so that the inserted text is read as
//! intended.

use llmend_json::{Edit, Span};
use serde_json::Value;

use crate::{
    Fix, Locations,
    fix::End,
    locations::{ItemLocations, Location},
    read::steps::StepFields,
};

/// Returns the edit of `text` that corresponds to `fix`, if it is certain.
pub(crate) fn edit(fix: &Fix, locations: &Locations, text: &str) -> Option<Edit> {
    match fix {
        Fix::AddDependency { step, on } => add(item(locations, "steps", *step)?, on, text),
        Fix::RemoveDependency { step, dependency } => {
            remove(item(locations, "steps", *step)?, *dependency, text)
        }
        Fix::RenameDependency { step, dependency, to } => {
            let item = item(locations, "steps", *step)?;
            rename(item.parts.get(&dependency_path(*dependency))?, to, text)
        }
        Fix::RenameEnd { edge, end, to } => {
            let part = match end {
                End::From => "/from",
                End::To => "/to",
            };
            rename(item(locations, "edges", *edge)?.parts.get(part)?, to, text)
        }
    }
}

fn item<'p>(locations: &'p Locations, list: &str, at: usize) -> Option<&'p ItemLocations> {
    locations.lists.get(list)?.get(at)
}

fn dependency_path(nth: usize) -> String {
    format!("/depends_on/{nth}")
}

/// Returns the text at `span` and its value as strict JSON.
fn strict(span: Span, text: &str) -> Option<(&str, Value)> {
    let text = text.get(span.start..span.end)?;
    Some((text, serde_json::from_str(text).ok()?))
}

fn quoted(name: &str) -> String {
    Value::from(name).to_string()
}

fn rename(place: &Location, to: &str, text: &str) -> Option<Edit> {
    let Span { start, end } = place.span;
    strict(place.span, text)?.1.as_str()?;
    Some(Edit { start, end, replacement: quoted(to) })
}

fn add(item: &ItemLocations, on: &str, text: &str) -> Option<Edit> {
    if let Some(list) = item.parts.get("/depends_on") {
        let (_, value) = strict(list.span, text)?;
        let comma = if value.as_array()?.is_empty() { "" } else { ", " };
        let at = list.span.end - 1;
        return Some(Edit { start: at, end: at, replacement: format!("{comma}{}", quoted(on)) });
    }
    let whole = item.whole.as_ref()?;
    let (_, value) = strict(whole.span, text)?;
    // The field may be there with a null, or under another name.
    let map = value.as_object().filter(|map| !map.is_empty())?;
    if StepFields::CANONICAL.depends_on.iter().any(|name| map.contains_key(*name)) {
        return None;
    }
    let at = whole.span.start + 1;
    let replacement = format!("\"depends_on\": [{}], ", quoted(on));
    Some(Edit { start: at, end: at, replacement })
}

fn remove(item: &ItemLocations, nth: usize, text: &str) -> Option<Edit> {
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
