//! One try at a value: how is it started, and what does it come to?

use crate::{
    ErrorKind, Origin, Span,
    extract::{Build, Failed, Found, choice},
    options::Settings,
    parser::{Budget, Flow, Machine, Place, State, Stop, Window},
};

/// How a try starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// At a value.
    Value,
    /// At the first member of an object without its brace.
    Member,
}

/// A value that is being read.
pub(crate) struct Reading<'o> {
    pub(crate) machine: Machine<'o>,
    start: usize,
    origin: Origin,
    /// The budget when it began.
    before: Budget,
}

impl<'o> Reading<'o> {
    /// Begins to read a value at `at` into `sink`.
    pub(crate) fn new<B: Build>(
        at: usize,
        start: Start,
        origin: Origin,
        options: &Settings<'o>,
        budget: Budget,
        sink: &mut B,
    ) -> Self {
        sink.begin();
        let mut machine = Machine::new(options, at);
        machine.budget = budget;
        if start == Start::Member {
            machine.unbraced(sink);
        }
        Self { machine, start: at, origin, before: budget }
    }

    /// Reads on. Nothing if the window is not enough.
    pub(crate) fn run<B: Build>(
        &mut self,
        window: &Window<'_>,
        sink: &mut B,
    ) -> Option<Result<Found<B>, Failed>> {
        let outcome = self.machine.run(window, sink);
        if outcome != Ok(Flow::More) || window.at_end {
            self.machine.budget.reach(self.machine.at);
        }
        match outcome {
            Ok(Flow::Done) => Some(Ok(self.found(sink))),
            Ok(_) if !window.at_end => None,
            Ok(_) => {
                let end = Span::at(window.end());
                let stop = Stop::new(ErrorKind::UnexpectedEnd, end, "");
                Some(Err(self.failed(window, stop)))
            }
            Err(stop) => Some(Err(self.failed(window, stop))),
        }
    }

    /// Where the machine is, or was before the step that failed.
    pub(crate) fn place(&self) -> Place {
        self.machine.failed.unwrap_or_else(|| self.machine.place())
    }

    /// Where it begins.
    pub(crate) const fn start(&self) -> usize {
        self.start
    }

    fn found<B: Build>(&mut self, sink: &mut B) -> Found<B> {
        let machine = &mut self.machine;
        let repairs = machine.log.finish();
        let edited = repairs.last().map_or(self.start, |repair| repair.span.end);
        Found {
            span: Span::new(self.start, machine.last_end.max(edited)),
            origin: self.origin,
            cut: machine.cut,
            seen: machine.seen,
            repairs,
            in_failure: false,
            built: sink.end(),
        }
    }

    pub(super) fn failed(&self, window: &Window<'_>, stop: Stop) -> Failed {
        let place = self.place();
        Failed {
            start: self.start,
            stop,
            at: self.machine.at,
            step: u32::try_from(place.at).unwrap_or(u32::MAX),
            inside: place.inside(),
            cost: self.machine.budget.since(self.before),
            depth: self.machine.stack.len(),
            seen: self.machine.seen,
            wrapped: self.origin.is_wrapped(),
            settled: self.is_settled(window),
        }
    }

    /// Whether those who take the first value take this one, whatever comes: it has a member with
    /// quotes or a number in it, or stands in a wrapper, and its first scalar has begun.
    pub(crate) fn is_settled(&self, window: &Window<'_>) -> bool {
        let Place { at, state, seen, .. } = self.place();
        let awaits = matches!(state, State::Value | State::Item | State::FirstItem);
        let begins =
            || awaits && matches!(window.byte(at), Some(b'"' | b'0'..=b'9' | b't' | b'f' | b'n'));
        choice::is_sound(&seen, self.origin) && (seen.scalars > 0 || begins())
    }
}
