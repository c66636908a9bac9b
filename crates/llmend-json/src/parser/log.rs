//! The one gate: is this edit allowed, and where is it written down?

use std::borrow::Cow;

use crate::{ErrorKind, Options, Repair, Rule, RuleSet, Span, parser::Stop};

/// An edit as it is written down: a text that is broken all over has one for every few bytes, so
/// that they are small. [`Log::finish`] makes records of them.
#[derive(Clone, Copy, Debug)]
struct LoggedEdit {
    /// Offsets fit, since `max_bytes` is below `u32::MAX`.
    start: u32,
    end: u32,
    /// What is put there: [`NOTHING`], [`QUOTE`], or an index into [`Log::texts`], from
    /// [`FIRST_TEXT`] on, that no other edit has.
    text: u32,
    rule: Rule,
}

/// The edit only removes.
const NOTHING: u32 = 0;
/// The edit puts a straight quote, which most edits do.
const QUOTE: u32 = 1;
/// What the first text in the list counts as.
const FIRST_TEXT: u32 = 2;

/// How many of the last edits may be taken back one by one.
const REACH: usize = 8;

/// Room for this many edits is made with the first one.
const FIRST_ROOM: usize = 32;
/// The same of the texts that edits put in place.
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

    /// Whether `next` goes on where this one ends, and both are one edit.
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

/// The edits of one attempt at a value.
///
/// Invariant: disjoint; sorted by start unless `late` says that an edit was made behind a later
/// one.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    rules: RuleSet,
    limit: usize,
    edits: Vec<LoggedEdit>,
    /// What edits put in place, where it is more than a quote.
    texts: Vec<Cow<'static, str>>,
    late: bool,
    /// Edits before this index belong to earlier tokens and are left alone.
    floor: usize,
    /// Edits before this index belong to complete values.
    committed: usize,
}

impl Log {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            rules: options.rules,
            limit: options.max_repairs,
            edits: Vec::new(),
            texts: Vec::new(),
            late: false,
            floor: 0,
            committed: 0,
        }
    }

    /// A log for edits that are only tried.
    pub(crate) fn for_dry_run(options: &Options) -> Self {
        Self { limit: usize::MAX, ..Self::new(options) }
    }

    /// Whether `rule` is allowed.
    pub(crate) fn allows(&self, rule: Rule) -> bool {
        self.rules.contains(rule)
    }

    /// Records an edit, or refuses it. Adjacent edits of one rule become one.
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

    /// Puts straight quotes in place of the marks at `open` and `close`, or refuses it. The marks,
    /// where they have any length, do not touch.
    #[inline]
    pub(crate) fn quote(&mut self, rule: Rule, open: Span, close: Span) -> Result<(), Stop> {
        self.mark();
        if !self.rules.contains(rule) {
            return Err(Stop::new(ErrorKind::Refused(rule), open, ""));
        }
        let (open, close) =
            (LoggedEdit::new(rule, open, QUOTE), LoggedEdit::new(rule, close, QUOTE));
        if self.edits.len().saturating_add(2) > self.limit {
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

    #[inline]
    fn push(&mut self, edit: LoggedEdit) -> Result<(), Stop> {
        if self.edits.len() >= self.limit {
            return Err(Stop::new(ErrorKind::Repairs, edit.span(), ""));
        }
        match self.edits.last() {
            Some(last) => self.late |= (last.start, last.end) > (edit.start, edit.end),
            None => self.edits.reserve(FIRST_ROOM),
        }
        self.edits.push(edit);
        Ok(())
    }

    /// Starts a token: edits from here on are its own, and none of them joins an earlier one.
    #[inline]
    pub(crate) fn mark(&mut self) {
        self.floor = self.edits.len();
    }

    /// Takes back the removal of white space and comments after `offset`, where the value ends, and
    /// says where the edits that stay end.
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

    /// Takes back the edit of exactly `span`, if there is one: another takes its place.
    pub(crate) fn withdraw(&mut self, span: Span) {
        let near = self.edits.len().saturating_sub(REACH);
        let last = self.edits.get(near..).unwrap_or_default();
        if let Some(at) = last.iter().rposition(|edit| edit.span() == span).map(|at| near + at) {
            self.edits.remove(at);
            self.committed = self.committed.min(self.edits.len());
            self.floor = self.floor.min(self.edits.len());
        }
    }

    /// Puts an edit before all others: the value begins with it.
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

    /// What has been recorded belongs to complete values, or to an opening bracket.
    #[inline]
    pub(crate) fn commit(&mut self) {
        self.committed = self.edits.len();
    }

    /// Takes back all edits since the last complete value, which ends at `offset`: what they mended
    /// is about to be removed.
    pub(crate) fn discard_uncommitted(&mut self, offset: usize) {
        self.edits.truncate(self.committed);
        self.edits.retain(|edit| (edit.start as usize) < offset || edit.span() == Span::at(offset));
        self.committed = self.edits.len();
        self.floor = self.floor.min(self.committed);
    }

    /// Takes the edits that nothing to come can touch, in the order in which they were made.
    pub(crate) fn take_committed(&mut self) -> Vec<Repair> {
        let taken = self.committed.min(self.edits.len().saturating_sub(REACH));
        if taken == 0 {
            return Vec::new();
        }
        let rest = self.edits.split_off(taken);
        let edits = std::mem::replace(&mut self.edits, rest);
        self.limit = self.limit.saturating_sub(taken);
        self.floor = self.floor.saturating_sub(taken);
        self.committed -= taken;
        let repairs = records(&edits, &mut self.texts);
        // The texts of what was taken go with it.
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

    /// The edits, sorted.
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

/// The records of `edits`, which take what they put in place out of `texts`.
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

/// Makes `last` go on to the end of `next`, with what `next` puts there.
#[cold]
fn join(last: &mut LoggedEdit, next: &LoggedEdit, texts: &mut Vec<Cow<'static, str>>) {
    last.end = next.end;
    let added = match next.text {
        NOTHING => return,
        QUOTE => Cow::Borrowed("\""),
        // What was just put there goes, so that a long row of edits that join takes no room.
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
