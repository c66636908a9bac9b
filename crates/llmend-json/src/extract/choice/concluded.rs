//! Whether the last of several values is what is concluded from the others.

use crate::{
    extract::{Build, FoundValue, beginning, choice::Series, standing},
    parser::Window,
};

/// Returns whether the last of `series` is what is concluded from those before it: it begins with a
/// key that none of them begins with, and is introduced as a conclusion, or they as what was given.
pub(super) fn concludes<B: Build>(
    window: &Window<'_>,
    found: &[FoundValue<B>],
    series: &[&Series],
) -> bool {
    let Some((last, before)) = series.split_last() else { return false };
    let introduction = |series: &Series| {
        let first = found.get(series.picked.start);
        first.map(|first| standing::introduction(window, first.span.start, first.origin))
    };
    let is_given =
        |series: &&Series| introduction(series).is_some_and(|text| standing::names_source(&text));
    let is_concluded = || introduction(last).is_some_and(|text| standing::names_conclusion(&text));
    !before.is_empty()
        && before.iter().all(|one| !beginning::same_key(window, one.span, last.span))
        && (is_concluded() || before.iter().all(is_given))
}
