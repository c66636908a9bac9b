//! Signs between a key and its value.

use crate::{
    ErrorKind, Rule, Span,
    judge::key::{colon, stuttered::stuttered},
    parser::{
        GrammarState, Opened, Parser, Stop, Window, quote, starts_value, trivia::TriviaPosition,
    },
    sink::{Literal, Sink},
};

impl Parser<'_> {
    /// Parses the colon after a key.
    pub(super) fn colon(&mut self, window: &Window<'_>, sink: &mut dyn Sink) -> Result<(), Stop> {
        if let Some((rule, mark)) = self.around_key.take() {
            self.edit(rule, mark.start, mark.end, "")?;
            self.at = mark.end;
        }
        let key_end = self.at;
        self.last_end = key_end;
        self.state = GrammarState::Value;
        let mut comment = false;
        loop {
            self.at = window.skip_space(self.at);
            let sign = window.byte(self.at).is_some_and(|byte| byte.is_ascii_punctuation());
            if !self.trivia(window, TriviaPosition::BeforeValue)? {
                break;
            }
            comment |= sign;
        }
        if let Some(end) = stuttered(window, key_end, self.at) {
            // The colon of the second one stays.
            self.edit(Rule::RepeatedKey, self.at, end - 1, "")?;
            self.at = end - 1;
        }
        let Some(character) = window.character(self.at) else { return Ok(()) };
        if comment && !matches!(character, ':' | '=' | '：') {
            // The sign of the comment may stand for the colon, and its text for the value.
            return Err(Stop::unexpected(key_end).expecting(key_end, "expected `:`"));
        }
        let length = character.len_utf8();
        match character {
            ':' => {}
            '>' | '=' if colon::sign_and_colon(window, key_end).is_some() => {
                let length = colon::sign_and_colon(window, key_end).unwrap_or(1);
                self.edit(Rule::EqualsSign, key_end, key_end + length, ":")?;
                self.at = key_end + length;
                self.last_end = self.at;
                return Ok(());
            }
            '>' if colon::is_angle(window, key_end) => {
                self.edit(Rule::EqualsSign, key_end, key_end + 1, ":")?;
            }
            ';' if colon::is_semicolon(window, self.at) => {
                self.edit(Rule::EqualsSign, self.at, self.at + 1, ":")?;
            }
            '-' if window.starts_with(self.at, b"->") => {
                self.edit(Rule::EqualsSign, self.at, self.at + 2, ":")?;
                self.at += 1;
            }
            '：' => self.full_width_colon(length)?,
            '=' => {
                let signs = window.run(self.at, |byte| byte == b'=');
                let is_arrow = window.byte(self.at + signs) == Some(b'>');
                let arrow = if is_arrow { signs + 1 } else { 1 };
                let keyed = self.opened(Opened::Keyed);
                let rule = if keyed { Rule::KeyedList } else { Rule::EqualsSign };
                self.edit(rule, self.at, self.at + arrow, ":")?;
                self.at += arrow;
                self.last_end = self.at;
                return Ok(());
            }
            ',' | '}' | '，' | '،' | '｝' => return self.key_alone(window, key_end, sink),
            // It may be a sign of its own.
            '-' if window.byte(self.at + 1) == Some(b' ') => {
                return Err(Stop::unexpected(self.at).expecting(self.at, "expected `:`"));
            }
            _ if character.is_ascii() && starts_value(window.byte(self.at).unwrap_or_default())
                || quote::opening(window, self.at).is_some() =>
            {
                self.edit(Rule::MissingColon, key_end, key_end, ":")?;
                self.lacks_colons = true;
                return Ok(());
            }
            _ => return Err(Stop::unexpected(self.at).expecting(self.at, "expected `:`")),
        }
        self.at += length;
        self.last_end = self.at;
        Ok(())
    }

    /// Replaces a colon. The key's last quote may be of the same rule, and is no part of it.
    fn full_width_colon(&mut self, length: usize) -> Result<(), Stop> {
        self.log.mark();
        self.edit(Rule::FullWidth, self.at, self.at + length, ":")
    }

    /// Inserts null for the value of the key that ends at `end`, which has no colon, if it is the last
    /// one. Elsewhere null would be invented: the string may be a value of the key before it.
    fn key_alone(
        &mut self,
        window: &Window<'_>,
        end: usize,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        if !matches!(window.character(self.at), Some('}' | '｝')) {
            let detail = "cannot tell whether this is a key or a value";
            return Err(Stop::new(ErrorKind::Ambiguous, Span::new(self.member, end), detail));
        }
        self.edit(Rule::MissingValue, end, end, ": null")?;
        sink.literal(Literal::Null, Span::at(end));
        self.finished(self.at);
        Ok(())
    }
}
