//! Keys that are not strict JSON.

use crate::{
    ErrorKind, Rule, Span,
    judge::{
        key::{
            bare_key, bracketed::bracketed_key, hash_name, inner_colon, mismatched_mark,
            odd_member, odd_name, opens_key, prefixed_key, set, unmarked_name,
        },
        string::{
            context::{KeyStyle, Role},
            end::Ending,
        },
        words::{notice, stray},
    },
    parser::{
        GrammarState, Opened, Parser, Stop, Window, is_separator, parent, quote,
        string_token::StringToken,
        trivia::{self, TriviaPosition},
    },
    sink::{Container, Content, Sink},
};

/// Longest unquoted key, in bytes.
const KEY_REACH: usize = 80;
/// How far a key without its end quote is compared with the other reading, in bytes.
const KEY_LINE: usize = 256;

impl Parser<'_> {
    /// Recovers where a key is expected.
    #[cold]
    pub(super) fn recover_key(
        &mut self,
        window: &Window<'_>,
        byte: u8,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        if self.quick_member(window, byte, sink)? {
            return Ok(());
        }
        if window.is_starved() {
            // The dry run needs more text.
            return Ok(());
        }
        if byte == b':' && window.character(self.at + 1).is_some_and(char::is_alphabetic) {
            // A symbol of Ruby.
            self.edit(Rule::BareKey, self.at, self.at + 1, "")?;
            self.at += 1;
            return Ok(());
        }
        if byte == b'#'
            && self.key_style() == KeyStyle::Bare
            && let Some(colon) = hash_name(window, self.at)
        {
            return self.odd_name(window, colon, sink);
        }
        if self.trivia(window, TriviaPosition::Elsewhere)? || self.interjection(window)? {
            return Ok(());
        }
        if self.bullet(window)? || self.ellipsis(window)? {
            return Ok(());
        }
        if self.block_ends(window) {
            return self.end_of_text(sink);
        }
        let character = window.character(self.at).unwrap_or_default();
        match character {
            mark if is_separator(mark) => return self.extra_comma(mark.len_utf8()),
            '}' | ']' | ')' | '｝' | '］' | '】' | '）' => {
                if self.comma.is_some() {
                    self.trailing_comma()?;
                    self.state = GrammarState::After;
                }
                return self.any_closer(window, character, sink);
            }
            '[' if let Some(key) = bracketed_key(window, self.at) => {
                self.edit(Rule::BareKey, self.at, key.start, "")?;
                self.around_key = Some((Rule::BareKey, Span::new(key.end, key.end + 1)));
                self.at = key.start;
                return Ok(());
            }
            '{' | '[' | '(' => {
                return match self.odd_key(window) {
                    Some(colon) => self.odd_name(window, colon, sink),
                    None => self.bracket_for_key(window, byte, sink),
                };
            }
            '*' | '_'
                if window.starts_with(self.at, b"**") || window.starts_with(self.at, b"__") =>
            {
                return self.emphasized_key(window);
            }
            _ => {}
        }
        if self.state == GrammarState::FirstKey
            && window.starts_with(self.at, b"\"{\"")
            && opens_key(window, window.skip_space(self.at + 2))
        {
            // A second opening brace, in quotes.
            self.edit(Rule::MismatchedQuotes, self.at, self.at + 2, "")?;
            self.at += 2;
            return Ok(());
        }
        if let Some(mark) = prefixed_key(window, self.at) {
            self.prefix = Some(self.at);
            self.at = mark;
        }
        if let Some(delimiter) = quote::opening(window, self.at) {
            return self.quoted_key(window, delimiter, sink);
        }
        self.bare_key(window, sink)
    }

    /// Handles a common deviation at a key or the end of an object. Returns whether there was one.
    fn quick_member(
        &mut self,
        window: &Window<'_>,
        byte: u8,
        sink: &mut dyn Sink,
    ) -> Result<bool, Stop> {
        match byte {
            b'"' | b'\'' | b'`' | 0xE2 => match quote::opening(window, self.at) {
                Some(delimiter) => self.quick_key(window, delimiter, sink),
                None => Ok(false),
            },
            b'a'..=b'z' | b'A'..=b'Z' | b'_'
                if !self.may_be_remark(window, self.last_end, self.at) =>
            {
                self.quick_name(window, sink)
            }
            b'}' | b']' => self.quick_closer(window, byte, sink),
            _ => Ok(false),
        }
    }

    /// Returns whether the line at `at`, behind a value that ends at `end`, may be a remark between
    /// members, whose keys are quoted.
    pub(super) fn may_be_remark(&self, window: &Window<'_>, end: usize, at: usize) -> bool {
        self.key_style() == KeyStyle::Quoted
            && self.stats.members > 0
            && (stray::is_remark_line(window, end, at) || notice::is_at(window, at))
    }

    /// Handles a bracket where a key is expected.
    fn bracket_for_key(
        &mut self,
        window: &Window<'_>,
        byte: u8,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        if self.state == GrammarState::FirstKey
            && self.opened(Opened::Plain)
            && self.stats.members > 0
        {
            return self.turn_into_set(window, sink);
        }
        // The next item of the list begins, so this object was never closed.
        if byte == b'{' && self.comma.is_some() && parent(&self.stack) == Some(Container::Array) {
            self.close_inside(1, sink)?;
            self.state = GrammarState::Item;
            return Ok(());
        }
        Err(Stop::unexpected(self.at))
    }

    /// Turns the current, empty object into an array of items.
    fn turn_into_set(&mut self, window: &Window<'_>, sink: &mut dyn Sink) -> Result<(), Stop> {
        if window.byte(self.last_end - 1) != Some(b'{') {
            return Err(Stop::unexpected(self.at));
        }
        let Some(frame) = self.stack.last_mut() else { return Err(Stop::unexpected(self.at)) };
        frame.kind = Container::Array;
        frame.opened = Opened::Set;
        sink.becomes(Container::Array);
        self.edit(Rule::Set, self.last_end - 1, self.last_end, "[")?;
        self.state = GrammarState::FirstItem;
        Ok(())
    }

    /// Removes Markdown emphasis around a key without quotes: `**a**: 1`.
    fn emphasized_key(&mut self, window: &Window<'_>) -> Result<(), Stop> {
        let start = self.at;
        let mark = window.slice(Span::new(start, start + 2));
        let name = window.byte(start + 2).is_some_and(|byte| byte.is_ascii_alphabetic());
        let close = || Some(start + 2 + window.line_after(start + 2, KEY_LINE).find(mark)?);
        let Some(close) = close().filter(|_| name) else { return Err(Stop::unexpected(start)) };
        if window.byte(trivia::skip(window, close + 2, self.spacing)) != Some(b':') {
            return Err(Stop::unexpected(start));
        }
        self.edit(Rule::Emphasis, start, start + 2, "")?;
        self.around_key = Some((Rule::Emphasis, Span::new(close, close + 2)));
        self.at = start + 2;
        Ok(())
    }

    /// Parses a quoted key with marks of any kind.
    fn quoted_key(
        &mut self,
        window: &Window<'_>,
        delimiter: quote::Delimiter,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let start = self.at;
        let (end, close, contested) = match self.key_end(window, delimiter) {
            Ending::Mark { at, length, contested } => (at, length, contested),
            Ending::Unmarked { at }
                if !window.slice(Span::new(start + delimiter.open, at)).contains(':') =>
            {
                (at, 0, false)
            }
            Ending::Unmarked { .. } | Ending::Unclear => {
                return Err(Stop::new(
                    ErrorKind::Ambiguous,
                    Span::at(start),
                    "cannot tell where this key ends",
                ));
            }
            Ending::Cut { at } => {
                self.cut = Some(at);
                self.at = window.end();
                return self.cut_member(window.end(), sink);
            }
        };
        let token = StringToken { contested, ..StringToken::new(start, end, close, delimiter) };
        let token = token.with_stray_mark(window);
        let inside = window.slice(token.inside);
        if inside.contains('\n') && inside.contains(['{', '}']) {
            let detail = "this key goes over several lines";
            return Err(Stop::new(ErrorKind::Ambiguous, token.span(), detail));
        }
        if inside.contains("\\\":") {
            let span = token.span();
            return Err(Stop::new(
                ErrorKind::Ambiguous,
                span,
                "this key contains an escaped quote and a colon",
            ));
        }
        let after = trivia::skip(window, end + close, self.spacing);
        let alone = self.state == GrammarState::FirstKey && window.byte(after) == Some(b'}');
        let words = window.slice(token.inside).contains(' ');
        match window.character(after) {
            None => {
                self.at = window.end();
                return self.cut_member(window.end(), sink);
            }
            // Items without keys form a set.
            Some(',' | '}')
                if self.state == GrammarState::FirstKey
                    && self.opened(Opened::Plain)
                    && set::continues(window, after, self.spacing) =>
            {
                return self.turn_into_set(window, sink);
            }
            // Nothing shows that this is a key.
            Some(',' | '}') if alone || words => {
                return Err(Stop::new(
                    ErrorKind::Ambiguous,
                    token.span(),
                    "cannot tell whether this is a key or a value",
                ));
            }
            _ => {}
        }
        self.emit_key(window, &token, Rule::MissingEndQuote, sink)?;
        self.stats.solid += 1;
        self.at = end + close;
        self.colon(window, sink)
    }

    /// Returns the end of the key's string.
    fn key_end(&mut self, window: &Window<'_>, delimiter: quote::Delimiter) -> Ending {
        let inside = self.at + delimiter.open;
        if let Some((_, mark)) = self.around_key
            && let Some(at) = mark.start.checked_sub(1).filter(|&at| at >= inside)
            && delimiter.style.closes(window, at) == Some(1)
        {
            return Ending::Mark { at, length: 1, contested: false };
        }
        if self.around_key.is_some() {
            return Ending::Unclear;
        }
        if let Some(mark) = mismatched_mark(window, inside) {
            return Ending::Mark { at: mark.start, length: mark.len(), contested: false };
        }
        if let Some(end) = inner_colon(window, inside) {
            return Ending::Mark { at: end.start, length: end.len(), contested: true };
        }
        if let Some(at) = unmarked_name(window, inside) {
            return Ending::Unmarked { at };
        }
        self.find_string_end(window, inside, delimiter, Role::Key)
    }

    /// Parses an unquoted key, or one with only a closing quote.
    fn bare_key(&mut self, window: &Window<'_>, sink: &mut dyn Sink) -> Result<(), Stop> {
        let start = self.at;
        if self.may_be_remark(window, self.last_end, self.at) {
            let detail = "cannot tell whether this line is a member or a remark";
            return Err(Stop::new(ErrorKind::Ambiguous, Span::at(start), detail));
        }
        if let Some(colon) = bare_key(window, start) {
            let text = window.slice(Span::new(start, colon)).trim_end();
            let name = Span::new(start, start + text.len());
            self.log.mark();
            self.quote_name(name)?;
            self.stats.bare_keys += 1;
            return self.complete_name(window, name, name, sink);
        }
        let word = window.short_word(start, KEY_REACH, |c| {
            c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '.' | ' ')
        });
        let end = start + word;
        let text = window.slice(Span::new(start, end)).trim_end();
        match window.character(end) {
            // The text is cut off in a key.
            None if self.state == GrammarState::Key || self.stats.members > 0 => {
                self.at = window.end();
                self.cut = Some(window.end());
                return self.cut_member(window.end(), sink);
            }
            Some('"')
                if !text.is_empty()
                    && window.byte(trivia::skip(window, end + 1, self.spacing)) == Some(b':') =>
            {
                self.edit(Rule::MissingStartQuote, start, start, "\"")?;
                let (span, name) = (Span::new(start, end + 1), Span::new(start, end));
                return self.complete_name(window, span, name, sink);
            }
            Some('=') if !text.is_empty() => {
                let name = Span::new(start, start + text.len());
                self.quote_name(name)?;
                return self.complete_name(window, name, name, sink);
            }
            Some(',' | '}')
                if self.state == GrammarState::FirstKey && self.opened(Opened::Plain) =>
            {
                let numbers = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-'))
                    && !text.is_empty();
                if numbers && (self.stack.len() > 1 || self.options.search == crate::Search::Off) {
                    return self.turn_into_set(window, sink);
                }
            }
            _ => {}
        }
        if let Some(colon) = self.odd_key(window) {
            return self.odd_name(window, colon, sink);
        }
        self.stray_text(window)
    }

    /// Returns the position of the colon after the unquoted key with odd marks here.
    fn odd_key(&self, window: &Window<'_>) -> Option<usize> {
        match self.key_style() {
            KeyStyle::Bare => odd_name(window, self.at),
            KeyStyle::Quoted => odd_member(window, self.at),
        }
    }

    /// Adds quotes around the name up to the colon at `colon`.
    fn odd_name(
        &mut self,
        window: &Window<'_>,
        colon: usize,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let start = self.at;
        let text = window.slice(Span::new(start, colon)).trim_end();
        let name = Span::new(start, start + text.len());
        self.log.mark();
        self.quote_name(name)?;
        self.stats.bare_keys += 1;
        self.complete_name(window, name, name, sink)
    }

    /// Adds quotes around an unquoted name.
    fn quote_name(&mut self, name: Span) -> Result<(), Stop> {
        self.edit(Rule::BareKey, name.start, name.start, "\"")?;
        self.edit(Rule::BareKey, name.end, name.end, "\"")
    }

    /// Completes the key at `span` with the name at `name`.
    fn complete_name(
        &mut self,
        window: &Window<'_>,
        span: Span,
        name: Span,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        self.member = self.last_end;
        sink.key(window, span, Content::Plain(name));
        self.stats.members += 1;
        self.comma = None;
        self.at = span.end;
        self.colon(window, sink)
    }

    /// Removes words before a key: `NOTE "b": 2`.
    fn stray_text(&mut self, window: &Window<'_>) -> Result<(), Stop> {
        let start = self.at;
        let line = window.line_after(start, KEY_LINE);
        if let Some(quote) = line.find('"').filter(|&at| at > 0)
            && opens_key(window, start + quote)
        {
            self.edit(Rule::StrayText, start, start + quote, "")?;
            self.at = start + quote;
            return Ok(());
        }
        Err(Stop::unexpected(start))
    }

    /// Passes a quoted key to the sink, with its repairs.
    pub(super) fn emit_key(
        &mut self,
        window: &Window<'_>,
        token: &StringToken,
        unmarked: Rule,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        self.member = self.last_end;
        let content = self.repair_string(window, token, unmarked)?;
        let span = Span::new(token.start, token.inside.end + token.close);
        if content.is_plain() {
            sink.key(window, span, content.of(token, &self.scratch));
        } else {
            let scratch = std::mem::take(&mut self.scratch);
            sink.key(window, span, content.of(token, &scratch));
            self.scratch = scratch;
        }
        self.stats.members += 1;
        self.comma = None;
        Ok(())
    }
}
