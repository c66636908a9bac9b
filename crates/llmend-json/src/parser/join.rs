//! Literals that are joined to one string.

use crate::{
    ErrorKind, Rule, Span,
    judge::{
        key::{odd_separator, opens_key, opens_pair},
        string::{adjacent, context::Role, end::Ending},
        words::expression,
    },
    parser::{
        Parser, Stop, Window,
        quote::{self, Delimiter},
        string_token::StringToken,
        trivia,
    },
    sink::{Container, Content, Sink},
};

impl Parser<'_> {
    /// Parses joined literals: `"a" + "b"`. Returns whether there were several.
    pub(super) fn joined(
        &mut self,
        window: &Window<'_>,
        first: &StringToken,
        sink: &mut dyn Sink,
    ) -> Result<bool, Stop> {
        let (mut tokens, mut has_operator) = (vec![*first], false);
        loop {
            let last = tokens.last().map_or(first.span().end, |token| token.span().end);
            let plus = trivia::skip(window, last, self.spacing);
            let inside = tokens.last().map_or("", |token| window.slice(token.inside));
            if self.joins_beside
                && self.top() == Some(Container::Array)
                && adjacent::may_go_on(inside)
                && quote::opening(window, plus).is_some()
            {
                let detail = "cannot tell whether a comma is missing or the strings are one";
                return Err(Stop::new(ErrorKind::Ambiguous, Span::at(plus), detail));
            }
            let beside = plus > last
                && self.top() == Some(Container::Object)
                && quote::opening(window, plus).is_some()
                && !opens_key(window, plus)
                && !(self.lacks_colons && opens_pair(window, plus));
            let operator = expression::joins(window, plus).filter(|_| {
                // The dot is in place of a comma.
                odd_separator(window, plus).is_none()
            });
            if operator.is_none() && !beside {
                break;
            }
            has_operator |= operator.is_some();
            let at = plus + operator.unwrap_or(0);
            let at = trivia::skip(window, at, self.spacing);
            let Some(delimiter) = quote::opening(window, at) else {
                return self.expression(window, first.start, sink).map(|()| true);
            };
            match self.find_string_end(window, at + delimiter.open, delimiter, Role::Value) {
                Ending::Mark { at: end, length, .. } => {
                    tokens.push(StringToken::new(at, end, length, delimiter));
                }
                _ => return Err(Stop::unexpected(plus)),
            }
        }
        if tokens.len() < 2 {
            return Ok(false);
        }
        self.joins_beside |= !has_operator;
        self.join(window, &tokens, sink)?;
        self.finished(tokens.last().map_or(first.span().end, |token| token.span().end));
        Ok(true)
    }

    /// Parses one or several literals in parentheses, as Python joins them: `("a" "b")`.
    pub(super) fn literals_in_parentheses(
        &mut self,
        window: &Window<'_>,
        sink: &mut dyn Sink,
    ) -> Result<bool, Stop> {
        let open = self.at;
        let mut tokens: Vec<StringToken> = Vec::new();
        let mut at = open + 1;
        let close = loop {
            at = trivia::skip(window, at, self.spacing);
            if window.byte(at) == Some(b')') {
                break at;
            }
            let Some(delimiter) = quote::opening(window, at) else { return Ok(false) };
            let Some(end) = literal_end(window, at, delimiter) else { return Ok(false) };
            tokens.push(StringToken::new(at, end, delimiter.open, delimiter));
            at = end + delimiter.open;
        };
        let Some(last) = tokens.last() else { return Ok(false) };
        let end = last.span().end;
        let first = tokens.first().map_or(end, |token| token.start);
        let rule = if tokens.len() > 1 { Rule::Concatenation } else { Rule::Parentheses };
        self.edit(rule, open, first, "")?;
        self.join(window, &tokens, sink)?;
        self.edit(rule, end, close + 1, "")?;
        self.finished(close + 1);
        Ok(true)
    }

    /// Passes several literals to the sink as one string.
    fn join(
        &mut self,
        window: &Window<'_>,
        tokens: &[StringToken],
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let mut all = String::new();
        self.log.mark();
        for (at, token) in tokens.iter().enumerate() {
            let inside = self.repair_inside(
                window.slice(token.inside),
                token.inside.start,
                token.delimiter.style,
                false,
            )?;
            all.push_str(if inside.is_plain() {
                window.slice(token.inside)
            } else {
                &self.scratch
            });
            let close = token.inside.end;
            match tokens.get(at + 1) {
                Some(next) => self.edit(Rule::Concatenation, close, next.inside.start, "")?,
                None => {
                    if let Some(rule) = token.delimiter.style.rule() {
                        self.straighten(window, rule, Span::new(close, close + token.close))?;
                    }
                }
            }
        }
        if let Some(first) = tokens.first() {
            if let Some(at) = self.prefix.take() {
                self.drop_prefix(window, at, first)?;
            }
            if let Some(rule) = first.delimiter.style.rule() {
                self.edit(rule, first.start, first.inside.start, "\"")?;
            }
            let end = tokens.last().map_or(first.span().end, |last| last.span().end);
            sink.string(window, Span::new(first.start, end), Content::Repaired(&all));
        }
        self.stats.solid += 1;
        Ok(())
    }
}

/// Returns the position of the closing mark of the literal at `at`, the next unescaped one.
fn literal_end(window: &Window<'_>, at: usize, delimiter: Delimiter) -> Option<usize> {
    let mut end = at + delimiter.open;
    while window.byte(end).is_some_and(|byte| byte != b'\n') {
        if delimiter.style.closes(window, end).is_some() {
            return Some(end);
        }
        end += 1 + usize::from(window.byte(end) == Some(b'\\'));
    }
    None
}
