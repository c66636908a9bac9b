//! The repair log, the only place where repairs are allowed or refused.

use std::borrow::Cow;

use crate::{ErrorKind, Options, Repair, Rule, RuleSet, Span, parser::Stop};

/// A repair in compact form, since badly broken text needs one every few bytes. [`Log::finish`]
/// converts it.
#[derive(Clone, Copy, Debug)]
struct LoggedEdit {
    /// Offsets fit, since `max_bytes` is below `u32::MAX`.
    start: u32,
    end: u32,
    /// The replacement: [`NOTHING`], [`QUOTE`], or an index into [`Log::texts`] from [`FIRST_TEXT`]
    /// on, unique to the repair.
    text: u32,
    rule: Rule,
}

/// An empty replacement.
const NOTHING: u32 = 0;
/// A straight quote, the most frequent replacement.
const QUOTE: u32 = 1;
/// The number of the first text in the list.
const FIRST_TEXT: u32 = 2;

/// Number of the last repairs that can be withdrawn.
const REACH: usize = 8;

/// The text in which `max_repairs` repairs are allowed, and as many again in each further one of its
/// length, in bytes.
const LIMITED_TEXT: usize = 4 << 20;

/// Initial capacity for repairs.
const FIRST_ROOM: usize = 32;
/// Initial capacity for replacement texts.
const FIRST_TEXTS: usize = 16;

impl LoggedEdit {
    #[inline]
    fn new(rule: Rule, span: Span, text: u32) -> Self {
        Self { start: narrow(span.start), end: narrow(span.end), text, rule }
    }

    #[inline]
    const fn span(&self) -> Span {
        Span::new(self.start as usize, self.end as usize)
    }

    /// Returns whether `next` continues this repair, so that both can be merged.
    #[inline]
    const fn is_adjacent_to(&self, next: &Self) -> bool {
        self.rule as u8 == next.rule as u8
            && self.end == next.start
            && next.start < next.end
            && self.start < self.end
    }
}

#[inline]
fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX - 1)
}

/// The repairs of one attempt at a value.
///
/// Invariant: disjoint; sorted by start unless `late` is set.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    rules: RuleSet,
    /// Maximum number of repairs in a text of up to [`LIMITED_TEXT`] bytes.
    limit: usize,
    /// Number of repairs that were taken.
    taken: usize,
    edits: Vec<LoggedEdit>,
    /// Replacements other than a quote.
    texts: Vec<Cow<'static, str>>,
    late: bool,
    /// Repairs before this index belong to earlier tokens and are not merged with later ones.
    floor: usize,
    /// Repairs before this index belong to complete values.
    committed: usize,
}

impl Log {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            rules: options.rules,
            limit: options.max_repairs,
            taken: 0,
            edits: Vec::new(),
            texts: Vec::new(),
            late: false,
            floor: 0,
            committed: 0,
        }
    }

    /// Creates a log without a limit, for a dry run.
    pub(crate) fn for_dry_run(options: &Options) -> Self {
        Self { limit: usize::MAX, ..Self::new(options) }
    }

    /// Returns whether `rule` is allowed.
    pub(crate) fn allows(&self, rule: Rule) -> bool {
        self.rules.contains(rule)
    }

    /// Records a repair, or refuses it. Adjacent repairs by one rule are merged.
    pub(crate) fn record(
        &mut self,
        rule: Rule,
        span: Span,
        replacement: Cow<'static, str>,
    ) -> Result<(), Stop> {
        if !self.rules.contains(rule) {
            return Err(Stop::new(ErrorKind::Refused(rule), span, ""));
        }
        let text = match &*replacement {
            "" => NOTHING,
            "\"" => QUOTE,
            _ => {
                if self.texts.is_empty() {
                    self.texts.reserve(FIRST_TEXTS);
                }
                self.texts.push(replacement);
                narrow(self.texts.len() - 1) + FIRST_TEXT
            }
        };
        let edit = LoggedEdit::new(rule, span, text);
        if self.edits.len() > self.floor
            && let Some(last) = self.edits.last_mut()
            && last.is_adjacent_to(&edit)
        {
            join(last, &edit, &mut self.texts);
            return Ok(());
        }
        self.push(edit)
    }

    /// Replaces the marks at `open` and `close` with straight quotes, or refuses. The marks must
    /// not touch unless they are empty.
    #[inline]
    pub(crate) fn quote(&mut self, rule: Rule, open: Span, close: Span) -> Result<(), Stop> {
        self.mark();
        if !self.rules.contains(rule) {
            return Err(Stop::new(ErrorKind::Refused(rule), open, ""));
        }
        let (open, close) =
            (LoggedEdit::new(rule, open, QUOTE), LoggedEdit::new(rule, close, QUOTE));
        if self.exceeds_limit(2, open.start) {
            self.push(open)?;
            return self.push(close);
        }
        match self.edits.last() {
            Some(last) => self.late |= (last.start, last.end) > (open.start, open.end),
            None => self.edits.reserve(FIRST_ROOM),
        }
        self.edits.extend_from_slice(&[open, close]);
        Ok(())
    }

    #[inline(always)]
    fn push(&mut self, edit: LoggedEdit) -> Result<(), Stop> {
        if self.exceeds_limit(1, edit.start) {
            return Err(Stop::new(ErrorKind::Repairs, edit.span(), ""));
        }
        match self.edits.last() {
            Some(last) => self.late |= (last.start, last.end) > (edit.start, edit.end),
            None => self.edits.reserve(FIRST_ROOM),
        }
        self.edits.push(edit);
        Ok(())
    }

    /// Returns whether `more` repairs at `offset` are more than the limit allows in a text that
    /// reaches the last of all repairs.
    #[inline]
    fn exceeds_limit(&self, more: usize, offset: u32) -> bool {
        let count = self.taken + self.edits.len() + more;
        count > self.limit && count > self.limit_at(offset)
    }

    #[cold]
    fn limit_at(&self, offset: u32) -> usize {
        let last = self.edits.last().map_or(0, |last| last.start);
        self.limit.saturating_mul(1 + last.max(offset) as usize / LIMITED_TEXT)
    }

    /// Starts a token, whose repairs are not merged with earlier ones.
    #[inline]
    pub(crate) fn mark(&mut self) {
        self.floor = self.edits.len();
    }

    /// Withdraws the removal of white space and comments after `offset`, the end of the value.
    /// Returns the end of the remaining repairs.
    pub(crate) fn discard_trivia_from(&mut self, offset: usize) -> usize {
        while self
            .edits
            .last()
            .is_some_and(|last| last.start as usize >= offset && last.rule.is_trivia())
        {
            self.edits.pop();
        }
        self.floor = self.floor.min(self.edits.len());
        let ends = self.edits.iter().rev().map(|edit| edit.end as usize).take(4);
        ends.max().unwrap_or(0).max(offset)
    }

    /// Withdraws the repair at exactly `span`, if there is one. Another replaces it.
    pub(crate) fn withdraw(&mut self, span: Span) {
        let near = self.edits.len().saturating_sub(REACH);
        let last = self.edits.get(near..).unwrap_or_default();
        if let Some(at) = last.iter().rposition(|edit| edit.span() == span).map(|at| near + at) {
            self.edits.remove(at);
            self.committed = self.committed.min(self.edits.len());
            self.floor = self.floor.min(self.edits.len());
        }
    }

    /// Records a repair before all others, at the start of the value.
    pub(crate) fn prepend(
        &mut self,
        rule: Rule,
        span: Span,
        replacement: &'static str,
    ) -> Result<(), Stop> {
        self.mark();
        let late = self.late;
        self.record(rule, span, replacement.into())?;
        self.edits.rotate_right(1);
        self.late = late;
        Ok(())
    }

    /// Commits all repairs so far: they belong to complete values or an opening bracket.
    #[inline]
    pub(crate) fn commit(&mut self) {
        self.committed = self.edits.len();
    }

    /// Discards all repairs since the last complete value, which ends at `offset`. What they
    /// repaired is about to be removed.
    pub(crate) fn discard_uncommitted(&mut self, offset: usize) {
        self.edits.truncate(self.committed);
        self.edits.retain(|edit| (edit.start as usize) < offset || edit.span() == Span::at(offset));
        self.committed = self.edits.len();
        self.floor = self.floor.min(self.committed);
    }

    /// Takes the repairs that can no longer change, in the order in which they were made.
    pub(crate) fn take_committed(&mut self) -> Vec<Repair> {
        let taken = self.committed.min(self.edits.len().saturating_sub(REACH));
        if taken == 0 {
            return Vec::new();
        }
        let rest = self.edits.split_off(taken);
        let edits = std::mem::replace(&mut self.edits, rest);
        self.taken += taken;
        self.floor = self.floor.saturating_sub(taken);
        self.committed -= taken;
        let repairs = records(&edits, &mut self.texts);
        // Keep only the texts of the remaining repairs.
        let mut kept = Vec::new();
        for edit in &mut self.edits {
            if let Some(text) = text_of(&mut self.texts, edit.text) {
                kept.push(std::mem::take(text));
                edit.text = narrow(kept.len() - 1) + FIRST_TEXT;
            }
        }
        self.texts = kept;
        repairs
    }

    /// Returns the repairs, sorted.
    pub(crate) fn finish(&mut self) -> Vec<Repair> {
        let mut edits = std::mem::take(&mut self.edits);
        let texts = &mut self.texts;
        if self.late {
            edits.sort_by_key(|edit| (edit.start, edit.end));
            edits.dedup_by(|next, last| {
                let touch = last.is_adjacent_to(next);
                if touch {
                    join(last, next, texts);
                }
                touch
            });
        }
        records(&edits, texts)
    }
}

/// Converts repairs, taking their replacements out of `texts`.
fn records(edits: &[LoggedEdit], texts: &mut [Cow<'static, str>]) -> Vec<Repair> {
    let record = |edit: &LoggedEdit| Repair {
        rule: edit.rule,
        span: edit.span(),
        replacement: match edit.text {
            NOTHING => Cow::Borrowed(""),
            QUOTE => Cow::Borrowed("\""),
            _ => text_of(texts, edit.text).map(std::mem::take).unwrap_or_default(),
        },
    };
    edits.iter().map(record).collect()
}

fn text_of<'t>(texts: &'t mut [Cow<'static, str>], text: u32) -> Option<&'t mut Cow<'static, str>> {
    texts.get_mut(text.checked_sub(FIRST_TEXT)? as usize)
}

/// Extends `last` to the end of `next`, with the replacements of both.
#[cold]
fn join(last: &mut LoggedEdit, next: &LoggedEdit, texts: &mut Vec<Cow<'static, str>>) {
    last.end = next.end;
    let added = match next.text {
        NOTHING => return,
        QUOTE => Cow::Borrowed("\""),
        // A text that was just added is removed, so that a long row of merged repairs takes no
        // room.
        text if text as usize + 1 == texts.len() + FIRST_TEXT as usize => {
            texts.pop().unwrap_or_default()
        }
        text => text_of(texts, text).map(std::mem::take).unwrap_or_default(),
    };
    match last.text {
        NOTHING => {
            texts.push(added);
            last.text = narrow(texts.len() - 1) + FIRST_TEXT;
        }
        QUOTE => {
            texts.push(Cow::Owned(format!("\"{added}")));
            last.text = narrow(texts.len() - 1) + FIRST_TEXT;
        }
        text => {
            if let Some(text) = text_of(texts, text) {
                text.to_mut().push_str(&added);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LIMITED_TEXT, Log};
    use crate::{Options, Rule, Span};

    /// Returns the number of repairs from `start` on that a log takes.
    fn accepted(start: usize, in_pairs: bool, in_parts: bool) -> usize {
        let mut log = Log::new(&Options { max_repairs: 10, ..Options::default() });
        let mut count = 0;
        for at in (start..).step_by(3).take(50) {
            let (open, close) = (Span::at(at), Span::at(at + 1));
            log.mark();
            let done = if in_pairs {
                log.quote(Rule::SingleQuotes, open, close)
            } else {
                log.record(Rule::SingleQuotes, open, "\"".into())
            };
            if done.is_err() {
                break;
            }
            count += if in_pairs { 2 } else { 1 };
            log.commit();
            if in_parts {
                log.take_committed();
            }
        }
        count
    }

    #[test]
    fn the_limit_grows_with_the_text() {
        for (start, expected) in
            [(0, 10), (LIMITED_TEXT - 15, 20), (LIMITED_TEXT, 20), (2 * LIMITED_TEXT, 30)]
        {
            for (in_pairs, in_parts) in [(false, false), (false, true), (true, false), (true, true)]
            {
                let count = accepted(start, in_pairs, in_parts);
                assert_eq!(count, expected, "{start}, in pairs: {in_pairs}, in parts: {in_parts}");
            }
        }
    }
}
