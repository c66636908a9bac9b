//! Values without their outer brackets.

use crate::{
    Origin, Rule, Span,
    extract::{Build, FoundValue, Start, attempt},
    judge::key::{bare_key, opens_key},
    options::Settings,
    parser::{Budget, Log, Stop, ValueStats, Window, content},
    sink::{Container, Content},
};

/// Maximum length of a list without brackets, in bytes.
const LIST_REACH: usize = 1 << 16;

/// Returns whether a quoted key with its colon is at `at`.
pub(super) fn starts_member(window: &Window<'_>, at: usize) -> bool {
    opens_key(window, at)
}

/// Returns the first line that begins with a member, if no bracket comes before it.
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

/// Parses a text whose every line is an unquoted pair: `a: 1` and `b: two`.
pub(super) fn pairs<B: Build>(
    window: &Window<'_>,
    options: &Settings<'_>,
    budget: &mut Budget,
    sink: &mut B,
) -> Option<FoundValue<B>> {
    pairs_at(window, window.skip_space(window.base), options, budget, sink)
}

/// Parses such a text from `at` on.
pub(super) fn pairs_at<B: Build>(
    window: &Window<'_>,
    at: usize,
    options: &Settings<'_>,
    budget: &mut Budget,
    sink: &mut B,
) -> Option<FoundValue<B>> {
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

/// Parses a text that is a list of scalars without brackets: `1, 2, 3`.
pub(super) fn list<B: Build>(
    window: &Window<'_>,
    options: &Settings<'_>,
    sink: &mut B,
) -> Result<Option<FoundValue<B>>, Stop> {
    let start = window.skip_space(window.base);
    let text = window.rest(start).trim_end();
    if text.len() > LIST_REACH || !text.contains(',') {
        return Ok(None);
    }
    sink.begin();
    sink.open(Container::Array, start);
    let end = start + text.len();
    if !are_items(window, Span::new(start, end), sink) {
        return Ok(None);
    }
    sink.close(end);
    let mut log = Log::new(options);
    log.record(Rule::MissingBrackets, Span::at(start), "[".into())?;
    log.record(Rule::MissingBrackets, Span::at(end), "]".into())?;
    Ok(Some(FoundValue {
        span: Span::new(start, end),
        origin: Origin::Unbraced,
        repairs: log.finish(),
        cut: None,
        stats: ValueStats::default(),
        in_failure: false,
        built: sink.end(),
    }))
}

/// Returns whether `all` consists of several scalars separated by commas, either all strings or
/// none. Passes each to the sink.
fn are_items<B: Build>(window: &Window<'_>, all: Span, sink: &mut B) -> bool {
    let (mut at, mut items, mut words) = (all.start, 0, 0);
    while at < all.end {
        at = window.skip_space(at);
        let Some(end) = item(window, at, sink) else { return false };
        items += 1;
        words += usize::from(window.byte(at) == Some(b'"'));
        at = window.skip_space(end);
        match window.byte(at) {
            Some(b',') if window.skip_space(at + 1) < all.end => at += 1,
            None => break,
            _ => return false,
        }
    }
    items > 1 && (words == 0 || words == items)
}

/// Passes the strict string or number at `at` to the sink and returns its end.
fn item<B: Build>(window: &Window<'_>, at: usize, sink: &mut B) -> Option<usize> {
    match window.byte(at)? {
        b'"' => {
            let (close, escaped) = window.scan_string(at + 1)?;
            sink.string(window, Span::new(at, close + 1), content(at + 1, close, escaped));
            Some(close + 1)
        }
        b'-' | b'0'..=b'9' => {
            let end = window.scan_number(at)?;
            let span = Span::new(at, end);
            sink.number(window, span, Content::Plain(span));
            Some(end)
        }
        _ => None,
    }
}
