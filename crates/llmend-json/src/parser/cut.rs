//! What becomes of a value whose text ends too early?

use std::borrow::Cow;

use crate::{
    ErrorKind, Rule, Span,
    parser::{Machine, Opened, State, Stop},
    sink::Sink,
};

impl Machine<'_> {
    /// The text ends here (or the block that holds it does), and containers are open or a value is
    /// awaited.
    #[cold]
    pub(super) fn end_of_text<S: Sink>(&mut self, sink: &mut S) -> Result<(), Stop> {
        let end = self.at;
        let stopped = Stop::new(ErrorKind::UnexpectedEnd, Span::at(end), "");
        if self.stack.is_empty() {
            return Err(stopped);
        }
        match self.state {
            State::Value => {
                // A key, and no value: the member goes, with the comma before it.
                self.log.forget_unsettled(self.member);
                self.edit(Rule::CutMember, self.member, end, "")?;
                sink.drop_key();
                self.seen.members = self.seen.members.saturating_sub(1);
                self.last_end = end;
            }
            State::Key | State::Item => {
                if let Some(comma) = self.comma.take() {
                    self.log.withdraw(comma);
                    self.edit(Rule::TrailingComma, comma.start, comma.end, "")?;
                    self.last_end = comma.end;
                }
            }
            _ => {}
        }
        self.close_all(end, sink)
    }

    /// The rest of the text, from `from` on, is a member that was begun: it goes.
    pub(super) fn cut_member<S: Sink>(&mut self, end: usize, sink: &mut S) -> Result<(), Stop> {
        let from = self.last_end;
        self.log.forget_unsettled(from);
        self.comma = None;
        self.edit(Rule::CutMember, from, end, "")?;
        self.last_end = end;
        self.close_all(end, sink)
    }

    /// Closes every open container at the end of the text.
    fn close_all<S: Sink>(&mut self, end: usize, sink: &mut S) -> Result<(), Stop> {
        let at = self.log.forget_trivia_from(self.last_end);
        let mut closers: Cow<'static, str> = Cow::Borrowed("");
        let mut cut = false;
        let mut braces = false;
        while let Some(frame) = self.stack.last() {
            match frame.opened {
                Opened::Nothing => braces = true,
                Opened::Pair => closers += "}",
                _ => {
                    closers += self.bracket();
                    cut = true;
                }
            }
            sink.close(at);
            self.stack.pop();
        }
        if closers.len() > self.options.max_closers {
            return Err(Stop::new(
                ErrorKind::UnexpectedEnd,
                Span::at(end),
                "more than one closer is missing",
            ));
        }
        if !closers.is_empty() {
            self.edit(Rule::MissingCloser, at, at, closers)?;
        }
        if braces {
            self.log.prepend(Rule::MissingBraces, Span::at(self.start), "{")?;
            self.edit(Rule::MissingBraces, at, at, "}")?;
        }
        if cut || self.cut.is_some() {
            self.cut = Some(self.cut.unwrap_or(end));
        }
        self.state = State::Done;
        self.at = end;
        self.last_end = at;
        Ok(())
    }
}
