//! The forward scan that collects candidates.
//!
//! The scan proceeds in steps and may be resumed with a longer part of the text. A step that read
//! past the end of what has arrived is undone.

use crate::{
    Choice, Error, ErrorKind, Options, Origin, Rule, RuleSet, Search, Span,
    extract::{
        Attempt, Build, FailedAttempt, FoundValue, Start, layer, reasoning, scalar, unbraced, yaml,
    },
    options::Settings,
    parser::{Budget, Flow, Stop, Window, starts_value},
    retry_threshold::RetryThreshold,
};

mod document;
mod failure;
mod fence;
mod mark;
mod outcome;
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
    /// Number of unclear values whose end was not found.
    open_ended: usize,
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
    /// Start of the value right behind that reasoning.
    follows_reasoning: usize,
    /// Code blocks that may hold YAML.
    pub(super) yaml: Vec<yaml::Block>,
    /// Whether candidates may be parts of a YAML document that was not read.
    pub(super) in_yaml: bool,
    /// Code blocks of another language with JSON in them.
    pub(super) code: Vec<Span>,
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
            // A scalar with a comment behind it is no string.
            let may_remark = self.options.rules.contains(Rule::LineComment);
            if let Some(span) = scalar::statement(window, beginning).filter(|_| may_remark) {
                let options = self.strict_options();
                let found = self.scalar_at(window, span, &options);
                if let Some(found) = found.filter(|_| !window.is_starved()) {
                    self.add(window, found);
                    return Ok(Phase::Done);
                }
            }
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
                let options = self.strict_options();
                self.read(at, Start::Value, Origin::Whole, &options, AfterValue::EndOrSearch)
            }
            Some(b'a' | b'T') => {
                if let Some(end) = reasoning::analysis(window, at) {
                    self.state.drafts = true;
                    (self.state.at, self.state.reasoned) = (end, end);
                }
                Phase::Search
            }
            _ => Phase::Search,
        })
    }

    /// Returns the options without repairs.
    fn strict_options(&self) -> Settings<'o> {
        Settings::Shared(Options { rules: RuleSet::NONE, ..(*self.options).clone() }.into())
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
        let reasoned = self.state.reasoned;
        if reasoned > self.state.first && window.is_blank(reasoned, at) {
            self.state.follows_reasoning = at;
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
