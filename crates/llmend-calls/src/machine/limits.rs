//! Limits of what a text may hold and cost.

use llmend_json::{Diagnostic, Severity, Span};

use super::{Event, Machine, Mode};

/// Maximum number of calls in a text, with those that are refused.
const MAX_CALLS: usize = 4096;
/// Work that a text may cost, as a multiple of what was decided.
const WORK_SHARE: usize = 24;
/// Work that any text may cost.
const WORK_FLOOR: usize = 1 << 18;

impl Machine {
    /// Stops where there are more calls than an answer has.
    pub(super) fn limit_calls(&mut self) -> bool {
        if self.calls < MAX_CALLS {
            return false;
        }
        let message = format!("more than {MAX_CALLS} calls");
        let row = Diagnostic::new("limit/calls", Severity::Error, message)
            .at(Span::at(self.at))
            .help("Ask for fewer calls at a time.");
        self.events.push(Event::Finding(Box::new(row)));
        self.events.push(Event::Boundary);
        self.mode = Mode::Done;
        true
    }

    /// Takes the rest as text where the search for calls costs too much.
    pub(super) fn limit_work(&mut self) {
        if self.work <= WORK_FLOOR + WORK_SHARE * self.at || matches!(self.mode, Mode::Rest) {
            return;
        }
        let message = "too many beginnings of calls without an end";
        let row = Diagnostic::new("limit/work", Severity::Error, message)
            .at(Span::at(self.at))
            .help("No call was searched for from here on.");
        self.events.push(Event::Finding(Box::new(row)));
        self.mode = Mode::Rest;
    }
}
