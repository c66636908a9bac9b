//! Where in the text may the answer be?
//!
//! One forward scan collects candidates. Each way of finding one has a file of its own; they all
//! try the machine of [`crate::parser`] at a place, so a candidate's end is where the value ends,
//! and a fence or a brace inside a string is never one. Which of them is the answer is decided in
//! [`choice`].

use std::borrow::Cow;

use crate::{
    Candidate, Error, ErrorKind, Options, Origin, Repair, Span,
    parser::{Budget, Flow, Machine, Seen, Stop, Window},
    sink::Sink,
};

pub(crate) mod choice;
mod fence;
pub(crate) mod layer;
mod reasoning;
mod scan;
mod unbraced;
mod wrapper;

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
    crate::pipeline::check_size(text, options)?;
    let mut scan = Scan::<()>::new(text, options);
    scan.run().map_err(|stop| stop.into_error(text))?;
    if scan.found.is_empty() {
        return Err(scan.nothing());
    }
    let whole = |found: &Found<()>| {
        let around = [Span::new(0, found.span.start), Span::new(found.span.end, text.len())];
        found.origin == Origin::Bare && around.iter().all(|span| span.of(text).trim().is_empty())
    };
    let candidates = scan
        .found
        .iter()
        .map(|found| Candidate {
            span: found.span,
            origin: if whole(found) { Origin::Whole } else { found.origin },
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
pub(crate) struct Found<B: Build> {
    pub(crate) span: Span,
    pub(crate) origin: Origin,
    /// Sorted, disjoint, in offsets of the caller's text.
    pub(crate) repairs: Vec<Repair>,
    pub(crate) cut: Option<usize>,
    pub(crate) seen: Seen,
    pub(crate) built: B::Built,
}

impl<B: Build> Found<B> {
    /// Whether it was strict JSON.
    pub(crate) fn is_strict(&self) -> bool {
        self.repairs.is_empty() && self.cut.is_none()
    }

    /// Whether it stands in a fence or another wrapper.
    pub(crate) fn is_wrapped(&self) -> bool {
        matches!(self.origin, Origin::Fence | Origin::Wrapper)
    }

    /// What it is as JSON text.
    pub(crate) fn output<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.repairs.is_empty() {
            return Cow::Borrowed(self.span.of(text));
        }
        Cow::Owned(crate::apply(text, self.span, &self.repairs))
    }
}

/// A place that was tried and gave no value.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    pub(crate) start: usize,
    pub(crate) stop: Stop,
    /// How far the machine came.
    pub(crate) at: usize,
    /// Bytes that judgements looked at.
    pub(crate) cost: usize,
    /// Brackets that were open there.
    pub(crate) depth: usize,
    pub(crate) seen: Seen,
    pub(crate) wrapped: bool,
}

impl Failed {
    /// Whether this was meant as JSON, so that to pass over it would be to lose it.
    pub(crate) fn is_serious(&self) -> bool {
        self.seen.solid > 0
            || matches!(self.stop.kind, ErrorKind::Expression)
            || (self.wrapped && self.seen.members > 0)
    }
}

/// How a try starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// At a value.
    Value,
    /// At the first member of an object without its brace.
    Member,
}

/// Bytes of a text that a sink for all of its candidates gets room for at first: most are short.
const ROOM: usize = 1 << 12;

/// Tries to read a value at `at` into `sink`. What judgements look at is taken off `budget`.
pub(crate) fn attempt<B: Build>(
    window: &Window<'_>,
    at: usize,
    start: Start,
    origin: Origin,
    options: &Options,
    budget: &mut Budget,
    sink: &mut B,
) -> Result<Found<B>, Failed> {
    sink.begin();
    let mut machine = Machine::new(options, at);
    std::mem::swap(&mut machine.budget, budget);
    if start == Start::Member {
        machine.unbraced(sink);
    }
    let before = machine.budget;
    let flow = machine.run(window, sink);
    std::mem::swap(&mut machine.budget, budget);
    let stop = match flow {
        Ok(Flow::Done) => None,
        Ok(_) => Some(Stop::new(ErrorKind::UnexpectedEnd, Span::at(window.end()), "")),
        Err(stop) => Some(stop),
    };
    if let Some(stop) = stop {
        return Err(Failed {
            start: at,
            stop,
            at: machine.at,
            depth: machine.stack.len(),
            cost: budget.since(before),
            seen: machine.seen,
            wrapped: matches!(origin, Origin::Fence | Origin::Wrapper),
        });
    }
    let repairs = machine.log.finish();
    let edited = repairs.last().map_or(at, |repair| repair.span.end);
    Ok(Found {
        span: Span::new(at, machine.last_end.max(edited)),
        origin,
        cut: machine.cut,
        seen: machine.seen,
        repairs,
        built: sink.end(),
    })
}
