//! Reading of a whole text: as a captured stream, or by a scan.

use crate::{
    Choice, Error, Options,
    extract::{Build, Scan, capture},
    parser::Window,
    pipeline::{
        conclusion::ReadOutcome,
        copy::{Choose, captured, concluded, scanned},
        reread,
    },
};

/// Finds the candidates in a whole text, chooses among them, and reports.
pub(super) fn read<B: Build>(
    text: &str,
    options: &Options,
    by_fitting: bool,
    choose: Choose<'_, B>,
) -> Result<ReadOutcome<B>, Error> {
    crate::limits::check_size(text.len(), options)?;
    let window = Window::whole(text);
    if let Some(outcome) = read_framed(&window, options, by_fitting, choose) {
        return outcome;
    }
    let mut scan = scanned(&window, options, by_fitting)?;
    if let Some(outcome) = read_unframed(&window, &scan, options, choose) {
        return outcome;
    }
    let chosen = choose(&window, &mut scan);
    let outcome = concluded(&window, scan, chosen, options);
    reread::read(&window, &outcome, options, by_fitting, choose).unwrap_or(outcome)
}

/// Reads a text whose lines are the events of a stream. Returns `None` if it is none, or if its
/// events have values of their own.
pub(crate) fn read_framed<B: Build>(
    window: &Window<'_>,
    options: &Options,
    by_fitting: bool,
    choose: Choose<'_, B>,
) -> Option<Result<ReadOutcome<B>, Error>> {
    if !capture::begins(window, options) {
        return None;
    }
    captured(window, capture::framed(window)?, options, by_fitting, choose)
}

/// Reads a text whose lines are the data of events, and were scanned as values of their own. Returns
/// `None` if they are.
pub(crate) fn read_unframed<B: Build>(
    window: &Window<'_>,
    scan: &Scan<'_, B>,
    options: &Options,
    choose: Choose<'_, B>,
) -> Option<Result<ReadOutcome<B>, Error>> {
    let leads = scan.found.first().is_some_and(|found| found.span.start == scan.beginning());
    if options.choice != Choice::Best || scan.found.len() < 2 || !leads {
        return None;
    }
    captured(window, capture::unframed(window)?, options, scan.is_by_fitting(), choose)
}
