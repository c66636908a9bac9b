//! Strings that are not strict JSON.

use crate::{
    EmphasisInValues, ErrorKind, Rule, Span,
    judge::{
        bracket::{indented, unopened},
        key::{
            is_name,
            stray_key::{Owner, owner},
            stuttered::stuttered,
        },
        string::{
            context::{KeyStyle, Role, StringContext},
            emphasis,
            end::{Ending, string_end},
        },
        words::annotation::CITATION,
    },
    parser::{
        GrammarState, Opened, Parser, Stop, Window,
        inside::ContentKind,
        quote::{self, Delimiter, Style},
        string_token::StringToken,
        trivia,
    },
    sink::{Container, Sink},
};

/// How far back the closing mark of the previous string is searched for, in bytes.
const MARK_REACH: usize = 1 << 10;

/// Longest line whose indentation is compared, in bytes.
const LINE_REACH: usize = 256;

impl Parser<'_> {
    /// Recovers from a double-quoted value that is not strict JSON.
    #[cold]
    pub(super) fn recover_string(
        &mut self,
        window: &Window<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        if self.keyed_list(window, sink)? {
            return Ok(());
        }
        match quote::opening(window, self.at) {
            Some(delimiter) => self.string(window, delimiter, sink),
            None => Err(Stop::unexpected(self.at)),
        }
    }

    /// Parses a quoted value with marks of any kind.
    pub(super) fn string(
        &mut self,
        window: &Window<'_>,
        delimiter: Delimiter,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        if self.quick_string(window, delimiter, sink)? {
            return Ok(());
        }
        if window.is_starved() {
            // The dry run needs more text.
            return Ok(());
        }
        let start = self.at;
        // A text with inner quotes at its edges, in a value that leaves such quotes unescaped.
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
            match self.find_string_end(window, inside, delimiter, Role::Value) {
                Ending::Unclear => {
                    return Err(Stop::new(
                        ErrorKind::Ambiguous,
                        Span::at(start),
                        "cannot tell where this string ends",
                    ));
                }
                Ending::Mark { at, length, contested } => (at, length, contested, None),
                Ending::Unmarked { at } => (at, 0, false, None),
                Ending::Cut { at } => (at, 0, false, Some(at)),
            };
        let token = StringToken { contested, ..StringToken::new(start, end, close, delimiter) };
        let token = token.with_stray_mark(window);
        if let Some(at) = cut {
            self.cut = Some(at);
            return self.cut_string(window, &token, at, sink);
        }
        if self.joined(window, &token, sink)? {
            return Ok(());
        }
        if self.is_pair(window, &token) {
            return self.key_in_array(window, &token, sink);
        }
        self.inner_quotes |=
            contested && delimiter.style == Style::Double && !token.has_stray_mark();
        let unmarked = self.end_quote_rule(window, &token);
        self.emit_string(window, &token, unmarked, sink)?;
        self.finished(end + close);
        Ok(())
    }

    /// Returns the rule for the missing end quote of a string. In a list, a comma inside or right
    /// after it may be of either.
    fn end_quote_rule(&self, window: &Window<'_>, token: &StringToken) -> Rule {
        if token.close > 0 || self.top() != Some(Container::Array) {
            return Rule::MissingEndQuote;
        }
        let comma = window.skip_space(token.end);
        let apart = window.byte(comma) != Some(b',')
            || quote::opening(window, window.skip_space(comma + 1)).is_some();
        let inside = window.slice(token.inside);
        if inside.contains(',') || !apart { Rule::EndQuoteInList } else { Rule::MissingEndQuote }
    }

    /// Opens a container if the string here is its first key or item, or inserts null if it is the
    /// next key. Returns whether it was.
    fn not_a_value(
        &mut self,
        window: &Window<'_>,
        delimiter: Delimiter,
        sink: &mut dyn Sink,
    ) -> Result<bool, Stop> {
        if self.state != GrammarState::Value
            || self.stack.is_empty()
            || delimiter.style != Style::Double
        {
            return Ok(false);
        }
        let Some(kind) = unopened::kind(window, self.at) else { return Ok(false) };
        let new_line = window.slice(Span::new(self.last_end, self.at)).contains('\n');
        if unopened::is_closed(window, self.at, self.stack.len(), &mut self.budget.left) {
            if !new_line {
                // A stream has already shown it as a string.
                return Err(Stop::new(
                    ErrorKind::Ambiguous,
                    Span::at(self.at),
                    "an opening bracket may be missing before this",
                ));
            }
            let (rule, bracket) = match kind {
                Container::Object => (Rule::MissingOpener, "{"),
                Container::Array => (Rule::MissingBrackets, "["),
            };
            self.edit(rule, self.at, self.at, bracket)?;
            return self.open(kind, Opened::Plain, self.at, sink).map(|()| true);
        }
        if kind == Container::Array {
            return Ok(false);
        }
        let column = |at| window.column(at, LINE_REACH);
        if new_line && column(self.at) > column(self.last_end) {
            return self.indented_object(window, sink).map(|()| true);
        }
        if self.repeated_key(window)? {
            return Ok(true);
        }
        if !new_line {
            return Ok(false);
        }
        self.missing_value(sink).map(|()| true)
    }

    /// Opens the object whose members are on deeper lines from here on, and whose braces are missing.
    fn indented_object(&mut self, window: &Window<'_>, sink: &mut dyn Sink) -> Result<(), Stop> {
        if !indented::is_object(window, self.last_end, self.at, &mut self.budget.left) {
            let detail = "this member may belong to the key before it";
            return Err(Stop::new(ErrorKind::Ambiguous, Span::at(self.at), detail));
        }
        // What was removed before the key is not read again.
        let key = std::mem::replace(&mut self.at, self.last_end);
        self.edit(Rule::MissingOpener, self.at, self.at, "{")?;
        self.open(Container::Object, Opened::Indented, self.at, sink)?;
        self.at = key;
        Ok(())
    }

    /// Removes the key here, if it is the one before it again. Returns whether it was.
    pub(super) fn repeated_key(&mut self, window: &Window<'_>) -> Result<bool, Stop> {
        let Some(end) = stuttered(window, self.last_end, self.at) else { return Ok(false) };
        self.edit(Rule::RepeatedKey, self.at, end, "")?;
        self.at = end;
        self.last_end = end;
        Ok(true)
    }

    /// Returns the end of the string whose content starts at `inside`.
    pub(super) fn find_string_end(
        &mut self,
        window: &Window<'_>,
        inside: usize,
        delimiter: Delimiter,
        role: Role,
    ) -> Ending {
        let context = StringContext {
            stack: &self.stack,
            role,
            spacing: self.spacing,
            style: self.key_style(),
            keys: &self.options.hints.keys,
        };
        string_end(window, inside, delimiter, &context, &mut self.budget.left)
    }

    /// Returns how the value has written its keys so far.
    pub(super) fn key_style(&self) -> KeyStyle {
        if self.stats.bare_keys > 0 { KeyStyle::Bare } else { KeyStyle::Quoted }
    }

    /// Passes a string to the sink, with its repairs.
    pub(super) fn emit_string(
        &mut self,
        window: &Window<'_>,
        token: &StringToken,
        unmarked: Rule,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let token = if token.close > 0 { self.without_emphasis(window, token)? } else { *token };
        self.markdown |=
            self.start > window.base && window.character_before(self.start) == Some('\\');
        let inside = self.repair_string(window, &token, unmarked)?;
        let scratch = std::mem::take(&mut self.scratch);
        sink.string(window, token.span(), inside.of(&token, &scratch));
        self.scratch = scratch;
        self.stats.solid += 1;
        self.stats.escapes |= inside != ContentKind::Plain;
        Ok(())
    }

    /// Strips Markdown emphasis around the whole string, if the options ask for it.
    fn without_emphasis(
        &mut self,
        window: &Window<'_>,
        token: &StringToken,
    ) -> Result<StringToken, Stop> {
        let text = window.slice(token.inside);
        let strip = self.options.emphasis == EmphasisInValues::Strip;
        let Some(mark) = emphasis::around(text).filter(|_| strip) else { return Ok(*token) };
        let (start, end) = (token.inside.start, token.inside.end);
        self.log.mark();
        self.edit(Rule::Emphasis, start, start + mark.len(), "")?;
        self.edit(Rule::Emphasis, end - mark.len(), end, "")?;
        Ok(StringToken { inside: Span::new(start + mark.len(), end - mark.len()), ..*token })
    }

    /// Repairs the marks and the content of a string. Returns whether its content is the source or
    /// in `scratch`.
    pub(super) fn repair_string(
        &mut self,
        window: &Window<'_>,
        token: &StringToken,
        unmarked: Rule,
    ) -> Result<ContentKind, Stop> {
        self.log.mark();
        let style = token.delimiter.style;
        let end = token.end;
        let doubled = matches!(style, Style::TwiceDouble | Style::TwiceSingle);
        let matched = token.close == 0
            || (style.closes(window, end).is_some()
                && !(doubled && self.is_doubled_alone(window, token.start))
                && !token.has_stray_mark());
        let rule = if matched { style.rule() } else { Some(Rule::MismatchedQuotes) };
        let prefix = self.prefix.take();
        if let Some(at) = prefix {
            self.drop_prefix(window, at, token)?;
        }
        // Inner marks that need no escape leave no other trace of the choice than a rule at one of
        // the marks.
        let straight = token.close > 0 && window.slice(Span::new(end, end + token.close)) == "\"";
        if let Some(rule) = rule {
            let rule =
                if token.contested && matched && straight { Rule::InnerQuotes } else { rule };
            self.straighten(window, rule, Span::new(token.start, token.inside.start))?;
        }
        let text = window.slice(token.inside);
        let raw =
            prefix.is_some_and(|at| window.slice(Span::new(at, token.start)).contains(['r', 'R']));
        self.look_ahead(window, text, end + token.close);
        let changed = self.repair_inside(text, token.inside.start, style, raw)?;
        if token.close == 0 {
            self.edit(unmarked, end, end, "\"")?;
        } else if let Some(rule) = rule {
            let rule = if token.contested && matched { Rule::InnerQuotes } else { rule };
            self.straighten(window, rule, Span::new(end, end + token.close))?;
        }
        Ok(changed)
    }

    /// Removes the prefix at `at`. A Python f-string with placeholders is an expression.
    pub(super) fn drop_prefix(
        &mut self,
        window: &Window<'_>,
        at: usize,
        token: &StringToken,
    ) -> Result<(), Stop> {
        let computes = window.slice(Span::new(at, token.start)).contains(['f', 'F'])
            && window.slice(token.inside).replace("{{", "").contains('{');
        if !computes {
            return self.edit(Rule::StringPrefix, at, token.start, "");
        }
        if !self.log.allows(Rule::ExpressionAsText) {
            return Err(Stop::new(ErrorKind::Expression, Span::new(at, token.span().end), ""));
        }
        self.edit(Rule::ExpressionAsText, at, token.start, "")
    }

    /// Returns whether the previous string, unlike the one at `at`, has no doubled quotes.
    fn is_doubled_alone(&self, window: &Window<'_>, at: usize) -> bool {
        let mark = window.slice(Span::new(at, at + 1));
        let before = window.before(at, MARK_REACH.min(at - self.start));
        let last = before.rfind(mark).map(|at| before.get(..at).unwrap_or_default());
        last.is_some_and(|before| !before.ends_with(mark))
    }

    /// Replaces the mark at `mark` with a straight quote, unless it is one.
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

    /// Returns whether the string is a key inside an array. Text that cannot be a name is not,
    /// since a stream has already shown it as an item.
    fn is_pair(&self, window: &Window<'_>, token: &StringToken) -> bool {
        let next = || trivia::skip(window, token.span().end, self.spacing);
        self.top() == Some(Container::Array)
            && (token.inside.is_empty() || is_name(window.slice(token.inside)))
            && window.byte(next()) == Some(b':')
            && !window.starts_with(next(), CITATION.as_bytes())
    }

    /// Handles a key inside an array. It belongs to an object of its own, or to the one around it.
    fn key_in_array(
        &mut self,
        window: &Window<'_>,
        token: &StringToken,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let budget = &mut self.budget.left;
        let owner = self.comma.map_or(Owner::Pair, |comma| {
            owner(window, self.last_end, comma.start, &self.stack, self.spacing, budget)
        });
        if owner == Owner::Outer {
            self.close_inside(1, sink)?;
            self.state = GrammarState::Key;
            return Ok(());
        }
        if self.prefix.is_some() {
            return Err(Stop::unexpected(token.start));
        }
        let (rule, opened) = match owner {
            Owner::Object => (Rule::MissingOpener, Opened::Plain),
            _ => (Rule::PairInArray, Opened::Pair),
        };
        self.edit(rule, token.start, token.start, "{")?;
        self.open(Container::Object, opened, token.start, sink)?;
        self.emit_key(window, token, Rule::MissingEndQuote, sink)?;
        self.at = token.span().end;
        self.colon(window, sink)
    }
}
