//! Objects in brackets or parentheses, and types before values.

use crate::{
    ErrorKind, Rule, Span,
    judge::{
        key::keyed::{self, KeyedMembers},
        words::constructor::Constructor,
    },
    parser::{GrammarState, Opened, Parser, Stop, Window, quote, string_token::StringToken},
    sink::{Container, Content, Sink},
};

impl Parser<'_> {
    /// Turns the array whose first item is here into an object, if that is a key and an arrow.
    /// Returns whether it is.
    pub(super) fn keyed_list(
        &mut self,
        window: &Window<'_>,
        sink: &mut dyn Sink,
    ) -> Result<bool, Stop> {
        if self.state != GrammarState::FirstItem
            || !self.opened(Opened::Plain)
            || window.byte(self.last_end - 1) != Some(b'[')
        {
            return Ok(false);
        }
        if !keyed::has_arrow(window, self.at) {
            return self.members_in_brackets(window, sink);
        }
        if let Some(frame) = self.stack.last_mut() {
            frame.kind = Container::Object;
            frame.opened = Opened::Keyed;
        }
        sink.becomes(Container::Object);
        self.edit(Rule::KeyedList, self.last_end - 1, self.last_end, "{")?;
        self.state = GrammarState::FirstKey;
        Ok(true)
    }

    /// Turns the array whose first item is here into an object, if members are in it. Returns whether
    /// there are.
    fn members_in_brackets(
        &mut self,
        window: &Window<'_>,
        sink: &mut dyn Sink,
    ) -> Result<bool, Stop> {
        match keyed::members(window, self.at, &mut self.budget.left) {
            None => Ok(false),
            Some(KeyedMembers::Objects) => {
                let detail = "cannot tell where the objects in this list begin";
                Err(Stop::new(ErrorKind::Ambiguous, Span::at(self.at), detail))
            }
            Some(KeyedMembers::Object) => {
                if let Some(frame) = self.stack.last_mut() {
                    frame.kind = Container::Object;
                }
                sink.becomes(Container::Object);
                self.edit(Rule::WrongCloser, self.last_end - 1, self.last_end, "{")?;
                self.state = GrammarState::FirstKey;
                Ok(true)
            }
        }
    }

    /// Opens an object with the parenthesis here.
    pub(super) fn open_keyed(&mut self, sink: &mut dyn Sink) -> Result<(), Stop> {
        let end = self.at + 1;
        self.edit(Rule::KeyedList, self.at, end, "{")?;
        self.open(Container::Object, Opened::Keyed, end, sink)
    }

    /// Removes the type before a value, and opens the value. Returns whether it has.
    pub(super) fn constructor(
        &mut self,
        window: &Window<'_>,
        constructor: Constructor,
        sink: &mut dyn Sink,
    ) -> Result<bool, Stop> {
        let open = match constructor {
            Constructor::Value(open) | Constructor::Named(open) | Constructor::List(open) => open,
            Constructor::One(open) if self.single_in_parentheses(window, open).is_some() => open,
            Constructor::Set(open) => return self.set_in_parentheses(window, open, sink),
            Constructor::One(_) => return Ok(false),
        };
        self.edit(Rule::TypeWrapper, self.at, open, "")?;
        self.at = open;
        match constructor {
            // The bracket or parenthesis is next.
            Constructor::Value(_) | Constructor::One(_) | Constructor::Set(_) => Ok(true),
            Constructor::Named(_) => self.open_keyed(sink).map(|()| true),
            Constructor::List(_) if keyed::has_arrow(window, open + 1) => {
                self.open_keyed(sink).map(|()| true)
            }
            // An array of Python is called with a list.
            Constructor::List(_) if self.single_in_parentheses(window, open).is_some() => Ok(true),
            Constructor::List(_) => self.tuple(sink).map(|()| true),
        }
    }

    /// Opens the set in the parenthesis at `open`, and removes what is before it. Returns whether
    /// there is one.
    fn set_in_parentheses(
        &mut self,
        window: &Window<'_>,
        open: usize,
        sink: &mut dyn Sink,
    ) -> Result<bool, Stop> {
        let Some(close) = self.single_in_parentheses(window, open) else { return Ok(false) };
        let brace = window.skip_space(open + 1);
        self.edit(Rule::TypeWrapper, self.at, brace, "")?;
        self.edit(Rule::Set, brace, brace + 1, "[")?;
        self.parentheses.push(close);
        self.at = brace;
        self.open(Container::Array, Opened::Set, brace + 1, sink).map(|()| true)
    }

    /// Replaces a type wrapper with its argument at `from..to`.
    pub(super) fn wrapper(
        &mut self,
        window: &Window<'_>,
        span: Span,
        from: usize,
        to: usize,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        self.edit(Rule::TypeWrapper, span.start, from, "")?;
        let inner = Span::new(from, to);
        match quote::opening(window, from) {
            Some(delimiter) => {
                let token = StringToken::new(from, to - 1, 1, delimiter);
                self.emit_string(window, &token, Rule::MissingEndQuote, sink)?;
            }
            None => sink.number(window, inner, Content::Plain(inner)),
        }
        self.edit(Rule::TypeWrapper, to, span.end, "")?;
        self.stats.solid += 1;
        self.finished(span.end);
        Ok(())
    }
}
