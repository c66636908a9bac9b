//! From a text to a value or a repaired text, with the report: the stages in a row.

use std::borrow::Cow;

use crate::{
    Candidate, Choice, Class, Diagnostic, Error, ErrorKind, Guard, Options, Origin, Parsed, Repair,
    Repaired, Report, Rule, RuleSet, Search, Severity, Span, Status, Value,
    extract::{
        Build, FoundValue, ROOM, Scan, Surroundings,
        choice::{self, ARRAY_RULE, Selection},
    },
    limits::{MAX_DIAGNOSTICS, check_size},
    options::Settings,
    parser::Window,
    repair::Sources,
    value::{build::Tape, keys::Keys},
};

/// The share of a candidate that a repair may lose: 30 % (S0-16).
const GUARD: (usize, usize) = (3, 10);
/// Losses smaller than this never count: of a short text, any cut-off member is a large share.
const GUARD_FLOOR: usize = 32;

/// Finds and reads the JSON in `text` under the default policy.
///
/// Broken text is no error: an `Err` means that no value could be had.
pub fn parse(text: &str) -> Result<Parsed<'_>, Error> {
    parse_with(text, &Options::default())
}

/// Finds and reads the JSON in `text`.
pub fn parse_with<'t>(text: &'t str, options: &Options) -> Result<Parsed<'t>, Error> {
    let ReadOutcome { built, sink, mut report } = read::<Tape>(text, options)?;
    let value = sink
        .finish(text, report.candidate.span, &built)
        .ok_or_else(|| Error::new(ErrorKind::NoJson, text, None, ""))?;
    report.diagnostics.extend(duplicates(&value));
    Ok(Parsed { value, report })
}

/// Finds the JSON in `text` and makes it strict, under the default policy.
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

/// Finds the JSON in `text` and makes it strict.
pub fn repair_with<'t>(text: &'t str, options: &Options) -> Result<Repaired<'t>, Error> {
    let ReadOutcome { built, mut report, .. } = read::<Keys>(text, options)?;
    let text = report.output(text);
    if built.contains(&true) {
        report.diagnostics.extend(duplicates_of_output(&text, &report));
    }
    Ok(Repaired { text, report })
}

/// A warning for each key that stands twice in one object of `output`, with its place in the text
/// that `report` is of.
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
    let value = sink.finish(output, Span::default(), &built);
    let mut sources = Sources::new(report.candidate.span, &report.repairs);
    let mut rows: Vec<Diagnostic> = value.iter().flat_map(duplicates).collect();
    let mut in_order: Vec<&mut Diagnostic> = rows.iter_mut().collect();
    in_order.sort_by_key(|row| row.span);
    for row in in_order {
        row.span = row.span.map(|span| sources.of(span));
    }
    rows
}

/// Finds and reads the JSON in `text` into a `serde_json::Value`, without a detour.
///
/// Deeper than 1,024 levels is the error `limit/depth`, whatever `max_depth` says: to drop a
/// `serde_json::Value` takes stack. Of duplicate keys the last one stays, and numbers are what
/// `serde_json` can carry. To know what was lost on the way, use [`parse_with`] and
/// [`Value::to_serde`].
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
    let ReadOutcome { built, report, .. } = read::<SerdeSink>(text, options)?;
    let several = built.len() > 1;
    let mut values = built.into_iter().flatten();
    let value =
        if several { Some(serde_json::Value::Array(values.collect())) } else { values.next() };
    let value = value.ok_or_else(|| Error::new(ErrorKind::NoJson, text, None, ""))?;
    Ok((value, report))
}

/// The text in `bytes`, or the error `input/utf8` with the first offset that is not UTF-8.
pub fn decode(bytes: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(bytes).map_err(|error| not_utf8(error.valid_up_to()))
}

/// The error that the byte at `at` begins no character.
pub(crate) fn not_utf8(at: usize) -> Error {
    let detail = format!("the byte at offset {at} begins no character");
    Error::new(ErrorKind::Utf8, "", Some(Span::at(at)), &detail)
}

/// What was chosen, and what came of it.
pub(crate) struct ReadOutcome<B: Build> {
    /// The values that make up the answer, in `sink`. More than one: an array of them.
    pub(crate) built: Vec<B::Built>,
    pub(crate) sink: B,
    pub(crate) report: Report,
}

/// Finds the candidates, chooses, and makes the report.
fn read<B: Build>(text: &str, options: &Options) -> Result<ReadOutcome<B>, Error> {
    check_size(text.len(), options)?;
    let window = Window::whole(text);
    // Most texts that begin with a bracket are the value.
    let whole = matches!(window.byte(window.skip_space(0)), Some(b'{' | b'['));
    let room = if whole { text.len() } else { text.len().min(ROOM) };
    let mut scan = Scan::<B>::new(Settings::Borrowed(options), room);
    scan.run(&window).map_err(|stop| stop.into_error(text))?;
    let first = scan.beginning();
    let surroundings = |span| Surroundings::of(&window, first, span);
    conclude(&window, scan, options, &DeliveredRepairs::default(), surroundings)
}

/// Chooses among the candidates of a scan that has come to the end of the text, and makes the
/// report. `outside` tells what stands around a value.
pub(crate) fn conclude<B: Build>(
    window: &Window<'_>,
    mut scan: Scan<'_, B>,
    options: &Options,
    delivered: &DeliveredRepairs,
    surroundings: impl Fn(Span) -> Surroundings,
) -> Result<ReadOutcome<B>, Error> {
    let text = window.text;
    if scan.found.is_empty() {
        return Err(scan.nothing(text));
    }
    let mut selection = match options.choice {
        Choice::Best => choice::best(window, &scan.found, &options.hints.keys),
        Choice::First => choice::first(&scan.found),
    };
    // Something meant as JSON could not be read, and nothing better-placed was found.
    if let Some(failed) = scan.serious_failure()
        && options.choice == Choice::Best
        && !selection.parts(&scan.found).any(|found| found.is_better_placed(failed))
    {
        return Err(failed.stop.clone().into_error(text));
    }
    let part =
        selection.parts(&scan.found).rfind(|found| found.in_failure).map(|found| found.span.end);
    if part.is_some() {
        selection.class = selection.class.max(Some(Class::Guess));
    }
    // Those who take the first value do not look further.
    let part = part.filter(|_| options.choice == Choice::Best);
    let dangling = dangling_cut(window, &scan, &selection, part);
    let Some(span) = selection.span(&scan.found) else { return Err(scan.nothing(text)) };
    let is_list_item = || options.choice == Choice::Best && choice::is_item(window, span);
    if dangling.is_some() || is_list_item() {
        // What the text was cut off in is left out, or the other items of what lost its first bracket.
        selection.class = selection.class.max(Some(Class::Loss));
    }
    let surroundings = surroundings(span);
    let candidate = match selection.parts(&scan.found).next() {
        Some(only) if selection.picked.len() == 1 => only.candidate(surroundings, window.end()),
        first => Candidate { span, origin: first.map_or(Origin::Bare, |first| first.origin) },
    };
    let repairs = combine(window, candidate, &mut scan.found, &selection, options)?;
    let class = repairs.iter().map(Repair::class).max().max(selection.class).max(delivered.class);
    let status = if !repairs.is_empty() || delivered.class.is_some() {
        Status::Repaired
    } else if candidate.span == Span::new(0, window.end()) {
        Status::Unchanged
    } else {
        Status::Extracted
    };
    let cut = selection.parts(&scan.found).find_map(|found| found.cut).or(dangling);
    let rows = ReportDiagnostics { candidate, surroundings, cut, bytes: window.end() };
    let diagnostics = rows.of(&scan.found, &selection);
    let report = Report { status, class, cut, candidate, repairs, diagnostics };
    guard(window, &report, delivered, options)?;
    let picked = scan.found.into_iter().enumerate().filter(|(at, _)| selection.holds(*at));
    let built = picked.map(|(_, found)| found.built).collect();
    Ok(ReadOutcome { built, sink: scan.sink, report })
}

/// Where the text breaks off in a value that was not chosen, or in what the chosen one is a part of:
/// what stands around the part, which ends at `part`, is never closed.
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

/// What is known of repairs that were handed out before the end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DeliveredRepairs {
    /// The class of the gravest.
    class: Option<Class>,
    /// What they lost, as each guard counts it.
    loss: usize,
    removed: usize,
    added: usize,
}

impl DeliveredRepairs {
    /// Adds `repairs` of the text in `window`.
    pub(crate) fn add(&mut self, window: &Window<'_>, repairs: &[Repair]) {
        for repair in repairs {
            self.class = self.class.max(Some(repair.class()));
            if repair.class() == Class::Loss && repair.rule != Rule::CutRepetition {
                self.loss += repair.span.len();
            }
            self.removed += window.slice(repair.span).chars().count();
            self.added += repair.replacement.chars().count();
        }
    }
}

/// The edits of what was chosen, whose own they are no longer.
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
    if selection.picked.len() == 1 {
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
    let mut end = None;
    while let Some((span, mut own)) = edits() {
        let between = end.map(|end| Span::new(end, span.start));
        if let Some(between) = between.filter(|between| between.of(text) != ",") {
            repairs.push(edit(between.start, between.end, ","));
        }
        repairs.append(&mut own);
        end = Some(span.end);
    }
    repairs.push(edit(candidate.span.end, candidate.span.end, "]"));
    Ok(repairs)
}

/// What is worth knowing besides the edits.
struct ReportDiagnostics {
    candidate: Candidate,
    surroundings: Surroundings,
    cut: Option<usize>,
    /// Length of the text.
    bytes: usize,
}

impl ReportDiagnostics {
    fn of<B: Build>(&self, found: &[FoundValue<B>], selection: &Selection) -> Vec<Diagnostic> {
        let mut rows = Vec::new();
        let Span { start, end } = self.candidate.span;
        let around = [
            (self.surroundings.before && start > 0, Span::new(0, start)),
            (self.surroundings.after && end < self.bytes, Span::new(end, self.bytes)),
        ];
        for (_, span) in around.into_iter().filter(|(there, _)| *there) {
            let message = "text around the value was left out";
            rows.push(Diagnostic::new("extract/surroundings", Severity::Info, message).at(span));
        }
        for (at, other) in found.iter().enumerate() {
            if selection.holds(at) {
                continue;
            }
            let row = Diagnostic::new(
                "extract/more-json",
                Severity::Warning,
                "there is another value in the text, which was not selection",
            )
            .at(other.span)
            .help("Check that the right one was selection, or ask for one value only.");
            rows.push(match selection.class {
                Some(class) => row.class(class),
                None => row,
            });
            if rows.len() == MAX_DIAGNOSTICS {
                break;
            }
        }
        if let Some(cut) = self.cut {
            rows.push(
                Diagnostic::new(
                    "extract/truncated",
                    Severity::Warning,
                    "the text breaks off before the value is complete",
                )
                .at(Span::at(cut))
                .help(ErrorKind::UnexpectedEnd.help()),
            );
        }
        rows
    }
}

/// The code of a warning that a key stands twice in one object.
pub(crate) const DUPLICATE_KEY: &str = "value/duplicate-key";

/// A warning for each key that stands twice in one object.
pub(crate) fn duplicates<'v>(value: &'v Value<'_>) -> impl Iterator<Item = Diagnostic> + use<'v> {
    value.duplicate_keys().into_iter().map(|(path, key, span)| {
        Diagnostic::new(
            DUPLICATE_KEY,
            Severity::Warning,
            format!("the key \"{key}\" stands twice; readers take the last"),
        )
        .at(span)
        .on(path)
    })
}

/// Refuses a result that lost more than it may.
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
    if (options.guard == Guard::Loss && lost < GUARD_FLOOR)
        || lost * GUARD.1 <= candidate.len() * GUARD.0
    {
        return Ok(());
    }
    let detail = format!("{lost} of {} bytes", candidate.len());
    Err(Error::new(ErrorKind::UnsafeDelta, window.text, Some(candidate), &detail))
}
