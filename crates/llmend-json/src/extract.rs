//! Where in the text may the answer be?
//!
//! One forward scan collects candidates. Each way of finding one has a file of its own; they all
//! try the machine of [`crate::parser`] at a place, so a candidate's end is where the value ends,
//! and a fence or a brace inside a string is never one. Which of them is the answer is decided in
//! [`choice`].

use std::borrow::Cow;

use crate::{
    Candidate, Class, Error, ErrorKind, Options, Origin, Repair, Span,
    options::Settings,
    parser::{Budget, Stop, ValueStats, Window},
    sink::{Container, Sink},
};

mod attempt;
pub(crate) mod choice;
mod comment;
pub(crate) mod layer;
mod mention;
mod plain;
mod reasoning;
mod scan;
mod unbraced;
mod wrapper;

pub(crate) use attempt::{Attempt, Start};
pub(crate) use scan::Scan;

/// Everything in a text that may be the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extraction {
    /// The candidates, in the order of the text.
    pub candidates: Vec<Candidate>,
}

/// Finds every candidate for a value in `text`.
///
/// ```
/// let text = "Not `{x}` but:\n```json\n{\"a\": 1}\n```";
/// let found = llmend_json::extract(text, &llmend_json::Options::default())?;
/// assert_eq!(found.candidates.len(), 1);
/// assert_eq!(found.candidates[0].span.of(text), "{\"a\": 1}");
/// # Ok::<(), llmend_json::Error>(())
/// ```
pub fn extract(text: &str, options: &Options) -> Result<Extraction, Error> {
    crate::limits::check_size(text.len(), options)?;
    let window = Window::whole(text);
    let options = Options { search: crate::Search::On, ..options.clone() };
    let mut scan = Scan::<()>::new(Settings::Borrowed(&options), 0);
    scan.run(&window).map_err(|stop| stop.into_error(text))?;
    if scan.found.is_empty() {
        return Err(scan.nothing(text));
    }
    let candidates = scan
        .found
        .iter()
        .map(|found| {
            found.candidate(Surroundings::of(&window, scan.beginning(), found.span), text.len())
        })
        .collect();
    Ok(Extraction { candidates })
}

impl Stop {
    /// The public error.
    pub(crate) fn into_error(self, text: &str) -> Error {
        Error::new(self.kind, text, Some(self.span), self.detail)
    }
}

/// A sink that candidates are read into, one after the other.
pub(crate) trait Build: Sink + Sized {
    /// What it knows of one of them.
    type Built: std::fmt::Debug;

    /// One with room for a text of this many bytes.
    fn for_text(bytes: usize) -> Self;

    /// Forgets what was read since the last value that was kept: another try begins.
    fn begin(&mut self);

    /// The value that was read since then.
    fn end(&mut self) -> Self::Built;

    /// The value that was read last is a candidate.
    fn keep(&mut self);

    /// The value that was kept last is the answer, whatever comes.
    fn finalize(&mut self) {}

    /// Takes over what `copy` read from `text`, a rewritten copy of a part of the caller's text.
    /// `place` tells where the spans of the copy stand there.
    fn adopt(
        &mut self,
        copy: Self,
        built: Self::Built,
        text: &str,
        place: impl FnMut(Span) -> Span,
    ) -> Self::Built;
}

impl Build for () {
    type Built = ();

    fn for_text(_: usize) -> Self {}
    fn begin(&mut self) {}
    fn end(&mut self) {}
    fn keep(&mut self) {}
    fn adopt(&mut self, (): Self, (): (), _: &str, _: impl FnMut(Span) -> Span) {}
}

/// A value that was found and read.
#[derive(Debug)]
pub(crate) struct FoundValue<B: Build> {
    pub(crate) span: Span,
    pub(crate) origin: Origin,
    /// Sorted, disjoint, in offsets of the caller's text.
    pub(crate) repairs: Vec<Repair>,
    pub(crate) cut: Option<usize>,
    pub(crate) stats: ValueStats,
    /// Whether it stands in something that could not be read.
    pub(crate) in_failure: bool,
    pub(crate) built: B::Built,
}

impl<B: Build> FoundValue<B> {
    /// Whether it was JSON, if perhaps in another notation.
    pub(crate) fn is_sound(&self) -> bool {
        self.cut.is_none()
            && self.repairs.iter().all(|repair| repair.rule.class() == Class::Notation)
    }

    /// Whether it stands in a fence or another wrapper.
    pub(crate) fn is_wrapped(&self) -> bool {
        self.origin.is_wrapped()
    }

    /// Whether it stands where an answer rather stands than in the place of what `failed`.
    pub(crate) fn is_better_placed(&self, failed: &FailedAttempt) -> bool {
        self.is_wrapped() && (!failed.wrapped || self.span.start > failed.at)
    }

    /// Whether it is a list of words without quotes, and may be prose.
    pub(crate) fn is_words(&self) -> bool {
        let stats = &self.stats;
        stats.members == 0 && stats.words > 0 && stats.words >= stats.solid
    }

    /// Whether those who take the first value take this one, before they know what it comes to.
    pub(crate) fn is_accepted_first(&self) -> bool {
        self.stats.scalars > 0 && choice::is_sound(&self.stats, self.origin)
    }

    /// Whether those who take the first value take this one.
    pub(crate) fn counts_as_first(&self) -> bool {
        self.is_wrapped() || self.stats.members > 0
    }

    /// What it is to the caller in a text of `bytes` bytes. The whole text is one only with the
    /// white space around it.
    pub(crate) fn candidate(&self, surroundings: Surroundings, bytes: usize) -> Candidate {
        if matches!(self.origin, Origin::Bare | Origin::Whole)
            && surroundings == Surroundings::default()
        {
            return Candidate { span: Span::new(0, bytes), origin: Origin::Whole };
        }
        Candidate { span: self.span, origin: self.origin }
    }

    /// What it is as JSON text.
    pub(crate) fn output<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.repairs.is_empty() {
            return Cow::Borrowed(self.span.of(text));
        }
        Cow::Owned(crate::apply(text, self.span, &self.repairs))
    }
}

/// Whether anything but white space stands around a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Surroundings {
    pub(crate) before: bool,
    pub(crate) after: bool,
}

impl Surroundings {
    /// Around `span` of the whole text, which begins at `first`, white space apart.
    pub(crate) fn of(window: &Window<'_>, first: usize, span: Span) -> Self {
        Self { before: first < span.start, after: window.skip_space(span.end) < window.end() }
    }
}

/// A place that was tried and gave no value.
#[derive(Clone, Debug)]
pub(crate) struct FailedAttempt {
    pub(crate) start: usize,
    pub(crate) stop: Stop,
    /// How far the machine came.
    pub(crate) at: usize,
    /// Where the step began that it could not make.
    pub(crate) step: u32,
    /// See [`Checkpoint::inside`], of where that step began.
    pub(crate) inside: Option<(Container, bool)>,
    /// Bytes that judgements looked at.
    pub(crate) cost: usize,
    /// Brackets that were open there.
    pub(crate) depth: usize,
    pub(crate) stats: ValueStats,
    pub(crate) wrapped: bool,
    /// Whether those who take the first value had taken this one.
    pub(crate) accepted_first: bool,
}

impl FailedAttempt {
    /// Whether this was meant as JSON, so that to pass over it would be to lose it.
    pub(crate) fn is_serious(&self) -> bool {
        self.stats.solid > 0
            || matches!(self.stop.kind, ErrorKind::Expression)
            || (self.wrapped && self.stats.members > 0)
    }

    /// Whether it begins as JSON does, and there are several readings of how it goes on. What stands in it
    /// is a part of it, and no answer.
    pub(crate) fn is_unclear(&self, window: &Window<'_>) -> bool {
        self.stop.kind == ErrorKind::Ambiguous
            && matches!(window.byte(window.skip_space(self.start + 1)), Some(b'"' | b'\''))
    }
}

/// Bytes of a text that a sink for all of its candidates gets room for at first: most are short.
pub(crate) const ROOM: usize = 1 << 12;

/// Tries to read a value at `at` into `sink`. What judgements look at is taken off `budget`.
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
