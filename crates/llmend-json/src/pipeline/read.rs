//! Reading of a whole text.

use crate::{
    Error, Options,
    extract::{Build, INITIAL_CAPACITY, Scan, Surroundings},
    limits::check_size,
    options::Settings,
    parser::Window,
    pipeline::conclusion::{DeliveredRepairs, ReadOutcome, conclude},
};

/// Scans a whole text. `with` adjusts the scan before it starts.
pub(super) fn scanned<'o, B: Build>(
    window: &Window<'_>,
    options: &'o Options,
    with: impl FnOnce(Scan<'o, B>) -> Scan<'o, B>,
) -> Result<Scan<'o, B>, Error> {
    let text = window.text;
    // A text that begins with a bracket usually is the value.
    let whole = matches!(window.byte(window.skip_space(0)), Some(b'{' | b'['));
    let room = if whole { text.len() } else { text.len().min(INITIAL_CAPACITY) };
    let mut scan = with(Scan::new(Settings::Borrowed(options), room));
    scan.run(window).map_err(|stop| stop.into_error(text))?;
    Ok(scan)
}

/// Finds the candidates, chooses among them, and reports.
pub(super) fn read<B: Build>(text: &str, options: &Options) -> Result<ReadOutcome<B>, Error> {
    check_size(text.len(), options)?;
    let window = Window::whole(text);
    let scan = scanned(&window, options, |scan| scan)?;
    let first = scan.beginning();
    let surroundings = |span| Surroundings::of(&window, first, span);
    conclude(&window, scan, None, options, &DeliveredRepairs::default(), &surroundings)
}
