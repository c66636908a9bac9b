//! Failed attempts, and where the scan continues after them.

use crate::{
    Choice, ErrorKind, OnBadItem, Rule, Span,
    extract::{
        Build, FailedAttempt, FoundValue, Scan,
        choice::{self, FailureExtent},
        correction, salvage,
    },
    judge::bracket::item,
    parser::{Log, Stop, ValueStats, Window},
    sink::Literal,
};

/// Bytes that failed attempts may cost, as a multiple of the text scanned so far.
const FAILED_SHARE: usize = 4;
/// Fixed cost of a failed attempt, in bytes.
const FAILED_BASE: usize = 256;
/// Bytes that failed attempts may cost in any text.
const FAILED_FLOOR: usize = 1 << 16;
/// Most unclear values without an end. The rest of the text is read for each.
const MAX_OPEN_ENDED: usize = 64;

/// Most failed attempts whose bad items are searched for, since each costs a copy.
const MAX_SALVAGED: usize = 16;

impl<B: Build> Scan<'_, B> {
    /// Skips lines with a prefix that were meant as a value and cannot be read.
    pub(super) fn skip_lines(&mut self, stop: Stop) {
        let Span { start, end } = stop.span;
        (self.state.at, self.state.failed_to) = (end, end);
        if !self.is_serious() {
            let stats = ValueStats { solid: 1, ..ValueStats::default() };
            let failed = FailedAttempt { stats, ..FailedAttempt::new(start, end, stop) };
            self.state.failed = Some(failed);
        }
    }

    /// Returns the value of a failed attempt without the items that cannot be read, if it has
    /// such items.
    pub(super) fn salvaged(
        &mut self,
        window: &Window<'_>,
        failed: &FailedAttempt,
    ) -> Option<FoundValue<B>> {
        if self.state.salvaged >= MAX_SALVAGED || !window.has_end() {
            return None;
        }
        self.state.salvaged += 1;
        salvage::without_bad_items(window, failed, &self.options, &mut self.sink)
    }

    /// Takes a record that cannot be read as null or as nothing, if all values are asked for and the
    /// options say so. Returns whether it does.
    pub(super) fn takes_record(&mut self, window: &Window<'_>, failed: &FailedAttempt) -> bool {
        let action = self.options.on_bad_item;
        if self.options.choice != Choice::All || action == OnBadItem::Fail {
            return false;
        }
        let Some(end) = item::record_end(window, failed.start, failed.at) else { return false };
        let span = Span::new(failed.start, end);
        let mut log = Log::new(&self.options);
        let null = if action == OnBadItem::Null { "null" } else { "" };
        if log.record(Rule::UnreadableItem, span, null.into()).is_err() || window.is_starved() {
            return false;
        }
        self.sink.begin();
        if action == OnBadItem::Null {
            self.sink.literal(Literal::Null, span);
        }
        let built = self.sink.end();
        self.state.at = end;
        self.add(
            window,
            FoundValue {
                span,
                origin: failed.origin,
                repairs: log.finish(),
                cut: None,
                stats: ValueStats::default(),
                in_failure: false,
                built,
            },
        );
        true
    }

    /// Records a failed attempt, and decides where the scan continues.
    pub(in crate::extract) fn fail(
        &mut self,
        window: &Window<'_>,
        failed: FailedAttempt,
    ) -> Result<(), Stop> {
        let limit = matches!(failed.stop.kind, ErrorKind::Depth | ErrorKind::Repairs);
        let taken =
            self.options.choice == Choice::First && failed.accepted_first && !self.has_first();
        if limit || taken {
            return Err(failed.stop);
        }
        let end = Some(window.end()).filter(|_| failed.stop.kind == ErrorKind::UnexpectedEnd);
        self.note_cut(window, failed.start, end, failed.is_wrapped(), &failed.stats);
        self.state.failed_to = self.state.failed_to.max(end_of_token(window, &failed));
        let extent = (failed.is_serious() || failed.is_unclear(window))
            .then(|| choice::extent_of_failed(window, &failed));
        self.state.at = match extent {
            Some(FailureExtent::Open(end)) if !failed.is_serious() => {
                // Its end is unknown, so what follows may be a part of it.
                self.state.failed_to = end;
                self.state.open_ended += 1;
                self.state.given_up |= self.state.open_ended > MAX_OPEN_ENDED;
                failed.start + 1
            }
            Some(extent) => {
                self.charge(correction::RESTART_COST);
                correction::restart(window, failed.start).unwrap_or(extent.end())
            }
            None => failed.start + 1,
        };
        self.charge(failed.at.saturating_sub(failed.start) + failed.cost);
        let better = match &self.state.failed {
            None => true,
            Some(old) => {
                failed.is_serious()
                    && (!old.is_serious() || failed.is_wrapped() && !old.is_wrapped())
            }
        };
        if better {
            self.state.failed = Some(failed);
        }
        Ok(())
    }

    /// Charges the cost of a failed attempt. After too many, the text is prose full of brackets,
    /// and no more attempts are made.
    pub(super) fn charge(&mut self, cost: usize) {
        self.state.failed_bytes += cost + FAILED_BASE;
        self.state.given_up |=
            self.state.failed_bytes > FAILED_SHARE * (self.state.at + FAILED_FLOOR);
    }

    /// Records a value at `start` that is cut off at `cut` and is no candidate.
    pub(super) fn note_cut(
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
}

/// Returns the end of the token at which the attempt failed.
fn end_of_token(window: &Window<'_>, failed: &FailedAttempt) -> usize {
    let string = || match window.byte(failed.at)? {
        b'"' => Some(window.scan_string(failed.at + 1).map_or(failed.at + 1, |(end, _)| end)),
        _ => None,
    };
    failed.at.max(failed.stop.span.end).max(string().unwrap_or(0))
}
