//! The end of a scan: the choice among the candidates, the judgment on the rest of the text, the
//! guards, and the report.

use std::borrow::Cow;

use crate::{
    Candidate, Choice, Class, Error, ErrorKind, Guard, Options, Origin, Repair, Report, Rule, Span,
    Status,
    extract::{
        Build, FoundValue, Scan, Surroundings, alternatives,
        choice::{self, ARRAY_RULE, Selection},
        denial::Denial,
        encoding::quoted_printable,
        part,
        remnant::Remnant,
        repair_class,
    },
    parser::Window,
    pipeline::diagnostics::ReportDiagnostics,
};

/// Fraction of a candidate that a repair may discard: 30 %.
const MAX_LOSS: (usize, usize) = (3, 10);
/// Losses of fewer bytes are always allowed: any cut-off member is a large share of a short text.
const MIN_LOSS: usize = 32;

/// The chosen values with their report.
pub(crate) struct ReadOutcome<B: Build> {
    /// The values that make up the answer, in `sink`. Several form an array.
    pub(crate) built: Vec<B::Built>,
    /// Whether they form an array in any case.
    pub(crate) list: bool,
    pub(crate) sink: B,
    pub(crate) report: Report,
}

/// Chooses among the candidates of a finished scan, unless some are `chosen`, and reports.
/// `around` returns what is around
/// a value.
pub(crate) fn conclude<B: Build>(
    window: &Window<'_>,
    mut scan: Scan<'_, B>,
    chosen: Option<Selection>,
    options: &Options,
    delivered: &DeliveredRepairs,
    around: &dyn Fn(Span) -> Surroundings,
) -> Result<ReadOutcome<B>, Error> {
    let text = window.text;
    if scan.found.is_empty() {
        return Err(scan.no_candidate(text));
    }
    let mut selection = chosen.unwrap_or_else(|| match options.choice {
        Choice::Best => choice::best(window, &scan.found, &options.hints.keys, |_| true),
        Choice::First => Selection { picked: vec![scan.first_index().unwrap_or(0)], class: None },
        Choice::Last => choice::last(&scan.found),
        Choice::All => Selection { picked: (0..scan.found.len()).collect(), class: None },
    });
    let taken_back = judge_failure(window, &scan, &selection, options)?;
    if taken_back.is_some() {
        selection.class = selection.class.max(Some(Class::Guess));
    }
    let part =
        selection.parts(&scan.found).rfind(|found| found.in_failure).map(|found| found.span.end);
    if part.is_some() || (options.choice == Choice::Best && scan.leaves_yaml()) {
        selection.class = selection.class.max(Some(Class::Guess));
    }
    // The choice `first` does not look further.
    let part = part.filter(|_| options.choice != Choice::First);
    let note_cut = dangling_cut(window, &scan, &selection, part);
    let Some(span) = selection.span(&scan.found) else { return Err(scan.no_candidate(text)) };
    if selection.parts(&scan.found).all(|found| found.is_backtick(window)) {
        return Err(scan.no_candidate(text));
    }
    let is_list_item = || options.choice != Choice::First && choice::is_item(window, span);
    if note_cut.is_some() || is_list_item() {
        // The value that was cut off is ignored, or the other items of a list without its opening bracket.
        selection.class = selection.class.max(Some(Class::Loss));
    }
    if selection.parts(&scan.found).any(|found| found.ends_in_brackets(window)) {
        let detail = "only opening brackets at the end";
        return Err(Error::new(ErrorKind::Ambiguous, text, Some(span), detail));
    }
    let surroundings = around(span);
    if options.choice == Choice::Best && !is_decided(window, &scan.found, &selection) {
        let detail = "the text offers alternatives";
        return Err(Error::new(ErrorKind::Ambiguous, text, Some(span), detail));
    }
    if options.choice != Choice::First && part::are_sketches(window, &scan.found, &selection) {
        let detail = "the value is a form without data";
        return Err(Error::new(ErrorKind::Ambiguous, text, Some(span), detail));
    }
    // The choice `first` does not look further.
    let alone = options.choice == Choice::First || surroundings == Surroundings::default();
    let denial = if alone { None } else { part::denial(window, &scan.found, &selection) };
    if denial == Some(Denial::Denied) {
        let detail = "the text says that the value in it is no answer";
        return Err(Error::new(ErrorKind::Ambiguous, text, Some(span), detail));
    }
    let remnant =
        if alone { None } else { part::around(window, &scan.found, &selection, taken_back) };
    let skips_items = options.choice == Choice::Best
        && selection.picked.len() > 1
        && part::skips_items(window, &scan.found, &selection);
    // Of a text that is cut off, what arrived is a part, and is reported as such.
    let is_part = (remnant == Some(Remnant::Part) || skips_items) && note_cut.is_none();
    if is_part {
        return Err(Error::new(ErrorKind::Part, text, Some(span), ""));
    }
    // The choice `first` does not look back.
    let back = options.choice != Choice::First;
    let command =
        selection.parts(&scan.found).filter(|_| back).find_map(|part| part.control_command(window));
    // In damaged JSON, `\frac` and `\bin` are seldom control characters.
    let damaged = |found: &FoundValue<B>| !found.repairs.is_empty();
    let controls = command.is_some() && selection.parts(&scan.found).any(damaged);
    if remnant.is_some() || denial.is_some() || controls {
        selection.class = selection.class.max(Some(Class::Guess));
    }
    let candidate = match selection.parts(&scan.found).next() {
        Some(only) if selection.picked.len() == 1 => only.candidate(surroundings, window.end()),
        first => Candidate { span, origin: first.map_or(Origin::Bare, |first| first.origin) },
    };
    let repairs = combine(window, candidate, &mut scan.found, &selection, options)?;
    // The caller asked for the list.
    let list = options.choice == Choice::All;
    let others = repairs.iter().filter(|repair| !(list && repair.rule == ARRAY_RULE));
    let worst = others.map(|repair| repair_class::class_of(window, repair)).max();
    if repair_class::may_close_earlier(window, &repairs)
        || repair_class::is_cut_behind_number(window, &repairs)
        || repair_class::may_be_item(window, span, &repairs)
        || repair_class::may_be_pieces(&repairs)
        || ((!repairs.is_empty() || surroundings.before || surroundings.after)
            && span.start >= window.base
            && quoted_printable::is_likely(window.slice(span)))
    {
        selection.class = selection.class.max(Some(Class::Guess));
    }
    let class = worst.max(selection.class).max(delivered.class);
    let status = if !repairs.is_empty() || delivered.class.is_some() {
        Status::Repaired
    } else if candidate.span == Span::new(0, window.end()) {
        Status::Unchanged
    } else {
        Status::Extracted
    };
    let cut = selection.parts(&scan.found).find_map(|found| found.cut).or(note_cut);
    let rows = ReportDiagnostics { candidate, surroundings, cut, command, bytes: window.end() };
    let diagnostics = rows.of(&scan.found, &selection);
    let report = Report { status, class, cut, candidate, repairs, diagnostics };
    guard(window, &report, delivered, options)?;
    check_class(window.text, &report, options.max_class)?;
    let picked = scan.found.into_iter().enumerate().filter(|(at, _)| selection.holds(*at));
    let built = picked.map(|(_, found)| found.built).collect();
    Ok(ReadOutcome { built, list, sink: scan.sink, report })
}

/// Most selected values that are looked at for a reason to pass over a failure.
const MAX_EXCUSES: usize = 64;

/// Judges something that was meant as JSON and cannot be parsed. Returns its start if the selected
/// value takes its place.
fn judge_failure<B: Build>(
    window: &Window<'_>,
    scan: &Scan<'_, B>,
    selection: &Selection,
    options: &Options,
) -> Result<Option<usize>, Error> {
    let Some(failed) = scan.serious_failure().filter(|_| options.choice != Choice::First) else {
        return Ok(None);
    };
    let is_better = |found: &FoundValue<B>| {
        found.is_better_placed(failed)
            || (options.choice == Choice::Last && found.span.start > failed.at)
    };
    if options.choice != Choice::All && selection.parts(&scan.found).any(is_better) {
        return Ok(None);
    }
    let excused = |found: &FoundValue<B>| {
        found.is_original_of(window, failed)
            || found.is_answer_behind_form(window, failed)
            || found.is_answer_to(window, failed)
    };
    // Those next to it are looked at first.
    let behind = selection.parts(&scan.found).filter(|found| found.span.start > failed.start);
    let before = selection.parts(&scan.found).filter(|found| found.span.start <= failed.start);
    if behind.take(MAX_EXCUSES).chain(before.take(MAX_EXCUSES)).any(excused) {
        return Ok(Some(failed.start));
    }
    Err(failed.stop.clone().into_error(window.text))
}

/// Returns whether the selected candidates are not only alternatives.
fn is_decided<B: Build>(
    window: &Window<'_>,
    found: &[FoundValue<B>],
    selection: &Selection,
) -> bool {
    let parts = || selection.parts(found).map(|part| (part.span, part.origin));
    selection.picked.len() < 2 || !alternatives::are_alternatives(window, parts())
}

/// Returns where the text is cut off in a value that was not chosen, or in an unclosed value around
/// the chosen part that ends at `part`.
fn dangling_cut<B: Build>(
    window: &Window<'_>,
    scan: &Scan<'_, B>,
    selection: &Selection,
    part: Option<usize>,
) -> Option<usize> {
    let left = scan.found.iter().enumerate().filter(|(at, _)| !selection.holds(*at));
    let open = || part.filter(|&end| choice::is_left_open(window, end)).map(|_| window.end());
    scan.dangling_cut().or(left.last().and_then(|(_, found)| found.cut)).or_else(open)
}

/// A summary of the repairs that a stream has already delivered.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DeliveredRepairs {
    /// The worst class.
    class: Option<Class>,
    /// The losses as each guard counts them.
    loss: usize,
    removed: usize,
    added: usize,
}

impl DeliveredRepairs {
    /// Adds `repairs` of the text in `window`.
    pub(crate) fn add(&mut self, window: &Window<'_>, repairs: &[Repair]) {
        for repair in repairs {
            self.class = self.class.max(Some(repair_class::class_of(window, repair)));
            let harmless = match repair.rule {
                Rule::CutRepetition => true,
                // The caller asked for it.
                Rule::UnreadableItem => true,
                // A key says nothing without its value.
                Rule::CutMember => !window.slice(repair.span).contains([':', '=', '{', '[']),
                _ => false,
            };
            if repair.class() == Class::Loss && !harmless {
                self.loss += repair.span.len();
            }
            self.removed += window.slice(repair.span).chars().count();
            self.added += repair.replacement.chars().count();
        }
    }
}

/// Moves the repairs out of the chosen values, and adds those that combine several into an array.
fn combine<B: Build>(
    window: &Window<'_>,
    candidate: Candidate,
    found: &mut [FoundValue<B>],
    selection: &Selection,
    options: &Options,
) -> Result<Vec<Repair>, Error> {
    let text = window.text;
    let mut picked = selection.picked.iter();
    let mut edits = || {
        picked
            .next()
            .and_then(|&at| found.get_mut(at))
            .map(|one| (one.span, std::mem::take(&mut one.repairs)))
    };
    if selection.picked.len() == 1 && options.choice != Choice::All {
        return Ok(edits().unwrap_or_default().1);
    }
    if !options.rules.contains(ARRAY_RULE) {
        return Err(Error::new(ErrorKind::Refused(ARRAY_RULE), text, Some(candidate.span), ""));
    }
    let edit = |start: usize, end: usize, replacement: &'static str| Repair {
        rule: ARRAY_RULE,
        span: Span::new(start, end),
        replacement: Cow::Borrowed(replacement),
    };
    let mut repairs = vec![edit(candidate.span.start, candidate.span.start, "[")];
    let (mut end, mut any) = (None, false);
    while let Some((span, mut own)) = edits() {
        let gone = own.first().is_some_and(|first| first.removes_record(span));
        let comma = if any && !gone { "," } else { "" };
        any |= !gone;
        let between = end.map(|end| Span::new(end, span.start));
        if let Some(between) = between.filter(|between| between.of(text) != comma) {
            repairs.push(edit(between.start, between.end, comma));
        }
        repairs.append(&mut own);
        end = Some(span.end);
    }
    repairs.push(edit(candidate.span.end, candidate.span.end, "]"));
    Ok(repairs)
}

/// Returns the error `repair/class` if the reading is of a worse class than is allowed.
pub(super) fn check_class(text: &str, report: &Report, max_class: Class) -> Result<(), Error> {
    let Some(class) = report.class.filter(|class| *class > max_class) else {
        return Ok(());
    };
    let worst = report.repairs.iter().find(|repair| repair.class() == class);
    let span = worst.map_or(report.candidate.span, |repair| repair.span);
    let rule = worst.map(|repair| repair.rule.name()).unwrap_or_default();
    Err(Error::new(ErrorKind::Class(class), text, Some(span), rule))
}

/// Returns the error `repair/unsafe-delta` if the repairs discard too much.
pub(super) fn guard(
    window: &Window<'_>,
    report: &Report,
    delivered: &DeliveredRepairs,
    options: &Options,
) -> Result<(), Error> {
    if options.guard == Guard::Loss && report.class != Some(Class::Loss) {
        return Ok(());
    }
    let mut all = *delivered;
    all.add(window, &report.repairs);
    let lost = match options.guard {
        Guard::Loss => all.loss,
        Guard::Removal => all.removed.saturating_sub(all.added),
    };
    let candidate = report.candidate.span;
    if (options.guard == Guard::Loss && lost < MIN_LOSS)
        || lost * MAX_LOSS.1 <= candidate.len() * MAX_LOSS.0
    {
        return Ok(());
    }
    let detail = format!("{lost} of {} bytes (limit 30 %)", candidate.len());
    Err(Error::new(ErrorKind::UnsafeDelta, window.text, Some(candidate), &detail))
}
