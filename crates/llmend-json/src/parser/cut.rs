//! Values that are cut off with the text.

use std::borrow::Cow;

use crate::{
    ErrorKind, Rule, Span,
    judge::{
        string::{repetition, swallowed},
        words::{
            interjection,
            word::{self, BareValue, classify},
        },
    },
    parser::{GrammarState, Opened, Parser, Stop, Window, escape::hex4, string_token::StringToken},
    sink::{Content, Sink},
};

impl Parser<'_> {
    /// Completes the value where the text or the block around it ends.
    #[cold]
    pub(super) fn end_of_text(&mut self, sink: &mut dyn Sink) -> Result<(), Stop> {
        let end = self.at;
        let stopped = Stop::new(ErrorKind::UnexpectedEnd, Span::at(end), "");
        if self.stack.is_empty() {
            return Err(stopped);
        }
        match self.state {
            GrammarState::Value => {
                // A key without a value is removed with the comma before it.
                self.log.discard_uncommitted(self.member);
                self.edit(Rule::CutMember, self.member, end, "")?;
                sink.drop_key();
                self.stats.members = self.stats.members.saturating_sub(1);
                self.last_end = end;
            }
            GrammarState::Key | GrammarState::Item => {
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

    /// Removes an incomplete member up to `end`, and completes the value.
    pub(super) fn cut_member(&mut self, end: usize, sink: &mut dyn Sink) -> Result<(), Stop> {
        let from = self.last_end;
        self.log.discard_uncommitted(from);
        self.comma = None;
        self.edit(Rule::CutMember, from, end, "")?;
        self.last_end = end;
        self.close_all(end, sink)
    }

    /// Handles a word that ends with the text or the block: half a literal, half a number, or the start of
    /// either. The text, or the block around the value, ends at `end`.
    pub(super) fn cut_word(
        &mut self,
        window: &Window<'_>,
        text: &str,
        span: Span,
        end: usize,
        sink: &mut dyn Sink,
    ) -> Result<bool, Stop> {
        if let Some(literal) = word::partial_literal(text) {
            self.cut = Some(end);
            self.edit(Rule::CutLiteral, span.start, span.end, literal.as_str())?;
            sink.literal(literal, span);
        } else if matches!(text, "-" | "+" | "." | "-." | "\\" | "N" | "I" | "u" | "[" | "(") {
            self.cut = Some(end);
            self.at = end;
            if self.state == GrammarState::Value {
                return self.end_of_text(sink).map(|()| true);
            }
            return self.cut_member(end, sink).map(|()| true);
        } else if let BareValue::ForeignNumber(digits) | BareValue::PartialNumber(digits) =
            classify(text)
            && text.ends_with(['.', 'e', 'E', '+', '-'])
        {
            self.cut = Some(end);
            sink.number(window, span, Content::Repaired(&digits));
            self.edit(Rule::CutNumber, span.start, span.end, digits)?;
        } else {
            return Ok(false);
        }
        self.finished(span.end);
        Ok(true)
    }

    /// Completes a string that is cut off at `cut`.
    pub(super) fn cut_string(
        &mut self,
        window: &Window<'_>,
        token: &StringToken,
        cut: usize,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let text = window.slice(token.inside);
        if interjection::ends_in_notice(text) {
            let detail = "cannot tell whether the last line belongs to the string";
            return Err(Stop::new(ErrorKind::Ambiguous, token.inside, detail));
        }
        if swallowed::has_rest(text) {
            let detail = "cannot tell where this string ends";
            return Err(Stop::new(ErrorKind::Ambiguous, Span::at(token.start), detail));
        }
        let whole = text.len() - incomplete_escape(text);
        let kept = repetition::without_repetition(text.get(..whole).unwrap_or_default());
        let inside = Span::new(token.inside.start, token.inside.start + kept);
        let token = StringToken { inside, end: inside.end, ..*token };
        self.emit_string(window, &token, Rule::CutString, sink)?;
        let end = inside.end;
        if kept < whole {
            self.edit(Rule::CutRepetition, end, cut, "")?;
        } else if end < cut {
            self.edit(Rule::CutEscape, end, cut, "")?;
        }
        self.finished(cut);
        if self.stack.is_empty() {
            self.state = GrammarState::Done;
            return Ok(());
        }
        self.at = cut;
        self.end_of_text(sink)
    }

    /// Closes all open containers at the end of the text.
    fn close_all(&mut self, end: usize, sink: &mut dyn Sink) -> Result<(), Stop> {
        let at = self.log.discard_trivia_from(self.last_end);
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
                "more closing brackets are missing than `max_closers`",
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
        self.state = GrammarState::Done;
        self.at = end;
        self.last_end = at;
        Ok(())
    }
}

/// Returns the length of an incomplete escape at the end of `text`.
fn incomplete_escape(text: &str) -> usize {
    let Some(at) = memchr::memrchr(b'\\', text.as_bytes()) else { return 0 };
    let before = text.get(..at).unwrap_or_default();
    let escaped = before.len() - before.trim_end_matches('\\').len();
    if escaped % 2 == 1 {
        return 0;
    }
    let tail = text.get(at..).unwrap_or_default();
    let digits = tail.get(2..).unwrap_or_default();
    let hex = tail.starts_with("\\u") && digits.bytes().all(|b| b.is_ascii_hexdigit());
    if tail == "\\" || (hex && digits.len() < 4) {
        // The first half of a pair is removed with the second.
        let pair =
            before.len() >= 6 && before.get(before.len() - 6..).is_some_and(is_high_surrogate);
        return tail.len() + if pair { 6 } else { 0 };
    }
    if digits.len() == 4 && is_high_surrogate(tail) { tail.len() } else { 0 }
}

/// Returns whether `text` is the escape of the first half of a pair.
fn is_high_surrogate(text: &str) -> bool {
    text.starts_with("\\u") && hex4(text, 2).is_some_and(|code| (0xD800..0xDC00).contains(&code))
}

#[cfg(test)]
mod tests {
    use super::incomplete_escape;

    #[test]
    fn incomplete_escapes_at_the_cut() {
        for (text, expected) in [
            ("x", 0),
            ("x\\", 1),
            ("x\\\\", 0),
            ("x\\u20", 4),
            ("x\\u0041", 0),
            ("x\\ud83d", 6),
            ("x\\ud83d\\", 7),
            ("x\\ud83d\\ude", 10),
            ("x\\ud83d\\ude00", 0),
            ("x\\ud83d\\ude00\\", 1),
            ("x\\ud83d\\ude00\\u26", 4),
            ("x\\ud83d\\ude00\\ud83d", 6),
            ("x\\n", 0),
        ] {
            assert_eq!(incomplete_escape(text), expected, "{text}");
        }
    }
}
