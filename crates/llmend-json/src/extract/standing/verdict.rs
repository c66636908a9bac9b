//! What a text says of a value that it shows: that it is not valid.

use crate::{Span, extract::standing::INTRODUCTION_REACH, parser::Window};

/// Marks before what is wrong.
const MARKS: &[char] = &['❌', '✗', '✘', '🚫', '⛔'];
/// Words in the label of a value that is not to be used, in lower case.
const LABELS: &[&str] = &["not valid", "invalid", "do not use", "don't use", "rejected", "failed"];
/// Beginnings of a line that says below a value what is wrong with it.
const VERDICTS: &[&str] =
    &["validation failed", "validation error", "failed", "invalid", "rejected", "error:", "wrong"];

/// Returns whether the value at `span` is said to be not valid, in its introduction or on the next
/// line.
pub(super) fn is_rejected(window: &Window<'_>, span: Span, introduction: &str) -> bool {
    if introduction.contains(MARKS) || LABELS.iter().any(|words| introduction.contains(words)) {
        return true;
    }
    if names_earlier(introduction) {
        return true;
    }
    let after = window.near(span.end, INTRODUCTION_REACH);
    let mut lines =
        after.split('\n').skip(1).map(str::trim).filter(|line| !line.starts_with("```"));
    let line = lines.next().unwrap_or_default().trim_start_matches(['-', '>', '→', '(', '[', ' ']);
    let is_verdict = |words: &&str| {
        line.get(..words.len()).is_some_and(|start| start.eq_ignore_ascii_case(words))
    };
    line.starts_with(MARKS) || VERDICTS.iter().any(is_verdict)
}

/// Words for an answer that another one took the place of.
const EARLIER: &[&str] =
    &["earlier", "faulty", "incorrect", "mistaken", "previous", "prior", "wrong"];
/// Words for an answer.
const ANSWERS: &[&str] =
    &["answer", "attempt", "json", "object", "output", "reply", "response", "result", "version"];
/// Beginnings of words for what takes its place.
const FIXES: &[&str] = &[
    "chang", "correct", "fix", "instead", "new", "replac", "revis", "supersed", "unlike", "updat",
];

/// Returns whether an introduction names an answer that does not count any more, and no other:
/// `my earlier answer was:`.
fn names_earlier(introduction: &str) -> bool {
    let words: Vec<&str> = introduction.split(|c: char| !c.is_alphanumeric()).collect();
    let is_earlier = |pair: &[&str]| {
        matches!(pair, [one, next] if EARLIER.contains(one)
            && (ANSWERS.contains(next) || EARLIER.contains(next)))
    };
    words.windows(2).any(is_earlier)
        && !words.iter().any(|word| FIXES.iter().any(|fix| word.starts_with(fix)))
}

#[cfg(test)]
mod tests {
    use super::is_rejected;
    use crate::{Span, parser::Window};

    #[test]
    fn values_that_are_said_to_be_invalid() {
        for (introduction, after, rejected) in [
            ("❌ not this:", "", true),
            ("not valid (do not use):", "", true),
            ("valid:", "", false),
            ("my earlier wrong answer was:", "", true),
            ("the previous output:", "", true),
            ("this replaces my previous answer:", "", false),
            ("correcting my earlier answer:", "", false),
            ("wrong:", "", false),
            ("attempt 1:", "\nValidation failed: a is required", true),
            ("attempt 1:", "\n```\n→ rejected", true),
            ("attempt 1:", "\nOK", false),
            ("attempt 1:", "\n\nInvalid input is dropped.", false),
            ("", "\n❌ a is required", true),
        ] {
            let text = format!("{{}}{after}");
            let found = is_rejected(&Window::whole(&text), Span::new(0, 2), introduction);
            assert_eq!(found, rejected, "{introduction} {after}");
        }
    }
}
