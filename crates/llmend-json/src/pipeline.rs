//! The pipeline from a text to a value or repaired text, with the report.

use crate::{
    Candidate, Choice, Error, ErrorKind, Options, Origin, Parsed, Repair, Repaired, Report, Span,
    Status, Value,
    extract::{
        Attempt, Build, FoundValue, INITIAL_CAPACITY, Scan, Start,
        choice::Selection,
        fitting::{self, Fit},
        layer,
    },
    limits::check_size,
    options::Settings,
    parser::{Budget, Window},
    value::{build::Tape, keys::Keys},
};

mod conclusion;
pub(crate) mod copy;
mod diagnostics;
mod extraction;
mod read;
mod repeated;
pub(crate) mod reread;

use conclusion::guard;
pub(crate) use conclusion::{DeliveredRepairs, ReadOutcome, conclude};
pub use extraction::{Extraction, extract};
use read::read;
pub(crate) use read::{read_framed, read_unframed};
use repeated::duplicates_of_output;
pub(crate) use repeated::{DUPLICATE_KEY, doubt, duplicates, note_duplicates};

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
    parsed(text, options, read::<Tape>(text, options, false, &mut |_, _| None)?)
}

/// Finds and parses the JSON in `text` that `fits` accepts, under the choice
/// [`Choice::Best`](crate::Choice::Best).
///
/// If the value that [`parse_with`] returns does not fit, and exactly one other does, that one is
/// the answer, even if a sentence mentions it. Of several, it is the best of them, or the last one
/// introduced as the answer. If none fits, the result is that of `parse_with`. The engine knows no
/// schema: `fits` may apply one. It returns a `bool`, or a [`Fit`]: then a value that fits by a guess
/// only gives way to one that needs none and is introduced no worse.
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
pub fn parse_fitting<'t, F: Into<Fit>>(
    text: &'t str,
    options: &Options,
    mut fits: impl FnMut(&Value<'_>) -> F,
) -> Result<Parsed<'t>, Error> {
    let mut choose = |window: &Window<'_>, scan: &mut Scan<'_, Tape>| {
        chosen_by_fitting(window, scan, options, &mut fits)
    };
    parsed(text, options, read(text, options, true, &mut choose)?)
}

/// Chooses among the candidates of a finished scan by `fits`.
pub(crate) fn chosen_by_fitting<F: Into<Fit>>(
    window: &Window<'_>,
    scan: &mut Scan<'_, Tape>,
    options: &Options,
    mut fits: impl FnMut(&Value<'_>) -> F,
) -> Option<Selection> {
    if options.choice != Choice::Best {
        return None;
    }
    fitting::choose(window, scan, |tape, span, parts| {
        tape.copy(window.text, span, parts).map_or(Fit::No, |value| fits(&value).into())
    })
}

/// Returns the value that was read from `text`, with its report.
fn parsed<'t>(
    text: &'t str,
    options: &Options,
    outcome: ReadOutcome<Tape>,
) -> Result<Parsed<'t>, Error> {
    let ReadOutcome { built, list, sink, mut report } = outcome;
    let mut value = sink
        .finish(text, report.candidate.span, &built, list)
        .ok_or_else(|| Error::new(ErrorKind::NoJson, text, None, ""))?;
    note_duplicates(&mut report, duplicates(&mut value), text, options.max_class)?;
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
    let mut value = tape
        .finish(window.text, candidate.span, &[found.built], false)
        .ok_or_else(|| Error::new(ErrorKind::NoJson, window.text, None, ""))?;
    note_duplicates(&mut report, duplicates(&mut value), window.text, options.max_class)?;
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
    let ReadOutcome { built, mut report, .. } =
        read::<Keys>(text, options, false, &mut |_, _| None)?;
    let output = report.output(text);
    if built.contains(&true) {
        let rows = duplicates_of_output(&output, &report);
        note_duplicates(&mut report, rows, text, options.max_class)?;
    }
    Ok(Repaired { text: output, report })
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
    let ReadOutcome { built, list, mut report, .. } =
        read::<SerdeSink>(text, options, false, &mut |_, _| None)?;
    if built.iter().any(|one| one.repeats_keys) {
        doubt(&mut report, text, options.max_class)?;
    }
    let several = list || built.len() > 1;
    let mut values = built.into_iter().filter_map(|one| one.value);
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
    std::str::from_utf8(bytes).map_err(|_| {
        let valid = valid_part(bytes);
        Error::new(ErrorKind::Utf8, valid, Some(Span::at(valid.len())), "")
    })
}

/// Returns the text before the first invalid byte.
pub(crate) fn valid_part(bytes: &[u8]) -> &str {
    bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid())
}
