//! Feedback to a model about an answer that cannot be used.
//!
//! Only the latest answer is shown, and only as data: whatever a model wrote, be it an answer or a
//! word of it in a message, is enclosed in markers that it cannot contain.

use llmend_json::{Diagnostic, Span, line_column, preview};

use super::{
    FailedAnswer, FailureKind, Topic,
    clip::{clipped, tail},
    messages,
};
use crate::{model::stable_hash, prompts};

/// The number of findings that are listed one by one; further ones are counted by code.
pub(crate) const MOST_FINDINGS: usize = 100;

/// The maximum length of a message or hint in characters.
const MESSAGE_CHARS: usize = 400;

/// The length of the shown end of a cut-off answer in bytes.
pub(crate) const TAIL_BYTES: usize = 400;

/// Returns the feedback common to all strategies: what was wrong, each finding with its place, the
/// parts of the schema or catalog concerned ([`excerpts`]), and the answer, clipped around the
/// places to about `shown` bytes.
pub(crate) fn feedback(failed: &FailedAnswer, excerpts: &str, shown: usize) -> String {
    let rows: Vec<&Diagnostic> = failed.faults().collect();
    let since: Vec<&Diagnostic> = failed.since.iter().collect();
    let since = if since.is_empty() { String::new() } else { told("", &since) };
    let hides_arithmetic = rows.iter().any(|row| row.code.ends_with("/expression"));
    let arithmetic = if hides_arithmetic { prompts::ARITHMETIC.fill(&[]) } else { String::new() };
    let cut = match failed.kind {
        FailureKind::Truncation if !failed.text.is_empty() => end(&failed.text),
        _ => String::new(),
    };
    prompts::FEEDBACK.fill(&[
        ("what", what(failed.kind)),
        ("findings", &told(&failed.text, &rows)),
        ("since", &since),
        ("schema", excerpts),
        ("bytes", &failed.text.len().to_string()),
        ("answer", &answer(failed, &rows, shown)),
        ("cut", &cut),
        ("arithmetic", &arithmetic),
    ])
}

/// Returns the end of a cut-off answer as data.
fn end(text: &str) -> String {
    fenced("end", tail(text, TAIL_BYTES))
}

const fn what(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::NoJson | FailureKind::Refusal | FailureKind::Transport => messages::NO_JSON,
        FailureKind::Syntax => messages::SYNTAX,
        FailureKind::Truncation => messages::TRUNCATION,
        FailureKind::Loss => messages::LOSS,
        FailureKind::Schema => messages::SCHEMA,
        FailureKind::Structure => messages::STRUCTURE,
    }
}

/// Returns the findings as a numbered list between markers.
fn told(text: &str, rows: &[&Diagnostic]) -> String {
    let mut lines: Vec<String> = rows
        .iter()
        .take(MOST_FINDINGS)
        .enumerate()
        .map(|(at, row)| format!("{}. {}", at + 1, line(text, row)))
        .collect();
    let more = rows.get(MOST_FINDINGS..).unwrap_or_default();
    if !more.is_empty() {
        lines.push(format!("and {} more: {}", more.len(), counted(more)));
    }
    fenced("findings", &lines.join("\n"))
}

fn counted(rows: &[&Diagnostic]) -> String {
    let mut counts: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for row in rows {
        *counts.entry(&row.code).or_default() += 1;
    }
    let counts = counts.iter().map(|(code, count)| format!("{count} times {code}"));
    counts.collect::<Vec<_>>().join(", ")
}

/// Returns one finding on one line.
fn line(text: &str, row: &Diagnostic) -> String {
    let mut line = format!("[{}]", row.code);
    if let Some(path) = &row.path {
        let path = if path.is_empty() { "the root" } else { path };
        line = format!("{line} at {}", on_one_line(path));
    }
    if let Some(span) = row.span.filter(|span| span.end <= text.len()) {
        let (number, column) = line_column(text, span.start);
        line = format!("{line} (line {number}, column {column})");
    }
    line = format!("{line}: {}", on_one_line(&row.message));
    match &row.help {
        Some(help) => format!("{line}. Hint: {}", on_one_line(help)),
        None => line,
    }
}

/// Replaces line ends and other control characters, and clips the text.
fn on_one_line(text: &str) -> String {
    let clean =
        |c: char| if c.is_control() || ('\u{2028}'..='\u{2029}').contains(&c) { ' ' } else { c };
    preview(text, MESSAGE_CHARS).chars().map(clean).collect()
}

/// Returns the parts of the schema or catalog that the findings concern, about `shown` bytes; empty
/// if there are none.
pub(crate) fn excerpts(topic: &dyn Topic, failed: &FailedAnswer, shown: usize) -> String {
    let mut parts: Vec<String> = topic.excerpt(failed);
    parts.dedup();
    if parts.is_empty() {
        return String::new();
    }
    fenced("excerpt", &clipped(&parts.join("\n"), &[], shown))
}

fn answer(failed: &FailedAnswer, rows: &[&Diagnostic], shown: usize) -> String {
    let text = &failed.text;
    let places: Vec<Span> = rows
        .iter()
        .filter_map(|row| row.span)
        .filter(|span| span.end <= text.len() && span.start < text.len())
        .collect();
    fenced("answer", &clipped(text, &places, shown))
}

/// Encloses `data` in two markers that do not occur in it, so that nothing in it can end it.
///
/// The marker is derived from the data: the same question gives the same text, in a record too.
pub(crate) fn fenced(name: &str, data: &str) -> String {
    let mark = mark(name, data, stable_hash(data));
    format!("<{mark}>\n{data}\n</{mark}>")
}

/// Returns the first marker from this number on that does not occur in `data`.
fn mark(name: &str, data: &str, mut number: u64) -> String {
    loop {
        let mark = format!("{name}-{number:016x}");
        if !data.contains(&mark) {
            return mark;
        }
        number = number.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use llmend_json::Severity;

    use super::*;

    #[test]
    fn nothing_ends_the_fence_around_it() {
        let inside = fenced("answer", "a");
        // Data that knows the marker of another text, and even data that repeats its own fence.
        for data in ["", "a", "</answer>", &inside, &fenced("answer", &inside)] {
            let fenced = fenced("answer", data);
            let open = fenced.lines().next().unwrap_or_default();
            let close = format!("</{}", open.trim_start_matches('<'));
            assert_eq!(fenced.matches(open).count(), 1, "{fenced}");
            assert_eq!(fenced.matches(&close).count(), 1, "{fenced}");
            assert!(fenced.ends_with(&close) && fenced.contains(data));
        }
    }

    #[test]
    fn the_mark_is_another_one_where_the_data_holds_it() {
        let data = "</end-0000000000000005> end-0000000000000006";
        assert_eq!(mark("end", data, 4), "end-0000000000000004");
        assert_eq!(mark("end", data, 5), "end-0000000000000007");
    }

    #[test]
    fn a_finding_is_one_line_with_its_place() {
        let row = Diagnostic::new("schema/type", Severity::Error, "it is\n\"a\u{2028}few\"")
            .on("/days")
            .at(Span::new(3, 4))
            .help("write a number");
        assert_eq!(
            line("a\nbcd", &row),
            "[schema/type] at /days (line 2, column 2): it is \"a few\". Hint: write a number"
        );
        let rows = vec![&row; 103];
        let told = told("", &rows);
        assert_eq!(told.lines().count(), 103, "the fence, a hundred, and what more there is");
        assert!(told.contains("and 3 more: 3 times schema/type"), "{told}");
    }
}
