//! What stands between a value and the next one, where it is not a comma?

use crate::{
    ErrorKind, Rule, Span,
    judge::{
        follow::follow,
        key::{bare_key, opens_key},
    },
    parser::{
        Machine, Spacing, State, Stop, Window, quote, starts_value,
        trivia::{Place, trivia_at},
    },
    sink::{Container, Sink},
};

impl Machine<'_> {
    /// A value is complete; neither a comma nor a bracket stands here.
    #[cold]
    pub(super) fn odd_after<S: Sink>(
        &mut self,
        window: &Window<'_>,
        byte: u8,
        sink: &mut S,
    ) -> Result<(), Stop> {
        if self.opened(super::Opened::Pair) {
            return self.odd_closer(window, byte, 0, sink);
        }
        if self.trivia(window, Place::Elsewhere)? {
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
            ';' | '；' => {
                self.edit(Rule::Semicolon, mark.start, mark.end, ",")?;
                self.take_comma(top, mark);
                return self.drop_last_comma(window);
            }
            '，' | '、' => {
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
            ')' | '｝' | '］' | '）' => return self.any_closer(window, character, sink),
            _ => {}
        }
        self.missing_comma(window, top, sink)
    }

    /// After a comma in another spelling: if the container ends here, the comma goes as a whole,
    /// so that no byte is edited twice.
    fn drop_last_comma(&mut self, window: &Window<'_>) -> Result<(), Stop> {
        let next = super::trivia::skip(window, self.at, self.spacing);
        if matches!(window.character(next), Some('}' | ']' | '｝' | '］' | ')'))
            || (window.byte(next).is_none() && window.at_end)
        {
            let Some(comma) = self.comma.take() else { return Ok(()) };
            self.log.withdraw(comma);
            self.edit(Rule::TrailingComma, comma.start, comma.end, "")?;
            self.state = State::After;
        }
        Ok(())
    }

    /// The next member or item stands here without a comma before it, or nothing of the value does.
    fn missing_comma<S: Sink>(
        &mut self,
        window: &Window<'_>,
        top: Container,
        sink: &mut S,
    ) -> Result<(), Stop> {
        let start = self.at;
        let byte = window.byte(start).unwrap_or_default();
        let next = match top {
            Container::Object => {
                let quoted = quote::opening(window, start).is_some() && opens_key(window, start);
                quoted || bare_key(window, start).is_some()
            }
            Container::Array => {
                let known = starts_value(byte) && !byte.is_ascii_alphabetic();
                known || quote::opening(window, start).is_some() || self.is_word_item(window)
            }
        };
        if next && top == Container::Array && self.closes_before_key(window) {
            // The key belongs to the object around the array, whose closer is missing as well.
            self.edit(Rule::UnclosedInside, self.last_end, self.last_end, "]")?;
            self.stack.pop();
            sink.close(self.last_end);
            return Ok(());
        }
        if next {
            self.edit(Rule::MissingComma, self.last_end, self.last_end, ",")?;
            self.take_comma(top, Span::at(self.last_end));
            self.comma = None;
            self.at = start;
            return Ok(());
        }
        if self.only_words_follow(window) {
            return self.end_of_text(sink);
        }
        if matches!(byte, b'*' | b'+' | b'-' | b'/' | b'%')
            && window.byte(start + 1).is_some_and(|b| b == b' ' || b.is_ascii_digit())
        {
            return Err(Stop::new(ErrorKind::Expression, Span::at(start), ""));
        }
        if self.is_operator(window) {
            return Err(Stop::new(ErrorKind::Expression, Span::at(start), ""));
        }
        self.stray_words(window)
    }

    /// Whether the key here, in an array, is one of the object around it.
    fn closes_before_key(&mut self, window: &Window<'_>) -> bool {
        let Some((_, outer)) = self.stack.split_last() else { return false };
        outer.last().is_some_and(|frame| frame.kind == Container::Object)
            && opens_key(window, self.at)
            && follow(window, self.last_end, outer, 8, self.spacing, &mut self.budget.left)
                .is_clean()
    }

    /// Whether one word, with the end of the array after it, stands here.
    fn is_word_item(&self, window: &Window<'_>) -> bool {
        let word = window.word(self.at, |c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        let mut end = self.at + word;
        if window.byte(end) == Some(b'"') {
            end += 1;
        }
        word > 0
            && matches!(
                window.byte(super::trivia::skip(window, end, self.spacing)),
                Some(b',' | b']')
            )
    }

    /// Whether the value broke off before this place, and a new paragraph of prose begins here.
    fn only_words_follow(&mut self, window: &Window<'_>) -> bool {
        let gap = window.slice(Span::new(self.last_end, self.at));
        if !gap.contains('\n') {
            return false;
        }
        let rest = window.rest(self.at);
        self.budget.left = self.budget.left.saturating_sub(rest.len() / 8);
        rest.starts_with(char::is_alphabetic)
            && memchr::memchr3(b'}', b']', b'{', rest.as_bytes()).is_none()
            && rest.split_whitespace().nth(1).is_some()
    }

    /// Whether an operator in words or signs stands here, between a string and something else.
    fn is_operator(&self, window: &Window<'_>) -> bool {
        let word = window.word(self.at, |c| !c.is_whitespace());
        let operand = window.skip_space(self.at + word);
        let string = window.character_before(self.last_end).is_some_and(quote::is_mark);
        let known = match window.slice(Span::new(self.at, self.at + word)) {
            "if" => window.line_after(operand, 80).contains(" else "),
            "or" | "and" | "not" | "in" | "is" | "." | "&" | "&&" | "|" | "||" | "??" | "?"
            | "==" | "!=" => quote::opening(window, operand).is_some(),
            _ => false,
        };
        known && string
    }

    /// Words that belong to nothing, and then structure again.
    fn stray_words(&mut self, window: &Window<'_>) -> Result<(), Stop> {
        let start = self.at;
        let end = window.word(start, |c| !matches!(c, '\n' | ',' | '}' | ']' | '{' | '[' | '"'));
        let words = window.slice(Span::new(start, start + end));
        let sound = words.chars().next().is_some_and(char::is_alphabetic)
            && words.chars().all(|c| {
                c.is_alphanumeric()
                    || c.is_whitespace()
                    || matches!(c, '.' | '\'' | '-' | '_' | '!' | '(' | ')')
            });
        if !sound || start + end == window.end() {
            return Err(Stop::unexpected(start));
        }
        let end = start + words.trim_end().len();
        self.edit(Rule::StrayText, start, end, "")?;
        self.at = end;
        Ok(())
    }

    /// Goes past comments and odd white space; whether some stand here.
    pub(super) fn trivia(&mut self, window: &Window<'_>, place: Place) -> Result<bool, Stop> {
        let Some(found) = trivia_at(window, self.at, place) else { return Ok(false) };
        if found.open {
            // Its end was looked for to the end of the text, and will be at the next one.
            self.budget.left = self.budget.left.saturating_sub(found.end - self.at);
        }
        if found.open && !self.stack.is_empty() {
            // A comment without an end may have swallowed the rest of the value.
            let inside = window.slice(Span::new(self.at, found.end));
            if inside.contains(['}', ']']) || inside.contains("\":") {
                return Err(Stop::new(
                    ErrorKind::Ambiguous,
                    Span::at(self.at),
                    "it is not clear where this comment ends",
                ));
            }
        }
        let mut end = found.end;
        if found.rule == Rule::EscapedWhitespace {
            self.spacing = Spacing::Escaped;
            let next = super::trivia::skip(window, end, Spacing::Escaped);
            if matches!(self.state, State::Item | State::FirstItem)
                && window.byte(next) == Some(b',')
            {
                let span = Span::new(self.at, end);
                return Err(Stop::new(ErrorKind::Ambiguous, span, "an item, or white space?"));
            }
            // White space is white space: what stands before a plain line end goes with it.
            while window.starts_with(end, b"\\n")
                || window.starts_with(end, b"\\t")
                || window.starts_with(end, b"\\r")
            {
                end += 2;
            }
        }
        self.edit(found.rule, self.at, end, "")?;
        self.at = end;
        Ok(true)
    }

    /// Goes past three dots that stand for what was left out; whether they stand here.
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
        self.edit(Rule::Ellipsis, self.at, self.at + length, "")?;
        self.at += length;
        if let Some(comma) = self.comma
            && self.state != State::After
        {
            // The comma before the dots goes with them; the one after them, if any, takes its place.
            let next = window.skip_space(self.at);
            if window.byte(next) == Some(b',') {
                self.edit(Rule::Ellipsis, next, next + 1, "")?;
                self.at = next + 1;
            } else if matches!(window.character(next), Some('}' | ']' | '｝' | '］')) {
                self.log.withdraw(comma);
                self.edit(Rule::Ellipsis, comma.start, comma.end, "")?;
                self.comma = None;
                self.state = State::After;
            }
        }
        Ok(true)
    }

    /// Whether the block that holds the value ends here: a closing fence or tag.
    pub(super) fn block_ends(&self, window: &Window<'_>) -> bool {
        let ends = match window.byte(self.at) {
            Some(b'`') => window.starts_with(self.at, b"```"),
            Some(b'~') => window.starts_with(self.at, b"~~~"),
            Some(b'<') => {
                window.starts_with(self.at, b"</")
                    || (window.starts_with(self.at, b"<|")
                        && !window.starts_with(self.at, b"<|\"|>"))
            }
            _ => false,
        };
        ends && !self.stack.is_empty()
    }

    /// A closer in any spelling stands here.
    pub(super) fn any_closer<S: Sink>(
        &mut self,
        window: &Window<'_>,
        character: char,
        sink: &mut S,
    ) -> Result<(), Stop> {
        let byte = match character {
            '}' | '｝' => b'}',
            ']' | '］' => b']',
            _ => b')',
        };
        if character.is_ascii() && byte != b')' {
            return self.closing(window, byte, sink);
        }
        self.odd_closer(window, byte, character.len_utf8(), sink)
    }
}
