//! The outcome of an attempt: whether its value is a candidate, and where the scan continues.

use crate::{
    Choice, ErrorKind, OnBadItem, Rule, Span,
    extract::{
        Build, FailedAttempt, FoundValue, Scan, candidate, choice, plain, scalar,
        scan::{AfterValue, Phase},
    },
    parser::{Budget, Stop, Window},
};

impl<'o, B: Build> Scan<'o, B> {
    /// Decides whether the last outcome is a candidate, and where the scan continues.
    pub(super) fn judge(
        &mut self,
        window: &Window<'_>,
        then: AfterValue,
    ) -> Result<Phase<'o, B>, Stop> {
        let next = match then {
            AfterValue::Leave(fence) => Phase::Leave(fence),
            _ => Phase::Search,
        };
        let is_last = matches!(then, AfterValue::End | AfterValue::EndOrSearch);
        let Phase::Judge(outcome, _) = &self.phase else { return Ok(Phase::Search) };
        let Err(failed) = &**outcome else {
            return if is_last {
                self.judge_last(window, then)
            } else {
                self.judge_found(window, next)
            };
        };
        let failed = failed.clone();
        if self.options.on_bad_item != OnBadItem::Fail {
            if let Some(found) = self.salvaged(window, &failed) {
                return Ok(Phase::Judge(Box::new(Ok(found)), then));
            }
            if !is_last && self.takes_record(window, &failed) {
                return Ok(next);
            }
        }
        match then {
            AfterValue::End if self.may_be_words(window) => Ok(Phase::Search),
            AfterValue::End => Err(failed.stop),
            AfterValue::EndOrSearch => {
                self.state.at = failed.start;
                self.state.budget = Budget::new(0);
                Ok(Phase::Search)
            }
            _ => {
                self.fail(window, failed)?;
                Ok(next)
            }
        }
    }

    /// Judges a value that should be the whole text.
    fn judge_last(&mut self, window: &Window<'_>, then: AfterValue) -> Result<Phase<'o, B>, Stop> {
        let Phase::Judge(outcome, _) = &self.phase else { return Ok(Phase::Search) };
        let Ok(FoundValue { span, .. }) = &**outcome else { return Ok(Phase::Search) };
        let mut rest = window.skip_space(span.end);
        if then == AfterValue::End && self.options.rules.contains(Rule::LineComment) {
            rest = scalar::behind_statement(window, rest);
        }
        if window.byte(rest).is_none() {
            self.keep(window);
            return Ok(Phase::Done);
        }
        if then == AfterValue::EndOrSearch {
            self.state.at = span.start;
        } else if !self.may_be_words(window) {
            let detail = "expected end of text";
            return Err(Stop::new(ErrorKind::Unexpected, Span::at(rest), detail));
        }
        Ok(Phase::Search)
    }

    /// Judges a value in the text, with which the scan continues at `next`.
    fn judge_found(
        &mut self,
        window: &Window<'_>,
        next: Phase<'o, B>,
    ) -> Result<Phase<'o, B>, Stop> {
        let Phase::Judge(outcome, _) = &self.phase else { return Ok(next) };
        let Ok(found) = &**outcome else { return Ok(next) };
        let (span, cut, stats) = (found.span, found.cut, found.stats);
        if cut.is_some() && stats.scalars == 0 && self.follows(window, span) {
            // Nothing of the next value has arrived.
            (self.state.at, self.state.cut) = (window.end(), cut);
            return Ok(next);
        }
        if candidate::is_sentence(window, found) {
            self.state.at = span.start + 1;
            self.charge(span.len());
            return Ok(next);
        }
        let accepted_first = self.options.choice == Choice::First && self.accepts(window, found);
        if !accepted_first && let Some(place) = found.taken_back_at(window) {
            let stop = Stop::new(ErrorKind::Ambiguous, Span::new(span.start, place), "");
            let failed = FailedAttempt { stats, ..FailedAttempt::new(span.start, place, stop) };
            self.fail(window, failed)?;
            return Ok(next);
        }
        let alone =
            span.start == self.state.first && window.byte(window.skip_space(span.end)).is_none();
        let kept = (alone && !found.is_words())
            || accepted_first
            || candidate::is_candidate(window, found)
            || self.is_next_of_series(window, found);
        let wrapped = found.is_wrapped();
        self.state.at = span.end.max(span.start + 1);
        if kept {
            self.keep(window);
        } else {
            self.note_cut(window, span.start, cut, wrapped, &stats);
            self.charge(span.len());
            self.keep_mentioned(window);
        }
        Ok(next)
    }

    /// Keeps the judged value as a candidate.
    fn keep(&mut self, window: &Window<'_>) {
        if window.is_starved() {
            return;
        }
        if let Phase::Judge(outcome, _) = std::mem::replace(&mut self.phase, Phase::Search)
            && let Ok(found) = *outcome
        {
            self.add(window, found);
        }
    }

    /// Keeps the judged value, which is in a sentence, for a choice by fitting.
    fn keep_mentioned(&mut self, window: &Window<'_>) {
        if !self.by_fitting || window.is_starved() {
            return;
        }
        if let Phase::Judge(outcome, _) = std::mem::replace(&mut self.phase, Phase::Search)
            && let Ok(found) = *outcome
            && found.cut.is_none()
            && found.stats.scalars > 0
            && !found.is_words()
        {
            self.sink.keep();
            self.mentioned.push(found);
        }
    }

    /// Adds a candidate.
    pub(super) fn add(&mut self, window: &Window<'_>, mut found: FoundValue<B>) {
        found.in_failure = found.span.start < self.state.failed_to;
        let takes_first = self.options.choice == Choice::First;
        if takes_first && self.has_first() {
            // It is only reported, so its content need not be kept.
            self.found.push(found);
            return;
        }
        self.sink.keep();
        if !self.has_first() && (found.counts_as_first() || self.accepts(window, &found)) {
            self.first = Some(self.found.len());
            if takes_first {
                self.sink.finalize();
            }
        }
        self.found.push(found);
    }

    /// Returns whether only white space and a separator are between the last candidate and `span`.
    fn follows(&self, window: &Window<'_>, span: Span) -> bool {
        self.found.last().is_some_and(|last| choice::are_adjacent(window, last.span, span))
    }

    /// Returns whether only white space and a separator are between the last candidate and this
    /// list. After an object, it must be a list of several items, since citations are not, or on a line
    /// of its own where all values are asked for.
    fn is_next_of_series(&self, window: &Window<'_>, found: &FoundValue<B>) -> bool {
        let many = || !found.is_words() && window.slice(found.span).contains(',');
        let is_line = || {
            let before = window.line_before(found.span.start, candidate::LINE_REACH);
            self.options.choice == Choice::All && before.is_some_and(|line| line.trim().is_empty())
        };
        self.found.last().is_some_and(|last| {
            last.origin == found.origin
                && (last.stats.members == 0 || many() || is_line())
                && choice::are_adjacent(window, last.span, found.span)
        })
    }

    /// Returns whether the whole text, which is no value in JSON, may be words instead.
    pub(super) fn may_be_words(&self, window: &Window<'_>) -> bool {
        let first = window.byte(self.state.first);
        plain::allows(&self.options) && !matches!(first, Some(b'{' | b'[' | b'"' | b'\''))
    }

    /// Keeps a value parsed from a whole block, if it is a candidate.
    pub(super) fn keep_if_answer(&mut self, window: &Window<'_>, found: FoundValue<B>) {
        let answer = candidate::is_candidate(window, &found);
        if answer && !window.is_starved() {
            self.add(window, found);
        } else if !answer {
            self.charge(found.span.len());
        }
    }
}
