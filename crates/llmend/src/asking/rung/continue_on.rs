//! How does an answer that was cut off go on?

use super::Row;
use crate::asking::{
    Failed, FailureKind, Task, Topic,
    clip::tail,
    feedback::{TAIL_BYTES, fenced},
    question::{Joined, Misfit, Question, Turn},
    splice,
    subject::Ending,
    words::{self, fill},
};
use crate::model::Output;

pub(super) const ROW: Row = Row { applies, question, join };

/// Fewest bytes that count as a repetition: what is shorter may well be the next item of a list.
const LEAST_OVERLAP: usize = 16;

/// Most bytes that are looked at for one.
const MOST_OVERLAP: usize = 4_000;

fn applies(_topic: &dyn Topic, failed: &Failed) -> bool {
    failed.kind == FailureKind::Truncation && !failed.text.trim().is_empty()
}

fn question(_topic: &dyn Topic, task: &Task, failed: &Failed, turn: Turn) -> Question {
    let text = &failed.text;
    let shown = tail(text, turn.shown.max(TAIL_BYTES));
    let data = fenced("answer", shown);
    let bytes = text.len().to_string();
    let answer = fill(words::ANSWER, &[("bytes", &bytes), ("data", &data)]);
    let after = [answer.as_str(), words::CONTINUE].join("\n\n");
    // The rest of a value is no value, so that no form can be asked for.
    Question { messages: task.with("", &after), output: Output::Text }
}

#[expect(clippy::unnecessary_wraps, reason = "as the table has it")]
fn join(
    _topic: &dyn Topic,
    failed: &Failed,
    answer: &str,
    ending: Ending,
) -> Result<Joined, Misfit> {
    Ok(Joined::Answer(joined(&failed.text, answer), ending))
}

/// `text` with its continuation behind it. What the continuation repeats of the end of the text stands
/// once; a continuation that is a whole value begins anew, and stands alone.
fn joined(text: &str, continuation: &str) -> String {
    let rest = without_fence(continuation);
    let plain = [text, rest].concat();
    let merged =
        overlap(text, rest).map(|bytes| [text, rest.get(bytes..).unwrap_or_default()].concat());
    let is_whole = |text: &str| splice::read(body(text)).is_ok();
    let is_anew =
        || rest.trim_start().starts_with(['{', '[']) && is_whole(rest) && !is_whole(&plain);
    match merged {
        Some(merged) => merged,
        None if is_anew() => rest.to_owned(),
        None => plain,
    }
}

/// The text without words before its value and a fence behind it, as far as that takes no reading.
fn body(text: &str) -> &str {
    let start = text.find(['{', '[']).unwrap_or_default();
    text.get(start..).unwrap_or_default().trim_end().trim_end_matches('`').trim_end()
}

/// A continuation without the code fence that a model may open for it.
fn without_fence(continuation: &str) -> &str {
    let Some(rest) = continuation.trim_start().strip_prefix("```") else { return continuation };
    rest.split_once('\n').map_or(continuation, |(_, rest)| rest)
}

/// Bytes at the beginning of `rest` that the end of `text` says already, if they are many enough not
/// to be chance: the longest such beginning.
fn overlap(text: &str, rest: &str) -> Option<usize> {
    let most = rest.len().min(text.len()).min(MOST_OVERLAP);
    (LEAST_OVERLAP..=most)
        .rev()
        .filter(|bytes| rest.is_char_boundary(*bytes))
        .find(|bytes| rest.get(..*bytes).is_some_and(|start| text.ends_with(start)))
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
            // A repetition that is long enough not to be chance stands once.
            (
                r#"{"list": ["first one", "second o"#,
                r#""first one", "second one"]}"#,
                r#"{"list": ["first one", "second one"]}"#,
            ),
            // What is short may be the next item.
            ("[1, 2, ", "2, 3]", "[1, 2, 2, 3]"),
            // A fence around the rest.
            ("```json\n[1, 2", "```json\n, 3]\n```", "```json\n[1, 2, 3]\n```"),
            // It begins anew.
            (r#"{"a": [1, 2"#, r#"{"a": [1, 2, 3]}"#, r#"{"a": [1, 2, 3]}"#),
            // An object that is the next item does not.
            (r#"[{"a": 1}, "#, r#"{"a": 2}]"#, r#"[{"a": 1}, {"a": 2}]"#),
            (r#"{"a": "#, r#"{"b": 1}}"#, r#"{"a": {"b": 1}}"#),
            ("", "[1]", "[1]"),
            ("[1", "", "[1"),
        ];
        for (text, rest, expected) in rows {
            assert_eq!(joined(text, rest), expected, "{text} + {rest}");
        }
    }
}
