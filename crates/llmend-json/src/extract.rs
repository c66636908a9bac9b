//! Extraction: the search for JSON values in a text.
//!
//! One forward scan collects candidates. Each way of finding one has its own file. All of them run
//! the parser of [`crate::parser`], so a candidate ends where its value ends, and a fence or brace
//! inside a string never starts one. [`choice`] selects the answer among the candidates.

use std::borrow::Cow;

use crate::{
    Candidate, Class, Error, ErrorKind, Origin, Repair, Span,
    judge::string::backslash,
    options::Settings,
    parser::{Budget, Stop, ValueStats, Window},
    sink::{Container, Sink},
};

pub(crate) mod alternatives;
mod attempt;
mod beginning;
mod beside;
mod candidate;
pub(crate) mod capture;
pub(crate) mod choice;
mod code;
mod comment;
mod correction;
mod decision;
pub(crate) mod denial;
pub(crate) mod encoding;
pub(crate) mod fitting;
mod items;
mod last;
pub(crate) mod layer;
mod listing;
mod mention;
mod neighbor;
mod pair;
pub(crate) mod part;
mod plain;
mod reasoning;
mod record;
pub(crate) mod remnant;
pub(crate) mod repair_class;
mod restated;
mod rival;
mod salvage;
mod scalar;
mod scan;
pub(crate) mod standing;
mod stated;
mod turn;
mod unbraced;
mod unread;
mod wrapper;
pub(crate) mod yaml;

pub(crate) use attempt::{Attempt, Start};
pub(crate) use scan::Scan;

impl Stop {
    /// Converts to the public error.
    pub(crate) fn into_error(self, text: &str) -> Error {
        Error::new(self.kind, text, Some(self.span), self.detail)
    }
}

/// A sink that receives all candidates of a text, one after the other.
pub(crate) trait Build: Sink + Sized {
    /// What the sink returns for one candidate.
    type Built: std::fmt::Debug;

    /// Creates a sink with room for a text of `bytes` bytes.
    fn for_text(bytes: usize) -> Self;

    /// Discards everything received since the last kept value. Another attempt begins.
    fn begin(&mut self);

    /// Returns the value received since [`Self::begin`].
    fn end(&mut self) -> Self::Built;

    /// Keeps the last value as a candidate.
    fn keep(&mut self);

    /// Marks the last kept value as the answer, whatever follows.
    fn finalize(&mut self) {}

    /// Takes over what `copy` received from `text`, a rewritten copy of a part of the caller's
    /// text. `place` maps spans of the copy to the caller's text.
    fn adopt(
        &mut self,
        copy: Self,
        built: Self::Built,
        text: &str,
        place: impl FnMut(Span) -> Span,
    ) -> Self::Built;
}

/// Most opening brackets with nothing in them at the end of a text that is cut off.
const MAX_OPENERS: usize = 8;
/// Most escapes that are inspected.
const MAX_COMMANDS: usize = 64;

/// A value found in the text.
#[derive(Debug)]
pub(crate) struct FoundValue<B: Build> {
    pub(crate) span: Span,
    pub(crate) origin: Origin,
    /// Sorted and disjoint, in offsets of the caller's text.
    pub(crate) repairs: Vec<Repair>,
    pub(crate) cut: Option<usize>,
    pub(crate) stats: ValueStats,
    /// Whether it is inside something that cannot be parsed.
    pub(crate) in_failure: bool,
    pub(crate) built: B::Built,
}

impl<B: Build> FoundValue<B> {
    /// Returns whether it is JSON, perhaps in another notation.
    pub(crate) fn is_sound(&self) -> bool {
        self.cut.is_none()
            && self.repairs.iter().all(|repair| repair.rule.class() == Class::Notation)
    }

    /// Returns whether nothing of it is lost.
    pub(crate) fn is_whole(&self, window: &Window<'_>) -> bool {
        let keeps = |repair| repair_class::class_of(window, repair) < Class::Loss;
        self.cut.is_none() && self.repairs.iter().all(keeps)
    }

    /// Returns whether it is in a fence or another wrapper.
    pub(crate) fn is_wrapped(&self) -> bool {
        self.origin.is_wrapped()
    }

    /// Returns whether its location is more likely to hold the answer than that of `failed`, and it
    /// holds anything.
    pub(crate) fn is_better_placed(&self, failed: &FailedAttempt) -> bool {
        let holds = self.stats.members + self.stats.scalars > 0;
        holds && self.is_wrapped() && (!failed.is_wrapped() || self.span.start > failed.at)
    }

    /// Returns whether it is strict JSON that begins with the same key as `failed`, and `failed` is
    /// a damaged copy behind it with the same first value, or was taken back or broke off before it.
    pub(crate) fn is_original_of(&self, window: &Window<'_>, failed: &FailedAttempt) -> bool {
        let copy = Span::new(failed.start, window.end());
        self.repairs.is_empty()
            && self.stats.members > 0
            && beginning::same_key(window, self.span, copy)
            && ((self.span.end <= failed.start
                && beginning::same_beginning(window, self.span, copy))
                || correction::takes_back(window, failed.start, self.span.start)
                || correction::resumes(window, failed.start, self.span.start))
    }

    /// Returns an escape of a control character in it that may be meant as a command.
    pub(crate) fn control_command(&self, window: &Window<'_>) -> Option<usize> {
        if !self.stats.escapes {
            return None;
        }
        let is_kept = |at: &usize| {
            let span = |repair: &Repair| repair.span.start <= *at && *at < repair.span.end;
            !self.repairs.iter().any(span)
        };
        let text = window.slice(self.span);
        let commands = backslash::control_commands(text).map(|at| self.span.start + at);
        commands.take(MAX_COMMANDS).find(is_kept)
    }

    /// Returns whether it is cut off in a mere run of opening brackets, as endless repetition leaves
    /// it.
    pub(crate) fn ends_in_brackets(&self, window: &Window<'_>) -> bool {
        let is_opener =
            |byte: &u8| matches!(byte, b'{' | b'[' | b'"') || byte.is_ascii_whitespace();
        let openers = |text: &[u8]| text.iter().filter(|byte| matches!(byte, b'{' | b'[')).count();
        let text = || window.bytes(Span::new(self.span.start.max(window.base), window.end()));
        self.cut.is_some() && {
            let all = text();
            let run = all.iter().rev().take_while(|byte| is_opener(byte)).count();
            let run = all.get(all.len() - run..).unwrap_or_default();
            openers(run) > MAX_OPENERS || (run.len() == all.len() && openers(run) > 2)
        }
    }

    /// Returns whether it is no more than a backtick at the end of the text, which opens no string there.
    pub(crate) fn is_backtick(&self, window: &Window<'_>) -> bool {
        self.cut.is_some() && self.span.len() == 1 && window.byte(self.span.start) == Some(b'`')
    }

    /// Returns where it begins anew after words that take it back, so that what was read is not one
    /// value.
    pub(crate) fn taken_back_at(&self, window: &Window<'_>) -> Option<usize> {
        if self.repairs.is_empty() || self.origin == Origin::Escaped {
            return None;
        }
        correction::restart_inside(window, self.span)
    }

    /// Returns whether `failed` is a form, is introduced as one or as an example, or is in a sentence, and this
    /// begins a line behind it, is not, and is introduced as the answer if a sentence has the other.
    /// It is no part of it.
    pub(crate) fn is_answer_behind_form(
        &self,
        window: &Window<'_>,
        failed: &FailedAttempt,
    ) -> bool {
        if !self.is_sound() || self.in_failure || self.span.start <= failed.at {
            return false;
        }
        let form = standing::beginning(window, Span::new(failed.start, self.span.start));
        let form = form.split("\n\n").next().unwrap_or_default();
        let shown =
            standing::is_sketch(form) && !standing::is_final(window, failed.start, failed.origin);
        shown
            || standing::is_displayed(window, self.span)
                && !standing::is_sketched(window, self.span.start, self.origin)
                && (standing::is_sketched(window, failed.start, failed.origin)
                    || (standing::is_final(window, self.span.start, self.origin)
                        && !standing::is_displayed(window, Span::at(failed.start))))
    }

    /// Returns whether `failed` is in an instruction before it.
    pub(crate) fn is_answer_to(&self, window: &Window<'_>, failed: &FailedAttempt) -> bool {
        self.span.start > failed.at
            && !standing::is_said_by_other(window, self.span)
            && standing::is_said_by_other(window, Span::at(failed.start))
    }

    /// Returns whether it is a list of unquoted words, which may be prose.
    pub(crate) fn is_words(&self) -> bool {
        let stats = &self.stats;
        stats.members == 0 && stats.words > 0 && stats.words >= stats.solid
    }

    /// Returns whether the choice `first` accepts this value before its end is known.
    pub(crate) fn is_accepted_first(&self, window: &Window<'_>) -> bool {
        self.stats.scalars > 0
            && choice::is_sound(&self.stats, self.origin)
            && !candidate::is_sentence(window, self)
    }

    /// Returns whether the choices `first` and `last` accept this value.
    pub(crate) fn counts_as_first(&self) -> bool {
        self.is_wrapped() || self.stats.members > 0
    }

    /// Returns the candidate to report, in a text of `bytes` bytes. The origin `whole` includes the
    /// surrounding white space.
    pub(crate) fn candidate(&self, surroundings: Surroundings, bytes: usize) -> Candidate {
        if matches!(self.origin, Origin::Bare | Origin::Whole)
            && surroundings == Surroundings::default()
        {
            return Candidate { span: Span::new(0, bytes), origin: Origin::Whole };
        }
        Candidate { span: self.span, origin: self.origin }
    }

    /// Returns the strict JSON text.
    pub(crate) fn output<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.repairs.is_empty() {
            return Cow::Borrowed(self.span.of(text));
        }
        Cow::Owned(crate::apply(text, self.span, &self.repairs))
    }
}

/// Whether anything but white space is around a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Surroundings {
    pub(crate) before: bool,
    pub(crate) after: bool,
}

impl Surroundings {
    /// Computes the surroundings of `span` in the whole text, which begins at `first` after white
    /// space.
    pub(crate) fn of(window: &Window<'_>, first: usize, span: Span) -> Self {
        Self { before: first < span.start, after: window.skip_space(span.end) < window.end() }
    }
}

/// A position at which no value could be parsed.
#[derive(Clone, Debug)]
pub(crate) struct FailedAttempt {
    pub(crate) start: usize,
    pub(crate) stop: Stop,
    /// Where the parser stopped.
    pub(crate) at: usize,
    /// Where the failed step began.
    pub(crate) step: u32,
    /// See [`crate::parser::Checkpoint::inside`], at the start of that step.
    pub(crate) inside: Option<(Container, bool)>,
    /// Bytes that judgments read.
    pub(crate) cost: usize,
    /// Number of open brackets at the failure.
    pub(crate) depth: usize,
    pub(crate) stats: ValueStats,
    pub(crate) origin: Origin,
    /// Whether the choice `first` had already accepted this value.
    pub(crate) accepted_first: bool,
}

impl FailedAttempt {
    /// Creates the record of a value at `start` that failed with `stop` at `at`, in open text.
    pub(crate) fn new(start: usize, at: usize, stop: Stop) -> Self {
        Self {
            start,
            stop,
            at,
            step: u32::try_from(at).unwrap_or(u32::MAX),
            inside: None,
            cost: 0,
            depth: 0,
            stats: ValueStats::default(),
            origin: Origin::Bare,
            accepted_first: false,
        }
    }

    /// Returns whether it is in a fence or another wrapper.
    pub(crate) fn is_wrapped(&self) -> bool {
        self.origin.is_wrapped()
    }

    /// Returns whether this was meant as JSON, so that ignoring it would lose data.
    pub(crate) fn is_serious(&self) -> bool {
        self.stats.solid > 0
            || matches!(self.stop.kind, ErrorKind::Expression)
            || (self.is_wrapped() && self.stats.members > 0)
    }

    /// Returns whether it begins like JSON but is ambiguous. Values inside it are parts of it and
    /// no answers.
    pub(crate) fn is_unclear(&self, window: &Window<'_>) -> bool {
        self.stop.kind == ErrorKind::Ambiguous
            && matches!(window.byte(window.skip_space(self.start + 1)), Some(b'"' | b'\''))
    }
}

/// Initial capacity in bytes of a sink for all candidates. Most candidates are short.
pub(crate) const INITIAL_CAPACITY: usize = 1 << 12;

/// Tries to parse a value at `at` into `sink`. What judgments read is taken off `budget`.
pub(crate) fn attempt<B: Build>(
    window: &Window<'_>,
    at: usize,
    start: Start,
    origin: Origin,
    options: &Settings<'_>,
    budget: &mut Budget,
    sink: &mut B,
) -> Result<FoundValue<B>, FailedAttempt> {
    let mut attempt = Attempt::new(at, start, origin, options, *budget, sink);
    let outcome = attempt.run(window, sink);
    *budget = attempt.parser.budget;
    outcome.unwrap_or_else(|| Err(attempt.failed(window, Stop::unexpected(window.end()))))
}
