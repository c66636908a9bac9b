//! A progress bar on the terminal.

use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

use crate::render::grouped;

/// Cells of the bar.
const CELLS: usize = 28;
/// Time between two drawings.
const PAUSE: Duration = Duration::from_millis(100);

/// A line on standard error that is redrawn.
#[derive(Debug)]
pub(crate) struct Progress {
    /// The total in bytes or rows, if it is known.
    total: Option<u64>,
    /// The plural noun of what is counted.
    noun: &'static str,
    started: Instant,
    drawn: Option<Instant>,
    /// The text after the count.
    note: String,
    /// Whether anything is drawn.
    shown: bool,
}

impl Progress {
    /// Creates progress that is drawn if standard error is a terminal, and nothing `prints` to a terminal
    /// too, which would run into the bar.
    pub(crate) fn for_watcher(total: Option<u64>, noun: &'static str, prints: bool) -> Self {
        let shown = io::stderr().is_terminal() && !(prints && io::stdout().is_terminal());
        Self { total, noun, started: Instant::now(), drawn: None, note: String::new(), shown }
    }

    /// Creates progress that is never drawn.
    pub(crate) fn hidden() -> Self {
        Self { shown: false, ..Self::for_watcher(None, "", true) }
    }

    #[cfg(feature = "table")]
    /// Sets the total and starts the clock.
    pub(crate) fn expect(&mut self, total: u64) {
        self.total = Some(total);
        self.started = Instant::now();
    }

    #[cfg(feature = "models")]
    /// Sets the text after the count.
    pub(crate) fn note(&mut self, note: String) {
        self.note = note;
    }

    /// Redraws if it is due, with the amount done and the count.
    pub(crate) fn advance(&mut self, done: u64, count: usize) {
        let due = self.drawn.is_none_or(|drawn| drawn.elapsed() >= PAUSE);
        if self.shown && due {
            self.drawn = Some(Instant::now());
            let mut line = line((done, self.total), (count, self.noun), self.started.elapsed());
            if !self.note.is_empty() {
                line.push_str(", ");
                line.push_str(&self.note);
            }
            let mut err = io::stderr().lock();
            let _ = write!(err, "\r{line}\x1b[K").and_then(|()| err.flush());
        }
    }

    /// Clears the line.
    pub(crate) fn clear(&mut self) {
        if self.drawn.take().is_some() {
            let mut err = io::stderr().lock();
            let _ = write!(err, "\r\x1b[K").and_then(|()| err.flush());
        }
    }
}

/// Returns the line: a bar and a percentage if the total is known, then the count and the rate.
fn line(
    (done, total): (u64, Option<u64>),
    (count, noun): (usize, &str),
    elapsed: Duration,
) -> String {
    let rate = u128::try_from(count).unwrap_or(u128::MAX) * 1000 / elapsed.as_millis().max(1);
    let rate = usize::try_from(rate).unwrap_or(usize::MAX);
    let count = format!("{} {noun}, {} per second", grouped(count), grouped(rate));
    let Some(total) = total.filter(|total| *total > 0) else { return count };
    let share =
        |of: u64| usize::try_from(u128::from(done.min(total)) * u128::from(of) / u128::from(total));
    let full = share(CELLS as u64).unwrap_or(CELLS);
    let percent = share(100).unwrap_or(100);
    format!("[{}{}] {percent:3} %  {count}", "#".repeat(full), "-".repeat(CELLS - full))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::line;

    #[test]
    fn the_line_shows_what_is_known() {
        for (bytes, total, lines, expected) in [
            (0, Some(10), 0, "[----------------------------]   0 %  0 lines, 0 per second"),
            (
                5,
                Some(10),
                3000,
                "[##############--------------]  50 %  3,000 lines, 1,500 per second",
            ),
            (99, Some(10), 1, "[############################] 100 %  1 lines, 0 per second"),
            (7, Some(0), 4, "4 lines, 2 per second"),
            (7, None, 4, "4 lines, 2 per second"),
        ] {
            assert_eq!(line((bytes, total), (lines, "lines"), Duration::from_secs(2)), expected);
        }
    }
}
