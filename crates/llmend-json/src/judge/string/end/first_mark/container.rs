//! Detection of what continues or closes a container after a string.

use crate::{
    Span,
    judge::{
        fence,
        key::{bare_key, opens_key},
        string::{
            context::KeyStyle,
            end::first_mark::{KEY_REACH, Probe},
            end_token,
        },
        words::{
            annotation,
            interjection::{self, conflict},
            remark, struck,
        },
    },
    parser::{
        Opened, quote,
        trivia::{self, TriviaPosition},
    },
    sink::Container,
};

/// Most of a text behind a value that is only a stray quote and brackets, in bytes.
const STRAY_REACH: usize = 16;
/// How much of the text behind a value is read, in bytes.
const PARAGRAPH_REACH: usize = 1 << 9;
/// How much is read of an interjection.
const INTERJECTION_BUDGET: usize = 1 << 10;

impl Probe<'_, '_> {
    /// Returns whether a container of this kind continues at or after the separator at `at`.
    pub(super) fn continues(&self, at: usize, kind: Container) -> bool {
        let (mut at, mut skipped) = (at, 0);
        // Skip superfluous separators and dots for omitted content.
        loop {
            at = self.skip(at);
            if skipped > 0
                && self.window.starts_with(at, b"~~")
                && let Some(end) = struck::end(self.window, at, false)
            {
                at = end;
                continue;
            }
            // A remark or other text directly after the separator.
            if skipped > 0
                && let Some(end) = remark::end(self.window, at, kind).or_else(|| {
                    interjection::end(self.window, at, kind, &mut { INTERJECTION_BUDGET })
                })
            {
                (at, skipped) = (self.skip(end), 2);
                break;
            }
            match self.window.character(at) {
                Some(mark @ (',' | '，' | '،' | ';' | '；')) => {
                    skipped += usize::from(mark != ',');
                    at += mark.len_utf8();
                }
                Some('.' | '…') => match self.ellipsis(at) {
                    Some(end) => at = end,
                    None => break,
                },
                None => return self.window.at_end,
                Some('`') => return fence::closes_block(self.window, at),
                Some('<' | '=' | '>') if conflict::is_at(self.window, at) => return true,
                Some('<') => return end_token::ends_value(self.window, at),
                Some(')')
                    if self
                        .context
                        .stack
                        .last()
                        .is_some_and(|frame| frame.opened == Opened::Tuple) =>
                {
                    return true;
                }
                Some('}' | ']' | '｝' | '］') => return true,
                Some(_) => break,
            }
            skipped += 1;
        }
        match kind {
            Container::Object => self.member(at) || self.next_object(at),
            Container::Array => self.item(at, skipped),
        }
    }

    /// Returns whether the closing brackets at `at` close every container, and nothing but a stray
    /// quote and more of them follow.
    pub(super) fn ends_before_quote(&self, at: usize) -> bool {
        let rest = self.window.near(at, STRAY_REACH);
        let closers = rest.split('"').next().unwrap_or_default();
        let depth = closers.bytes().filter(|byte| matches!(byte, b'}' | b']')).count();
        let is_stray = |c: char| matches!(c, '"' | '}' | ']' | '`') || c.is_whitespace();
        closers.len() < rest.len()
            && depth == self.context.stack.len()
            && rest.chars().all(is_stray)
            && rest.len() < STRAY_REACH
            && self.window.at_end
    }

    /// Returns whether the closing brackets at `at` belong to containers and not to text.
    pub(super) fn is_closed(&self, at: usize, kind: Container) -> bool {
        let start = at;
        let mut at = at;
        let mut closers = 0usize;
        while let Some(closer @ ('}' | ']' | ')' | '｝' | '］' | '】' | '）')) =
            self.window.character(at)
        {
            closers += 1;
            at = self.skip(at + closer.len_utf8());
        }
        let depth = self.context.stack.len();
        match self.window.character(at) {
            None => self.window.at_end,
            Some(comma @ (',' | '，' | '،')) => {
                let outer = depth
                    .checked_sub(closers + 1)
                    .and_then(|at| self.context.stack.get(at))
                    .map_or(kind, |frame| frame.kind);
                let next = self.skip(at + comma.len_utf8());
                let object = matches!(self.window.character(next), Some('{' | '[' | '｛' | '［'));
                self.member(next)
                    || (closers >= depth && self.prose(next))
                    || (object && (outer == Container::Array || closers <= depth))
                    || self.continues(at, outer)
            }
            Some('`' | '<' | '>' | '~' | ';' | '$') => true,
            // The value is a part of the words that introduce the next one.
            Some(':') if closers == depth => {
                self.window.line_after(at + 1, KEY_REACH).trim().is_empty()
            }
            // Nothing else could close the string.
            Some(c) if c.is_alphabetic() && self.ends_the_marks(at) => true,
            Some(sign) if remark::is_pointer(sign) => remark::end(self.window, at, kind).is_some(),
            Some('[' | '(') if annotation::end(self.window, usize::MAX, at, None).is_some() => true,
            // The end of the sentence or quotation that the value is in, or a paragraph behind it.
            Some(c)
                if closers >= depth
                    && (matches!(c, '.' | '\'') || self.begins_paragraph(at))
                    && !self.window.near(at, PARAGRAPH_REACH).contains('"') =>
            {
                true
            }
            // The comma is missing, too.
            Some(_) => {
                let bare = self.context.style == KeyStyle::Bare;
                (opens_key(self.window, at) || (bare && bare_key(self.window, at).is_some()))
                    && self.window.slice(Span::new(start, at)).contains([' ', '\n'])
            }
        }
    }

    /// Returns whether words begin a line at `at`, and no mark behind them could end the string.
    fn ends_the_marks(&self, at: usize) -> bool {
        let begins_line =
            self.window.line_before(at, KEY_REACH).is_some_and(|line| line.trim().is_empty());
        let is_mark = |c: char| match self.delimiter.style {
            quote::Style::Double => c == '"',
            _ => quote::is_mark(c),
        };
        let rest = self.window.rest(at);
        let may_end = |(mark, c): (usize, char)| {
            let after = rest.get(mark + c.len_utf8()..).unwrap_or_default().trim_start();
            after.is_empty() || after.starts_with([',', ':', '}', ']', '，', '：'])
        };
        begins_line
            && (bare_key(self.window, at).is_none() || self.begins_paragraph(at))
            && !rest.char_indices().filter(|(_, c)| is_mark(*c)).any(may_end)
    }

    /// Returns whether a blank line is before `at`.
    fn begins_paragraph(&self, at: usize) -> bool {
        let before = self.window.before(at, KEY_REACH).trim_end_matches([' ', '\t', '\r']);
        before.ends_with("\n\n") || before.ends_with("\n\r\n")
    }

    /// Returns whether a comment is at `at`, and the container continues after it.
    pub(super) fn comment(&self, at: usize, kind: Container) -> bool {
        let Some(comment) = trivia::trivia_at(self.window, at, TriviaPosition::Elsewhere) else {
            return false;
        };
        let next = self.skip(comment.end);
        match self.window.byte(next) {
            Some(b',') => self.continues(next, kind),
            Some(b'}' | b']') => self.is_closed(next, kind),
            _ => kind == Container::Object && self.member(next),
        }
    }

    /// Returns whether the container continues or is closed at `at`.
    pub(super) fn goes_on(&self, at: usize, kind: Container) -> bool {
        let next = self.skip(at);
        match self.window.byte(next) {
            Some(b',') => self.continues(next, kind),
            Some(b'}' | b']' | b')') => self.is_closed(next, kind),
            _ => kind == Container::Object && opens_key(self.window, next),
        }
    }

    /// Returns whether an annotation of the string that ends at `after` is at `at`, and the container
    /// continues after it.
    pub(super) fn annotated(&self, after: usize, at: usize, kind: Container) -> bool {
        let Some(end) = annotation::end(self.window, after, at, Some(kind)) else { return false };
        let next = self.skip(end);
        let item = kind == Container::Array
            && self.window.byte(next) == Some(b',')
            && quote::opening(self.window, self.skip(next + 1)).is_some();
        item || self.goes_on(end, kind)
    }

    /// Returns whether words that do not belong to the string `text` are at `at`, and the object
    /// continues after them. After a digit, the mark may be an inch mark.
    pub(super) fn remarked(&self, text: &str, at: usize) -> bool {
        let sound =
            !text.ends_with(|c: char| c.is_ascii_digit()) && !text.contains(['{', '[', '(']);
        sound
            && annotation::words(self.window, at)
                .is_some_and(|end| self.goes_on(end, Container::Object))
    }

    /// Returns the end of the three dots at `at`.
    pub(super) fn ellipsis(&self, at: usize) -> Option<usize> {
        if self.window.starts_with(at, b"...") {
            return Some(at + 3);
        }
        (self.window.character(at) == Some('…')).then(|| at + '…'.len_utf8())
    }

    /// Returns whether words follow at `at`, as after a whole value in a sentence.
    fn prose(&self, at: usize) -> bool {
        let word = self.window.short_word(at, KEY_REACH, char::is_alphabetic);
        let next = self.window.byte(at + word);
        word > 0 && matches!(next, Some(b' ')) && bare_key(self.window, at).is_none()
    }
}
