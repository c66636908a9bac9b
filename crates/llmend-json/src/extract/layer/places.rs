//! The way from a layer's copy back to the caller's text.

use crate::{Repair, Span};

/// Maximum number of steps scanned linearly before a binary search.
const STEPS_AHEAD: usize = 16;

/// A map from offsets of a layer's copy to the caller's text.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// Ascending.
    steps: Vec<Step>,
}

/// The location of an offset of the copy in the caller's text.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    copy: usize,
    text: usize,
    /// Whether text before it was removed.
    removes: bool,
}

impl Places {
    /// Creates the map for the copy that `edits`, which are sorted and disjoint, make of the text from
    /// `start` on.
    pub(crate) fn new(start: usize, edits: &[Repair]) -> Self {
        let mut shift = start;
        let mut steps = Vec::with_capacity(edits.len() + 1);
        steps.push(Step { copy: 0, text: start, removes: false });
        for edit in edits {
            let at = edit.span.start.wrapping_sub(shift);
            shift = shifted(shift, edit);
            let removes = edit.replacement.is_empty();
            let (copy, text) = if removes {
                (at, edit.span.end)
            } else {
                (at + 1, (edit.span.end + 1).wrapping_sub(edit.replacement.len()))
            };
            steps.push(Step { copy, text, removes });
        }
        Self { steps }
    }

    /// Returns the location of `offset` of the copy.
    pub(crate) fn of(&self, offset: usize) -> usize {
        self.after(self.step(0, |step| step.copy <= offset), offset)
    }

    /// Returns the span between the locations of the ends of `span`.
    pub(crate) fn of_ends(&self, span: Span) -> Span {
        Span::new(self.of(span.start), self.of(span.end))
    }

    /// Returns a function that maps spans of the copy. The spans must ascend by start.
    pub(crate) fn of_spans(&self) -> impl FnMut(Span) -> Span {
        let mut near = 0;
        move |span| {
            near = self.step(near, |step| step.copy <= span.start);
            // What was removed behind a value does not belong to it.
            let last = self.step(near, |step| {
                step.copy < span.end.max(span.start + 1) || step.copy == span.end && !step.removes
            });
            Span::new(self.after(near, span.start), self.after(last, span.end))
        }
    }

    /// Returns the last step that `is_before` holds for, as for all before it, searching first from
    /// the step `near` on.
    fn step(&self, near: usize, is_before: impl Fn(&Step) -> bool) -> usize {
        match self.steps.iter().skip(near).take(STEPS_AHEAD).position(|step| !is_before(step)) {
            Some(count) if count > 0 => near + count - 1,
            _ => self.steps.partition_point(is_before).saturating_sub(1),
        }
    }

    /// Returns the location of `offset`, which lies between the step at `at` and the next.
    fn after(&self, at: usize, offset: usize) -> usize {
        let step = self.steps.get(at).copied().unwrap_or_default();
        step.text.wrapping_add(offset - step.copy)
    }
}

/// Returns what to add to an offset of the copy after `edit`, modulo the size of an offset, since an
/// edit may also add text.
pub(super) fn shifted(shift: usize, edit: &Repair) -> usize {
    shift.wrapping_add(edit.span.len()).wrapping_sub(edit.replacement.len())
}

#[cfg(test)]
mod tests {
    use super::Places;
    use crate::{Repair, Rule, Span};

    /// Checks the places of parts of a copy in the text.
    #[test]
    fn places_of_a_copy() {
        let edit = |start, end, replacement: &'static str| Repair {
            rule: Rule::EventStream,
            span: Span::new(start, end),
            replacement: replacement.into(),
        };
        // `xx\\"ab|y|c\\"zz` becomes `"abc"`.
        let text = "xx\\\"ab|y|c\\\"zz";
        let edits = [
            edit(0, 2, ""),
            edit(2, 4, "\""),
            edit(6, 9, ""),
            edit(10, 12, "\""),
            edit(12, 14, ""),
        ];
        assert_eq!(crate::apply(text, Span::new(0, text.len()), &edits), "\"abc\"");
        let places = Places::new(0, &edits);
        let mut place = places.of_spans();
        for (start, end, expected) in [
            (0, 5, "\\\"ab|y|c\\\""),
            (0, 1, "\\\""),
            (1, 3, "ab"),
            (1, 4, "ab|y|c"),
            (3, 4, "c"),
            (4, 5, "\\\""),
        ] {
            assert_eq!(place(Span::new(start, end)).of(text), expected, "{start} to {end}");
        }
    }
}
