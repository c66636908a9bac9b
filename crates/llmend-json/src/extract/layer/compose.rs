//! Repairs of a layer's copy as repairs of the caller's text.

use super::{Layer, places::shifted};
use crate::{Repair, Rule, Span};

/// Returns repairs of the caller's text with the effect of `layer` followed by `inner`, the repairs
/// of the layer's copy up to `end`. Overlapping repairs are merged. `text` is the caller's text.
pub(crate) fn compose(text: &str, layer: &Layer, inner: &[Repair], end: usize) -> Vec<Repair> {
    /// A repair by its span in the copy.
    struct PlacedEdit<'e> {
        copy: Span,
        repair: &'e Repair,
        undoes: bool,
    }
    let mut shift = layer.start;
    let undone = layer.edits.iter().map(|edit| {
        let start = edit.span.start.wrapping_sub(shift);
        let copy = Span::new(start, start + edit.replacement.len());
        shift = shifted(shift, edit);
        PlacedEdit { copy, repair: edit, undoes: true }
    });
    let mut edits: Vec<PlacedEdit<'_>> = Vec::with_capacity(layer.edits.len() + inner.len());
    edits.extend(undone.filter(|edit| edit.copy.end <= end || edit.copy.start < end));
    edits.extend(inner.iter().map(|repair| PlacedEdit {
        copy: repair.span,
        repair,
        undoes: false,
    }));
    edits.sort_by_key(|edit| (edit.copy.start, edit.copy.end));
    let mut out = Vec::with_capacity(edits.len());
    let (mut shift, mut rest) = (layer.start, edits.as_slice());
    while let Some(first) = rest.first() {
        let mut copy = first.copy;
        let mut count = 1;
        while let Some(next) = rest.get(count).filter(|next| next.copy.start < copy.end) {
            copy.end = copy.end.max(next.copy.end);
            count += 1;
        }
        let (group, later) = rest.split_at(count);
        rest = later;
        let start = copy.start.wrapping_add(shift);
        if let [alone] = group {
            if alone.undoes {
                shift = shifted(shift, alone.repair);
            }
            let span = Span::new(start, copy.end.wrapping_add(shift));
            if span.of(text) != alone.repair.replacement {
                push(&mut out, Repair { span, ..alone.repair.clone() });
            }
            continue;
        }
        for edit in group.iter().filter(|edit| edit.undoes) {
            shift = shifted(shift, edit.repair);
        }
        let inner: Vec<Repair> =
            group.iter().filter(|edit| !edit.undoes).map(|edit| edit.repair.clone()).collect();
        let rule =
            group.iter().map(|edit| edit.repair.rule).reduce(worse).unwrap_or(first.repair.rule);
        let replacement = crate::apply(&layer.text, copy, &inner);
        let span = Span::new(start, copy.end.wrapping_add(shift));
        // Nothing is edited where one repair restores what another removed.
        if span.of(text) != replacement {
            push(&mut out, Repair { rule, span, replacement: replacement.into() });
        }
    }
    out
}

/// Adds a repair, joined with the last one if both remove adjacent text by the same rule, which is not that of
/// whole items.
fn push(repairs: &mut Vec<Repair>, next: Repair) {
    match repairs.last_mut() {
        Some(last)
            if last.rule == next.rule
                && next.rule != Rule::UnreadableItem
                && last.span.end == next.span.start
                && last.replacement.is_empty()
                && next.replacement.is_empty() =>
        {
            last.span.end = next.span.end;
        }
        _ => repairs.push(next),
    }
}

const fn worse(one: Rule, other: Rule) -> Rule {
    if other.class() as u8 > one.class() as u8 { other } else { one }
}
