//! How much of a string that is still being written is certain?
//!
//! What is shown of a string is never taken back. So what may yet turn out not to belong to it is
//! held: what follows the first mark that may end it, a line end, an escape that may turn out to be
//! the backslash of a path, white space and closers at the end, and the start of a repetition.

use crate::{
    EmphasisInValues, Rule, Span,
    judge::{
        key::is_name,
        string::{backslash, repetition},
    },
    parser::{
        Delimiter, GrammarState, Parser, Window, escape::unescape, plain_run, quote, quote::Style,
    },
    sink::Container,
    stream::word::Word,
    value::Tail,
};

/// Longest unit of a repetition that is cut off where the text breaks off: see
/// [`crate::judge::string::repetition`].
const UNITS: usize = repetition::UNIT;

/// A string of which the end has not been read.
#[derive(Debug)]
pub(super) struct Partial {
    /// Where the mark stands that opens it.
    pub(super) opener: usize,
    /// Where its inside starts.
    start: usize,
    style: Style,
    /// How far it was looked at.
    at: usize,
    /// End of the last character that no end of the string can leave out.
    solid: usize,
    repeats: Repeats,
    /// The escapes so far.
    escapes: Vec<Escaped>,
    /// The decoded text up to `at`.
    text: String,
    /// The word that the last of them stands in.
    word: Word,
    /// Whether a drive's letter and colon stood before a backslash.
    drive: bool,
    /// Whether something stands at `at` that only the end of the string settles.
    pub(super) waits: bool,
}

/// An escape in the source, and how long the text is after it.
#[derive(Clone, Copy, Debug)]
struct Escaped {
    span: Span,
    text: usize,
}

impl Partial {
    /// The string that the machine awaits the end of, if it is certain to be one.
    ///
    /// It takes over the storage of `spare`, a string that is over.
    pub(super) fn opened(
        parser: &Parser<'_>,
        window: &Window<'_>,
        spare: &mut Option<Self>,
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
        // On the next line it may be the next key.
        let value = parser.state != GrammarState::Value || !gap.contains('\n');
        // As an operand it would be text with its quotes.
        let operand = parser.log.allows(Rule::ExpressionAsText);
        let stripped = parser.options.emphasis == EmphasisInValues::Strip;
        if !common || !value || operand || stripped || parser.top().is_none() {
            return None;
        }
        let start = here + open;
        let (mut text, mut escapes) =
            spare.take().map(|spare| (spare.text, spare.escapes)).unwrap_or_default();
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
            waits: false,
        })
    }

    /// What is certain of the text. In an array, a short name may yet be a key.
    fn certain(&self, window: &Window<'_>, container: Option<Container>) -> Option<usize> {
        let seen = Span::new(self.start, self.at);
        if container == Some(Container::Array) && (seen.is_empty() || is_name(window.slice(seen))) {
            return None;
        }
        let end = self.repeats.first().map_or(self.solid, |at| self.solid.min(self.start + at));
        Some(self.length_at(end))
    }

    /// Length of the decoded text at `end` of the source, or right before it.
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

    /// What is certain of the text, if it may be shown.
    pub(super) fn certain_text(
        &self,
        window: &Window<'_>,
        container: Option<Container>,
    ) -> Option<&str> {
        self.text.get(..self.certain(window, container)?)
    }

    /// The text with what is certain of it marked, if it may be shown. It comes back by
    /// [`Self::give_back`].
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

    /// Looks at what has arrived since the last time.
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

    /// What is known of the backslash at `at`.
    fn escape(&mut self, window: &Window<'_>, at: usize) -> Escape {
        let probe = Window::part(window.text, window.base, window.at_end);
        let Some(next) = probe.byte(at + 1) else { return Escape::Half };
        let Some(length) = probe.legal_escape(at) else {
            return if probe.is_starved() { Escape::Half } else { Escape::Unclear };
        };
        let before = Span::new(self.start, at);
        let first = self.escapes.is_empty();
        self.drive |= window.bytes(before).last() == Some(&b':');
        // Behind a path, an escaped quote may be its last backslash and the end.
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
        let content = probe.slice(Span::new(self.start, probe.end()));
        match self.word.is_escape_for_good(content, at - self.start) {
            Some(true) => Escape::Legal(length),
            Some(false) => Escape::Unclear,
            None => Escape::Half,
        }
    }

    /// The first mark of a kind that is more than a byte long, before `end`.
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

    /// Whether the mark at `at` is an apostrophe within a word.
    fn is_apostrophe(&self, window: &Window<'_>, at: usize) -> bool {
        self.style == Style::Single
            && window.byte(at) == Some(b'\'')
            && at + 1 < window.end()
            && quote::inside_word(window, at, 1)
    }
}

/// A bit for each of the last [`UNITS`] bytes of `bytes` that is `byte`, beginning with the last.
fn places_of(byte: u8, bytes: &[u8]) -> u32 {
    let bits_of = |bytes: &[u8]| {
        let places = bytes.iter().rev().enumerate();
        places.fold(0, |bits, (at, &one)| bits | u32::from(one == byte) << at)
    };
    // Over a number of bytes that is known beforehand it takes a few instructions.
    bytes.last_chunk::<UNITS>().map_or_else(|| bits_of(bytes), |near| bits_of(near))
}

/// Where the repetitions began that go on at the end of what was seen of a string.
#[derive(Debug, Default)]
struct Repeats {
    /// A bit for each length of the unit that is repeated, from one byte on.
    going_on: u32,
    /// For each bit that is set, where the first repeated byte stands in the string.
    began: [u32; UNITS],
}

impl Repeats {
    /// Takes note of `bytes`, the string so far, of which the first `known` were seen before.
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
            // A repetition that was there before goes on.
            let older = start == known && was & (1 << bit) != 0;
            if let Some(began) = self.began.get_mut(bit).filter(|_| !older) {
                *began = u32::try_from(start).unwrap_or(u32::MAX);
            }
        }
        self.going_on = going_on;
    }

    /// Where the first of them began.
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

/// Length of `run` up to its last character that no end of a string can leave out.
fn solid(run: &str) -> usize {
    match run.as_bytes().last() {
        Some(last) if last.is_ascii_alphanumeric() => run.len(),
        _ => run.trim_end_matches(is_loose).len(),
    }
}

/// Whether a character at the end of a string may turn out not to belong to it. An escaped quote may
/// be a backslash and the end, and a mark of another kind may be a mistaken end.
fn is_loose(character: char) -> bool {
    character.is_whitespace()
        || matches!(character, ',' | '}' | ']' | '"' | '\'' | '`' | '“' | '”' | '‘' | '’' | '＂')
}

/// What is known of a backslash.
enum Escape {
    /// An escape of this length, whatever follows.
    Legal(usize),
    /// Part of an escape, or of the word that it stands in.
    Half,
    /// It may turn out to be a backslash.
    Unclear,
}
