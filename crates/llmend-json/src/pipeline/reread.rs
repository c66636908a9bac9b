//! Reading of a whole text again, in another way: as the pieces in a log, without its encoding, or with the
//! YAML in its JSON translated.

use crate::{
    Choice, Class, Error, ErrorKind, Options, Report, Rule, Search, Span,
    extract::{
        Build, capture,
        encoding::{self, Decoded, quoted_printable},
        yaml,
    },
    parser::Window,
    pipeline::{
        conclusion::ReadOutcome,
        copy::{Choose, captured, is_sound, read_copy, undone},
    },
};

/// Reads a whole text again whose own reading, `outcome`, failed or is a guess, or which says that it is
/// encoded: as the pieces in a log, or without its encoding. Returns `None` if it is neither.
pub(crate) fn read<B: Build>(
    window: &Window<'_>,
    outcome: &Result<ReadOutcome<B>, Error>,
    options: &Options,
    by_fitting: bool,
    choose: Choose<'_, B>,
) -> Option<Result<ReadOutcome<B>, Error>> {
    if options.choice != Choice::Best || options.search == Search::Off || window.base > 0 {
        return None;
    }
    if matches!(outcome, Ok(outcome) if is_plain(window, &outcome.report)) {
        return None;
    }
    let is_encoded = match outcome {
        Ok(outcome) => is_doubtful(window, &outcome.report) || is_declared(window, &outcome.report),
        Err(error) => is_unread(error.kind()),
    };
    // What is cut off may be the first piece.
    let is_piece = is_encoded || matches!(outcome, Ok(outcome) if outcome.report.cut.is_some());
    let log = if is_piece { capture::logged(window) } else { None };
    let joined = log.and_then(|log| captured(window, Ok(log), options, by_fitting, choose));
    let other = joined
        .filter(Result::is_ok)
        .or_else(|| is_encoded.then(|| decoded(window, outcome, options, by_fitting, choose))?)
        .or_else(|| {
            let is_lost = is_encoded && outcome.is_err();
            is_lost.then(|| translated(window, options, by_fitting, choose))?
        });
    // A value that was read is kept where the other one is not allowed.
    other.filter(|other| other.is_ok() || outcome.is_err())
}

/// Returns whether a text is a single value from its beginning on, without the signs of an encoding that may
/// be inside one.
fn is_plain(window: &Window<'_>, report: &Report) -> bool {
    let start = window.skip_space(0);
    report.candidate.span.start == start
        && window.byte(start) == Some(b'{')
        && !report.repairs.iter().any(|repair| repair.rule == Rule::SeveralDocuments)
        && !quoted_printable::has_sign(window.text)
}

/// Returns whether a value is a guess, or has line breaks in its strings, which may have a meaning of their
/// own, or colors of a terminal, as between its tokens.
fn is_doubtful(window: &Window<'_>, report: &Report) -> bool {
    const ESCAPE: u8 = 0x1B;
    let has = |rule| report.repairs.iter().any(|repair| repair.rule == rule);
    let has_color = |rule| {
        let mut repairs = report.repairs.iter().filter(|repair| repair.rule == rule);
        repairs.any(|repair| window.byte(repair.span.start) == Some(ESCAPE))
    };
    report.class >= Some(Class::Guess)
        || has(Rule::RawNewline)
        || (has_color(Rule::RawControl) && has_color(Rule::OddWhitespace))
}

/// Returns whether the text around a value says or shows that it is encoded, and something in it may be.
fn is_declared(window: &Window<'_>, report: &Report) -> bool {
    let value = report.candidate.span;
    let before = Span::new(0, value.start);
    value.len() < window.text.trim_end().len()
        && memchr::memchr(b'=', window.bytes(value)).is_some()
        && (quoted_printable::declared(window.slice(before)).is_some()
            || quoted_printable::is_likely(window.text))
}

/// Returns whether a text that failed so may be read in another way.
const fn is_unread(kind: ErrorKind) -> bool {
    !matches!(
        kind,
        ErrorKind::Empty
            | ErrorKind::Depth
            | ErrorKind::Bytes
            | ErrorKind::Repairs
            | ErrorKind::Utf8
    )
}

/// Reads a text without its encoding, if its value shows that it has one.
fn decoded<B: Build>(
    window: &Window<'_>,
    outcome: &Result<ReadOutcome<B>, Error>,
    options: &Options,
    by_fitting: bool,
    choose: Choose<'_, B>,
) -> Option<Result<ReadOutcome<B>, Error>> {
    // A value that cannot be read with its signs shows by that, too, that it is encoded.
    let fewest = if outcome.is_err() { 1 } else { 2 };
    let Decoded { layer, rule, declared, certain } = encoding::decoded(window, fewest)?;
    let report = read_copy(&layer, options, by_fitting, choose).ok()?;
    let span = layer.places().of_ends(report.candidate.span);
    // A value may have such a line in it.
    let is_inside = declared.is_some_and(|from| span.start < from);
    if is_inside || !layer.is_over(span) || !(declared.is_some() || is_sound(&report)) {
        return None;
    }
    // What could be read as it is may be meant so.
    let certain = declared.is_some() || (outcome.is_err() && certain);
    let doubt = if certain { rule.class() } else { Class::Guess };
    Some(undone(window, &layer, report, rule, doubt, options))
}

/// Reads a text with the blocks of YAML in its JSON as JSON.
fn translated<B: Build>(
    window: &Window<'_>,
    options: &Options,
    by_fitting: bool,
    choose: Choose<'_, B>,
) -> Option<Result<ReadOutcome<B>, Error>> {
    let layer = yaml::inside::translated(window)?;
    let report = read_copy(&layer, options, by_fitting, choose).ok()?;
    let span = layer.places().of_ends(report.candidate.span);
    (layer.is_over(span) && report.class <= Some(Class::Guess))
        .then(|| undone(window, &layer, report, Rule::YamlDocument, Class::Guess, options))
}
