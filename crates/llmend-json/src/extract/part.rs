//! Whether the chosen values are only a part of what was meant.

use crate::{
    Origin, Span,
    extract::{
        Build, FoundValue,
        choice::Selection,
        record,
        remnant::{self, Remnant},
        standing,
    },
    parser::Window,
};

/// Judges the selected values by the text around them. What begins at `taken_back` before them was
/// taken back.
pub(crate) fn around<B: Build>(
    window: &Window<'_>,
    found: &[FoundValue<B>],
    selection: &Selection,
    taken_back: Option<usize>,
) -> Option<Remnant> {
    let span = selection.span(found)?;
    let fenced = selection.parts(found).next_back()?.origin == Origin::Fence;
    let outside =
        |other: &&FoundValue<B>| other.span.end <= span.start || other.span.start >= span.end;
    let mut others: Vec<Span> = found.iter().filter(outside).map(|other| other.span).collect();
    if let Some(start) = taken_back.filter(|&start| start < span.start) {
        others.insert(0, Span::new(start, span.start));
    }
    let first = selection.parts(found).next()?;
    let example = standing::is_example(window, first).then_some(Remnant::Doubtful);
    let record = record::judge(window, first.span, first.origin);
    remnant::judge(window, span, fenced, &others).max(record).max(example)
}
