//! Is the text a value whose outer brackets are missing?

use crate::{
    Origin, Rule, Span,
    extract::{Build, Found, Start, attempt},
    judge::key::{bare_key, opens_key},
    options::Settings,
    parser::{Budget, Log, Stop, Window},
    sink::Container,
};

/// Most items of a list without brackets.
const LIST_REACH: usize = 1 << 16;

/// Whether a key in quotes, with its colon and no prose before it, stands at `at`.
pub(super) fn starts_member(window: &Window<'_>, at: usize) -> bool {
    opens_key(window, at)
}

/// Where, after words that hold no bracket, the first line begins with a member.
pub(super) fn first_member(window: &Window<'_>, at: usize) -> Option<usize> {
    let mut place = at;
    for line in window.rest(at).split_inclusive('\n') {
        let start = place + (line.len() - line.trim_start().len());
        if line.trim_start().starts_with('"') && opens_key(window, start) {
            return Some(start);
        }
        if line.contains(['{', '[']) {
            return None;
        }
        place += line.len();
    }
    None
}

/// The members of a text whose every line is a pair without quotes: `a: 1` and `b: two`.
pub(super) fn pairs<B: Build>(
    window: &Window<'_>,
    options: &Settings<'_>,
    budget: &mut Budget,
    sink: &mut B,
) -> Option<Found<B>> {
    pairs_at(window, window.skip_space(window.base), options, budget, sink)
}

/// The same from `at` on.
pub(super) fn pairs_at<B: Build>(
    window: &Window<'_>,
    at: usize,
    options: &Settings<'_>,
    budget: &mut Budget,
    sink: &mut B,
) -> Option<Found<B>> {
    let mut lines = 0;
    let mut place = at;
    for line in window.rest(at).split_inclusive('\n') {
        let start = place + (line.len() - line.trim_start().len());
        if start < place + line.len() {
            let colon = bare_key(window, start)?;
            let key = window.slice(Span::new(start, colon));
            let value = window.slice(Span::new(colon + 1, place + line.len()));
            let words = |text: &str, few: usize| text.split_whitespace().take(few + 1).count();
            let prose = !(1..=12).contains(&words(value, 12)) || words(key, 3) > 3;
            if prose || !value.starts_with(' ') {
                return None;
            }
            lines += 1;
        }
        place += line.len();
    }
    if lines < 2 {
        return None;
    }
    attempt(window, at, Start::Member, Origin::Unbraced, options, budget, sink).ok()
}

/// A list of scalars, all that the text holds, without its brackets: `1, 2, 3`.
pub(super) fn list<B: Build>(
    window: &Window<'_>,
    options: &Settings<'_>,
    sink: &mut B,
) -> Result<Option<Found<B>>, Stop> {
    let start = window.skip_space(window.base);
    let text = window.rest(start).trim_end();
    if text.len() > LIST_REACH || !text.contains(',') {
        return Ok(None);
    }
    sink.begin();
    sink.open(Container::Array, start);
    let mut at = start;
    let end = start + text.len();
    let mut items = 0;
    let mut words = 0;
    while at < end {
        at = window.skip_space(at);
        let span = match window.byte(at) {
            Some(b'"') => match window.scan_string(at + 1) {
                Some((close, escaped)) => {
                    let span = Span::new(at, close + 1);
                    sink.string(window, span, crate::parser::content(at + 1, close, escaped));
                    words += 1;
                    span
                }
                None => return Ok(None),
            },
            Some(b'-' | b'0'..=b'9') => match window.scan_number(at) {
                Some(close) => {
                    let span = Span::new(at, close);
                    sink.number(window, span, crate::sink::Content::Plain(span));
                    span
                }
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        items += 1;
        at = window.skip_space(span.end);
        match window.byte(at) {
            Some(b',') if window.skip_space(at + 1) < end => at += 1,
            None => break,
            _ => return Ok(None),
        }
    }
    if items < 2 || (words > 0 && words < items) {
        return Ok(None);
    }
    sink.close(end);
    let mut log = Log::new(options);
    log.record(Rule::MissingBrackets, Span::at(start), "[".into())?;
    log.record(Rule::MissingBrackets, Span::at(end), "]".into())?;
    Ok(Some(Found {
        span: Span::new(start, end),
        origin: Origin::Unbraced,
        repairs: log.finish(),
        cut: None,
        seen: crate::parser::Seen::default(),
        in_failure: false,
        built: sink.end(),
    }))
}
