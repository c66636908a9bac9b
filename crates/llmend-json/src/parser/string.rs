//! How is a string read that is not strict JSON?

use crate::{
    EmphasisInValues, ErrorKind, Rule, Span,
    judge::{
        backslash::{self, Reading},
        key::opens_key,
        repetition,
        scene::{KeyStyle, Role, Scene},
        stray_key::{Owner, owner},
        string_end::{Ending, string_end},
    },
    parser::{
        Machine, Opened, State, Stop, Window,
        quote::{self, Delimiter, Style},
        trivia,
        window::{legal_escape, plain_run},
    },
    sink::{Container, Content, Sink},
};

/// Bytes by which a few edits make a string longer.
const EDITED: usize = 16;

/// A string as it stands in the text: the mark that opens it, its inside, the mark that closes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) start: usize,
    pub(crate) inside: Span,
    /// Where the closing mark stands; past the inside where emphasis goes.
    pub(crate) end: usize,
    /// Length of the closing mark; 0 if it is missing.
    pub(crate) close: usize,
    pub(crate) delimiter: Delimiter,
    /// Whether the closing mark is not the first that could have been it.
    pub(crate) contested: bool,
}

impl Piece {
    /// The string from the mark at `start` to the mark of `close` bytes at `end`.
    pub(crate) const fn new(start: usize, end: usize, close: usize, delimiter: Delimiter) -> Self {
        Self {
            start,
            inside: Span::new(start + delimiter.open, end),
            end,
            close,
            delimiter,
            contested: false,
        }
    }

    pub(crate) const fn span(&self) -> Span {
        Span::new(self.start, self.end + self.close)
    }
}

/// Whether mending a string changed its inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inside {
    Plain,
    Escaped,
    Mended,
}

impl Inside {
    pub(crate) fn is_plain(self) -> bool {
        self != Self::Mended
    }

    pub(crate) fn of<'m>(self, piece: &Piece, scratch: &'m str) -> Content<'m> {
        match self {
            Self::Plain => Content::Plain(piece.inside),
            Self::Escaped => Content::Escaped(piece.inside),
            Self::Mended => Content::Mended(scratch),
        }
    }
}

/// How far back the mark of the string before is looked for, in bytes.
const MARK_REACH: usize = 1 << 10;

impl Machine<'_> {
    /// A value in straight double quotes that strict JSON does not settle.
    #[cold]
    pub(super) fn odd_string<S: Sink>(
        &mut self,
        window: &Window<'_>,
        sink: &mut S,
    ) -> Result<(), Stop> {
        match quote::opening(window, self.at) {
            Some(delimiter) => self.string(window, delimiter, sink),
            None => Err(Stop::unexpected(self.at)),
        }
    }

    /// A string value starts here, in quotes of any kind.
    pub(super) fn string<S: Sink>(
        &mut self,
        window: &Window<'_>,
        delimiter: Delimiter,
        sink: &mut S,
    ) -> Result<(), Stop> {
        if self.quick_string(window, delimiter, sink)? {
            return Ok(());
        }
        let start = self.at;
        // A text at whose edges inner quotes stand, where the value leaves such quotes as they are.
        let delimiter = match delimiter.style {
            Style::TwiceDouble if self.inner_quotes && self.is_doubled_alone(window, start) => {
                Delimiter { open: 1, style: Style::Double }
            }
            _ => delimiter,
        };
        let inside = start + delimiter.open;
        if self.not_a_value(window, delimiter, sink)? {
            return Ok(());
        }
        let (end, close, contested, cut) =
            match self.judge_end(window, inside, delimiter, Role::Value) {
                Ending::Unclear => {
                    return Err(Stop::new(
                        ErrorKind::Ambiguous,
                        Span::at(start),
                        "it is not clear where this string ends",
                    ));
                }
                Ending::Mark { at, length, contested } => (at, length, contested, None),
                Ending::Unmarked { at } => (at, 0, false, None),
                Ending::Cut { at } => (at, 0, false, Some(at)),
            };
        let piece = Piece { contested, ..Piece::new(start, end, close, delimiter) };
        if let Some(at) = cut {
            self.cut = Some(at);
            return self.cut_string(window, &piece, at, sink);
        }
        if self.joined(window, &piece, sink)? {
            return Ok(());
        }
        if self.is_pair(window, end + close) {
            return self.key_in_array(window, &piece, sink);
        }
        self.inner_quotes |= contested && delimiter.style == Style::Double;
        self.emit_string(window, &piece, Rule::MissingEndQuote, sink)?;
        self.finished(end + close);
        Ok(())
    }

    /// A string stands where a value is awaited, and it is the next key: the value is missing.
    fn not_a_value<S: Sink>(
        &mut self,
        window: &Window<'_>,
        delimiter: Delimiter,
        sink: &mut S,
    ) -> Result<bool, Stop> {
        let gap = window.slice(Span::new(self.last_end, self.at));
        let new_line = gap.contains('\n');
        if self.state != State::Value || self.stack.is_empty() || !new_line {
            return Ok(false);
        }
        if delimiter.style != Style::Double || !opens_key(window, self.at) {
            return Ok(false);
        }
        self.missing_value(sink).map(|()| true)
    }

    /// Where the string ends whose inside starts at `inside`.
    pub(super) fn judge_end(
        &mut self,
        window: &Window<'_>,
        inside: usize,
        delimiter: Delimiter,
        role: Role,
    ) -> Ending {
        let scene = Scene {
            stack: &self.stack,
            role,
            spacing: self.spacing,
            style: self.key_style(),
            keys: &self.options.hints.keys,
        };
        string_end(window, inside, delimiter, &scene, &mut self.budget.left)
    }

    /// How the value has written its keys so far.
    pub(super) fn key_style(&self) -> KeyStyle {
        if self.seen.bare_keys > 0 { KeyStyle::Bare } else { KeyStyle::Quoted }
    }

    /// Hands a string to the sink, with its repairs.
    pub(super) fn emit_string<S: Sink>(
        &mut self,
        window: &Window<'_>,
        piece: &Piece,
        unmarked: Rule,
        sink: &mut S,
    ) -> Result<(), Stop> {
        let piece = if piece.close > 0 { self.without_emphasis(window, piece)? } else { *piece };
        let inside = self.mend(window, &piece, unmarked)?;
        let scratch = std::mem::take(&mut self.scratch);
        sink.string(window, piece.span(), inside.of(&piece, &scratch));
        self.scratch = scratch;
        self.seen.solid += 1;
        Ok(())
    }

    /// The string without the Markdown emphasis around all of it, if that is asked for.
    fn without_emphasis(&mut self, window: &Window<'_>, piece: &Piece) -> Result<Piece, Stop> {
        let text = window.slice(piece.inside);
        let wrapped = ["**", "__", "*", "_", "~~"].into_iter().find(|mark| {
            text.len() > 2 * mark.len()
                && text.starts_with(mark)
                && text.ends_with(mark)
                && text
                    .get(mark.len()..text.len() - mark.len())
                    .is_some_and(|inner| !inner.contains(mark))
        });
        let Some(mark) = wrapped.filter(|_| self.options.emphasis == EmphasisInValues::Strip)
        else {
            return Ok(*piece);
        };
        let (start, end) = (piece.inside.start, piece.inside.end);
        self.log.mark();
        self.edit(Rule::Emphasis, start, start + mark.len(), "")?;
        self.edit(Rule::Emphasis, end - mark.len(), end, "")?;
        Ok(Piece { inside: Span::new(start + mark.len(), end - mark.len()), ..*piece })
    }

    /// Makes a string strict: its marks, and what stands between them. Whether its inside is still
    /// the source, or in `scratch`.
    pub(super) fn mend(
        &mut self,
        window: &Window<'_>,
        piece: &Piece,
        unmarked: Rule,
    ) -> Result<Inside, Stop> {
        self.log.mark();
        let style = piece.delimiter.style;
        let end = piece.end;
        let doubled = matches!(style, Style::TwiceDouble | Style::TwiceSingle);
        let matched = piece.close == 0
            || (style.closes(window, end).is_some()
                && !(doubled && self.is_doubled_alone(window, piece.start)));
        let rule = if matched { style.rule() } else { Some(Rule::MismatchedQuotes) };
        let prefix = self.prefix.take();
        if let Some(at) = prefix {
            self.drop_prefix(window, at, piece)?;
        }
        if let Some(rule) = rule {
            self.straighten(window, rule, Span::new(piece.start, piece.inside.start))?;
        }
        let text = window.slice(piece.inside);
        let raw =
            prefix.is_some_and(|at| window.slice(Span::new(at, piece.start)).contains(['r', 'R']));
        let changed = self.mend_inside(text, piece.inside.start, style, raw)?;
        if piece.close == 0 {
            self.edit(unmarked, end, end, "\"")?;
        } else if let Some(rule) = rule {
            // Marks inside that need no escape leave no other trace of the choice.
            let rule = if piece.contested && matched { Rule::InnerQuotes } else { rule };
            self.straighten(window, rule, Span::new(end, end + piece.close))?;
        }
        Ok(changed)
    }

    /// Removes the prefix at `at`. A Python string that computes its text is an expression.
    fn drop_prefix(&mut self, window: &Window<'_>, at: usize, piece: &Piece) -> Result<(), Stop> {
        let computes = window.slice(Span::new(at, piece.start)).contains(['f', 'F'])
            && window.slice(piece.inside).replace("{{", "").contains('{');
        if !computes {
            return self.edit(Rule::StringPrefix, at, piece.start, "");
        }
        if !self.log.allows(Rule::ExpressionAsText) {
            return Err(Stop::new(ErrorKind::Expression, Span::new(at, piece.span().end), ""));
        }
        self.edit(Rule::ExpressionAsText, at, piece.start, "")
    }

    /// Whether the quotes of the string before the one at `at`, whose are written twice, are not.
    fn is_doubled_alone(&self, window: &Window<'_>, at: usize) -> bool {
        let mark = window.slice(Span::new(at, at + 1));
        let before = window.before(at, MARK_REACH.min(at - self.start));
        let last = before.rfind(mark).map(|at| before.get(..at).unwrap_or_default());
        last.is_some_and(|before| !before.ends_with(mark))
    }

    /// Puts a straight quote in place of the mark at `mark`, if it is another.
    pub(super) fn straighten(
        &mut self,
        window: &Window<'_>,
        rule: Rule,
        mark: Span,
    ) -> Result<(), Stop> {
        if window.slice(mark) == "\"" {
            return Ok(());
        }
        self.edit(rule, mark.start, mark.end, "\"")
    }

    /// Makes the inside of a string strict; `base` is its offset.
    fn mend_inside(
        &mut self,
        text: &str,
        base: usize,
        style: Style,
        raw: bool,
    ) -> Result<Inside, Stop> {
        let bytes = text.as_bytes();
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        let mut inside = Inside::Plain;
        let mut reading = None;
        let mut plain = 0;
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if byte >= b' ' && byte != b'"' && byte != b'\\' {
                at = plain_run(bytes, at, b'"', b'"');
                continue;
            }
            let (rule, length, replacement): (Rule, usize, std::borrow::Cow<'static, str>) =
                match byte {
                    b'"' => (style.rule().unwrap_or(Rule::InnerQuotes), 1, "\\\"".into()),
                    b'\n' => (Rule::RawNewline, 1, "\\n".into()),
                    b'\r' => (Rule::RawCarriageReturn, 1, "\\r".into()),
                    b'\t' => (Rule::RawTab, 1, "\\t".into()),
                    b'\\' => {
                        let reading = *reading.get_or_insert_with(|| {
                            if raw { Reading::Literal } else { backslash::reading(text) }
                        });
                        match escape(text, at, style, reading, raw) {
                            Escape::Legal(length) => {
                                inside =
                                    if inside == Inside::Plain { Inside::Escaped } else { inside };
                                at += length;
                                continue;
                            }
                            Escape::Edit(rule, length, replacement) => (rule, length, replacement),
                        }
                    }
                    control => (Rule::RawControl, 1, format!("\\u{control:04x}").into()),
                };
            if inside != Inside::Mended {
                scratch.reserve(text.len() + EDITED);
                inside = Inside::Mended;
            }
            scratch.push_str(text.get(plain..at).unwrap_or_default());
            scratch.push_str(&replacement);
            if let Err(stop) = self.edit(rule, base + at, base + at + length, replacement) {
                self.scratch = scratch;
                return Err(stop);
            }
            at += length;
            plain = at;
        }
        if inside == Inside::Mended {
            scratch.push_str(text.get(plain..).unwrap_or_default());
        }
        self.scratch = scratch;
        Ok(inside)
    }

    /// The text breaks off inside a string.
    fn cut_string<S: Sink>(
        &mut self,
        window: &Window<'_>,
        piece: &Piece,
        cut: usize,
        sink: &mut S,
    ) -> Result<(), Stop> {
        let text = window.slice(piece.inside);
        let whole = text.len() - half_escape(text);
        let kept = repetition::kept(text.get(..whole).unwrap_or_default());
        let inside = Span::new(piece.inside.start, piece.inside.start + kept);
        let piece = Piece { inside, end: inside.end, ..*piece };
        self.emit_string(window, &piece, Rule::CutString, sink)?;
        let end = inside.end;
        if kept < whole {
            self.edit(Rule::CutRepetition, end, cut, "")?;
        } else if end < cut {
            self.edit(Rule::CutEscape, end, cut, "")?;
        }
        self.finished(cut);
        if self.stack.is_empty() {
            self.state = State::Done;
            return Ok(());
        }
        self.at = cut;
        self.end_of_text(sink)
    }

    /// Literals that are joined: `"a" + "b"`.
    fn joined<S: Sink>(
        &mut self,
        window: &Window<'_>,
        first: &Piece,
        sink: &mut S,
    ) -> Result<bool, Stop> {
        let mut pieces = vec![*first];
        loop {
            let last = pieces.last().map_or(first.span().end, |piece| piece.span().end);
            let plus = trivia::skip(window, last, self.spacing);
            let beside = plus > last
                && self.top() == Some(Container::Object)
                && quote::opening(window, plus).is_some()
                && !opens_key(window, plus);
            if window.byte(plus) != Some(b'+') && !beside {
                break;
            }
            let at = if beside { plus } else { trivia::skip(window, plus + 1, self.spacing) };
            let Some(delimiter) = quote::opening(window, at) else {
                return self.expression(window, first.start, sink).map(|()| true);
            };
            match self.judge_end(window, at + delimiter.open, delimiter, Role::Value) {
                Ending::Mark { at: end, length, .. } => {
                    pieces.push(Piece::new(at, end, length, delimiter));
                }
                _ => return Err(Stop::unexpected(plus)),
            }
        }
        if pieces.len() < 2 {
            return Ok(false);
        }
        self.join(window, &pieces, sink)?;
        self.finished(pieces.last().map_or(first.span().end, |piece| piece.span().end));
        Ok(true)
    }

    /// A literal in parentheses, or several side by side, as Python joins them: `("a" "b")`.
    pub(super) fn literals_in_parentheses<S: Sink>(
        &mut self,
        window: &Window<'_>,
        sink: &mut S,
    ) -> Result<bool, Stop> {
        let open = self.at;
        let mut pieces: Vec<Piece> = Vec::new();
        let mut at = open + 1;
        let close = loop {
            at = trivia::skip(window, at, self.spacing);
            if window.byte(at) == Some(b')') {
                break at;
            }
            let Some(delimiter) = quote::opening(window, at) else { return Ok(false) };
            let Some(end) = literal_end(window, at, delimiter) else { return Ok(false) };
            pieces.push(Piece::new(at, end, delimiter.open, delimiter));
            at = end + delimiter.open;
        };
        let Some(last) = pieces.last() else { return Ok(false) };
        let end = last.span().end;
        let first = pieces.first().map_or(end, |piece| piece.start);
        let rule = if pieces.len() > 1 { Rule::Concatenation } else { Rule::Parentheses };
        self.edit(rule, open, first, "")?;
        self.join(window, &pieces, sink)?;
        self.edit(rule, end, close + 1, "")?;
        self.finished(close + 1);
        Ok(true)
    }

    /// Hands several literals to the sink as one string.
    fn join<S: Sink>(
        &mut self,
        window: &Window<'_>,
        pieces: &[Piece],
        sink: &mut S,
    ) -> Result<(), Stop> {
        let mut all = String::new();
        self.log.mark();
        for (at, piece) in pieces.iter().enumerate() {
            let inside = self.mend_inside(
                window.slice(piece.inside),
                piece.inside.start,
                piece.delimiter.style,
                false,
            )?;
            all.push_str(if inside.is_plain() {
                window.slice(piece.inside)
            } else {
                &self.scratch
            });
            let close = piece.inside.end;
            match pieces.get(at + 1) {
                Some(next) => self.edit(Rule::Concatenation, close, next.inside.start, "")?,
                None => {
                    if let Some(rule) = piece.delimiter.style.rule() {
                        self.straighten(window, rule, Span::new(close, close + piece.close))?;
                    }
                }
            }
        }
        if let Some(first) = pieces.first() {
            if let Some(at) = self.prefix.take() {
                self.drop_prefix(window, at, first)?;
            }
            if let Some(rule) = first.delimiter.style.rule() {
                self.edit(rule, first.start, first.inside.start, "\"")?;
            }
            let end = pieces.last().map_or(first.span().end, |last| last.span().end);
            sink.string(window, Span::new(first.start, end), Content::Mended(&all));
        }
        self.seen.solid += 1;
        Ok(())
    }

    /// Whether the string that ends at `end` is a key that stands in an array.
    fn is_pair(&self, window: &Window<'_>, end: usize) -> bool {
        self.top() == Some(Container::Array)
            && window.byte(trivia::skip(window, end, self.spacing)) == Some(b':')
    }

    /// A key stands in an array: it belongs to an object of its own, or to the one around it.
    fn key_in_array<S: Sink>(
        &mut self,
        window: &Window<'_>,
        piece: &Piece,
        sink: &mut S,
    ) -> Result<(), Stop> {
        let budget = &mut self.budget.left;
        let owner = self.comma.map_or(Owner::Pair, |comma| {
            owner(window, self.last_end, comma.start, &self.stack, self.spacing, budget)
        });
        if owner == Owner::Outer {
            self.edit(Rule::UnclosedInside, self.last_end, self.last_end, "]")?;
            self.stack.pop();
            sink.close(self.last_end);
            self.state = State::Key;
            return Ok(());
        }
        if self.prefix.is_some() {
            return Err(Stop::unexpected(piece.start));
        }
        let (rule, opened) = match owner {
            Owner::Object => (Rule::MissingOpener, Opened::Plain),
            _ => (Rule::PairInArray, Opened::Pair),
        };
        self.edit(rule, piece.start, piece.start, "{")?;
        self.open(Container::Object, opened, piece.start, sink)?;
        self.emit_key(window, piece, Rule::MissingEndQuote, sink)?;
        self.at = piece.span().end;
        self.colon(window, sink)
    }
}

/// Where the closing mark of the plain literal at `at` stands: the next one that is not escaped.
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

/// What becomes of a backslash and what follows it.
enum Escape {
    /// It stays, with this many bytes.
    Legal(usize),
    /// This many bytes give way.
    Edit(Rule, usize, std::borrow::Cow<'static, str>),
}

/// What becomes of the backslash at `at` of a string's inside.
fn escape(text: &str, at: usize, style: Style, reading: Reading, raw: bool) -> Escape {
    let next = text.get(at + 1..).and_then(|rest| rest.chars().next());
    let legal = legal_escape(text, at);
    let literal = || Escape::Edit(Rule::LiteralBackslash, 1, "\\\\".into());
    let Some(next) = next else { return literal() };
    if raw {
        return if next == '"' { Escape::Legal(2) } else { literal() };
    }
    if style == Style::Escaped && text.get(at..).is_some_and(|rest| rest.starts_with("\\\\")) {
        return Escape::Edit(Rule::EscapedQuotes, 1, "".into());
    }
    let text_by_word = |length: usize| {
        if backslash::is_text(text, at) { literal() } else { Escape::Legal(length) }
    };
    match (reading, legal, next) {
        (_, Some(length), '"' | '\\') => Escape::Legal(length),
        (Reading::Escapes, Some(length), _) => Escape::Legal(length),
        (Reading::ByWord, Some(length), _) => text_by_word(length),
        (Reading::Literal, _, _) => literal(),
        (Reading::ByWord, None, '_' | '$') if backslash::is_text(text, at) => literal(),
        (_, None, '\'' | '_' | '$' | '`') => Escape::Edit(Rule::NeedlessEscape, 1, "".into()),
        (_, None, '\n') => Escape::Edit(Rule::NeedlessEscape, 1, "".into()),
        (_, None, _) if reading == Reading::Escapes && backslash::surrogate(text, at) => {
            Escape::Edit(Rule::LoneSurrogate, 6, "\u{fffd}".into())
        }
        (_, None, 'x' | 'U') if reading == Reading::Escapes => match backslash::foreign(text, at) {
            Some((character, length)) => {
                let mut out = String::new();
                let _ = super::escape::escape_into(character.encode_utf8(&mut [0; 4]), &mut out);
                Escape::Edit(Rule::ForeignEscape, length, out.into())
            }
            None => literal(),
        },
        (_, None, _) => literal(),
    }
}

/// Bytes at the end of `text` that are half an escape.
fn half_escape(text: &str) -> usize {
    let Some(at) = text.rfind('\\') else { return 0 };
    let before = text.get(..at).unwrap_or_default();
    let escaped = before.len() - before.trim_end_matches('\\').len();
    if escaped % 2 == 1 {
        return 0;
    }
    let tail = text.get(at..).unwrap_or_default();
    let digits = tail.get(2..).unwrap_or_default();
    let hex = tail.starts_with("\\u") && digits.bytes().all(|b| b.is_ascii_hexdigit());
    if tail == "\\" || (hex && digits.len() < 4) {
        // The first half of a pair goes with the second.
        let pair = before.len() >= 6
            && before
                .get(before.len() - 6..)
                .is_some_and(|high| backslash::surrogate(high, 0) && high.starts_with('\\'));
        return tail.len() + if pair { 6 } else { 0 };
    }
    if hex && digits.len() == 4 && backslash::surrogate(tail, 0) && digits.starts_with(['d', 'D']) {
        let high = u32::from_str_radix(digits, 16).is_ok_and(|code| code < 0xDC00);
        return if high { tail.len() } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::half_escape;

    #[test]
    fn half_an_escape_at_the_cut() {
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
            ("x\\n", 0),
        ] {
            assert_eq!(half_escape(text), expected, "{text}");
        }
    }
}
