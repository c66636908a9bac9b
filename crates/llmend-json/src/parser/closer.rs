//! Closing brackets.

use crate::{
    ErrorKind, Rule, Span,
    judge::{
        bracket::{
            closer::{Closing, closing},
            early::{self, Outermost},
        },
        key::repeated::repeated,
        words::constructor::element_type,
    },
    parser::{
        Deviation, Flow, GrammarState, Opened, Parser, Stop, Window, closes, parent,
        trivia::{self, TriviaPosition},
    },
    sink::{Container, Sink},
};

impl Parser<'_> {
    /// Handles `}` or `]` after a complete value or in an empty container.
    #[inline]
    pub(super) fn strict_closing<S: Sink + ?Sized>(
        &mut self,
        window: &Window<'_>,
        byte: u8,
        sink: &mut S,
    ) -> Flow {
        let end = self.at + 1;
        let Some(&frame) = self.stack.last() else { return Flow::Deviation(Deviation::Closer) };
        if frame.opened != Opened::Plain || !closes(byte, frame.kind) {
            return Flow::Deviation(Deviation::Closer);
        }
        let next = window.skip_space(end);
        match (window.byte(next), self.stack.len()) {
            (None, 1) if window.at_end => {}
            (None, _) if !window.at_end => return Flow::More,
            (Some(b'a'..=b'z' | b'A'..=b'Z' | b'*' | b'['), _)
                if next == end && self.state == GrammarState::FirstItem =>
            {
                return Flow::Deviation(Deviation::Closer);
            }
            (Some(_), 1) => return Flow::Deviation(Deviation::Outermost),
            (Some(b','), _)
                if match (frame.kind, parent(&self.stack)) {
                    (Container::Object, Some(Container::Array)) => Some(b'"'),
                    (Container::Array, Some(Container::Object)) => Some(b'{'),
                    _ => None,
                }
                .is_some_and(|wanted| window.byte(window.skip_space(next + 1)) == Some(wanted)) =>
            {
                return Flow::Deviation(Deviation::Early);
            }
            _ => {}
        }
        if window.is_starved() {
            return Flow::More;
        }
        self.close(end, sink);
        self.comma_at(window, next);
        Flow::Done
    }

    /// Handles a closing bracket within a recovery, including its deviations.
    pub(super) fn closing(
        &mut self,
        window: &Window<'_>,
        byte: u8,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        match self.strict_closing(window, byte, sink) {
            Flow::Deviation(deviation) => self.recover(deviation, window, sink),
            _ => Ok(()),
        }
    }

    /// Handles an object in a list that is closed and followed by a string instead of an object, or a
    /// list in an object that is followed by an object instead of a key.
    pub(super) fn early(&mut self, window: &Window<'_>, sink: &mut dyn Sink) -> Result<(), Stop> {
        let end = self.at + 1;
        let top = self.top();
        let budget = &mut self.budget.left;
        let early = match top {
            Some(Container::Array) => {
                early::is_early_list(window, self.at, &self.stack, self.spacing, budget)
            }
            _ => early::is_early(window, self.at, &self.stack, self.spacing, budget),
        };
        if early {
            return self.continue_container(window, end);
        }
        self.close(end, sink);
        Ok(())
    }

    /// Removes the closing brackets up to `end`, and continues the container.
    fn continue_container(&mut self, window: &Window<'_>, end: usize) -> Result<(), Stop> {
        self.drop_closers(window, Span::new(self.at, end))?;
        self.at = end;
        if !matches!(self.state, GrammarState::FirstKey | GrammarState::FirstItem) {
            self.state = GrammarState::After;
        }
        Ok(())
    }

    /// Removes the closing brackets at `span`, and the comments between them under their own rules.
    fn drop_closers(&mut self, window: &Window<'_>, span: Span) -> Result<(), Stop> {
        let mut at = span.start;
        while at < span.end {
            at = window.skip_space(at);
            let (rule, end) = match trivia::trivia_at(window, at, TriviaPosition::BeforeValue) {
                Some(found) => (found.rule, found.end),
                None => (Rule::StrayCloser, at + 1),
            };
            self.edit(rule, at, end, "")?;
            at = end;
        }
        Ok(())
    }

    /// Handles the closing bracket of the outermost container with something after it.
    #[cold]
    pub(super) fn outermost(
        &mut self,
        window: &Window<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        // Count the closing brackets, and check whether the text continues as if they were not
        // there.
        let mut next = self.at + 1;
        loop {
            let place = trivia::skip(window, next, self.spacing);
            match window.byte(place) {
                Some(b'}' | b']') => next = place + 1,
                _ => break,
            }
        }
        let surplus = next > self.at + 1;
        let place = trivia::skip(window, next, self.spacing);
        let outermost = Outermost {
            closer: self.at,
            end: next,
            comma: place,
            stack: &self.stack,
            spacing: self.spacing,
            style: self.key_style(),
        };
        // A key that stands twice begins another record, or hides a value.
        let start = self.stack.last().map_or(self.at, |frame| frame.start);
        let budget = &mut self.budget.left;
        let continues = match window.character(place) {
            Some(comma @ (',' | '，' | '،')) => {
                let key = window.skip_space(place + comma.len_utf8());
                repeated(window, start, key, budget).is_none()
                    && outermost.continues(window, budget)
            }
            Some('"') => {
                repeated(window, start, place, budget).is_none()
                    && outermost.has_member(window, budget)
            }
            _ => false,
        };
        if continues && self.closes_unopened(window, next) {
            let detail = "the beginning of the value may be missing";
            return Err(Stop::new(ErrorKind::Ambiguous, Span::new(self.at, next), detail));
        }
        if continues {
            return self.continue_container(window, next);
        }
        let end = self.at + 1;
        self.close(end, sink);
        if surplus {
            self.drop_closers(window, Span::new(end, next))?;
            self.last_end = next;
        }
        Ok(())
    }

    /// Returns whether the closing brackets of the outermost container up to `end` also close one of
    /// another kind around it, of which the text has no beginning.
    fn closes_unopened(&self, window: &Window<'_>, end: usize) -> bool {
        let kind = window.byte(self.at);
        let mut brackets = window.bytes(Span::new(self.at, end)).iter().copied();
        brackets.any(|byte| matches!(byte, b'}' | b']') && Some(byte) != kind)
    }

    /// Handles a closing bracket of `length` bytes that is not simply the right one.
    #[cold]
    pub(super) fn recover_closer(
        &mut self,
        window: &Window<'_>,
        byte: u8,
        length: usize,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let end = self.at + length;
        let Some(&frame) = self.stack.last() else { return Err(Stop::unexpected(self.at)) };
        if self.state == GrammarState::FirstItem
            && let Some(open) = element_type(window, end)
        {
            return self.typed_list(open);
        }
        match (frame.opened, byte) {
            (Opened::Pair, _) => {
                let here = self.at;
                self.edit(Rule::PairInArray, self.last_end, self.last_end, "}")?;
                self.close(self.last_end, sink);
                self.at = here;
                return Ok(());
            }
            (Opened::Indented, _) => return self.close_inside(1, sink),
            (Opened::Tuple, b')') => {
                self.edit(Rule::Tuple, self.at, end, "]")?;
                self.close(end, sink);
                return Ok(());
            }
            (Opened::Set, b'}') => {
                self.edit(Rule::Set, self.at, end, "]")?;
                self.close(end, sink);
                return Ok(());
            }
            (Opened::Keyed, b']' | b')') => {
                self.edit(Rule::KeyedList, self.at, end, "}")?;
                self.close(end, sink);
                return Ok(());
            }
            (Opened::Doubled, b'}') if length == 1 => return self.doubled_closer(window, sink),
            (Opened::Nothing, b'}') => {
                if length > 1 {
                    self.edit(Rule::FullWidth, self.at, end, "}")?;
                }
                self.log.prepend(Rule::MissingOpener, Span::at(self.start), "{")?;
                self.close(end, sink);
                return Ok(());
            }
            (Opened::Plain, _) if closes(byte, frame.kind) => {
                if length > 1 {
                    let bracket = if byte == b'}' { "}" } else { "]" };
                    self.edit(Rule::FullWidth, self.at, end, bracket)?;
                }
                self.close(end, sink);
                return Ok(());
            }
            _ => {}
        }
        self.mismatched_closer(window, byte, end, sink)
    }

    /// Removes the type of a list's elements, from the closing bracket here up to the brace at
    /// `open`, which opens the list: `[]string{"a"}`.
    fn typed_list(&mut self, open: usize) -> Result<(), Stop> {
        self.edit(Rule::TypeWrapper, self.at, open + 1, "")?;
        if let Some(frame) = self.stack.last_mut() {
            frame.opened = Opened::Set;
        }
        self.at = open + 1;
        self.last_end = self.at;
        Ok(())
    }

    /// Handles the first of two braces that close an object.
    fn doubled_closer(&mut self, window: &Window<'_>, sink: &mut dyn Sink) -> Result<(), Stop> {
        let end = self.at + 1;
        let second = window.skip_space(end);
        if window.byte(second) != Some(b'}') {
            return Err(Stop::new(
                ErrorKind::Ambiguous,
                Span::new(self.at, end),
                "one `}` for two `{`",
            ));
        }
        self.edit(Rule::DoubledBraces, end, second + 1, "")?;
        self.at = second;
        self.close(second + 1, sink);
        Ok(())
    }

    /// Handles a closing bracket that does not match the innermost container.
    fn mismatched_closer(
        &mut self,
        window: &Window<'_>,
        byte: u8,
        end: usize,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let kind = match byte {
            b'}' => Some(Container::Object),
            b']' => Some(Container::Array),
            _ => None,
        };
        let judged = closing(window, end, kind, &self.stack, self.spacing, &mut self.budget.left);
        match judged {
            Closing::Stray if self.state == GrammarState::After => {
                self.edit(Rule::StrayCloser, self.at, end, "")?;
                self.at = end;
            }
            Closing::Stray | Closing::Unclear => {
                return Err(Stop::new(
                    ErrorKind::Ambiguous,
                    Span::new(self.at, end),
                    "this bracket closes nothing that is open",
                ));
            }
            Closing::Wrong => {
                if self.opened(Opened::Nothing) {
                    self.log.prepend(Rule::MissingOpener, Span::at(self.start), "{")?;
                }
                let right = self.bracket();
                if window.slice(Span::new(self.at, end)) != right {
                    self.edit(Rule::WrongCloser, self.at, end, right)?;
                }
                self.close(end, sink);
            }
            Closing::Unclosed(inner) => {
                self.close_inside(inner, sink)?;
                self.state = GrammarState::After;
            }
        }
        Ok(())
    }

    /// Closes the `count` innermost containers, whose closing brackets are missing, where the last
    /// value ends.
    pub(super) fn close_inside(&mut self, count: usize, sink: &mut dyn Sink) -> Result<(), Stop> {
        let kept = self.stack.len().saturating_sub(count);
        let closed = self.stack.get(kept..).unwrap_or_default();
        let closers: String = closed.iter().rev().map(|frame| closer_of(frame.kind)).collect();
        self.edit(Rule::UnclosedInside, self.last_end, self.last_end, closers)?;
        self.stack.truncate(kept);
        (0..count).for_each(|_| sink.close(self.last_end));
        self.missing_closers =
            self.missing_closers.map(|missing_closers| missing_closers.saturating_sub(count));
        Ok(())
    }

    /// Returns the bracket that closes the innermost container in the output.
    pub(super) fn bracket(&self) -> &'static str {
        self.top().map_or("]", closer_of)
    }
}

/// Returns the bracket that closes a container of this kind.
const fn closer_of(kind: Container) -> &'static str {
    match kind {
        Container::Object => "}",
        Container::Array => "]",
    }
}
