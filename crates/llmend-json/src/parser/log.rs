//! The one gate: is this edit allowed, and where is it written down?

use std::borrow::Cow;

use crate::{ErrorKind, Options, Repair, Rule, RuleSet, Span, parser::Stop};

/// The edits of one attempt at a value.
///
/// Invariant: disjoint; sorted by start unless `late` says that an edit was made behind a later
/// one.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    rules: RuleSet,
    limit: usize,
    repairs: Vec<Repair>,
    late: bool,
    /// Repairs before this index belong to earlier tokens and are left alone.
    floor: usize,
    /// Repairs before this index belong to complete values.
    settled: usize,
}

impl Log {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            rules: options.rules,
            limit: options.max_repairs,
            repairs: Vec::new(),
            late: false,
            floor: 0,
            settled: 0,
        }
    }

    /// A log for edits that are only tried.
    pub(crate) fn of_rehearsal(options: &Options) -> Self {
        Self { limit: usize::MAX, ..Self::new(options) }
    }

    /// Whether `rule` is allowed.
    pub(crate) fn allows(&self, rule: Rule) -> bool {
        self.rules.contains(rule)
    }

    /// Records an edit, or refuses it. Adjacent edits of one rule become one.
    #[cold]
    pub(crate) fn record(
        &mut self,
        rule: Rule,
        span: Span,
        replacement: Cow<'static, str>,
    ) -> Result<(), Stop> {
        if !self.rules.contains(rule) {
            return Err(Stop::new(ErrorKind::Refused(rule), span, ""));
        }
        if self.repairs.len() > self.floor
            && let Some(last) = self.repairs.last_mut()
            && last.rule == rule
            && last.span.end == span.start
            && !span.is_empty()
            && !last.span.is_empty()
        {
            last.span.end = span.end;
            if !replacement.is_empty() {
                last.replacement.to_mut().push_str(&replacement);
            }
            return Ok(());
        }
        if self.repairs.len() >= self.limit {
            return Err(Stop::new(ErrorKind::Repairs, span, ""));
        }
        self.late |= self.repairs.last().is_some_and(|last| last.span > span);
        if self.repairs.len() == self.repairs.capacity() {
            // Where there are many there will be many more.
            self.repairs.reserve(3 * self.repairs.len());
        }
        self.repairs.push(Repair { rule, span, replacement });
        Ok(())
    }

    /// Starts a token: edits from here on are its own, and none of them joins an earlier one.
    pub(crate) fn mark(&mut self) {
        self.floor = self.repairs.len();
    }

    /// Takes back the removal of white space and comments after `offset`, where the value ends, and
    /// says where the edits that stay end.
    pub(crate) fn forget_trivia_from(&mut self, offset: usize) -> usize {
        while self
            .repairs
            .last()
            .is_some_and(|last| last.span.start >= offset && last.rule.is_trivia())
        {
            self.repairs.pop();
        }
        self.floor = self.floor.min(self.repairs.len());
        self.repairs
            .iter()
            .rev()
            .map(|repair| repair.span.end)
            .take(4)
            .max()
            .unwrap_or(0)
            .max(offset)
    }

    /// Takes back the edit of exactly `span`, if there is one: another takes its place.
    pub(crate) fn withdraw(&mut self, span: Span) {
        let near = self.repairs.len().saturating_sub(8);
        let last = self.repairs.get(near..).unwrap_or_default();
        if let Some(at) = last.iter().rposition(|repair| repair.span == span).map(|at| near + at) {
            self.repairs.remove(at);
            self.settled = self.settled.min(self.repairs.len());
            self.floor = self.floor.min(self.repairs.len());
        }
    }

    /// Puts an edit before all others: the value begins with it.
    pub(crate) fn prepend(
        &mut self,
        rule: Rule,
        span: Span,
        replacement: &'static str,
    ) -> Result<(), Stop> {
        self.floor = self.repairs.len();
        let late = self.late;
        self.record(rule, span, replacement.into())?;
        self.repairs.rotate_right(1);
        self.late = late;
        Ok(())
    }

    /// What has been recorded belongs to complete values, or to an opening bracket.
    #[inline]
    pub(crate) fn settle(&mut self) {
        self.settled = self.repairs.len();
    }

    /// Takes back all edits since the last complete value, which ends at `offset`: what they mended
    /// is about to be removed.
    pub(crate) fn forget_unsettled(&mut self, offset: usize) {
        self.repairs.truncate(self.settled);
        self.repairs.retain(|repair| repair.span.start < offset || repair.span == Span::at(offset));
        self.settled = self.repairs.len();
        self.floor = self.floor.min(self.settled);
    }

    /// The edits, sorted.
    pub(crate) fn finish(&mut self) -> Vec<Repair> {
        if self.late {
            self.repairs.sort_by_key(|repair| (repair.span.start, repair.span.end));
            self.repairs.dedup_by(|next, last| {
                let touch = next.rule == last.rule && next.span.start == last.span.end;
                let both = touch && !next.span.is_empty() && !last.span.is_empty();
                if both {
                    last.span.end = next.span.end;
                    last.replacement.to_mut().push_str(&next.replacement);
                }
                both
            });
        }
        std::mem::take(&mut self.repairs)
    }
}
