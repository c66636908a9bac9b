//! Reports of truncated texts.

use llmend_json::{Options, Origin, Parsed, Rule, Status, parse_with, repair};

use super::broken::Broken;
use super::oracle::is_valid_json;

/// The places in `text` at which its one value has begun and its last bracket is still to come, so that
/// a text that ends there was cut off. Empty where a cut does not show: in a value without brackets of
/// its own, or one whose last bracket is missing, wrong or one too many as it is.
#[must_use]
pub fn open_places(text: &str) -> Vec<usize> {
    let Ok(whole) = repair(text) else { return Vec::new() };
    let report = &whole.report;
    let unclear = |rule: Rule| {
        matches!(
            rule,
            Rule::MissingCloser
                | Rule::UnclosedInside
                | Rule::WrongCloser
                | Rule::StrayCloser
                | Rule::MissingBraces
                | Rule::MissingBrackets
                | Rule::MissingOpener
                | Rule::DoubledBraces
                | Rule::SeveralDocuments
                | Rule::StrayText
        )
    };
    if report.truncated()
        || report.candidate.origin == Origin::Unbraced
        || report.repairs.iter().any(|repair| unclear(repair.rule))
    {
        return Vec::new();
    }
    let inside = report.candidate.span.of(text);
    let first = inside.find(['{', '[', '｛', '［', '(']);
    let last = inside.rfind(['}', ']', '｝', '］', ')']);
    let (Some(first), Some(last)) = (first, last) else { return Vec::new() };
    // What stands before the first bracket and behind the last may be a string with brackets in it.
    let bracket = |c: char| c.is_whitespace() || "{}[]()｛｝［］;,\"'`\\".contains(c);
    let plain = report.status != Status::Repaired
        || inside[..first].chars().all(bracket) && inside[last..].chars().all(bracket);
    let opens = whole.text.trim_start().starts_with(['{', '[']);
    if !plain || !opens {
        return Vec::new();
    }
    let start = report.candidate.span.start;
    let places = text[start + first..start + last].char_indices().map(|(at, _)| start + first + at);
    places.skip(1).collect()
}

/// Whether a text that was cut off cannot be told from a complete one: what is left is JSON by itself,
/// or it ends with a bracket in a string as if the end of the string were what the writer forgot.
fn looks_complete(left: &str) -> bool {
    let count = |brackets: [char; 2]| left.matches(brackets).count();
    let in_string = (left.matches('"').count() - left.matches("\\\"").count()) % 2 == 1;
    left.trim_end().ends_with(['}', ']']) && (in_string || count(['{', '[']) <= count(['}', ']']))
        || is_valid_json(left)
}

/// What came of a text that was cut off.
enum Left<'t> {
    /// A refusal, a value that is flagged, or a text that cannot be told from a complete one.
    Told,
    /// The value that was begun, and nothing says that it was cut off.
    Silent(Parsed<'t>),
    /// A part of that value in its place, and nothing says so.
    Part(Parsed<'t>),
}

fn left<'t>(text: &'t str, at: usize, options: &Options) -> Left<'t> {
    let left = &text[..at];
    match parse_with(left, options) {
        Ok(parsed) if !parsed.report.truncated() && !looks_complete(left) => {
            let begun = repair(text).map_or(0, |whole| whole.report.candidate.span.start);
            let before = text.get(begun..parsed.report.candidate.span.start).unwrap_or_default();
            if before.trim().is_empty() { Left::Silent(parsed) } else { Left::Part(parsed) }
        }
        _ => Left::Told,
    }
}

fn broken(text: &str, at: usize, what: &str, parsed: &Parsed<'_>) -> Broken {
    let why = format!("{what}: {:?} becomes {}", &text[..at], parsed.value);
    Broken { promise: "G9", why }
}

/// Checks G9 on `text` cut off at `at`, which is one of its [`open_places`]: the value that was begun is
/// flagged, or there is none.
///
/// # Errors
/// G9, if it passes for a complete one.
pub fn told(text: &str, at: usize, options: &Options) -> Result<(), Broken> {
    match left(text, at, options) {
        Left::Silent(parsed) => Err(broken(text, at, "cut off, and nothing says so", &parsed)),
        Left::Told | Left::Part(_) => Ok(()),
    }
}

/// Checks G9 on `text` cut off at `at`, which is one of its [`open_places`]: no part of the value that
/// was begun takes its place without a flag.
///
/// # Errors
/// G9, if a part passes for the whole.
pub fn whole_or_told(text: &str, at: usize, options: &Options) -> Result<(), Broken> {
    match left(text, at, options) {
        Left::Part(parsed) => Err(broken(text, at, "a part passes for the whole", &parsed)),
        Left::Told | Left::Silent(_) => Ok(()),
    }
}
