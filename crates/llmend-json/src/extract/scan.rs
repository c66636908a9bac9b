//! What does the scan come by, and who looks at it?
//!
//! The scan goes forward in steps, and may be called with longer and longer parts of a text. A step
//! that looked past the end of what has arrived is as if it had not been made.

use crate::{
    Choice, Error, ErrorKind, Options, Origin, RuleSet, Search, Span,
    extract::{
        Attempt, Build, FailedAttempt, FoundValue, Start,
        choice::{self, FailureExtent},
        layer, plain, unbraced,
    },
    options::Settings,
    parser::{Budget, Flow, Stop, ValueStats, Window, starts_value},
    retry_threshold::RetryThreshold,
};

mod fence;
mod mark;
mod progress;

use fence::Fence;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Bytes that failed tries may cost, as a multiple of the text so far.
const FAILED_SHARE: usize = 4;
/// What a failed try costs by itself, in bytes.
const FAILED_BASE: usize = 256;
/// Bytes that failed tries may cost whatever the text.
const FAILED_FLOOR: usize = 1 << 16;

/// One forward scan over a text.
pub(crate) struct Scan<'o, B: Build> {
    pub(super) options: Settings<'o>,
    /// What was found so far.
    pub(crate) found: Vec<FoundValue<B>>,
    /// Which of them those take who take the first: an index.
    first: Option<usize>,
    /// What all of them are read into.
    pub(crate) sink: B,
    pub(super) state: ScanState,
    phase: Phase<'o, B>,
    retry: RetryThreshold,
}

/// Where the scan is, and what it noted on the way. A step that has to wait gives it back as it
/// was.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent observations")]
pub(super) struct ScanState {
    /// Where the text begins, white space apart.
    beginning: usize,
    /// The same, behind a byte order mark.
    first: usize,
    pub(super) at: usize,
    pub(super) failed: Option<FailedAttempt>,
    /// Whether JSON was seen inside reasoning.
    pub(super) drafts: bool,
    /// Whether a fence was seen with nothing in it.
    pub(super) empty_block: bool,
    /// Whether a fence was seen at the end of the text, with nothing after it.
    pub(super) unclosed_block: bool,
    /// Whether so many tries failed that no more are made.
    given_up: bool,
    failed_bytes: usize,
    /// What judgements may still look at.
    pub(super) budget: Budget,
    layers: usize,
    /// Where the text breaks off in a value that is not among the candidates.
    pub(crate) cut: Option<usize>,
    /// How far the tries came that gave no value.
    failed_to: usize,
}

/// What the scan is at.
pub(super) enum Phase<'o, B: Build> {
    /// The start of the text.
    Begin,
    /// The open text.
    Search,
    /// A value.
    Read(Box<Attempt<'o>>, AfterValue),
    /// What a value came to.
    Judge(Box<Result<FoundValue<B>, FailedAttempt>>, AfterValue),
    /// The rest of a block, after a value.
    Leave(Fence),
    /// The end.
    Done,
}

/// What comes after a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterValue {
    Search,
    Leave(Fence),
    /// Nothing may: the value is the text.
    End,
    /// The same; if something comes all the same, the text is searched.
    EndOrSearch,
}

impl<'o, B: Build> Scan<'o, B> {
    /// A scan whose sink has room for a text of this many bytes.
    pub(crate) fn new(options: Settings<'o>, room: usize) -> Self {
        Self {
            options,
            found: Vec::new(),
            first: None,
            sink: B::for_text(room),
            state: ScanState::default(),
            phase: Phase::Begin,
            retry: RetryThreshold::default(),
        }
    }

    /// Collects candidates until the text ends or more of it is needed. `Err` where a limit was
    /// met, or where the value that was taken cannot be read.
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

    /// Makes one step, if what has arrived is enough for it.
    fn step(&mut self, window: &Window<'_>) -> Result<Flow, Stop> {
        if matches!(self.phase, Phase::Search) && !self.next_mark(window) {
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
            Phase::Begin => Ok(self.begin(window)),
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
            // What comes after the first does not matter to those who take the first.
            Err(_) if self.options.choice == Choice::First && self.has_first() => Phase::Done,
            Err(stop) => return Err(stop),
        };
        Ok(Flow::Done)
    }

    /// The text begins.
    fn begin(&mut self, window: &Window<'_>) -> Phase<'o, B> {
        let beginning = window.skip_space(0);
        self.state.beginning = beginning;
        (self.state.first, self.state.at) = (beginning, beginning);
        if self.options.search == Search::Off && window.byte(beginning).is_some() {
            let options = self.options.clone();
            return self.read(beginning, Start::Value, Origin::Whole, &options, AfterValue::End);
        }
        // A text from a file may begin with a mark of its encoding, which is neither value nor prose.
        let marked = window.starts_with(beginning, BYTE_ORDER_MARK);
        let at = window.skip_space(beginning + if marked { BYTE_ORDER_MARK.len() } else { 0 });
        (self.state.first, self.state.at) = (at, at);
        let first = window.byte(at);
        match first {
            // A scalar is only a value if it is all there is, and strict.
            Some(byte) if starts_value(byte) && !matches!(byte, b'{' | b'[') => {
                let strict = Options { rules: RuleSet::NONE, ..(*self.options).clone() };
                let options = Settings::Shared(strict.into());
                self.read(at, Start::Value, Origin::Whole, &options, AfterValue::EndOrSearch)
            }
            _ => Phase::Search,
        }
    }

    /// Begins to read a value.
    fn read(
        &mut self,
        at: usize,
        start: Start,
        origin: Origin,
        options: &Settings<'o>,
        then: AfterValue,
    ) -> Phase<'o, B> {
        self.state.at = at;
        let attempt = Attempt::new(at, start, origin, options, self.state.budget, &mut self.sink);
        Phase::Read(Box::new(attempt), then)
    }

    /// Begins to read the members of an object without its braces.
    pub(super) fn members(&mut self, at: usize, origin: Origin, then: AfterValue) -> Phase<'o, B> {
        let options = self.options.clone();
        self.read(at, Start::Member, origin, &options, then)
    }

    /// Begins to read the value at the bracket at `at`, or reads it if it is under a layer.
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

    /// Reads the value under a layer of escapes that stands here.
    fn layered(
        &mut self,
        window: &Window<'_>,
        kind: layer::LayerKind,
        then: AfterValue,
    ) -> Result<Option<Phase<'o, B>>, Stop> {
        if self.state.layers >= layer::MAX_LAYERED || !window.has_end() {
            return Ok(None);
        }
        self.state.layers += 1;
        let found =
            layer::attempt_layered(window, self.state.at, kind, &self.options, &mut self.sink)?;
        if found.is_none() {
            // What is found after this may be a part of what was meant.
            self.state.failed_to = window.end();
        }
        Ok(found.map(|found| Phase::Judge(Box::new(Ok(found)), then)))
    }

    /// What the value came to that was read last: is it an answer, and where does the scan go on?
    fn judge(&mut self, window: &Window<'_>, then: AfterValue) -> Result<Phase<'o, B>, Stop> {
        let Phase::Judge(outcome, _) = &self.phase else { return Ok(Phase::Search) };
        let next = match then {
            AfterValue::Leave(fence) => Phase::Leave(fence),
            _ => Phase::Search,
        };
        match &**outcome {
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
                    self.options.choice == Choice::First && found.is_accepted_first();
                self.state.at = span.end.max(span.start + 1);
                if whole
                    || accepted_first
                    || choice::is_candidate(window, found)
                    || self.is_next_of_series(window, found)
                {
                    self.keep(window);
                } else {
                    let (cut, wrapped, stats) = (found.cut, found.is_wrapped(), found.stats);
                    self.dangling(window, span.start, cut, wrapped, &stats);
                    self.charge(span.len());
                }
                Ok(next)
            }
        }
    }

    /// Keeps the value that was judged.
    fn keep(&mut self, window: &Window<'_>) {
        if window.is_starved() {
            return;
        }
        if let Phase::Judge(outcome, _) = std::mem::replace(&mut self.phase, Phase::Search)
            && let Ok(found) = *outcome
        {
            self.add(found);
        }
    }

    /// One more candidate.
    fn add(&mut self, mut found: FoundValue<B>) {
        found.in_failure = found.span.start < self.state.failed_to;
        let takes_first = self.options.choice == Choice::First;
        if takes_first && self.has_first() {
            // It is told of and not given: what it says need not be kept.
            self.found.push(found);
            return;
        }
        self.sink.keep();
        if found.counts_as_first() && !self.has_first() {
            self.first = Some(self.found.len());
            if takes_first {
                self.sink.finalize();
            }
        }
        self.found.push(found);
    }

    /// Whether only white space and a separator stand between the last candidate and this list.
    fn is_next_of_series(&self, window: &Window<'_>, found: &FoundValue<B>) -> bool {
        self.found.last().is_some_and(|last| {
            last.origin == found.origin
                && last.stats.members == 0
                && choice::are_neighbours(window, last.span, found.span)
        })
    }

    /// Keeps a value that was read from a block as a whole, if it may be an answer.
    pub(super) fn keep_if_answer(&mut self, window: &Window<'_>, found: FoundValue<B>) {
        let answer = choice::is_candidate(window, &found);
        if answer && !window.is_starved() {
            self.add(found);
        } else if !answer {
            self.charge(found.span.len());
        }
    }

    /// Takes note of a try that gave no value, and decides where to go on.
    pub(super) fn fail(&mut self, window: &Window<'_>, failed: FailedAttempt) -> Result<(), Stop> {
        let limit = matches!(failed.stop.kind, ErrorKind::Depth | ErrorKind::Repairs);
        let taken =
            self.options.choice == Choice::First && failed.accepted_first && !self.has_first();
        if limit || taken {
            return Err(failed.stop);
        }
        let end = Some(window.end()).filter(|_| failed.stop.kind == ErrorKind::UnexpectedEnd);
        self.dangling(window, failed.start, end, failed.wrapped, &failed.stats);
        self.state.failed_to = self.state.failed_to.max(end_of_token(window, &failed));
        let extent = (failed.is_serious() || failed.is_unclear(window))
            .then(|| choice::extent_of_failed(window, &failed));
        self.state.at = match extent {
            Some(FailureExtent::Open(end)) if !failed.is_serious() => {
                // Nobody knows how far it goes: what stands behind it may be a part of it.
                self.state.failed_to = end;
                failed.start + 1
            }
            Some(extent) => extent.end(),
            None => failed.start + 1,
        };
        self.charge(failed.at.saturating_sub(failed.start) + failed.cost);
        let better = match &self.state.failed {
            None => true,
            Some(old) => {
                failed.is_serious() && (!old.is_serious() || failed.wrapped && !old.wrapped)
            }
        };
        if better {
            self.state.failed = Some(failed);
        }
        Ok(())
    }

    /// A try of this cost came to nothing. With too many of them, this is prose with brackets all
    /// over, and no more of it is tried.
    fn charge(&mut self, cost: usize) {
        self.state.failed_bytes += cost + FAILED_BASE;
        self.state.given_up |=
            self.state.failed_bytes > FAILED_SHARE * (self.state.at + FAILED_FLOOR);
    }

    /// Takes note of a value at `start` that broke off at `cut` and is no candidate.
    fn dangling(
        &mut self,
        window: &Window<'_>,
        start: usize,
        cut: Option<usize>,
        wrapped: bool,
        stats: &ValueStats,
    ) {
        let quoted = || window.byte(window.skip_space(start + 1)) == Some(b'"');
        if cut.is_some() && (wrapped || stats.solid > 0 || quoted()) {
            self.state.cut = cut;
        }
    }

    /// The text ends. If nothing was found, is it as a whole a value without its brackets?
    fn whole_text(&mut self, window: &Window<'_>) -> Result<(), Stop> {
        if !self.found.is_empty() || self.is_serious() {
            return Ok(());
        }
        let (options, sink) = (&self.options, &mut self.sink);
        let found = match unbraced::pairs(window, options, &mut self.state.budget, sink) {
            Some(found) => Some(found),
            None => unbraced::list(window, options, sink)?,
        };
        let said = !self.state.drafts && !self.state.unclosed_block && self.state.cut.is_none();
        let found = found.or_else(|| said.then(|| plain::text(window, options, sink)).flatten());
        if let Some(found) = found {
            self.add(found);
        }
        Ok(())
    }

    /// Something that was meant as JSON and could not be read.
    pub(crate) fn serious_failure(&self) -> Option<&FailedAttempt> {
        self.state.failed.as_ref().filter(|failed| failed.is_serious())
    }

    /// Where the text breaks off in a value that is not among the candidates.
    pub(crate) fn dangling_cut(&self) -> Option<usize> {
        self.state.cut
    }

    fn is_serious(&self) -> bool {
        self.serious_failure().is_some()
    }

    /// Whether all that was tried is a value that lacks more closers than may be added.
    fn is_short_of_closers(&self, failed: &FailedAttempt) -> bool {
        failed.start == self.state.first
            && failed.stop.kind == ErrorKind::UnexpectedEnd
            && !failed.stop.detail.is_empty()
    }

    /// Why there is no candidate in `text`.
    pub(crate) fn nothing(&self, text: &str) -> Error {
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

/// End of what the try gave up at: of a string, its end.
fn end_of_token(window: &Window<'_>, failed: &FailedAttempt) -> usize {
    let string = || match window.byte(failed.at)? {
        b'"' => Some(window.scan_string(failed.at + 1).map_or(failed.at + 1, |(end, _)| end)),
        _ => None,
    };
    failed.at.max(failed.stop.span.end).max(string().unwrap_or(0))
}
