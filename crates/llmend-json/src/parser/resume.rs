//! Parsing before the whole text has arrived.
//!
//! The outcome of a step that did not read past the end of the window does not depend on what
//! follows. A recovery is therefore run dry on a copy of the parser without a sink, and repeated
//! for real only if the window was enough for it.

use crate::{
    parser::{Deviation, Flow, GrammarState, Log, Parser, Stop, ValueStats, Window},
    retry_threshold::RetryThreshold,
    sink::{Container, Sink},
};

/// Minimum number of new bytes before a recovery is retried.
const MIN_NEW_BYTES: usize = 6;

/// The state of a step that waits for more text.
#[derive(Clone, Debug, Default)]
pub(super) struct PendingStep {
    /// The last strings: the current one, and the key after it.
    strings: [StringProgress; 2],
    retry: RetryThreshold,
}

/// How far the content of a string was read.
#[derive(Clone, Copy, Debug, Default)]
struct StringProgress {
    start: usize,
    at: usize,
    escaped: bool,
    /// Whether its closing quote is at `at`.
    closed: bool,
}

impl PendingStep {
    /// Does the same as [`Window::scan_string`], without reading anything twice.
    pub(super) fn scan_string(
        &mut self,
        window: &Window<'_>,
        start: usize,
    ) -> Option<(usize, bool)> {
        let [first, second] = &mut self.strings;
        let progress =
            if first.start == start || (second.start != start && first.start < second.start) {
                first
            } else {
                second
            };
        if progress.start != start {
            *progress = StringProgress { start, at: start, escaped: false, closed: false };
        }
        if !progress.closed {
            let (at, escaped, closed) = window.scan_string_on(progress.at, progress.escaped);
            *progress = StringProgress { start, at, escaped, closed };
        }
        progress.closed.then_some((progress.at, progress.escaped))
    }

    /// Returns whether too little text has arrived for a retry.
    pub(super) fn is_too_early(&self, window: &Window<'_>) -> bool {
        self.retry.is_too_early(window)
    }

    /// Postpones a strict step. It rereads only what is new of the strings at `at`.
    pub(super) fn postpone_strict(&mut self, window: &Window<'_>, at: usize) {
        let ends =
            self.strings.iter().filter(|progress| progress.start > at).map(|string| string.at);
        self.retry.postpone(window, ends.max().unwrap_or(at).min(window.end()));
    }
}

/// The position of a parser before a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checkpoint {
    pub(crate) at: usize,
    pub(crate) state: GrammarState,
    /// Kind of the innermost open container.
    pub(crate) top: Option<Container>,
    pub(crate) stats: ValueStats,
}

impl Checkpoint {
    /// Returns the innermost open container, and whether a key of it awaits its value.
    pub(crate) fn inside(&self) -> Option<(Container, bool)> {
        let awaits = self.state == GrammarState::Value;
        self.top.map(|top| (top, top == Container::Object && awaits))
    }
}

impl Parser<'_> {
    /// Returns the current position.
    pub(crate) fn checkpoint(&self) -> Checkpoint {
        Checkpoint { at: self.at, state: self.state, top: self.top(), stats: self.stats }
    }

    /// Continues behind an item that cannot be read and ends at `end`, in the list at this depth.
    pub(crate) fn resume_after(&mut self, depth: usize, end: usize) {
        self.stack.truncate(depth);
        self.parentheses.clear();
        self.log.mark();
        self.finished(end);
        (self.failed, self.around_key, self.prefix) = (None, None, None);
    }

    /// Recovers from a deviation, if enough text has arrived.
    #[cold]
    pub(super) fn recover_if_certain(
        &mut self,
        deviation: Deviation,
        window: &Window<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Flow, Stop> {
        if window.is_starved() {
            self.pending.postpone_strict(window, self.at);
            return Ok(Flow::More);
        }
        let mut dry_run = self.dry_run_copy();
        let outcome = dry_run.recover(deviation, window, &mut ());
        if window.is_starved() {
            self.pending.retry.postpone_for(window, self.at, MIN_NEW_BYTES);
            return Ok(Flow::More);
        }
        if let Err(stop) = outcome {
            // A failed step has no effects: the sink keeps what it received before.
            let Self { at, stats, stack, budget, failed, .. } = dry_run;
            (self.at, self.stats, self.stack, self.budget) = (at, stats, stack, budget);
            self.failed = failed;
            return Err(stop);
        }
        self.recover(deviation, window, sink)?;
        Ok(Flow::Done)
    }

    /// Returns a copy of the parser for a dry run.
    fn dry_run_copy(&self) -> Self {
        Self {
            options: self.options.clone(),
            stack: self.stack.clone(),
            parentheses: self.parentheses.clone(),
            log: Log::for_dry_run(&self.options),
            pending: PendingStep::default(),
            scratch: String::new(),
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Options, Span, Value,
        extract::Build,
        parser::{Flow, Parser, Window},
        value::build::Tape,
    };

    /// Reads `text` in pieces of `step` bytes or a few more.
    fn in_pieces(text: &str, step: usize) -> Option<Value<'_>> {
        let options = Options::default();
        let mut parser = Parser::new(&crate::options::Settings::Borrowed(&options), 0);
        let mut tape = Tape::default();
        let mut end = 0;
        loop {
            end = (end + step..=text.len())
                .find(|&end| text.is_char_boundary(end))
                .unwrap_or(text.len());
            let window = Window::part(text.get(..end)?, 0, end == text.len());
            if parser.run(&window, &mut tape).ok()? == Flow::Done {
                let part = tape.end();
                return tape.finish(text, Span::default(), &[part], false);
            }
            if end == text.len() {
                return None;
            }
        }
    }

    #[test]
    fn pieces_of_any_size_give_the_same_value() {
        for text in [
            r#"{"a": [1, -2.5e3, true, false, null], "b": {"c": "d\n\"é\" 😀"}, "": []}"#,
            "[[[[\"deep\"]]], {\"k\": \"v\"}, \"plain text with words\"]",
            "{\"steps\": [{\"id\": 1, \"tool\": \"copy\"}, {\"id\": 2, \"tool\": \"check\"}]}",
            "{'a': 'it''s', 'b': [1, 2,], c: True}",
            "{a: 1, /* no */ b: 2 // c\n, \"d\": \"say \"hi\" to\", e: [1 2], \"f\": \"x\n}",
        ] {
            let Ok(whole) = crate::parse(text) else { continue };
            for step in [1, 2, 3, 7, 20] {
                let value = in_pieces(text, step);
                assert!(value.as_ref() == Some(&whole.value), "{text} by {step}: {value:?}");
            }
        }
    }
}
