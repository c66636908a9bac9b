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
}

impl Log {
    pub(crate) fn new(options: &Options) -> Self {
        Self { rules: options.rules, limit: options.max_repairs, repairs: Vec::new(), late: false, floor: 0 }
    }

    /// Whether `rule` is allowed.
    pub(crate) fn allows(&self, rule: Rule) -> bool {
        self.rules.contains(rule)
    }

    /// Records an edit, or refuses it. Adjacent edits of one rule become one.
    #[cold]
    pub(crate) fn record(&mut self, rule: Rule, span: Span, replacement: Cow<'static, str>) -> Result<(), Stop> {
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
        self.late |= self.repairs.last().is_some_and(|last| last.span.start > span.start);
        self.repairs.push(Repair { rule, span, replacement });
        Ok(())
    }

    /// Starts a token: edits from here on are its own. Returns their first index.
    pub(crate) fn mark(&mut self) -> usize {
        self.floor = self.repairs.len();
        self.floor
    }

    /// Takes back the edits since `mark`.
    pub(crate) fn rewind(&mut self, mark: usize) {
        self.repairs.truncate(mark);
    }

    /// Takes back all edits at or after `offset`: what they mended is about to be removed.
    pub(crate) fn forget_from(&mut self, offset: usize) {
        self.repairs.retain(|repair| repair.span.start < offset);
        self.floor = self.floor.min(self.repairs.len());
    }

    /// The edits since `mark`.
    pub(crate) fn since(&self, mark: usize) -> &[Repair] {
        self.repairs.get(mark..).unwrap_or_default()
    }

    /// All edits so far.
    pub(crate) fn repairs(&self) -> &[Repair] {
        &self.repairs
    }

    /// The edits, sorted.
    pub(crate) fn finish(mut self) -> Vec<Repair> {
        if self.late {
            self.repairs.sort_by_key(|repair| (repair.span.start, repair.span.end));
        }
        self.repairs
    }
}
