//! The strategy `continue`: ask for the rest of a cut-off answer.

use super::Row;
use crate::asking::{
    FailedAnswer, FailureKind, Task, Topic,
    clip::tail,
    feedback::{TAIL_BYTES, fenced},
    merge::{Merge, MergedAnswer, RejectedAnswer, RequestBody, RetryContext},
    messages,
    subject::Ending,
};
use crate::{model::Output, prompts};

pub(super) const ROW: Row = Row { applies, question, join };

/// The minimum length of an overlap that could also be two equal items; anything shorter is taken
/// for the next item of a list.
const LEAST_OVERLAP: usize = 16;

/// The maximum length of an overlap.
const MOST_OVERLAP: usize = 4_000;

fn applies(_topic: &dyn Topic, failed: &FailedAnswer) -> bool {
    // After one continuation that did not fit, asking for the whole is safer.
    failed.kind == FailureKind::Truncation
        && !failed.text.trim().is_empty()
        && failed.since.is_empty()
}

fn question(
    _topic: &dyn Topic,
    task: &Task,
    failed: &FailedAnswer,
    turn: RetryContext,
) -> RequestBody {
    let text = &failed.text;
    let shown = tail(text, turn.shown.max(TAIL_BYTES));
    let data = fenced("answer", shown);
    let bytes = text.len().to_string();
    let after = prompts::RETRY_CONTINUE.fill(&[("bytes", &bytes), ("answer", &data)]);
    // The rest of a value is not a value, so that no output form can be asked for.
    RequestBody { messages: task.with("", &after), output: Output::Text }
}

fn join(
    _topic: &dyn Topic,
    failed: &FailedAnswer,
    answer: &str,
    ending: Ending,
) -> Result<Merge, RejectedAnswer> {
    match joined(&failed.text, answer) {
        Some(whole) => Ok(Merge::Answer(MergedAnswer::plain(whole, ending))),
        None => Err(RejectedAnswer::new("ask/continuation", messages::NO_CONTINUATION)),
    }
}

/// Appends the continuation to `text`. What the continuation repeats of the end of the text is kept
/// once, if it cannot occur twice; a continuation that is a complete value starts over, and
/// replaces the text. `None` if the continuation is ambiguous or does not continue the text.
fn joined(text: &str, continuation: &str) -> Option<String> {
    let rest = without_fence(continuation);
    let plain = [text, rest].concat();
    let (before, after) = (Progress::of(text), Progress::of(&plain));
    let overlaps = overlaps(text, rest);
    let merged = |bytes: &usize| [text, rest.get(*bytes..).unwrap_or_default()].concat();
    let fits = |text: &String| Progress::of(text) != Progress::Broken;
    if after != Progress::Broken {
        let is_repetition = |bytes: &&usize| **bytes >= LEAST_OVERLAP && fits(&merged(bytes));
        return overlaps.iter().find(is_repetition).is_none().then_some(plain);
    }
    let begins = rest.trim_start().starts_with(['{', '[']);
    if begins && Progress::of(rest) == Progress::Whole {
        return Some(rest.to_owned());
    }
    if let Some(merged) = overlaps.iter().map(merged).find(fits) {
        return Some(merged);
    }
    // A text that is not strict JSON from its start is left to the engine, unless a part of it may
    // be repeated.
    let may_repeat = overlaps.iter().any(|bytes| *bytes >= LEAST_OVERLAP);
    (before == Progress::Broken && !may_repeat).then_some(plain)
}

/// How far a text is strict JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// A complete value.
    Whole,
    /// The beginning of a value.
    Begun,
    /// Neither.
    Broken,
}

impl Progress {
    fn of(text: &str) -> Self {
        match serde_json::from_str::<serde::de::IgnoredAny>(body(text)) {
            Ok(_) => Self::Whole,
            Err(error) if error.is_eof() => Self::Begun,
            Err(_) => Self::Broken,
        }
    }
}

/// Returns the text without prose before its value and a fence after it, as far as that is visible
/// without parsing.
fn body(text: &str) -> &str {
    let start = text.find(['{', '[']).unwrap_or_default();
    text.get(start..).unwrap_or_default().trim_end().trim_end_matches('`').trim_end()
}

/// Returns a continuation without the code fence that a model may open for it.
fn without_fence(continuation: &str) -> &str {
    let Some(rest) = continuation.trim_start().strip_prefix("```") else { return continuation };
    rest.split_once('\n').map_or(continuation, |(_, rest)| rest)
}

/// Returns the lengths of the beginnings of `rest` that repeat the end of `text`, longest first.
fn overlaps(text: &str, rest: &str) -> Vec<usize> {
    const MOST: usize = 8;
    let most = rest.len().min(text.len()).min(MOST_OVERLAP);
    (1..=most)
        .rev()
        .filter(|bytes| rest.get(..*bytes).is_some_and(|start| text.ends_with(start)))
        .take(MOST)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn a_continuation_stands_behind_what_it_continues() {
        let rows = [
            (r#"{"a": [1, 2"#, ", 3]}", r#"{"a": [1, 2, 3]}"#),
            (r#"{"a": [1, 2"#, "3]}", r#"{"a": [1, 23]}"#),
            (r#"{"a": "on"#, r#"e"}"#, r#"{"a": "one"}"#),
            (r#"{"a": "one", "b"#, r#"c": [1, "#, r#"{"a": "one", "bc": [1, "#),
            // A repetition that cannot occur twice is kept once, however short.
            (
                r#"{"list": ["first one", "second o"#,
                r#""first one", "second one"]}"#,
                r#"{"list": ["first one", "second one"]}"#,
            ),
            (r#"[{"place": "Fj"#, r#""Fjord"}]"#, r#"[{"place": "Fjord"}]"#),
            (
                r#"{"a": true, "b": 1"#,
                r#", "b": 1, "c": 2}"#,
                r#"{"a": true, "b": 1, "b": 1, "c": 2}"#,
            ),
            // A short repetition may be the next item.
            ("[1, 2, ", "2, 3]", "[1, 2, 2, 3]"),
            // A fence around the rest.
            ("```json\n[1, 2", "```json\n, 3]\n```", "```json\n[1, 2, 3]\n```"),
            // The continuation starts over.
            (r#"{"a": [1, 2"#, r#"{"a": [1, 2, 3]}"#, r#"{"a": [1, 2, 3]}"#),
            // An object that is the next item does not start over.
            (r#"[{"a": 1}, "#, r#"{"a": 2}]"#, r#"[{"a": 1}, {"a": 2}]"#),
            (r#"{"a": "#, r#"{"b": 1}}"#, r#"{"a": {"b": 1}}"#),
            // JSON that is not strict continues as it began.
            ("{a: 'on", "e', b: [1,]}", "{a: 'one', b: [1,]}"),
            ("", "[1]", "[1]"),
            ("[1", "", "[1"),
        ];
        for (text, rest, expected) in rows {
            assert_eq!(joined(text, rest).as_deref(), Some(expected), "{text} + {rest}");
        }
    }

    #[test]
    fn what_may_be_meant_in_two_ways_is_refused() {
        let rows = [
            // An item that occurs twice, or one that is repeated.
            (r#"["a long enough item", "#, r#""a long enough item", "b"]"#),
            ("['a long enough item', ", "'a long enough item', 'b']"),
            // It does not continue the text.
            (r#"{"a": [1, 2"#, "Here is the rest: 3]}"),
            (r#"{"a": "#, r#"}, "b": 3"#),
        ];
        for (text, rest) in rows {
            assert_eq!(joined(text, rest), None, "{text} + {rest}");
        }
    }
}
