//! Parentheses where a value may begin: of a tuple, an object, literals or a single value.

use crate::{
    Rule, Span,
    judge::{
        bracket::parenthesis,
        key::{keyed, opens_key},
        words::function,
    },
    parser::{GrammarState, Opened, Parser, Stop, Window},
    sink::{Container, Sink},
};

impl Parser<'_> {
    /// Handles a parenthesis around literals or one value, or of a tuple.
    pub(super) fn parenthesis(
        &mut self,
        window: &Window<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        if keyed::has_arrow(window, self.at + 1) {
            return self.open_keyed(sink);
        }
        if function::is_arrow(window, self.at) {
            return self.bare(window, sink);
        }
        if self.literals_in_parentheses(window, sink)? {
            return Ok(());
        }
        if self.state == GrammarState::Value
            && self.opened(Opened::Plain)
            && let Some(end) = parenthesis::accounted(window, self.at)
        {
            self.verbatim(window, Span::new(self.at, end), Rule::NumberAsText, sink)?;
            self.finished(end);
            return Ok(());
        }
        let end = self.at + 1;
        if opens_key(window, window.skip_space(end)) {
            self.edit(Rule::WrongCloser, self.at, end, "{")?;
            return self.open(Container::Object, Opened::Plain, end, sink);
        }
        if let Some(close) = self.single_in_parentheses(window, self.at) {
            self.edit(Rule::Parentheses, self.at, end, "")?;
            self.parentheses.push(close);
            self.at = end;
            return Ok(());
        }
        if self.comma.is_some()
            && parenthesis::lacks_end(
                window,
                self.last_end,
                &self.stack,
                self.spacing,
                &mut self.budget.left,
            )
        {
            self.close_inside(1, sink)?;
            self.state = GrammarState::Item;
            return Ok(());
        }
        self.tuple(sink)
    }

    /// Opens a tuple with the parenthesis here.
    pub(super) fn tuple(&mut self, sink: &mut dyn Sink) -> Result<(), Stop> {
        let end = self.at + 1;
        self.edit(Rule::Tuple, self.at, end, "[")?;
        self.open(Container::Array, Opened::Tuple, end, sink)
    }

    /// Returns the position of the closing parenthesis, if the one at `at` surrounds a single value.
    pub(super) fn single_in_parentheses(
        &mut self,
        window: &Window<'_>,
        at: usize,
    ) -> Option<usize> {
        if self.stack.is_empty() || self.parentheses.len() >= parenthesis::MAX_PARENTHESES {
            return None;
        }
        parenthesis::around_one(window, at, &mut self.budget.left)
    }
}
