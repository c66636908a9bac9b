//! One attempt at parsing a value.

use crate::{
    ErrorKind, Origin, Span,
    extract::{Build, FailedAttempt, FoundValue, candidate, choice},
    options::Settings,
    parser::{Budget, Checkpoint, Flow, GrammarState, Parser, Stop, Window},
};

/// How an attempt starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// At a value.
    Value,
    /// At the first member of an object without its brace.
    Member,
}

/// A value being parsed.
pub(crate) struct Attempt<'o> {
    pub(crate) parser: Parser<'o>,
    start: usize,
    origin: Origin,
    /// Whether the text begins with it.
    pub(super) leads: bool,
    /// The budget at the start.
    before: Budget,
}

impl<'o> Attempt<'o> {
    /// Starts parsing a value at `at` into `sink`.
    pub(crate) fn new<B: Build>(
        at: usize,
        start: Start,
        origin: Origin,
        options: &Settings<'o>,
        budget: Budget,
        sink: &mut B,
    ) -> Self {
        sink.begin();
        let mut parser = Parser::new(options, at);
        parser.budget = budget;
        if start == Start::Member {
            parser.unbraced(sink);
        }
        Self { parser, start: at, origin, leads: false, before: budget }
    }

    /// Parses on. Returns `None` if the window is not enough.
    pub(crate) fn run<B: Build>(
        &mut self,
        window: &Window<'_>,
        sink: &mut B,
    ) -> Option<Result<FoundValue<B>, FailedAttempt>> {
        let outcome = self.parser.run(window, sink);
        if outcome != Ok(Flow::More) || window.at_end {
            self.parser.budget.reach(self.parser.at);
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

    /// Returns the position of the parser, or its position before the failed step.
    pub(crate) fn checkpoint(&self) -> Checkpoint {
        self.parser.failed.unwrap_or_else(|| self.parser.checkpoint())
    }

    /// Returns the start of the value.
    pub(crate) const fn start(&self) -> usize {
        self.start
    }

    fn found<B: Build>(&mut self, sink: &mut B) -> FoundValue<B> {
        let parser = &mut self.parser;
        let repairs = parser.log.finish();
        let edited = repairs.last().map_or(self.start, |repair| repair.span.end);
        FoundValue {
            span: Span::new(self.start, parser.last_end.max(edited)),
            origin: self.origin,
            cut: parser.cut,
            stats: parser.stats,
            repairs,
            in_failure: false,
            built: sink.end(),
        }
    }

    pub(super) fn failed(&self, window: &Window<'_>, stop: Stop) -> FailedAttempt {
        let place = self.checkpoint();
        FailedAttempt {
            step: u32::try_from(place.at).unwrap_or(u32::MAX),
            inside: place.inside(),
            cost: self.parser.budget.since(self.before),
            depth: self.parser.stack.len(),
            stats: self.parser.stats,
            origin: self.origin,
            accepted_first: self.is_accepted_first(window),
            ..FailedAttempt::new(self.start, self.parser.at, stop)
        }
    }

    /// Returns whether the choice `first` accepts this value, whatever follows: it has a quoted
    /// member or a number, or is wrapped, and its first scalar has begun. Or it is a list with which
    /// the text begins.
    pub(crate) fn is_accepted_first(&self, window: &Window<'_>) -> bool {
        let Checkpoint { at, state, stats, .. } = self.checkpoint();
        let awaits =
            matches!(state, GrammarState::Value | GrammarState::Item | GrammarState::FirstItem);
        let begins =
            || awaits && matches!(window.byte(at), Some(b'"' | b'0'..=b'9' | b't' | b'f' | b'n'));
        if self.leads && choice::is_list(window, self.start, &stats) {
            return true;
        }
        choice::is_sound(&stats, self.origin)
            && (stats.scalars > 0 || begins())
            && !candidate::is_in_sentence(window, self.start, self.origin, &stats)
    }
}
