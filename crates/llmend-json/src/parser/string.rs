//! How is a string read that is not strict JSON?

use crate::{
    EmphasisInValues, ErrorKind, Rule, Span,
    judge::{
        key::{
            is_name, opens_key,
            stray_key::{Owner, owner},
        },
        string::{
            emphasis,
            end::{Ending, string_end},
            scene::{KeyStyle, Role, Scene},
        },
    },
    parser::{
        Machine, Opened, State, Stop, Window,
        inside::Inside,
        quote::{self, Delimiter, Style},
        trivia,
    },
    sink::{Container, Sink},
};

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
        if window.is_starved() {
            // A rehearsal in vain: more has to arrive first.
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
        if self.is_pair(window, &piece) {
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
        let strip = self.options.emphasis == EmphasisInValues::Strip;
        let Some(mark) = emphasis::around(text).filter(|_| strip) else { return Ok(*piece) };
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
    pub(super) fn drop_prefix(
        &mut self,
        window: &Window<'_>,
        at: usize,
        piece: &Piece,
    ) -> Result<(), Stop> {
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

    /// Whether the string at `piece` is a key that stands in an array. What cannot be a name is
    /// none: a stream has shown it as an item.
    fn is_pair(&self, window: &Window<'_>, piece: &Piece) -> bool {
        let next = || trivia::skip(window, piece.span().end, self.spacing);
        self.top() == Some(Container::Array)
            && (piece.inside.is_empty() || is_name(window.slice(piece.inside)))
            && window.byte(next()) == Some(b':')
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
            self.close_inside(1, sink)?;
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
