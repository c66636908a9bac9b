//! Certain part of an incomplete string.
//!
//! Text that is shown is never retracted. Text that may turn out not to belong to the string is
//! therefore held back: what follows the first possible closing quote, line breaks, escapes that
//! may be backslashes of a path, trailing white space and closing brackets, and the start of a
//! repetition.

use crate::{
    EmphasisInValues, Rule, Span,
    judge::{
        key::is_name,
        string::{backslash, end_token, repetition, scalars},
    },
    parser::{
        Delimiter, GrammarState, Parser, Window, escape::unescape, plain_run, quote, quote::Style,
    },
    sink::Container,
    stream::word::Word,
    value::Tail,
};

/// Longest unit of a repetition that is cut off at the end of the text: see
/// [`crate::judge::string::repetition`].
const UNITS: usize = repetition::UNIT;

/// An incomplete string.
#[derive(Debug)]
pub(super) struct Partial {
    /// Offset of its opening delimiter.
    pub(super) opener: usize,
    /// Offset of its content.
    start: usize,
    style: Style,
    /// Offset up to which it was processed.
    at: usize,
    /// End of the last character that belongs to the string in any case.
    solid: usize,
    repeats: Repeats,
    /// The escapes so far.
    escapes: Vec<Escaped>,
    /// The decoded text up to `at`.
    text: String,
    /// The word around the last escape.
    word: Word,
    /// Whether a drive letter and colon precede a backslash.
    drive: bool,
    /// Whether an earlier string contained unescaped backslashes.
    backslashes: bool,
    /// Whether only the end of the string decides about the text at `at`.
    pub(super) waits: bool,
}

/// An escape in the source, and the length of the decoded text after it.
#[derive(Clone, Copy, Debug)]
struct Escaped {
    span: Span,
    text: usize,
}

/// The allocations of a string.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    text: String,
    escapes: Vec<Escaped>,
}

impl Partial {
    /// Creates the string that the parser is reading, if it is certainly a string, in the
    /// allocations of another one.
    pub(super) fn opened(
        parser: &Parser<'_>,
        window: &Window<'_>,
        spare: &mut Buffers,
    ) -> Option<Self> {
        if !matches!(
            parser.state,
            GrammarState::Value | GrammarState::Item | GrammarState::FirstItem
        ) {
            return None;
        }
        let here = parser.at;
        let probe = Window::part(window.text, window.base, window.at_end);
        let Delimiter { open, style } =
            quote::opening(&probe, here).filter(|_| !probe.is_starved())?;
        let common = matches!(
            style,
            Style::Double
                | Style::Single
                | Style::Backtick
                | Style::SmartDouble
                | Style::SmartSingle
        );
        let gap = window.slice(Span::new(parser.last_end, here));
        // On the next line it may be a key.
        let value = parser.state != GrammarState::Value || !gap.contains('\n');
        // As an operand of an expression, it would be text including its quotes.
        let operand = parser.log.allows(Rule::ExpressionAsText);
        let stripped = parser.options.emphasis == EmphasisInValues::Strip;
        if !common || !value || operand || stripped || parser.top().is_none() {
            return None;
        }
        let start = here + open;
        let Buffers { mut text, mut escapes } = std::mem::take(spare);
        text.clear();
        escapes.clear();
        Some(Self {
            opener: here,
            start,
            style,
            at: start,
            solid: start,
            repeats: Repeats::default(),
            escapes,
            text,
            word: Word::default(),
            drive: false,
            backslashes: parser.formulas || parser.backslashes,
            waits: false,
        })
    }

    /// Returns the allocations, for another string.
    pub(super) fn into_buffers(self) -> Buffers {
        Buffers { text: self.text, escapes: self.escapes }
    }

    /// Returns the length of the certain text. In an array, a short name may still be a key.
    fn certain(&self, window: &Window<'_>, container: Option<Container>) -> Option<usize> {
        let seen = Span::new(self.start, self.at);
        if container == Some(Container::Array) && (seen.is_empty() || is_name(window.slice(seen))) {
            return None;
        }
        let text = window.slice(Span::new(self.start, self.solid));
        let mut text = text.get(..end_token::without_partial_token(text)).unwrap_or(text);
        if container == Some(Container::Array) {
            let length = scalars::without_partial_scalars(text);
            text = text.get(..length).unwrap_or(text);
        }
        let solid = self.start + solid(text);
        let end = self.repeats.first().map_or(solid, |at| solid.min(self.start + at));
        Some(self.length_at(end))
    }

    /// Returns the length of the decoded text at or right before `end` in the source.
    fn length_at(&self, end: usize) -> usize {
        let mut length = end - self.start;
        if !self.escapes.is_empty() {
            let next = self.escapes.partition_point(|escape| escape.span.end <= end);
            let last = next.checked_sub(1).and_then(|at| self.escapes.get(at));
            let (from, before) =
                last.map_or((self.start, 0), |escape| (escape.span.end, escape.text));
            let end = self.escapes.get(next).map_or(end, |escape| end.min(escape.span.start));
            length = before + (end - from);
        }
        (0..=length).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0)
    }

    /// Returns the certain text, if it may be shown.
    pub(super) fn certain_text(
        &self,
        window: &Window<'_>,
        container: Option<Container>,
    ) -> Option<&str> {
        self.text.get(..self.certain(window, container)?)
    }

    /// Returns the text with its certain length, if it may be shown; [`Self::give_back`] returns
    /// it.
    pub(super) fn lend(
        &mut self,
        window: &Window<'_>,
        container: Option<Container>,
    ) -> Option<Tail> {
        let shown = self.certain(window, container)?;
        Some(Tail { text: std::mem::take(&mut self.text), shown })
    }

    pub(super) fn give_back(&mut self, tail: Tail) {
        self.text = tail.text;
    }

    /// Processes new text.
    pub(super) fn advance(&mut self, window: &Window<'_>) {
        let before = self.at;
        while !self.waits {
            let bytes = window.text.as_bytes();
            let mark = match self.style {
                Style::Single => b'\'',
                Style::Backtick => b'`',
                _ => b'"',
            };
            let end = window.base + plain_run(bytes, self.at - window.base, mark, b'"');
            let end = self.until_mark(window, end);
            if end > self.at {
                let run = Span::new(self.at, end);
                let run = window.slice(run);
                self.text.push_str(run);
                let solid = solid(run);
                if solid > 0 {
                    self.solid = self.at + solid;
                }
                self.at = end;
                continue;
            }
            let Some(byte) = bytes.get(end - window.base) else { break };
            match byte {
                b'\\' => match self.escape(window, end) {
                    Escape::Legal(length) => {
                        let escape = window.slice(Span::new(end, end + length));
                        let from = self.text.len();
                        unescape(escape, &mut self.text);
                        self.at = end + length;
                        if !self.text.get(from..).is_some_and(|text| text.ends_with(is_loose)) {
                            self.solid = self.at;
                        }
                        let span = Span::new(end, self.at);
                        self.escapes.push(Escaped { span, text: self.text.len() });
                    }
                    Escape::Half => break,
                    Escape::Unclear => self.waits = true,
                },
                _ if self.is_apostrophe(window, end) => {
                    self.text.push('\'');
                    self.at = end + 1;
                    self.solid = self.at;
                }
                _ if end + 1 >= window.end() && self.style == Style::Single => break,
                _ => self.waits = true,
            }
        }
        self.repeats.see(window.bytes(Span::new(self.start, self.at)), before - self.start);
    }

    /// Classifies the backslash at `at`.
    fn escape(&mut self, window: &Window<'_>, at: usize) -> Escape {
        let probe = Window::part(window.text, window.base, window.at_end);
        let Some(next) = probe.byte(at + 1) else { return Escape::Half };
        let Some(length) = probe.legal_escape(at) else {
            return if probe.is_starved() { Escape::Half } else { Escape::Unclear };
        };
        let before = Span::new(self.start, at);
        let first = self.escapes.is_empty();
        self.drive |= window.bytes(before).last() == Some(&b':');
        // After a path, an escaped quote may be its last backslash and the end.
        if (first && backslash::may_open_path(window.slice(before), next))
            || (next == b'"' && self.drive)
        {
            return Escape::Unclear;
        }
        if next == b'\\' || self.drive {
            self.word.unsure = Some(at + length - self.start);
        }
        if matches!(next, b'"' | b'\\') {
            return Escape::Legal(length);
        }
        if self.backslashes {
            return Escape::Unclear;
        }
        let content = probe.slice(Span::new(self.start, probe.end()));
        match self.word.is_escape_for_good(content, at - self.start) {
            Some(true) => Escape::Legal(length),
            Some(false) => Escape::Unclear,
            None => Escape::Half,
        }
    }

    /// Returns the first delimiter of several bytes before `end`.
    fn until_mark(&self, window: &Window<'_>, end: usize) -> usize {
        if !matches!(self.style, Style::SmartDouble | Style::SmartSingle) {
            return end;
        }
        // All of them begin with one of these bytes.
        let run = window.bytes(Span::new(self.at, end));
        memchr::memchr3_iter(0xE2, 0xEF, b'\'', run)
            .map(|at| self.at + at)
            .find(|&at| self.style.closes(window, at).is_some())
            .unwrap_or(end)
    }

    /// Returns whether the mark at `at` is an apostrophe within a word.
    fn is_apostrophe(&self, window: &Window<'_>, at: usize) -> bool {
        self.style == Style::Single
            && window.byte(at) == Some(b'\'')
            && at + 1 < window.end()
            && quote::inside_word(window, at, 1)
    }
}

/// Returns a bit for each of the last [`UNITS`] bytes that equals `byte`, starting with the last.
fn places_of(byte: u8, bytes: &[u8]) -> u32 {
    let bits_of = |bytes: &[u8]| {
        let places = bytes.iter().rev().enumerate();
        places.fold(0, |bits, (at, &one)| bits | u32::from(one == byte) << at)
    };
    // With a constant number of bytes this takes a few instructions.
    bytes.last_chunk::<UNITS>().map_or_else(|| bits_of(bytes), |near| bits_of(near))
}

/// Repetitions that continue at the end of a string.
#[derive(Debug, Default)]
struct Repeats {
    /// A bit for each unit length, starting with one byte.
    going_on: u32,
    /// For each set bit, the offset of the first repeated byte.
    began: [u32; UNITS],
}

impl Repeats {
    /// Adds new bytes of the string; the first `known` were added before.
    fn see(&mut self, bytes: &[u8], known: usize) {
        let Some((&last, before)) = bytes.split_last().filter(|_| bytes.len() > known) else {
            return;
        };
        let going_on = places_of(last, before);
        let (was, mut rest) = (self.going_on, going_on);
        while rest != 0 {
            let bit = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let unit = bit + 1;
            let same = |at: &usize| bytes.get(*at) == bytes.get(at - unit);
            let new = (known.max(unit)..bytes.len()).rev().take_while(same).count();
            let start = bytes.len() - new;
            // An earlier repetition continues.
            let older = start == known && was & (1 << bit) != 0;
            if let Some(began) = self.began.get_mut(bit).filter(|_| !older) {
                *began = u32::try_from(start).unwrap_or(u32::MAX);
            }
        }
        self.going_on = going_on;
    }

    /// Returns the offset of the first repetition.
    fn first(&self) -> Option<usize> {
        let (mut first, mut rest) = (None, self.going_on);
        while rest != 0 {
            let began = self.began.get(rest.trailing_zeros() as usize);
            first = first.min(began).or(began);
            rest &= rest - 1;
        }
        first.map(|&at| at as usize)
    }
}

/// Returns the length of `run` up to its last character that belongs to the string in any case.
fn solid(run: &str) -> usize {
    match run.as_bytes().last() {
        Some(last) if last.is_ascii_alphanumeric() => run.len(),
        _ => run.trim_end_matches(is_loose).len(),
    }
}

/// Returns whether a character at the end of a string may turn out not to belong to it. An escaped
/// quote may be a backslash and the end, and another kind of quote may be a mistaken end.
fn is_loose(character: char) -> bool {
    character.is_whitespace()
        || matches!(
            character,
            ',' | '{'
                | '}'
                | '['
                | ']'
                | '('
                | ')'
                | '"'
                | '\''
                | '`'
                | '“'
                | '”'
                | '‘'
                | '’'
                | '＂'
        )
}

/// Classification of a backslash.
enum Escape {
    /// An escape of this length in any case.
    Legal(usize),
    /// An incomplete escape or word.
    Half,
    /// Possibly a literal backslash.
    Unclear,
}

#[cfg(test)]
mod tests {
    use super::{UNITS, places_of};

    #[test]
    fn places_count_from_the_end() {
        for text in [
            "",
            "a",
            "ba",
            "banana",
            "0a000000a0aaaaaa\u{1}\u{0}aé\u{80}abaaa",
            "aaaaaaaa".repeat(5).as_str(),
        ] {
            let bytes = text.as_bytes();
            for byte in [b'a', b'n', 0, 1, 0x80, b'`', 0xE1] {
                let places = bytes.iter().rev().take(UNITS).enumerate();
                let expected =
                    places.fold(0, |bits, (at, &one)| bits | u32::from(one == byte) << at);
                assert_eq!(places_of(byte, bytes), expected, "{text} {byte}");
            }
        }
    }
}
