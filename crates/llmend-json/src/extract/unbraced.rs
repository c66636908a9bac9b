//! Values without their outer brackets.

use crate::{
    Origin, Rule, Span,
    extract::{Build, FoundValue, Start, attempt, reasoning},
    judge::{
        key::{bare_key, opens_key},
        yaml,
    },
    options::Settings,
    parser::{Budget, Log, Stop, ValueStats, Window, content, starts_value},
    sink::{Container, Content},
};

/// Maximum length of a list without brackets, in bytes.
const LIST_REACH: usize = 1 << 16;

/// Labels of the lines of an agent, which are no keys.
const AGENT_LABELS: &[&str] = &["Action", "Action Input", "Observation", "Final Answer"];

/// Returns whether a quoted key with its colon is at `at`. A semicolon separates as well.
pub(super) fn starts_member(window: &Window<'_>, at: usize) -> bool {
    let end = window.scan_string(at + 1).map_or(at, |(close, _)| close + 1);
    opens_key(window, at) && window.byte(window.skip_space(end)) != Some(b';')
}

/// Returns whether `before`, the text before a line that begins with a member, shows that this one is not
/// the first: it ends with a part of something that was not read. An open bracket, a closing one, or an item and its comma
/// are on the lines directly before.
pub(super) fn follows_unread(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t']);
    let paragraph = before.rsplit("\n\n").next().unwrap_or_default();
    let last = paragraph.trim_end().rsplit('\n').next().unwrap_or_default().trim();
    let item = last.strip_suffix(',').is_some_and(|item| {
        !item.contains(' ') || item.contains(['"', '=', '<', '@']) || item.ends_with(['}', ']'])
    });
    let closer = last.trim_end_matches([',', ';']);
    item || closer.ends_with(['}', ']', '[', '{']) && !is_mention(closer) || is_open(paragraph)
}

/// Returns whether the brackets that a line ends with are closed in it, as in prose: `the list [a]`.
fn is_mention(line: &str) -> bool {
    let count = |mark: char| line.matches(mark).count();
    line.starts_with(char::is_alphabetic) && count('{') == count('}') && count('[') == count(']')
}

/// Returns whether a line of `paragraph` begins with an opening bracket that nothing in it closes.
fn is_open(paragraph: &str) -> bool {
    let count = |mark: char| paragraph.matches(mark).count();
    let begins = |mark| paragraph.lines().any(|line| line.trim_start().starts_with(mark));
    (begins('{') && count('{') > count('}')) || (begins('[') && count('[') > count(']'))
}

/// Longest key without its first quote, in characters.
const NAME_REACH: usize = 40;

/// Returns whether a key without its first quote, a colon and a value are at `at`, as after a brace
/// and a quote that an answer was prefilled with: `name": "Ada"`.
pub(super) fn starts_half_member(window: &Window<'_>, at: usize) -> bool {
    let name = window.short_word(at, NAME_REACH, |c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let colon = window.skip_space(at + name + 1);
    name > 0
        && window.byte(at + name) == Some(b'"')
        && window.byte(colon) == Some(b':')
        && window.byte(window.skip_space(colon + 1)).is_some_and(starts_value)
}

/// Parses members up to the end of the window whose first key at `at` is not in quotes, and whose
/// values are.
pub(super) fn members_at<B: Build>(
    window: &Window<'_>,
    at: usize,
    options: &Settings<'_>,
    budget: &mut Budget,
    sink: &mut B,
) -> Option<FoundValue<B>> {
    // Before a bracket, or on a line of their own, they are words that introduce the value.
    let scalar = |colon: usize| {
        let value = window.line_after(colon + 1, NAME_REACH).trim_start();
        !value.starts_with(['{', '[']) && value.bytes().next().is_some_and(starts_value)
    };
    if !bare_key(window, at).is_some_and(scalar) && !starts_half_member(window, at) {
        return None;
    }
    let found = attempt(window, at, Start::Member, Origin::Fence, options, budget, sink).ok()?;
    let whole = window.byte(window.skip_space(found.span.end)).is_none();
    (whole && found.stats.members > 1 && found.stats.words == 0).then_some(found)
}

/// Returns the first line that begins with a member, if no bracket comes before it.
pub(super) fn first_member(window: &Window<'_>, at: usize) -> Option<usize> {
    let mut place = at;
    for line in window.rest(at).split_inclusive('\n') {
        let start = place + (line.len() - line.trim_start().len());
        if line.trim_start().starts_with('"') && opens_key(window, start) {
            return (!follows_unread(window.slice(Span::new(at, start)))).then_some(start);
        }
        if line.contains(['{', '[']) {
            return None;
        }
        place += line.len();
    }
    None
}

/// Parses a text from `at` on whose every line is an unquoted pair: `a: 1` and `b: two`.
pub(super) fn pairs_at<B: Build>(
    window: &Window<'_>,
    at: usize,
    options: &Settings<'_>,
    budget: &mut Budget,
    sink: &mut B,
) -> Option<FoundValue<B>> {
    let mut lines = 0;
    let mut place = at;
    let mut speaker = None;
    for line in window.rest(at).split_inclusive('\n') {
        let start = place + (line.len() - line.trim_start().len());
        if start < place + line.len() {
            let colon = bare_key(window, start)?;
            let key = window.slice(Span::new(start, colon));
            // The one who speaks first speaks again.
            if *speaker.get_or_insert(key) == key && lines > 0 {
                return None;
            }
            let value = window.slice(Span::new(colon + 1, place + line.len()));
            let words = |text: &str, few: usize| text.split_whitespace().take(few + 1).count();
            let says = !yaml::is_name(key.trim()) && yaml::is_sentence(value.trim());
            let name = key.trim_matches(['*', ' ']);
            let reasons = reasoning::is_word(name) || AGENT_LABELS.contains(&name);
            let prose =
                says || reasons || !(1..=12).contains(&words(value, 12)) || words(key, 3) > 3;
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

/// Parses a text from `start` on that is a list of scalars without brackets, or without the first one:
/// `1, 2, 3`.
pub(super) fn list_at<B: Build>(
    window: &Window<'_>,
    start: usize,
    origin: Origin,
    options: &Settings<'_>,
    sink: &mut B,
) -> Result<Option<FoundValue<B>>, Stop> {
    let text = window.rest(start).trim_end();
    if text.len() > LIST_REACH || !text.contains(',') {
        return Ok(None);
    }
    sink.begin();
    sink.open(Container::Array, start);
    let end = start + text.len();
    let last = start + text.strip_suffix(']').unwrap_or(text).len();
    if !are_items(&window.up_to(last), Span::new(start, last), sink) {
        return Ok(None);
    }
    sink.close(end);
    let mut log = Log::new(options);
    log.record(Rule::MissingBrackets, Span::at(start), "[".into())?;
    if last == end {
        log.record(Rule::MissingBrackets, Span::at(end), "]".into())?;
    }
    Ok(Some(FoundValue {
        span: Span::new(start, end),
        origin,
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

#[cfg(test)]
mod tests {
    use super::follows_unread;

    #[test]
    fn lines_before_a_first_member() {
        for (before, expected) in [
            ("", false),
            ("Here it is:\n", false),
            ("Here it is,\n  ", false),
            ("6 numbers.\n\n", false),
            ("It is in {x} and [1].\n", false),
            ("See the list [1]\n", false),
            // Parts of what was not read.
            ("{\n  \"date}: null,\n  ", true),
            ("{\n  @@,\n", true),
            ("{\n", true),
            ("{\n  - so -\n", true),
            ("[\n  a b\n", true),
            ("5],\n  ", true),
            ("rn\",\n  ", true),
            ("  },\n", true),
            ("}\n", true),
            ("1,\n", true),
            ("true,\n", true),
            ("so \"it\" is,\n", true),
            ("5],\n\nThe rest:\n", false),
        ] {
            assert_eq!(follows_unread(before), expected, "{before}");
        }
    }
}
