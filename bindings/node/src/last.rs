//! The last report, until somebody reads it or the next call replaces it.

use std::cell::RefCell;

/// A report and the number of its call.
struct Last {
    call: u32,
    flags: u32,
    write: Box<dyn FnOnce() -> String>,
}

thread_local! {
    static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
}

/// Keeps the report of a call. `write` makes its JSON.
pub(crate) fn keep(
    call: u32,
    is_unsure: bool,
    is_unfit: bool,
    write: impl FnOnce() -> String + 'static,
) {
    let flags = u32::from(is_unsure) | u32::from(is_unfit) << 1;
    LAST.set(Some(Last { call, flags, write: Box::new(write) }));
}

/// Returns the JSON of the report of a call, once; `None` if another call replaced it.
pub(crate) fn take(call: u32) -> Option<String> {
    let last = LAST.with_borrow_mut(|last| last.take_if(|last| last.call == call));
    last.map(|last| (last.write)())
}

/// Returns what the last call found: 1 if its value may lack something, plus 2 if it does not fit its schema.
pub(crate) fn flags() -> u32 {
    LAST.with_borrow(|last| last.as_ref().map_or(0, |last| last.flags))
}

/// Drops the report.
pub(crate) fn clear() {
    LAST.set(None);
}
