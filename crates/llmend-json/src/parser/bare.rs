//! Values that are not strict JSON.

use crate::{
    ErrorKind, Rule, Span,
    judge::{
        key::bare_key,
        words::{
            bare::{BareExtent, EndReason, extent},
            constructor::constructor,
            date, interjection, stray,
            word::{self, BareValue, classify},
        },
    },
    parser::{
        GrammarState, Opened, Parser, Spacing, Stop, Window, escape::escape_into, is_separator,
        quote, string_token::StringToken, trivia, trivia::TriviaPosition,
    },
    sink::{Container, Content, Literal, Sink},
};

/// How much of the text before a value is read, in bytes.
const BEFORE_REACH: usize = 8;

impl Parser<'_> {
    /// Handles two braces: those of a template around a value, or of a reference.
    #[cold]
    pub(super) fn second_brace(
        &mut self,
        window: &Window<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let inside = trivia::skip(window, self.at + 2, Spacing::Escaped);
        match window.byte(inside) {
            Some(b'}') | None => Err(Stop::unexpected(self.at + 1)),
            Some(_)
                if quote::opening(window, inside).is_some()
                    || bare_key(window, inside).is_some() =>
            {
                let second = self.at + 1;
                self.edit(Rule::DoubledBraces, second, second + 1, "")?;
                self.open(Container::Object, Opened::Doubled, second + 1, sink)?;
                Ok(())
            }
            // A set of sets: `{{1, 0}, {0, 1}}`.
            Some(b'0'..=b'9' | b'-') if self.is_row(window, inside) => {
                self.open(Container::Object, Opened::Plain, self.at + 1, sink)
            }
            Some(_) => self.bare(window, sink),
        }
    }

    /// Returns whether the number at `at` is the first of several.
    fn is_row(&self, window: &Window<'_>, at: usize) -> bool {
        let next = window.scan_number(at).map(|end| window.skip_space(end));
        next.is_some_and(|next| window.byte(next) == Some(b',')) && self.stats.members > 0
    }

    /// Recovers where a value is expected.
    #[cold]
    pub(super) fn recover_value(
        &mut self,
        window: &Window<'_>,
        byte: u8,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        if self.keyed_list(window, sink)? || self.quick_value(window, byte, sink)? {
            return Ok(());
        }
        if window.is_starved() {
            // The dry run needs more text.
            return Ok(());
        }
        let after_key = self.state == GrammarState::Value;
        if after_key && !self.stack.is_empty() && self.repeated_key(window)? {
            return Ok(());
        }
        let place = if after_key { TriviaPosition::BeforeValue } else { TriviaPosition::Elsewhere };
        if self.trivia(window, place)? {
            return Ok(());
        }
        if after_key
            && !self.stack.is_empty()
            && let Some((delimiter, end)) = quote::block(window, self.at)
        {
            let token = StringToken::new(self.at, end, 3, delimiter);
            self.emit_string(window, &token, Rule::MissingEndQuote, sink)?;
            self.finished(end + 3);
            return Ok(());
        }
        if !after_key {
            if self.interjection(window)? {
                return Ok(());
            }
            if !self.stack.is_empty() && interjection::is_unclear(window, self.at) {
                let detail = "cannot tell whether this line is an item";
                return Err(Stop::new(ErrorKind::Ambiguous, Span::at(self.at), detail));
            }
        }
        if self.block_ends(window) {
            return self.end_of_text(sink);
        }
        if !after_key && (self.bullet(window)? || self.ellipsis(window)?) {
            return Ok(());
        }
        let character = window.character(self.at).unwrap_or_default();
        match character {
            mark if is_separator(mark) && !after_key => return self.extra_comma(mark.len_utf8()),
            mark if after_key
                && (is_separator(mark) || matches!(mark, '}' | ']' | '｝' | '］')) =>
            {
                if self.stack.is_empty() {
                    return Err(Stop::unexpected(self.at));
                }
                return self.missing_value(sink);
            }
            '}' | ']' | ')' | '｝' | '］' | '】' | '）' if !self.stack.is_empty() && !after_key =>
            {
                self.trailing_comma()?;
                return self.any_closer(window, character, sink);
            }
            // The second of two colons, or of `:=`.
            ':' | '='
                if after_key
                    && window.byte_before(self.at) == Some(b':')
                    && (self.last_end == self.at
                        || matches!(window.byte(self.at + 1), Some(b' ' | b'"'))) =>
            {
                self.edit(Rule::EqualsSign, self.at, self.at + 1, "")?;
                self.at += 1;
                return Ok(());
            }
            '｛' => return self.full_width_opening(Container::Object, "{", sink),
            '［' | '【' => return self.full_width_opening(Container::Array, "[", sink),
            '-' | '0'..='9' | 't' | 'f' | 'n' | 'T' | 'F' | 'N'
                if self.scalar_before_another(window, sink)? =>
            {
                return Ok(());
            }
            '(' => return self.parenthesis(window, sink),
            '|' | '>'
                if after_key && !self.stack.is_empty() && self.block_text(window, sink)? =>
            {
                return Ok(());
            }
            _ => {}
        }
        self.string_or_word(window, sink)
    }

    fn string_or_word(&mut self, window: &Window<'_>, sink: &mut dyn Sink) -> Result<(), Stop> {
        if window.starts_with(self.at, b"**") && quote::opening(window, self.at + 2).is_some() {
            self.edit(Rule::Emphasis, self.at, self.at + 2, "")?;
            self.at += 2;
        }
        if self.prefixed_string(window, sink)? {
            return Ok(());
        }
        if let Some(delimiter) = quote::opening(window, self.at) {
            return self.string(window, delimiter, sink);
        }
        if let Some(constructor) = constructor(window, self.at)
            && self.constructor(window, constructor, sink)?
        {
            return Ok(());
        }
        self.bare(window, sink)
    }

    /// Handles a common deviation at a value or the end of an array. Returns whether there was one.
    fn quick_value(
        &mut self,
        window: &Window<'_>,
        byte: u8,
        sink: &mut dyn Sink,
    ) -> Result<bool, Stop> {
        match byte {
            b'\'' | 0xE2 => match quote::opening(window, self.at) {
                Some(delimiter) => self.quick_string(window, delimiter, sink),
                None => Ok(false),
            },
            b']' => self.quick_closer(window, byte, sink),
            b'T' | b'F' | b'N' => self.quick_literal(window, sink),
            _ => Ok(false),
        }
    }

    /// Opens a container with a full-width bracket. `bracket` is its JSON notation.
    fn full_width_opening(
        &mut self,
        kind: Container,
        bracket: &'static str,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let end = self.at + '｛'.len_utf8();
        self.edit(Rule::FullWidth, self.at, end, bracket)?;
        self.open(kind, Opened::Plain, end, sink)
    }

    /// Parses a string with a Python prefix. Returns whether there was one.
    fn prefixed_string(&mut self, window: &Window<'_>, sink: &mut dyn Sink) -> Result<bool, Stop> {
        let prefix = self.at;
        let Some(mark) = quote::prefixed(window, prefix) else { return Ok(false) };
        // In `b", …` the quote is the end of a string without an opening quote.
        let quoted = !matches!(window.byte(mark + 1), Some(b',' | b'}' | b']'));
        let Some(delimiter) = quote::opening(window, mark).filter(|_| quoted) else {
            return Ok(false);
        };
        self.prefix = Some(prefix);
        self.at = mark;
        self.string(window, delimiter, sink)?;
        self.prefix = None;
        Ok(true)
    }

    /// Inserts null after a key.
    pub(super) fn missing_value(&mut self, sink: &mut dyn Sink) -> Result<(), Stop> {
        let at = self.last_end;
        self.edit(Rule::MissingValue, at, at, " null")?;
        sink.literal(Literal::Null, Span::at(at));
        let here = self.at;
        self.finished(at);
        self.at = here;
        Ok(())
    }

    /// Parses an unquoted value.
    pub(super) fn bare(&mut self, window: &Window<'_>, sink: &mut dyn Sink) -> Result<(), Stop> {
        let start = self.at;
        let BareExtent { end, reason } = extent(window, start, &self.stack, &mut self.budget.left);
        let text = window.slice(Span::new(start, end));
        if text.is_empty() || (self.stack.is_empty() && reason != EndReason::Text) {
            return Err(Stop::unexpected(start));
        }
        if reason == EndReason::Reach {
            return Err(Stop::new(
                ErrorKind::Ambiguous,
                Span::at(start),
                "cannot tell where this value ends",
            ));
        }
        let behind_value = || {
            reason == EndReason::Text && matches!(window.byte(self.last_end - 1), Some(b'}' | b']'))
        };
        if self.state == GrammarState::Item
            && (behind_value() || stray::is_paragraph(window, self.last_end, start))
            && stray::is_prose(window, self.last_end, start, &mut self.budget.left)
        {
            // A remark behind a list that is cut off.
            return self.end_of_text(sink);
        }
        let closer = window.skip_space(end + 1);
        if self.state == GrammarState::FirstItem
            && matches!(text, "x" | "X")
            && window.byte(end) == Some(b']')
            && quote::opening(window, closer).is_some()
        {
            let detail = "this may be a list or a check box";
            return Err(Stop::new(ErrorKind::Ambiguous, Span::at(start), detail));
        }
        if reason == EndReason::Quote {
            return self.string_without_start_quote(window, end, sink);
        }
        let span = Span::new(start, end);
        let next = trivia::skip(window, end, Spacing::Plain);
        if reason == EndReason::Container
            && window.slice(Span::new(end, next)).contains('\n')
            && self.block_ends_at(window, next)
            && self.cut_word(window, text, span, next, sink)?
        {
            return Ok(());
        }
        if reason == EndReason::Text && !self.stack.is_empty() {
            if self.cut_word(window, text, span, window.end(), sink)? {
                return Ok(());
            }
            // The last line of members without braces ends with the text.
            if !self.opened(Opened::Nothing) {
                self.cut = Some(window.end());
            }
        }
        // A word that the caller expects is read as nothing else.
        let expected = !self.stack.is_empty() && self.options.hints.words.iter().any(|w| w == text);
        let word = if expected { BareValue::Text } else { classify(text) };
        if self.stack.is_empty()
            && !matches!(
                word,
                BareValue::Literal(_)
                    | BareValue::Number
                    | BareValue::ForeignNumber(_)
                    | BareValue::NotANumber
            )
        {
            return Err(Stop::unexpected(start));
        }
        self.word(window, span, word, sink)
    }

    /// Handles the unquoted value at `span`, of kind `word`.
    fn word(
        &mut self,
        window: &Window<'_>,
        span: Span,
        word: BareValue,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let text = window.slice(span);
        let Span { start, end } = span;
        match word {
            BareValue::Literal(literal) => self.bare_literal(text, span, literal, sink)?,
            BareValue::NotANumber => {
                self.edit(Rule::NotANumber, start, end, "null")?;
                sink.literal(Literal::Null, span);
            }
            BareValue::Number => sink.number(window, span, Content::Plain(span)),
            BareValue::ForeignNumber(digits) => {
                self.bare_number(window, span, Rule::NumberFormat, digits, sink)?;
            }
            BareValue::Thousands(digits) | BareValue::DecimalComma(digits) => {
                self.bare_number(window, span, Rule::ThousandsSeparator, digits, sink)?;
            }
            // `1,000` in an array may be one number or two.
            BareValue::NumberText if self.is_thousands_group(window, span) => {
                return Err(Stop::new(
                    ErrorKind::Ambiguous,
                    span,
                    "this may belong to the number before it",
                ));
            }
            // In an array, each group may be an item.
            BareValue::NumberText
                if self.top() == Some(Container::Array) && word::in_groups(text) =>
            {
                return self.word(window, span, BareValue::Unclear, sink);
            }
            // It is cut off only if nothing but closing brackets follows.
            BareValue::PartialNumber(digits) if only_closers(window, end) => {
                self.bare_number(window, span, Rule::CutNumber, digits, sink)?;
            }
            BareValue::NumberText | BareValue::PartialNumber(_) => {
                self.verbatim(window, span, Rule::NumberAsText, sink)?;
            }
            BareValue::Emphasized(mark) => {
                let inner = Span::new(start + mark, end - mark);
                self.edit(Rule::Emphasis, start, inner.start, "")?;
                self.word(window, inner, classify(window.slice(inner)), sink)?;
                self.edit(Rule::Emphasis, inner.end, end, "")?;
                (self.at, self.last_end) = (end, end);
                return Ok(());
            }
            BareValue::Template => self.verbatim(window, span, Rule::BareTemplate, sink)?,
            BareValue::Date(date) if date::is_printed(window.before(start, BEFORE_REACH)) => {
                sink.string(window, span, Content::Repaired(&date));
                self.edit(Rule::TypeWrapper, start, end, format!("\"{date}\""))?;
            }
            BareValue::Code | BareValue::Date(_) => {
                self.verbatim(window, span, Rule::CodeAsText, sink)?;
            }
            BareValue::Wrapper(from, to) => {
                return self.wrapper(window, span, start + from, start + to, sink);
            }
            BareValue::Expression => return self.expression(window, start, sink),
            BareValue::Symbol => {
                let name = Span::new(start + 1, end);
                self.log.mark();
                self.edit(Rule::BareString, start, start + 1, "\"")?;
                self.edit(Rule::BareString, end, end, "\"")?;
                sink.string(window, span, Content::Plain(name));
            }
            BareValue::Text => {
                let words = u32::try_from(text.split_whitespace().count());
                self.stats.words = self.stats.words.saturating_add(words.unwrap_or(u32::MAX));
                self.verbatim(window, span, Rule::BareString, sink)?;
            }
            BareValue::Unclear => {
                return Err(Stop::new(
                    ErrorKind::Ambiguous,
                    span,
                    "this unquoted value has several readings",
                ));
            }
        }
        self.finished(end);
        Ok(())
    }

    /// Returns whether three digits with leading zeros follow a number and its comma or a space.
    fn is_thousands_group(&self, window: &Window<'_>, span: Span) -> bool {
        let digits = window.slice(span);
        self.top() == Some(Container::Array)
            && digits.len() == 3
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && window
                .slice(Span::new(span.start.saturating_sub(2).max(window.base), span.start))
                .ends_with([',', ' '])
            && window.byte(span.start.saturating_sub(2)).is_some_and(|byte| byte.is_ascii_digit())
    }

    pub(super) fn bare_literal(
        &mut self,
        text: &str,
        span: Span,
        literal: Literal,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        if text != literal.as_str() {
            self.edit(Rule::ForeignLiteral, span.start, span.end, literal.as_str())?;
        }
        sink.literal(literal, span);
        self.stats.solid += 1;
        Ok(())
    }

    fn bare_number(
        &mut self,
        window: &Window<'_>,
        span: Span,
        rule: Rule,
        digits: String,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        sink.number(window, span, Content::Repaired(&digits));
        self.edit(rule, span.start, span.end, digits)?;
        self.stats.solid += 1;
        Ok(())
    }

    /// Reads the text at `span` verbatim as a string.
    pub(super) fn verbatim(
        &mut self,
        window: &Window<'_>,
        span: Span,
        rule: Rule,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let text = window.slice(span);
        let mut escaped = String::new();
        let _ = escape_into(text, &mut escaped);
        if escaped == text {
            self.edit(rule, span.start, span.start, "\"")?;
            self.edit(rule, span.end, span.end, "\"")?;
            sink.string(window, span, Content::Plain(span));
        } else {
            sink.string(window, span, Content::Repaired(&escaped));
            self.edit(rule, span.start, span.end, format!("\"{escaped}\""))?;
        }
        Ok(())
    }

    /// Parses a text with only a closing quote.
    fn string_without_start_quote(
        &mut self,
        window: &Window<'_>,
        quote: usize,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let start = self.at;
        let span = Span::new(start, quote);
        if window
            .slice(span)
            .contains(|c: char| matches!(c, '\\' | '{' | '}' | '"') || c.is_control())
        {
            return Err(Stop::new(ErrorKind::Ambiguous, span, "this text has no opening quote"));
        }
        self.edit(Rule::MissingStartQuote, start, start, "\"")?;
        sink.string(window, Span::new(start, quote + 1), Content::Plain(span));
        self.finished(quote + 1);
        Ok(())
    }

    /// Quotes the expression at `start`, if allowed. It is never computed.
    pub(super) fn expression(
        &mut self,
        window: &Window<'_>,
        start: usize,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let BareExtent { end, reason } = extent(window, start, &self.stack, &mut self.budget.left);
        let span = Span::new(start, end);
        if reason == EndReason::Reach || !self.log.allows(Rule::ExpressionAsText) {
            return Err(Stop::new(ErrorKind::Expression, span, ""));
        }
        self.verbatim(window, span, Rule::ExpressionAsText, sink)?;
        self.finished(end);
        Ok(())
    }
}

/// Returns whether only closing brackets follow `at`.
fn only_closers(window: &Window<'_>, at: usize) -> bool {
    let closers = window.run(at, |byte| matches!(byte, b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t'));
    window.byte(at + closers).is_none() && window.at_end
}
