//! The forward scan that collects candidates.
//!
//! The scan proceeds in steps and may be resumed with a longer part of the text. A step that read
//! past the end of what has arrived is undone.

use crate::{
    Choice, Error, ErrorKind, OnBadItem, Options, Origin, RuleSet, Search, Span,
    extract::{
        Attempt, Build, FailedAttempt, FoundValue, Start, candidate, choice, layer, plain,
        reasoning, unbraced, yaml,
    },
    options::Settings,
    parser::{Budget, Flow, Stop, Window, starts_value},
    retry_threshold::RetryThreshold,
};

mod document;
mod failure;
mod fence;
mod mark;
mod progress;

use fence::Fence;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// One forward scan over a text.
pub(crate) struct Scan<'o, B: Build> {
    pub(super) options: Settings<'o>,
    /// The candidates so far.
    pub(crate) found: Vec<FoundValue<B>>,
    /// Values in sentences, which are no candidates unless fitting decides.
    pub(crate) mentioned: Vec<FoundValue<B>>,
    by_fitting: bool,
    /// Index of the candidate that the choice `first` takes.
    first: Option<usize>,
    /// The sink that receives all candidates.
    pub(crate) sink: B,
    pub(super) state: ScanState,
    phase: Phase<'o, B>,
    retry: RetryThreshold,
}

/// Position and observations of a scan. Restored if a step has to wait for more text.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent observations")]
pub(super) struct ScanState {
    /// Start of the text after white space.
    beginning: usize,
    /// Start of the text after white space and a byte order mark.
    first: usize,
    pub(super) at: usize,
    pub(super) failed: Option<FailedAttempt>,
    /// Whether JSON was found inside reasoning.
    pub(super) drafts: bool,
    /// Whether an empty code block was found.
    pub(super) empty_block: bool,
    /// Whether the text ends with an opening fence.
    pub(super) unclosed_block: bool,
    /// Whether so many attempts failed that no more are made.
    given_up: bool,
    failed_bytes: usize,
    /// Work budget of the judgments.
    pub(super) budget: Budget,
    layers: usize,
    /// Number of failed attempts whose bad items were searched for.
    salvaged: usize,
    /// Where the text is cut off in a value that is not a candidate.
    pub(crate) cut: Option<usize>,
    /// How far the failed attempts went.
    failed_to: usize,
    /// End of the reasoning before the answer.
    pub(super) reasoned: usize,
    /// Code blocks that may hold YAML.
    pub(super) yaml: Vec<yaml::Block>,
}

/// The current activity of a scan.
pub(super) enum Phase<'o, B: Build> {
    /// At the start of the text.
    Begin,
    /// Searching prose.
    Search,
    /// Parsing a value.
    Read(Box<Attempt<'o>>, AfterValue),
    /// Judging the outcome of an attempt.
    Judge(Box<Result<FoundValue<B>, FailedAttempt>>, AfterValue),
    /// In the rest of a block, after a value.
    Leave(Fence),
    /// At the end.
    Done,
}

/// What follows a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterValue {
    Search,
    Leave(Fence),
    /// Nothing may follow: the value is the text.
    End,
    /// Nothing should follow. If something does, the text is searched instead.
    EndOrSearch,
}

impl<'o, B: Build> Scan<'o, B> {
    /// Creates a scan whose sink has room for a text of `room` bytes.
    pub(crate) fn new(options: Settings<'o>, room: usize) -> Self {
        Self {
            options,
            found: Vec::new(),
            mentioned: Vec::new(),
            by_fitting: false,
            first: None,
            sink: B::for_text(room),
            state: ScanState::default(),
            phase: Phase::Begin,
            retry: RetryThreshold::default(),
        }
    }

    /// Also keeps values in sentences, for a choice by fitting.
    pub(crate) fn by_fitting(self) -> Self {
        Self { by_fitting: true, ..self }
    }

    /// Collects candidates until the text ends or more of it is needed. Fails if a limit is
    /// exceeded or an accepted value cannot be parsed.
    pub(crate) fn run(&mut self, window: &Window<'_>) -> Result<Flow, Stop> {
        if self.retry.is_too_early(window) {
            return Ok(Flow::More);
        }
        loop {
            match &mut self.phase {
                Phase::Done => return Ok(Flow::Done),
                Phase::Read(attempt, then) => {
                    let Some(outcome) = attempt.run(window, &mut self.sink) else {
                        return Ok(Flow::More);
                    };
                    self.state.budget = attempt.parser.budget;
                    self.phase = Phase::Judge(Box::new(outcome), *then);
                }
                _ => {
                    if self.step(window)? == Flow::More {
                        return Ok(Flow::More);
                    }
                }
            }
        }
    }

    /// Makes one step, if enough text has arrived.
    fn step(&mut self, window: &Window<'_>) -> Result<Flow, Stop> {
        let whole = self.options.search == Search::Off;
        if matches!(self.phase, Phase::Search) && (whole || !self.next_mark(window)) {
            if !window.at_end {
                self.retry.postpone(window, self.state.at);
                return Ok(Flow::More);
            }
            self.whole_text(window)?;
            self.phase = Phase::Done;
            return Ok(Flow::Done);
        }
        let before = (!window.at_end).then(|| self.state.clone());
        let next = match &self.phase {
            Phase::Begin => self.begin(window),
            Phase::Leave(fence) => self.leave(window, *fence),
            Phase::Judge(_, then) => self.judge(window, *then),
            _ => self.mark(window),
        };
        if let Some(before) = before.filter(|_| window.is_starved()) {
            self.state = before;
            self.retry.postpone(window, self.state.at);
            return Ok(Flow::More);
        }
        self.phase = match next {
            Ok(phase) => phase,
            // The choice `first` ignores what follows the first value.
            Err(_) if self.options.choice == Choice::First && self.has_first() => Phase::Done,
            Err(stop) => return Err(stop),
        };
        Ok(Flow::Done)
    }

    /// Handles the start of the text.
    fn begin(&mut self, window: &Window<'_>) -> Result<Phase<'o, B>, Stop> {
        let beginning = window.skip_space(0);
        self.state.beginning = beginning;
        (self.state.first, self.state.at) = (beginning, beginning);
        if self.options.search == Search::Off && window.byte(beginning).is_some() {
            let options = self.options.clone();
            return Ok(self.read(
                beginning,
                Start::Value,
                Origin::Whole,
                &options,
                AfterValue::End,
            ));
        }
        // A byte order mark is neither value nor prose.
        let marked = window.starts_with(beginning, BYTE_ORDER_MARK);
        let at = window.skip_space(beginning + if marked { BYTE_ORDER_MARK.len() } else { 0 });
        (self.state.first, self.state.at) = (at, at);
        let first = window.byte(at);
        Ok(match first {
            Some(b'&') if layer::entity::opens(window, at) => self
                .layered(window, layer::LayerKind::Entity, AfterValue::Search)?
                .unwrap_or(Phase::Search),
            Some(_) if unbraced::starts_half_member(window, at) => {
                self.members(at, Origin::Unbraced, AfterValue::Search)
            }
            // A scalar is a value only if it is the whole text, and strict.
            Some(byte) if starts_value(byte) && !matches!(byte, b'{' | b'[') => {
                let strict = Options { rules: RuleSet::NONE, ..(*self.options).clone() };
                let options = Settings::Shared(strict.into());
                self.read(at, Start::Value, Origin::Whole, &options, AfterValue::EndOrSearch)
            }
            Some(b'a') => {
                if let Some(end) = reasoning::analysis(window, at) {
                    self.state.drafts = true;
                    (self.state.at, self.state.reasoned) = (end, end);
                }
                Phase::Search
            }
            _ => Phase::Search,
        })
    }

    /// Starts parsing a value.
    fn read(
        &mut self,
        at: usize,
        start: Start,
        origin: Origin,
        options: &Settings<'o>,
        then: AfterValue,
    ) -> Phase<'o, B> {
        self.state.at = at;
        let mut attempt =
            Attempt::new(at, start, origin, options, self.state.budget, &mut self.sink);
        attempt.leads = self.leads(at);
        Phase::Read(Box::new(attempt), then)
    }

    /// Starts parsing the members of an object without its braces.
    pub(super) fn members(&mut self, at: usize, origin: Origin, then: AfterValue) -> Phase<'o, B> {
        let options = self.options.clone();
        self.read(at, Start::Member, origin, &options, then)
    }

    /// Starts parsing the value at the bracket at `at`, or parses it at once if it is escaped.
    pub(super) fn value(
        &mut self,
        window: &Window<'_>,
        at: usize,
        origin: Origin,
        then: AfterValue,
    ) -> Result<Phase<'o, B>, Stop> {
        self.state.at = at;
        if let Some(kind) = layer::kind_at(window, at)
            && let Some(phase) = self.layered(window, kind, then)?
        {
            return Ok(phase);
        }
        let options = self.options.clone();
        Ok(self.read(at, Start::Value, origin, &options, then))
    }

    /// Parses the escaped value at the current position.
    pub(super) fn layered(
        &mut self,
        window: &Window<'_>,
        kind: layer::LayerKind,
        then: AfterValue,
    ) -> Result<Option<Phase<'o, B>>, Stop> {
        if self.state.layers >= layer::MAX_LAYERED || !window.has_end() {
            return Ok(None);
        }
        self.state.layers += 1;
        let at = self.state.at;
        let found = match layer::attempt_layered(window, at, kind, &self.options, &mut self.sink) {
            Err(stop) if stop.kind == ErrorKind::Ambiguous => {
                self.skip_lines(stop);
                return Ok(Some(Phase::Search));
            }
            outcome => outcome?,
        };
        if found.is_none() {
            // What follows may be a part of the escaped value.
            self.state.failed_to = window.end();
        }
        Ok(found.map(|found| Phase::Judge(Box::new(Ok(found)), then)))
    }

    /// Decides whether the last outcome is a candidate, and where the scan continues.
    fn judge(&mut self, window: &Window<'_>, then: AfterValue) -> Result<Phase<'o, B>, Stop> {
        let Phase::Judge(outcome, _) = &self.phase else { return Ok(Phase::Search) };
        if let Err(failed) = &**outcome
            && self.options.on_bad_item != OnBadItem::Fail
        {
            let failed = failed.clone();
            if let Some(found) = self.salvaged(window, &failed) {
                return Ok(Phase::Judge(Box::new(Ok(found)), then));
            }
            if !matches!(then, AfterValue::End | AfterValue::EndOrSearch)
                && self.takes_record(window, &failed)
            {
                return Ok(match then {
                    AfterValue::Leave(fence) => Phase::Leave(fence),
                    _ => Phase::Search,
                });
            }
        }
        let Phase::Judge(outcome, _) = &self.phase else { return Ok(Phase::Search) };
        let next = match then {
            AfterValue::Leave(fence) => Phase::Leave(fence),
            _ => Phase::Search,
        };
        match &**outcome {
            Err(_) if then == AfterValue::End && self.may_be_words(window) => Ok(Phase::Search),
            Err(failed) if then == AfterValue::End => Err(failed.stop.clone()),
            Err(failed) if then == AfterValue::EndOrSearch => {
                self.state.at = failed.start;
                self.state.budget = Budget::new(0);
                Ok(Phase::Search)
            }
            Err(failed) => {
                let failed = failed.clone();
                self.fail(window, failed)?;
                Ok(next)
            }
            Ok(found) if matches!(then, AfterValue::End | AfterValue::EndOrSearch) => {
                let rest = window.skip_space(found.span.end);
                if window.byte(rest).is_none() {
                    self.keep(window);
                    return Ok(Phase::Done);
                }
                if then == AfterValue::End && self.may_be_words(window) {
                    return Ok(Phase::Search);
                }
                if then == AfterValue::End {
                    let detail = "expected end of text";
                    return Err(Stop::new(ErrorKind::Unexpected, Span::at(rest), detail));
                }
                self.state.at = found.span.start;
                Ok(Phase::Search)
            }
            Ok(found) => {
                let span = found.span;
                let alone = span.start == self.state.first
                    && window.byte(window.skip_space(span.end)).is_none();
                let whole = alone && !found.is_words();
                let accepted_first =
                    self.options.choice == Choice::First && self.accepts(window, found);
                if found.cut.is_some() && found.stats.scalars == 0 && self.follows(window, span) {
                    // Nothing of the next value has arrived.
                    (self.state.at, self.state.cut) = (window.end(), found.cut);
                    return Ok(next);
                }
                if candidate::is_sentence(window, found) {
                    self.state.at = span.start + 1;
                    self.charge(span.len());
                    return Ok(next);
                }
                if !accepted_first && let Some(place) = found.taken_back_at(window) {
                    let stop = Stop::new(ErrorKind::Ambiguous, Span::new(span.start, place), "");
                    let stats = found.stats;
                    let failed =
                        FailedAttempt { stats, ..FailedAttempt::new(span.start, place, stop) };
                    self.fail(window, failed)?;
                    return Ok(next);
                }
                self.state.at = span.end.max(span.start + 1);
                if whole
                    || accepted_first
                    || candidate::is_candidate(window, found)
                    || self.is_next_of_series(window, found)
                {
                    self.keep(window);
                } else {
                    let (cut, wrapped, stats) = (found.cut, found.is_wrapped(), found.stats);
                    self.note_cut(window, span.start, cut, wrapped, &stats);
                    self.charge(span.len());
                    self.keep_mentioned(window);
                }
                Ok(next)
            }
        }
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
    fn add(&mut self, window: &Window<'_>, mut found: FoundValue<B>) {
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
    /// list. After an object, it must be a list of several items, since citations are not.
    fn is_next_of_series(&self, window: &Window<'_>, found: &FoundValue<B>) -> bool {
        let many = || !found.is_words() && window.slice(found.span).contains(',');
        self.found.last().is_some_and(|last| {
            last.origin == found.origin
                && (last.stats.members == 0 || many())
                && choice::are_adjacent(window, last.span, found.span)
        })
    }

    /// Returns whether the whole text, which is no value in JSON, may be words instead.
    fn may_be_words(&self, window: &Window<'_>) -> bool {
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

    /// Returns the failed attempt that was meant as JSON, if there is one.
    pub(crate) fn serious_failure(&self) -> Option<&FailedAttempt> {
        self.state.failed.as_ref().filter(|failed| failed.is_serious())
    }

    /// Returns where the text is cut off in a value that is not a candidate.
    pub(crate) fn dangling_cut(&self) -> Option<usize> {
        self.state.cut
    }

    fn is_serious(&self) -> bool {
        self.serious_failure().is_some()
    }

    /// Returns whether all that was tried is a value with more missing closing brackets than
    /// allowed.
    fn is_short_of_closers(&self, failed: &FailedAttempt) -> bool {
        failed.start == self.state.first
            && failed.stop.kind == ErrorKind::UnexpectedEnd
            && !failed.stop.detail.is_empty()
    }

    /// Returns the error for a text without candidates.
    pub(crate) fn no_candidate(&self, text: &str) -> Error {
        if text.trim().is_empty() {
            return Error::new(ErrorKind::Empty, text, None, "");
        }
        if let Some(failed) = &self.state.failed
            && (failed.is_serious()
                || matches!(failed.stop.kind, ErrorKind::Refused(_) | ErrorKind::Ambiguous)
                || self.is_short_of_closers(failed))
        {
            return failed.stop.clone().into_error(text);
        }
        let kind = if self.state.drafts {
            ErrorKind::ReasoningOnly
        } else if self.state.unclosed_block {
            ErrorKind::UnclosedBlock
        } else if self.state.empty_block {
            ErrorKind::EmptyBlock
        } else {
            ErrorKind::NoJson
        };
        Error::new(kind, text, None, "")
    }
}
