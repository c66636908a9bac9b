//! May a step be made before all of the text is here?
//!
//! A step that did not look past the end of what has arrived comes to the same whatever follows. So
//! a recovery is rehearsed on a copy of the machine that tells nobody; only if the window was
//! enough for it is it made in earnest.

use crate::{
    parser::{Flow, Log, Machine, Odd, Seen, State, Stop, Window},
    patience::Patience,
    sink::{Container, Sink},
};

/// A recovery is not rehearsed again for fewer bytes than these.
const LEAST: usize = 6;

/// What is remembered of a step that waits for more text.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    /// The strings that were read last: the one at hand, and the key behind it.
    strings: [Reading; 2],
    patience: Patience,
}

/// How far the inside of a string was read.
#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    start: usize,
    at: usize,
    escaped: bool,
    /// Whether its closing quote stands at `at`.
    closed: bool,
}

impl Waiting {
    /// The same as [`Window::scan_string`], without reading anything twice.
    pub(super) fn scan_string(
        &mut self,
        window: &Window<'_>,
        start: usize,
    ) -> Option<(usize, bool)> {
        let [first, second] = &mut self.strings;
        let reading =
            if first.start == start || (second.start != start && first.start < second.start) {
                first
            } else {
                second
            };
        if reading.start != start {
            *reading = Reading { start, at: start, escaped: false, closed: false };
        }
        if !reading.closed {
            let (at, escaped, closed) = window.scan_string_on(reading.at, reading.escaped);
            *reading = Reading { start, at, escaped, closed };
        }
        reading.closed.then_some((reading.at, reading.escaped))
    }

    /// Whether nothing that has arrived since can help the step that waits.
    pub(super) fn is_vain(&self, window: &Window<'_>) -> bool {
        self.patience.is_vain(window)
    }

    /// Puts a strict step off. Of the strings at `at`, it looks again only at what is new.
    pub(super) fn wait_strictly(&mut self, window: &Window<'_>, at: usize) {
        let ends = self.strings.iter().filter(|reading| reading.start > at).map(|string| string.at);
        self.patience.wait(window, ends.max().unwrap_or(at).min(window.end()));
    }
}

/// Where a machine is, before it makes a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) at: usize,
    pub(crate) state: State,
    /// Kind of the innermost open container.
    pub(crate) top: Option<Container>,
    pub(crate) seen: Seen,
}

impl Place {
    /// The innermost container that is open, and whether a key of it awaits its value.
    pub(crate) fn inside(&self) -> Option<(Container, bool)> {
        let awaits = self.state == State::Value;
        self.top.map(|top| (top, top == Container::Object && awaits))
    }
}

impl Machine<'_> {
    /// Where it is.
    pub(crate) fn place(&self) -> Place {
        Place { at: self.at, state: self.state, top: self.top(), seen: self.seen }
    }

    /// Leaves what stands here to a recovery, if what has arrived is enough for it.
    #[cold]
    pub(super) fn odd_if_certain<S: Sink>(
        &mut self,
        odd: Odd,
        window: &Window<'_>,
        sink: &mut S,
    ) -> Result<Flow, Stop> {
        if window.is_starved() {
            self.waiting.wait_strictly(window, self.at);
            return Ok(Flow::More);
        }
        let mut rehearsal = self.understudy();
        let outcome = rehearsal.odd(odd, window, &mut ());
        if window.is_starved() {
            self.waiting.patience.wait_for(window, self.at, LEAST);
            return Ok(Flow::More);
        }
        if let Err(stop) = outcome {
            // What fails is not begun: the sink keeps what it was told before.
            let Self { at, seen, stack, budget, failed, .. } = rehearsal;
            (self.at, self.seen, self.stack, self.budget) = (at, seen, stack, budget);
            self.failed = failed;
            return Err(stop);
        }
        self.odd(odd, window, sink)?;
        Ok(Flow::Done)
    }

    /// A copy of the machine for a rehearsal.
    fn understudy(&self) -> Self {
        Self {
            options: self.options.clone(),
            stack: self.stack.clone(),
            parentheses: self.parentheses.clone(),
            log: Log::of_rehearsal(&self.options),
            waiting: Waiting::default(),
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
        parser::{Flow, Machine, Window},
        value::build::Tape,
    };

    /// Reads `text` in pieces of `step` bytes or a few more.
    fn in_pieces(text: &str, step: usize) -> Option<Value<'_>> {
        let options = Options::default();
        let mut machine = Machine::new(&crate::options::Settings::Lent(&options), 0);
        let mut tape = Tape::default();
        let mut end = 0;
        loop {
            end = (end + step..=text.len())
                .find(|&end| text.is_char_boundary(end))
                .unwrap_or(text.len());
            let window = Window::part(text.get(..end)?, 0, end == text.len());
            if machine.run(&window, &mut tape).ok()? == Flow::Done {
                let part = tape.end();
                return tape.finish(text, Span::default(), &[part]);
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
