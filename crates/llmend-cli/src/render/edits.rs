//! Repairs and coercions, marked in place.

use annotate_snippets::{Group, Level};
use llmend::{
    Coercion,
    json::{Class, Repair, Span},
};

use crate::render::{
    Named,
    annotate::{extent, marked, origin},
    counted, grouped,
    summary::tally,
    visible,
    window::{Mark, Weight},
};

/// Edits that are marked; the rest are counted.
const MARKED: usize = 60;
/// Characters of a replacement that are shown.
const SHOWN: usize = 40;

/// A repair of the text or a coercion of the value.
struct Edit {
    name: &'static str,
    class: Class,
    /// Its location in the text, if it has one.
    span: Option<Span>,
    /// What was changed.
    what: String,
}

/// Renders the repairs in place, up to a limit.
pub(super) fn repairs<'a>(source: Named<'a>, repairs: &[Repair]) -> Vec<Group<'a>> {
    let edits = repairs.iter().map(|repair| Edit {
        name: repair.rule.name(),
        class: repair.class(),
        span: Some(repair.span),
        what: repaired(repair),
    });
    groups(source, edits.collect(), "repair")
}

/// Renders the coercions in place, up to a limit.
pub(super) fn coercions<'a>(source: Named<'a>, coercions: &[Coercion]) -> Vec<Group<'a>> {
    let mut edits: Vec<Edit> = coercions
        .iter()
        .map(|coercion| Edit {
            name: coercion.kind.name(),
            class: coercion.class,
            span: coercion.span,
            what: coerced(coercion),
        })
        .collect();
    edits.sort_by_key(|edit| edit.span);
    groups(source, edits, "coercion")
}

/// Describes what a repair changed.
pub(super) fn repaired(repair: &Repair) -> String {
    match (repair.span.is_empty(), repair.replacement.is_empty()) {
        (true, _) => format!("added `{}`", visible(&repair.replacement, SHOWN)),
        (false, true) => "removed".to_owned(),
        (false, false) => format!("replaced by `{}`", visible(&repair.replacement, SHOWN)),
    }
}

/// Describes what a coercion changed.
pub(super) fn coerced(coercion: &Coercion) -> String {
    let after = visible(&coercion.after, SHOWN);
    match (coercion.span, coercion.after.is_empty()) {
        (Some(_), true) => "removed".to_owned(),
        (Some(_), false) => format!("replaced by `{after}`"),
        (None, true) => format!("removed {}", visible(&coercion.path, SHOWN)),
        (None, false) => format!("set to `{after}` at {}", visible(&coercion.path, SHOWN)),
    }
}

/// Renders the edits that have a location as marks and the others as notes.
fn groups<'a>(source: Named<'a>, edits: Vec<Edit>, noun: &str) -> Vec<Group<'a>> {
    let Some(class) = edits.iter().map(|edit| edit.class).max() else { return Vec::new() };
    let level = if class >= Class::Guess { Level::WARNING } else { Level::NOTE };
    let count = counted(edits.len(), noun);
    let title = format!("{count} (worst class: {})", class.as_str());
    let title = Group::with_title(level.clone().primary_title(title));
    let chosen = worth_marking(&edits);
    let (chosen, rest): (Vec<_>, Vec<_>) =
        edits.into_iter().zip(chosen).partition(|(_, marked)| *marked);
    let (placed, unplaced): (Vec<_>, Vec<_>) =
        chosen.into_iter().map(|(edit, _)| edit).partition(|edit| edit.span.is_some());
    let first = placed.first().and_then(|edit| edit.span);
    let mut groups = match first {
        Some(span) => vec![title.element(origin(source, span))],
        None => vec![title],
    };
    let marks = placed.into_iter().map(|edit| mark(source, edit, class)).collect();
    groups.extend(marked(source, marks, &level));
    let mut notes: Vec<String> = unplaced
        .into_iter()
        .map(|Edit { name, class, what, .. }| format!("{name} ({}): {what}", class.as_str()))
        .collect();
    if !rest.is_empty() {
        notes.push(unmarked(rest.iter().map(|(edit, _)| edit.name), noun));
    }
    if let Some(last) = groups.pop() {
        groups.push(last.elements(notes.into_iter().map(|note| Level::NOTE.message(note))));
    }
    groups
}

/// Chooses the edits to mark: all if there are few, else some of each name, so that many of one do not hide
/// few of another, and then the first of the others.
fn worth_marking(edits: &[Edit]) -> Vec<bool> {
    let mut quotas = tally(edits.iter().map(|edit| edit.name));
    let quota = MARKED / quotas.len().max(1);
    for (_, left) in &mut quotas {
        *left = quota.max(1);
    }
    let mut marked: Vec<bool> = edits
        .iter()
        .map(|edit| match quotas.iter_mut().find(|(name, _)| *name == edit.name) {
            Some((_, left)) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        })
        .collect();
    let left = MARKED.saturating_sub(marked.iter().filter(|marked| **marked).count());
    marked.iter_mut().filter(|marked| !**marked).take(left).for_each(|marked| *marked = true);
    marked
}

/// Counts the edits of each name that are not marked.
fn unmarked(names: impl Iterator<Item = &'static str>, noun: &str) -> String {
    let counts = tally(names);
    let total = counts.iter().map(|(_, count)| count).sum();
    let counts: Vec<String> =
        counts.iter().map(|(name, count)| format!("{name} ×{}", grouped(*count))).collect();
    format!("{} not shown: {}", counted(total, &format!("more {noun}")), counts.join(", "))
}

fn mark(source: Named<'_>, edit: Edit, worst: Class) -> Mark {
    let Edit { name, class, span, what } = edit;
    let span = span.unwrap_or_default();
    let extent = extent(source, span).map_or_else(String::new, |extent| format!(", {extent}"));
    Mark {
        span,
        head: name.to_owned(),
        tail: format!(" ({}): {what}{extent}", class.as_str()),
        weight: if class == worst { Weight::Main } else { Weight::Side },
    }
}
