//! Standings of values in a row, which have much in common.

use crate::{
    Origin, Span,
    extract::{
        Build, FoundValue,
        choice::are_adjacent,
        pair,
        standing::{self, Standing},
    },
    parser::Window,
};

/// Standings one after the other. What is around a value is judged once for all in a row that
/// have nothing but the same separators before and behind them, such as lines of records.
pub(super) struct Row<'w> {
    has_own: bool,
    last: Option<(Place<'w>, Standing)>,
}

/// Where a value stands between two others.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place<'w> {
    index: usize,
    before: &'w str,
    behind: &'w str,
    origin: Origin,
}

impl<'w> Row<'w> {
    /// `has_own` says whether a value may be the answer to an input in the text, beside the answer to the
    /// question.
    pub(super) const fn new(has_own: bool) -> Self {
        Self { has_own, last: None }
    }

    /// Returns the standing of the value at `index`. `displayed` says whether another one begins a line.
    pub(super) fn standing<B: Build>(
        &mut self,
        window: &Window<'w>,
        found: &[FoundValue<B>],
        index: usize,
        displayed: bool,
    ) -> Standing {
        let Some(one) = found.get(index) else { return Standing::Value };
        if standing::is_sketched_inside(window, one) {
            return Standing::Sketch;
        }
        let place = Place::of(window, found, index);
        let around = match (self.last, place) {
            (Some((last, standing)), Some(place)) if last.next() == place => standing,
            _ if self.has_own && pair::is_pair(window, one.span, one.origin) => {
                Standing::Pair.min(standing::around(window, one, displayed))
            }
            _ => standing::around(window, one, displayed),
        };
        self.last = place.map(|place| (place, around));
        around
    }
}

impl<'w> Place<'w> {
    fn of<B: Build>(window: &Window<'w>, found: &[FoundValue<B>], index: usize) -> Option<Self> {
        let one = found.get(index)?;
        let (last, next) = (found.get(index.checked_sub(1)?)?, found.get(index + 1)?);
        let between = |one: Span, next: Span| {
            are_adjacent(window, one, next)
                .then(|| window.slice(Span::new(one.end.min(next.start), next.start)))
        };
        let (before, behind) = (between(last.span, one.span)?, between(one.span, next.span)?);
        Some(Self { index, before, behind, origin: one.origin })
    }

    fn next(self) -> Self {
        Self { index: self.index + 1, ..self }
    }
}
