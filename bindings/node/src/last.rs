//! The last report, until somebody reads it or the next call replaces it.

use std::cell::{Cell, RefCell};

use llmend_json::{Candidate, Class, Offsets, Origin, Report};

use crate::UNIT;

/// A report.
struct Last {
    flags: u32,
    found: Found,
    text: String,
    write: Box<dyn FnOnce(&str) -> String>,
}

/// Which part of a text its value was read from, and the worst class of its repairs.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    candidate: Candidate,
    class: Option<Class>,
}

impl Found {
    /// Returns what a report says of the value.
    pub(crate) const fn of(report: &Report) -> Self {
        Self { candidate: report.candidate, class: report.class }
    }
}

thread_local! {
    static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
    static CALL: Cell<u32> = const { Cell::new(0) };
}

/// Begins a call, which drops the report of the last one.
pub(crate) fn begin() {
    LAST.set(None);
    CALL.set(CALL.get().wrapping_add(1));
}

/// Returns the number of the last call, by which its report can be had.
pub(crate) fn call() -> u32 {
    CALL.get()
}

/// Keeps the report of the call. `write` makes its JSON from the text.
pub(crate) fn keep(
    (is_unsure, is_unfit): (bool, bool),
    found: Found,
    text: String,
    write: impl FnOnce(&str) -> String + 'static,
) {
    let flags = u32::from(is_unsure) | u32::from(is_unfit) << 1;
    LAST.set(Some(Last { flags, found, text, write: Box::new(write) }));
}

/// Returns the JSON of the report of a call, once; `None` if another call replaced it.
pub(crate) fn take(call: u32) -> Option<String> {
    let last = if call == CALL.get() { LAST.take() } else { None };
    last.map(|last| (last.write)(&last.text))
}

/// Returns what the last call found: 1 if its value may lack something, plus 2 if it does not fit its schema.
pub(crate) fn flags() -> u32 {
    LAST.with_borrow(|last| last.as_ref().map_or(0, |last| last.flags))
}

/// Returns the start and the end of the text that the last call read as the value, in UTF-16 units, 1 if it stands in other
/// text without a mark, and the number of the worst class of its repairs, from 1: what the drop-in for jsonrepair needs
/// of a report. Nothing if the call failed.
pub(crate) fn found() -> Vec<u32> {
    LAST.with_borrow(|last| {
        let Some(Last { found: Found { candidate, class }, text, .. }) = last else {
            return Vec::new();
        };
        let offsets = Offsets::new(text, UNIT);
        let unit = |at| u32::try_from(offsets.at(at)).unwrap_or(u32::MAX);
        let class = match class {
            None => 0,
            Some(Class::Notation) => 1,
            Some(Class::Completion) => 2,
            Some(Class::Guess) => 3,
            Some(Class::Loss) => 4,
        };
        let is_bare = u32::from(candidate.origin == Origin::Bare);
        vec![unit(candidate.span.start), unit(candidate.span.end), is_bare, class]
    })
}
