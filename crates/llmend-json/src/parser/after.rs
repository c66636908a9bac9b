//! The text between a value and the next one.

use crate::{
    ErrorKind, Rule, Span,
    judge::{
        bracket::{layout::closed_before, record},
        key::{
            bare_key, closed_name, next_object, odd_separator, opens_key, opens_pair,
            repeated::{Repeated, repeated},
            stray_key,
        },
        string::{context::KeyStyle, end_token},
        words::{
            annotation, bullet, decimal, ellipsis, expression,
            interjection::{self, outdent},
            notice, remark, replacement, stray, word,
        },
    },
    parser::{
        Frame, GrammarState, Opened, Parser, Spacing, Stop, Window, parent, quote, starts_value,
        trivia::{TriviaPosition, trivia_at},
    },
    sink::{Container, Sink},
};

/// Longest line of a fence, in bytes.
const FENCE_REACH: usize = 80;

impl Parser<'_> {
    /// Recovers after a complete value that neither a comma nor a bracket follows.
    #[cold]
    pub(super) fn recover_after(
        &mut self,
        window: &Window<'_>,
        byte: u8,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        if self.opened(Opened::Pair) {
            return self.recover_closer(window, byte, 0, sink);
        }
        if self.trivia(window, TriviaPosition::Elsewhere)? {
            return Ok(());
        }
        if self.interjection(window)? {
            return Ok(());
        }
        if self.block_ends(window) {
            return self.end_of_text(sink);
        }
        if self.ellipsis(window)? {
            return Ok(());
        }
        let Some(top) = self.top() else { return Err(Stop::unexpected(self.at)) };
        let character = window.character(self.at).unwrap_or_default();
        let mark = Span::new(self.at, self.at + character.len_utf8());
        match character {
            ';' if decimal::ends_at(window, self.at) => {
                let detail = "cannot tell decimal commas from separators";
                return Err(Stop::new(ErrorKind::Ambiguous, mark, detail));
            }
            ';' | '；' => {
                let next = super::trivia::skip(window, mark.end, self.spacing);
                if self.next_record(window, mark, next, sink)? {
                    return Ok(());
                }
                self.edit(Rule::Semicolon, mark.start, mark.end, ",")?;
                self.take_comma(top, mark);
                return self.drop_last_comma(window);
            }
            '，' | '、' | '،' => {
                self.edit(Rule::FullWidth, mark.start, mark.end, ",")?;
                self.take_comma(top, mark);
                return self.drop_last_comma(window);
            }
            ')' if self.parentheses.last() == Some(&self.at) => {
                self.parentheses.pop();
                self.edit(Rule::Parentheses, mark.start, mark.end, "")?;
                self.at = mark.end;
                self.last_end = mark.end;
                return Ok(());
            }
            ')' | '｝' | '］' | '】' | '）' => return self.any_closer(window, character, sink),
            '*' if stray::emphasis(window, self.last_end, self.at) => {
                self.edit(Rule::Emphasis, self.at, self.at + 2, "")?;
                self.at += 2;
                return Ok(());
            }
            _ => {}
        }
        self.missing_comma(window, top, sink)
    }

    /// Removes a comma in another notation if the container ends after it, so that no byte is
    /// edited twice.
    fn drop_last_comma(&mut self, window: &Window<'_>) -> Result<(), Stop> {
        let next = super::trivia::skip(window, self.at, self.spacing);
        let ends = matches!(window.character(next), Some('}' | ']' | '｝' | '］' | ')'))
            || (window.byte(next).is_none() && window.at_end);
        if ends && self.comma.is_some() {
            self.trailing_comma()?;
            self.state = GrammarState::After;
        }
        Ok(())
    }

    /// Inserts a missing comma, or handles text that does not belong to the value.
    fn missing_comma(
        &mut self,
        window: &Window<'_>,
        top: Container,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let start = self.at;
        let is_key = opens_key(window, start);
        if is_key && self.next_record(window, Span::at(self.last_end), start, sink)? {
            return Ok(());
        }
        let indented = if self.leaves_indented(window) { Some(1) } else { None };
        let closed = || closed_before(window, self.last_end, start, &self.stack);
        if let Some(count) = indented.or_else(closed) {
            return self.close_inside(count, sink);
        }
        if record::begins(window, self.last_end, start, &self.stack) {
            self.close_inside(self.stack.len(), sink)?;
            self.at = self.last_end;
            self.state = GrammarState::Done;
            return Ok(());
        }
        if window.byte(start) == Some(b'[') && self.lacks_row_end(window) {
            return self.close_inside(1, sink);
        }
        if replacement::is_at(window, start) {
            let detail = "cannot tell which of two values counts";
            return Err(Stop::new(ErrorKind::Ambiguous, Span::at(start), detail));
        }
        if top == Container::Object
            && let Some(length) = odd_separator(window, start)
        {
            let mark = Span::new(start, start + length);
            let next = super::trivia::skip(window, mark.end, self.spacing);
            if self.next_record(window, mark, next, sink)? {
                return Ok(());
            }
            self.edit(Rule::Semicolon, mark.start, mark.end, ",")?;
            self.take_comma(top, mark);
            return Ok(());
        }
        let next = match top {
            Container::Object => {
                let quoted = is_key || (self.lacks_colons && opens_pair(window, start));
                quoted
                    || (start > self.last_end && closed_name(window, start).is_some())
                    || (bare_key(window, start).is_some() && !self.is_remark(window))
            }
            Container::Array => self.begins_item(window, start),
        };
        let line = || window.slice(Span::new(self.last_end, start)).contains('\n');
        let next = next || (line() && bullet::end(window, start, top).is_some());
        let budget = &mut self.budget.left;
        let spacing = self.spacing;
        if next
            && parent(&self.stack) == Some(Container::Object)
            && top == Container::Array
            && is_key
            && stray_key::is_of_outer(window, self.last_end, &self.stack, spacing, budget)
        {
            // The key belongs to the object around the array, whose closing bracket is missing,
            // too.
            return self.close_inside(1, sink);
        }
        if next {
            self.edit(Rule::MissingComma, self.last_end, self.last_end, ",")?;
            self.take_comma(top, Span::at(self.last_end));
            self.comma = None;
            self.at = start;
            return Ok(());
        }
        if stray::is_prose(window, self.last_end, start, &mut self.budget.left)
            || stray::is_remark(window, start)
            || outdent::is_last(window, start)
        {
            return self.end_of_text(sink);
        }
        if top == Container::Object && next_object(window, start, &self.stack) {
            return self.close_inside(1, sink);
        }
        if let Some(end) = annotation::behind(window, self.last_end, self.at, top) {
            self.edit(Rule::Annotation, start, end, "")?;
            self.at = end;
            return Ok(());
        }
        if expression::continues(window, self.last_end, start) {
            return Err(Stop::new(ErrorKind::Expression, Span::at(start), ""));
        }
        // Stray words, followed by structure.
        let end = stray::words(window, start).ok_or(Stop::unexpected(start))?;
        self.edit(Rule::StrayText, start, end, "")?;
        self.at = end;
        Ok(())
    }

    /// Returns whether an item of a list begins at `start`, behind another one.
    fn begins_item(&self, window: &Window<'_>, start: usize) -> bool {
        let byte = window.byte(start).unwrap_or_default();
        let dash = byte == b'-' && window.byte(start + 1) == Some(b' ');
        let word = window.run(start, |byte| byte.is_ascii_alphabetic());
        let literal = word::literal(window.slice(Span::new(start, start + word)));
        let known =
            (starts_value(byte) && !byte.is_ascii_alphabetic() && !dash) || literal.is_some();
        let tuple = byte == b'(' && window.byte(self.last_end - 1) == Some(b')');
        let note = annotation::opens(window, self.last_end, start)
            && annotation::behind(window, self.last_end, self.at, Container::Array).is_some();
        (known && !note)
            || tuple
            || quote::opening(window, start).is_some()
            || stray::is_last_word(window, start, self.spacing)
    }

    /// Begins the next record of a list, if `key`, behind `separator`, which stands for a comma, is the
    /// first one of the innermost object again. Returns whether it does. Another key that stands
    /// twice hides a value.
    fn next_record(
        &mut self,
        window: &Window<'_>,
        separator: Span,
        key: usize,
        sink: &mut dyn Sink,
    ) -> Result<bool, Stop> {
        let object = |frame: &&Frame| frame.kind == Container::Object;
        let Some(frame) = self.stack.last().filter(object) else { return Ok(false) };
        match repeated(window, frame.start, key, &mut self.budget.left) {
            None => Ok(false),
            Some(Repeated::First) if parent(&self.stack) == Some(Container::Array) => {
                self.close_inside(1, sink)?;
                let rule = if separator.is_empty() { Rule::MissingComma } else { Rule::Semicolon };
                self.edit(rule, separator.start, separator.end, ",")?;
                self.edit(Rule::MissingOpener, key, key, "{")?;
                self.at = key;
                self.open(Container::Object, Opened::Plain, key, sink)?;
                Ok(true)
            }
            // What stands between both may say which one counts.
            Some(_) if !window.slice(Span::new(separator.end, key)).trim().is_empty() => Ok(false),
            Some(_) => {
                let detail = "cannot tell whether another record begins here: the key stands twice";
                Err(Stop::new(ErrorKind::Ambiguous, Span::at(key), detail))
            }
        }
    }

    /// Returns whether a remark after the text, like `Total tokens: 512`, is here instead of a key:
    /// the value has quoted keys and is cut off.
    fn is_remark(&mut self, window: &Window<'_>) -> bool {
        self.key_style() == KeyStyle::Quoted
            && self.stats.members > 0
            && (outdent::is_last(window, self.at)
                || stray::is_prose(window, self.last_end, self.at, &mut self.budget.left))
    }

    /// Removes comments and odd white space. Returns whether there were any.
    pub(super) fn trivia(
        &mut self,
        window: &Window<'_>,
        place: TriviaPosition,
    ) -> Result<bool, Stop> {
        let Some(found) = trivia_at(window, self.at, place) else {
            return self.remark(window, place);
        };
        if found.open {
            // The end of the text was reached in search of its end, and will be again for the next
            // one.
            self.budget.left = self.budget.left.saturating_sub(found.end - self.at);
        }
        if found.open && !self.stack.is_empty() {
            // A comment without an end may have swallowed the rest of the value.
            let inside = window.slice(Span::new(self.at, found.end));
            if inside.contains(['}', ']']) || inside.contains("\":") {
                return Err(Stop::new(
                    ErrorKind::Ambiguous,
                    Span::at(self.at),
                    "cannot tell where this comment ends",
                ));
            }
        }
        let mut end = found.end;
        if found.rule == Rule::EscapedWhitespace {
            self.spacing = Spacing::Escaped;
            let next = super::trivia::skip(window, end, Spacing::Escaped);
            if matches!(self.state, GrammarState::Item | GrammarState::FirstItem)
                && window.byte(next) == Some(b',')
            {
                let span = Span::new(self.at, end);
                return Err(Stop::new(
                    ErrorKind::Ambiguous,
                    span,
                    "cannot tell an item from white space",
                ));
            }
            // White space before a plain line break is removed with it.
            while window.starts_with(end, b"\\n")
                || window.starts_with(end, b"\\t")
                || window.starts_with(end, b"\\r")
            {
                end += 2;
            }
        }
        self.markdown |= found.rule == Rule::NeedlessEscape;
        self.edit(found.rule, self.at, end, "")?;
        self.at = end;
        Ok(true)
    }

    /// Removes a remark up to the end of the line. Returns whether there was one.
    fn remark(&mut self, window: &Window<'_>, place: TriviaPosition) -> Result<bool, Stop> {
        let Some(top) = self.top().filter(|_| place == TriviaPosition::Elsewhere) else {
            return Ok(false);
        };
        let spaced = window.character_before(self.at).is_some_and(char::is_whitespace);
        let Some(end) = remark::end(window, self.at, top).filter(|_| spaced) else {
            return Ok(false);
        };
        self.edit(Rule::Annotation, self.at, end, "")?;
        self.at = end;
        Ok(true)
    }

    /// Removes a bullet before an item or member. Returns whether there was one.
    pub(super) fn bullet(&mut self, window: &Window<'_>) -> Result<bool, Stop> {
        let Some(top) = self.top().filter(|_| self.state != GrammarState::Value) else {
            return Ok(false);
        };
        let Some(end) = bullet::end(window, self.at, top) else { return Ok(false) };
        self.edit(Rule::Bullet, self.at, end, "")?;
        self.at = end;
        Ok(true)
    }

    /// Removes text that interrupts the value. Returns whether there was any.
    pub(super) fn interjection(&mut self, window: &Window<'_>) -> Result<bool, Stop> {
        let Some(top) = self.top() else { return Ok(false) };
        let end = interjection::end(window, self.at, top, &mut self.budget.left);
        let Some(end) = end else { return Ok(false) };
        self.edit(Rule::Interjection, self.at, end, "")?;
        self.at = end;
        Ok(true)
    }

    /// Removes three dots for omitted content. Returns whether there were any.
    pub(super) fn ellipsis(&mut self, window: &Window<'_>) -> Result<bool, Stop> {
        let length = if window.starts_with(self.at, b"...") {
            window.run(self.at, |byte| byte == b'.')
        } else if window.character(self.at) == Some('…') {
            '…'.len_utf8()
        } else {
            return Ok(false);
        };
        if self.stack.is_empty() {
            return Ok(false);
        }
        let length = length + ellipsis::remark(window, self.at + length).unwrap_or(0);
        self.edit(Rule::Ellipsis, self.at, self.at + length, "")?;
        self.at += length;
        if let Some(comma) = self.comma
            && self.state != GrammarState::After
        {
            // The comma before the dots is removed with them. A comma after them takes its place.
            let next = window.skip_space(self.at);
            if window.byte(next) == Some(b',') {
                self.edit(Rule::Ellipsis, next, next + 1, "")?;
                self.at = next + 1;
            } else if matches!(window.character(next), Some('}' | ']' | '｝' | '］')) {
                self.log.withdraw(comma);
                self.edit(Rule::Ellipsis, comma.start, comma.end, "")?;
                self.comma = None;
                self.state = GrammarState::After;
            }
        }
        Ok(true)
    }

    /// Returns whether a closing fence or tag, or a notice that the text was cut off, ends the block
    /// around the value here.
    pub(super) fn block_ends(&self, window: &Window<'_>) -> bool {
        self.block_ends_at(window, self.at)
            || (!self.stack.is_empty() && notice::is_at(window, self.at))
    }

    /// Returns whether a closing fence or tag, or a token of a chat template, ends the block around the
    /// value at `at`.
    pub(super) fn block_ends_at(&self, window: &Window<'_>, at: usize) -> bool {
        let ends = match window.byte(at) {
            Some(b'`') => window.starts_with(at, b"```"),
            Some(b'~') => {
                let line = window.line_after(at, FENCE_REACH);
                line.starts_with("~~~") && line.trim_end().trim_start_matches('~').is_empty()
            }
            Some(b'<') => {
                window.starts_with(at, b"</")
                    || (window.starts_with(at, b"<|") && !window.starts_with(at, b"<|\"|>"))
                    || end_token::ends_value(window, at)
            }
            _ => false,
        };
        ends && !self.stack.is_empty()
    }

    /// Handles a closing bracket in any notation.
    pub(super) fn any_closer(
        &mut self,
        window: &Window<'_>,
        character: char,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let byte = match character {
            '}' | '｝' => b'}',
            ']' | '］' | '】' => b']',
            _ => b')',
        };
        if character.is_ascii() && byte != b')' {
            return self.closing(window, byte, sink);
        }
        self.recover_closer(window, byte, character.len_utf8(), sink)
    }
}
