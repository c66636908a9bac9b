//! The pipeline from a text to a value or repaired text, with the report.

use std::borrow::Cow;

use crate::{
    Candidate, Choice, Class, Diagnostic, Error, ErrorKind, Guard, Options, Origin, Parsed, Repair,
    Repaired, Report, Rule, RuleSet, Search, Severity, Span, Status, Value,
    extract::{
        Attempt, Build, FoundValue, INITIAL_CAPACITY, Scan, Start, Surroundings, alternatives,
        choice::{self, ARRAY_RULE, Selection},
        denial::Denial,
        fitting, layer, omission, part,
        remnant::Remnant,
    },
    limits::check_size,
    options::Settings,
    parser::{Budget, Window},
    repair::Sources,
    value::{build::Tape, keys::Keys},
};

mod diagnostics;

use diagnostics::ReportDiagnostics;

/// Fraction of a candidate that a repair may discard: 30 %.
const MAX_LOSS: (usize, usize) = (3, 10);
/// Losses of fewer bytes are always allowed: any cut-off member is a large share of a short text.
const MIN_LOSS: usize = 32;

/// Finds and parses the JSON in `text` under the default policy.
///
/// Broken JSON is repaired and reported. An error means that the text gives no value.
///
/// ```
/// let parsed = llmend_json::parse("The answer: {'a': 1,}")?;
/// assert_eq!(parsed.value.to_string(), "{\"a\":1}");
/// assert_eq!(parsed.report.repairs.len(), 3);
/// # Ok::<(), llmend_json::Error>(())
/// ```
pub fn parse(text: &str) -> Result<Parsed<'_>, Error> {
    parse_with(text, &Options::default())
}

/// Finds and parses the JSON in `text`.
///
/// ```
/// use llmend_json::{Options, Policy, parse_with};
///
/// let strict = Options::policy(Policy::Strict);
/// assert!(parse_with("{\"a\": 1}", &strict).is_ok());
/// assert!(parse_with("{\"a\": 1,}", &strict).is_err());
/// ```
pub fn parse_with<'t>(text: &'t str, options: &Options) -> Result<Parsed<'t>, Error> {
    parsed(text, read::<Tape>(text, options)?)
}

/// Finds and parses the JSON in `text` that `fits` accepts, under the choice
/// [`Choice::Best`](crate::Choice::Best).
///
/// If the value that [`parse_with`] returns does not fit, and exactly one other does, that one is
/// the answer, even if a sentence mentions it. Of several, it is the best of them, or the last one
/// introduced as the answer. If none fits, the result is that of `parse_with`. The engine knows no
/// schema: `fits` may apply one.
///
/// ```
/// use llmend_json::{Kind, Options, parse_fitting};
///
/// let text = "Given {\"max\": 2}, I choose [\"a\", \"c\"], in that order.";
/// let is_list = |value: &llmend_json::Value<'_>| value.root().kind() == Kind::Array;
/// let parsed = parse_fitting(text, &Options::default(), is_list)?;
/// assert_eq!(parsed.value.to_string(), "[\"a\",\"c\"]");
/// # Ok::<(), llmend_json::Error>(())
/// ```
pub fn parse_fitting<'t>(
    text: &'t str,
    options: &Options,
    mut fits: impl FnMut(&Value<'_>) -> bool,
) -> Result<Parsed<'t>, Error> {
    check_size(text.len(), options)?;
    let window = Window::whole(text);
    let mut scan = scanned::<Tape>(&window, options, Scan::by_fitting)?;
    let first = scan.beginning();
    let surroundings = |span| Surroundings::of(&window, first, span);
    let chosen = chosen_by_fitting(&window, &mut scan, options, &mut fits);
    let delivered = DeliveredRepairs::default();
    parsed(text, conclude(&window, scan, chosen, options, &delivered, &surroundings)?)
}

/// Chooses among the candidates of a finished scan by `fits`.
pub(crate) fn chosen_by_fitting(
    window: &Window<'_>,
    scan: &mut Scan<'_, Tape>,
    options: &Options,
    fits: &mut dyn FnMut(&Value<'_>) -> bool,
) -> Option<Selection> {
    if options.choice != Choice::Best {
        return None;
    }
    fitting::choose(window, scan, |tape, span, parts| {
        tape.copy(window.text, span, parts).is_some_and(|value| fits(&value))
    })
}

/// Returns the value that was read from `text`, with its report.
fn parsed(text: &str, outcome: ReadOutcome<Tape>) -> Result<Parsed<'_>, Error> {
    let ReadOutcome { built, list, sink, mut report } = outcome;
    let value = sink
        .finish(text, report.candidate.span, &built, list)
        .ok_or_else(|| Error::new(ErrorKind::NoJson, text, None, ""))?;
    report.diagnostics.extend(duplicates(&value));
    Ok(Parsed { value, report })
}

/// Parses the value that begins at the byte offset `start` of `text`, after white space, and ignores
/// what follows it.
///
/// If `complete` is false, `text` is the beginning of a longer text, and `None` means that more of
/// it is needed. Spans refer to `text`. The option `search` is ignored.
///
/// ```
/// use llmend_json::{Options, parse_at};
///
/// let text = "<call>{'a': 1}</call>";
/// let parsed = parse_at(text, 6, true, &Options::default())?.ok_or("complete")?;
/// assert_eq!(parsed.value.to_string(), "{\"a\":1}");
/// assert_eq!(parsed.report.candidate.span.end, 14);
/// assert!(parse_at("<call>{'a': ", 6, false, &Options::default())?.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse_at<'t>(
    text: &'t str,
    start: usize,
    complete: bool,
    options: &Options,
) -> Result<Option<Parsed<'t>>, Error> {
    check_size(text.len(), options)?;
    let window = Window::part(text, 0, complete);
    let start = window.skip_space(start);
    let settings = Settings::Borrowed(options);
    let mut tape = Tape::for_text(INITIAL_CAPACITY.min(text.len() - start.min(text.len())));
    if complete && let Some(kind) = layer::kind_at(&window, start) {
        let layered = layer::attempt_layered(&window, start, kind, &settings, &mut tape);
        if let Some(found) = layered.map_err(|stop| stop.into_error(text))? {
            return report_of(&window, tape, found, options).map(Some);
        }
    }
    let budget = Budget::new(start);
    let mut attempt = Attempt::new(start, Start::Value, Origin::Bare, &settings, budget, &mut tape);
    match attempt.run(&window, &mut tape) {
        None => Ok(None),
        Some(Ok(found)) => report_of(&window, tape, found, options).map(Some),
        Some(Err(failed)) => Err(failed.stop.into_error(text)),
    }
}

/// Returns the value of a single attempt with its report.
fn report_of<'t>(
    window: &Window<'t>,
    mut tape: Tape,
    found: FoundValue<Tape>,
    options: &Options,
) -> Result<Parsed<'t>, Error> {
    let candidate = Candidate { span: found.span, origin: found.origin };
    let class = found.repairs.iter().map(Repair::class).max();
    let status = if class.is_some() { Status::Repaired } else { Status::Extracted };
    tape.keep();
    let mut report = Report {
        status,
        class,
        cut: found.cut,
        candidate,
        repairs: found.repairs,
        diagnostics: Vec::new(),
    };
    guard(window, &report, &DeliveredRepairs::default(), options)?;
    let value = tape
        .finish(window.text, candidate.span, &[found.built], false)
        .ok_or_else(|| Error::new(ErrorKind::NoJson, window.text, None, ""))?;
    report.diagnostics.extend(duplicates(&value));
    Ok(Parsed { value, report })
}

/// Finds the JSON in `text` and repairs it to strict JSON, under the default policy.
///
/// ```
/// let repaired = llmend_json::repair("{'a': [1, 2,]")?;
/// assert_eq!(repaired.text, "{\"a\": [1, 2]}");
/// assert!(repaired.report.truncated());
/// # Ok::<(), llmend_json::Error>(())
/// ```
pub fn repair(text: &str) -> Result<Repaired<'_>, Error> {
    repair_with(text, &Options::default())
}

/// Finds the JSON in `text` and repairs it to strict JSON.
///
/// ```
/// use llmend_json::{Options, Policy, repair_with};
///
/// let extract = Options::policy(Policy::Extract);
/// assert_eq!(repair_with("Sure: {\"a\": 1}", &extract)?.text, "{\"a\": 1}");
/// assert_eq!(repair_with("{'a': 1}", &extract).unwrap_err().code(), "repair/refused");
/// # Ok::<(), llmend_json::Error>(())
/// ```
pub fn repair_with<'t>(text: &'t str, options: &Options) -> Result<Repaired<'t>, Error> {
    let ReadOutcome { built, mut report, .. } = read::<Keys>(text, options)?;
    let text = report.output(text);
    if built.contains(&true) {
        report.diagnostics.extend(duplicates_of_output(&text, &report));
    }
    Ok(Repaired { text, report })
}

/// Returns a warning for each duplicate key in `output`, located in the text that `report` is
/// about.
fn duplicates_of_output(output: &str, report: &Report) -> Vec<Diagnostic> {
    let strict = Options {
        rules: RuleSet::NONE,
        search: Search::Off,
        max_depth: usize::MAX,
        max_bytes: usize::MAX,
        ..Options::default()
    };
    let Ok(ReadOutcome { built, sink, .. }) = read::<Tape>(output, &strict) else {
        return Vec::new();
    };
    let value = sink.finish(output, Span::default(), &built, false);
    let mut sources = Sources::new(report.candidate.span, &report.repairs);
    let mut rows: Vec<Diagnostic> = value.iter().flat_map(duplicates).collect();
    let mut in_order: Vec<&mut Diagnostic> = rows.iter_mut().collect();
    in_order.sort_by_key(|row| row.span);
    for row in in_order {
        row.span = row.span.map(|span| sources.of(span));
    }
    rows
}

/// Finds and parses the JSON in `text` directly into a `serde_json::Value`.
///
/// Nesting deeper than 1,024 levels is the error `limit/depth` whatever `max_depth` says, since
/// dropping a `serde_json::Value` is recursive. The last of duplicate keys wins, and numbers are
/// converted to what `serde_json` can represent. Use [`parse_with`] and [`Value::to_serde`] to
/// learn what was lost.
///
/// ```
/// use llmend_json::{Options, parse_to_serde_with};
///
/// let (value, report) = parse_to_serde_with("{'a': [1, 2", &Options::default())?;
/// assert_eq!(value, serde_json::json!({"a": [1, 2]}));
/// assert!(report.truncated());
/// # Ok::<(), llmend_json::Error>(())
/// ```
#[cfg(feature = "serde_json")]
pub fn parse_to_serde_with(
    text: &str,
    options: &Options,
) -> Result<(serde_json::Value, Report), Error> {
    use crate::value::{MAX_LEVELS, SerdeSink};
    let clamped;
    let options = if options.max_depth > MAX_LEVELS {
        clamped = Options { max_depth: MAX_LEVELS, ..options.clone() };
        &clamped
    } else {
        options
    };
    let ReadOutcome { built, list, report, .. } = read::<SerdeSink>(text, options)?;
    let several = list || built.len() > 1;
    let mut values = built.into_iter().flatten();
    let value =
        if several { Some(serde_json::Value::Array(values.collect())) } else { values.next() };
    let value = value.ok_or_else(|| Error::new(ErrorKind::NoJson, text, None, ""))?;
    Ok((value, report))
}

/// Decodes `bytes` as UTF-8, or returns the error `input/utf8` at the first invalid byte.
///
/// ```
/// assert_eq!(llmend_json::decode(b"[1]")?, "[1]");
/// assert_eq!(llmend_json::decode(b"[\xff]").unwrap_err().code(), "input/utf8");
/// # Ok::<(), llmend_json::Error>(())
/// ```
pub fn decode(bytes: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(bytes).map_err(|error| not_utf8(error.valid_up_to()))
}

/// Returns the error for an invalid byte at `at`.
pub(crate) fn not_utf8(at: usize) -> Error {
    let detail = format!("at byte offset {at}");
    Error::new(ErrorKind::Utf8, "", Some(Span::at(at)), &detail)
}

/// The chosen values with their report.
pub(crate) struct ReadOutcome<B: Build> {
    /// The values that make up the answer, in `sink`. Several form an array.
    pub(crate) built: Vec<B::Built>,
    /// Whether they form an array in any case.
    pub(crate) list: bool,
    pub(crate) sink: B,
    pub(crate) report: Report,
}

/// Finds the candidates, chooses among them, and reports.
fn read<B: Build>(text: &str, options: &Options) -> Result<ReadOutcome<B>, Error> {
    check_size(text.len(), options)?;
    let window = Window::whole(text);
    let scan = scanned(&window, options, |scan| scan)?;
    let first = scan.beginning();
    let surroundings = |span| Surroundings::of(&window, first, span);
    conclude(&window, scan, None, options, &DeliveredRepairs::default(), &surroundings)
}

/// Scans a whole text. `with` adjusts the scan before it starts.
fn scanned<'o, B: Build>(
    window: &Window<'_>,
    options: &'o Options,
    with: impl FnOnce(Scan<'o, B>) -> Scan<'o, B>,
) -> Result<Scan<'o, B>, Error> {
    let text = window.text;
    // A text that begins with a bracket usually is the value.
    let whole = matches!(window.byte(window.skip_space(0)), Some(b'{' | b'['));
    let room = if whole { text.len() } else { text.len().min(INITIAL_CAPACITY) };
    let mut scan = with(Scan::new(Settings::Borrowed(options), room));
    scan.run(window).map_err(|stop| stop.into_error(text))?;
    Ok(scan)
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
    let mut taken_back = None;
    // Something meant as JSON cannot be parsed, and no candidate is better placed.
    if let Some(failed) = scan.serious_failure()
        && options.choice != Choice::First
        && (options.choice == Choice::All
            || !selection.parts(&scan.found).any(|found| {
                found.is_better_placed(failed)
                    || (options.choice == Choice::Last && found.span.start > failed.at)
            }))
    {
        let excused = |found: &FoundValue<B>| {
            found.is_original_of(window, failed) || found.is_answer_behind_form(window, failed)
        };
        if !selection.parts(&scan.found).any(excused) {
            return Err(failed.stop.clone().into_error(text));
        }
        taken_back = Some(failed.start);
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
    // The choice `first` does not look further.
    let alone = options.choice == Choice::First || surroundings == Surroundings::default();
    let denial = if alone { None } else { part::denial(window, &scan.found, &selection) };
    if denial == Some(Denial::Denied) {
        let detail = "the text says that the value in it is no answer";
        return Err(Error::new(ErrorKind::Ambiguous, text, Some(span), detail));
    }
    let remnant =
        if alone { None } else { part::around(window, &scan.found, &selection, taken_back) };
    // Of a text that is cut off, what arrived is a part, and is reported as such.
    let is_part = remnant == Some(Remnant::Part) && note_cut.is_none();
    if (is_part || selection.picked.len() > 1) && scan.take_document(window) {
        return conclude(window, scan, None, options, delivered, around);
    }
    if is_part {
        return Err(Error::new(ErrorKind::Part, text, Some(span), ""));
    }
    if remnant.is_some() || denial.is_some() {
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
    let worst = others.map(|repair| omission::class_of(window, repair)).max();
    let class = worst.max(selection.class).max(delivered.class);
    let status = if !repairs.is_empty() || delivered.class.is_some() {
        Status::Repaired
    } else if candidate.span == Span::new(0, window.end()) {
        Status::Unchanged
    } else {
        Status::Extracted
    };
    let cut = selection.parts(&scan.found).find_map(|found| found.cut).or(note_cut);
    let rows = ReportDiagnostics { candidate, surroundings, cut, bytes: window.end() };
    let diagnostics = rows.of(&scan.found, &selection);
    let report = Report { status, class, cut, candidate, repairs, diagnostics };
    guard(window, &report, delivered, options)?;
    check_class(window, &report, options)?;
    let picked = scan.found.into_iter().enumerate().filter(|(at, _)| selection.holds(*at));
    let built = picked.map(|(_, found)| found.built).collect();
    Ok(ReadOutcome { built, list, sink: scan.sink, report })
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
            self.class = self.class.max(Some(omission::class_of(window, repair)));
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

/// The code of the warning for a duplicate key.
pub(crate) const DUPLICATE_KEY: &str = "value/duplicate-key";

/// Returns a warning for each duplicate key of an object.
pub(crate) fn duplicates<'v>(value: &'v Value<'_>) -> impl Iterator<Item = Diagnostic> + use<'v> {
    value.duplicate_keys().into_iter().map(|(path, key, span)| {
        Diagnostic::new(
            DUPLICATE_KEY,
            Severity::Warning,
            format!("duplicate key \"{key}\"; parsers keep the last value"),
        )
        .at(span)
        .on(path)
    })
}

/// Returns the error `repair/class` if the reading is of a worse class than is allowed.
fn check_class(window: &Window<'_>, report: &Report, options: &Options) -> Result<(), Error> {
    let Some(class) = report.class.filter(|class| *class > options.max_class) else {
        return Ok(());
    };
    let worst = report.repairs.iter().find(|repair| repair.class() == class);
    let span = worst.map_or(report.candidate.span, |repair| repair.span);
    let rule = worst.map(|repair| repair.rule.name()).unwrap_or_default();
    Err(Error::new(ErrorKind::Class(class), window.text, Some(span), rule))
}

/// Returns the error `repair/unsafe-delta` if the repairs discard too much.
fn guard(
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
