//! Scalars that a text states as its answer, where a scalar is asked for: `Final answer: 12`, a number on
//! a line of its own, `\boxed{42}`. They are tried where no JSON in the text is what is expected.

use crate::{
    Span,
    extract::{
        scalar,
        standing::{
            has_word,
            words::{FINALS, SKETCHES},
        },
    },
    judge::words::word::{self, BareValue},
    parser::Window,
};

/// Longest label before a value, in words.
const LABEL: usize = 10;
/// Longest value that is labeled as the answer, in words.
const VALUE: usize = 3;
/// Most lines that are inspected, from the end.
const LINES: usize = 400;

/// How a line states a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Manner {
    /// After a label.
    Labeled,
    /// Alone.
    Alone,
    /// As the answer.
    Answer,
}

/// Returns the span of the value that the text from `from` on states as its answer: the last one that is
/// called so, or else the only one.
pub(super) fn answer(window: &Window<'_>, from: usize) -> Option<Span> {
    let text = window.rest(from);
    let mut stated: Vec<(Manner, &str)> =
        text.lines().rev().take(LINES).filter_map(value_of_line).collect();
    let most = stated.iter().map(|(manner, _)| *manner).max()?;
    stated.retain(|(manner, _)| *manner == most);
    let (last, value) = *stated.first()?;
    let agreed = stated.iter().all(|(_, other)| *other == value);
    let start = from + (value.as_ptr().addr() - text.as_ptr().addr());
    (agreed || last == Manner::Answer).then_some(Span::new(start, start + value.len()))
}

/// Returns the span of the strict scalar that is all of the text from `from` on, but for tokens of a chat
/// template, or all of the tag for the answer.
pub(super) fn alone(window: &Window<'_>, from: usize) -> Option<Span> {
    let span = content(window, from);
    let text = window.slice(span);
    let value = enclosed(text).unwrap_or(text);
    let start = span.start + (value.as_ptr().addr() - text.as_ptr().addr());
    is_strict(value).then_some(Span::new(start, start + value.len()))
}

/// Returns the span of the text from `from` on without white space and tokens of a chat template around
/// it.
pub(super) fn content(window: &Window<'_>, from: usize) -> Span {
    let rest = window.rest(from);
    let text = without_tokens(rest);
    let start = from + (text.as_ptr().addr() - rest.as_ptr().addr());
    Span::new(start, start + text.len())
}

/// Returns `text` without the tokens of a chat template around it, and the roles between them.
fn without_tokens(text: &str) -> &str {
    let mut text = text.trim();
    while let Some((token, rest)) = text.strip_prefix("<|").and_then(|rest| rest.split_once("|>")) {
        if token.contains(char::is_whitespace) {
            break;
        }
        // What follows a role is the next token.
        let behind = rest.trim_start_matches(char::is_alphabetic);
        text = if behind.starts_with("<|") { behind } else { rest };
    }
    while let Some(before) =
        text.strip_suffix("|>").and_then(|text| Some(text.rsplit_once("<|")?.0))
    {
        text = before.trim_end();
    }
    text.trim()
}

/// Returns the value that a line states, and how.
fn value_of_line(line: &str) -> Option<(Manner, &str)> {
    if let Some(value) = enclosed(line) {
        return Some((Manner::Answer, value));
    }
    let line = plain(line);
    if is_scalar(line) {
        return Some((Manner::Alone, line));
    }
    let (label, value) = split(line)?;
    let label = label.to_lowercase() + ":";
    let denies = label.split(' ').any(is_doubt)
        || value.split(' ').any(is_doubt)
        || has_word(&label, SKETCHES);
    if denies || label.split_whitespace().count() > LABEL {
        return None;
    }
    let value = plain(value);
    let is_short = (1..=VALUE).contains(&value.split_whitespace().count());
    match has_word(&label, FINALS) {
        true if is_short => Some((Manner::Answer, value)),
        false if is_scalar(value) => Some((Manner::Labeled, value)),
        _ => None,
    }
}

/// Returns the content of a tag or of LaTeX's box that is the answer.
fn enclosed(line: &str) -> Option<&str> {
    let between = |open: &str, close: &str| {
        let inside = line.rsplit_once(open)?.1.split_once(close)?.0.trim();
        (!inside.is_empty() && !inside.contains(['{', '<'])).then_some(inside)
    };
    between("\\boxed{", "}")
        .or_else(|| between("<answer>", "</answer>"))
        .or_else(|| between("<final_answer>", "</final_answer>"))
}

/// Words in a label that turn what follows them into its opposite, or leave it open.
const DOUBTS: &[&str] = &[
    "not",
    "never",
    "doubt",
    "doubts",
    "doubtful",
    "unlikely",
    "wrong",
    "incorrect",
    "opposite",
    "contrary",
    "if",
    "whether",
    "unless",
    "may",
    "might",
    "could",
    "cannot",
    "neither",
    "nor",
    "without",
];

fn is_doubt(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    DOUBTS.contains(&word.as_str()) || word.ends_with("n't") || word.ends_with("n’t")
}

/// Returns a label and what follows it: after a colon or equals sign, or the verb of a sentence. The colon
/// of a time or ratio is none.
fn split(line: &str) -> Option<(&str, &str)> {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let separates = |at: usize| {
        let (before, after) = (line.get(..at), line.get(at + 1..));
        let (before, after) =
            (before.and_then(|it| it.chars().next_back()), after.and_then(|it| it.chars().next()));
        !(is_digit(before) && is_digit(after))
    };
    let (at, sign) = line.rmatch_indices([':', '=', '：']).find(|(at, _)| separates(*at)).unzip();
    let sign =
        at.zip(sign).and_then(|(at, sign)| Some((line.get(..at)?, line.get(at + sign.len()..)?)));
    sign.or_else(|| line.rsplit_once(" is ")).or_else(|| line.rsplit_once(" are "))
}

/// Returns `text` without Markdown's marks, the dollar signs of a formula and a final period.
fn plain(text: &str) -> &str {
    let is_mark = |c: char| c.is_whitespace() || matches!(c, '*' | '`' | '$' | '_');
    let text = text.trim_matches(is_mark);
    text.strip_suffix('.').unwrap_or(text).trim_matches(is_mark)
}

/// Returns whether `text` is a scalar, its literals in any spelling.
pub(super) fn is_scalar(text: &str) -> bool {
    let is_grouped = || matches!(word::classify(text), BareValue::Thousands(_));
    is_strict(text) || word::literal(text).is_some() || is_grouped()
}

/// Returns whether `text` is a scalar of JSON without escapes.
fn is_strict(text: &str) -> bool {
    scalar::is_scalar(text) && !text.starts_with('[') && !text.contains('\\')
}

#[cfg(test)]
mod tests {
    use super::{alone, answer};
    use crate::parser::Window;

    #[test]
    fn scalars_alone() {
        for (text, expected) in [
            ("5\n", Some("5")),
            ("\"a b\"", Some("\"a b\"")),
            ("<answer>42</answer>", Some("42")),
            ("<|start|>assistant<|channel|>final<|message|>5<|return|>", Some("5")),
            ("true<|im_end|>", Some("true")),
            ("  <|im_start|>assistant<|im_sep|> 7 ", Some("7")),
            ("True", None),
            ("5 or 6", None),
            ("It is 5", None),
            ("<|a b|>5", None),
            ("", None),
        ] {
            let window = Window::whole(text);
            assert_eq!(alone(&window, 0).map(|span| window.slice(span)), expected, "{text}");
        }
    }

    #[test]
    fn stated_answers() {
        for (text, expected) in [
            ("5", Some("5")),
            ("So we get 7.\n\nFinal answer: 12", Some("12")),
            ("The answer is 5.", Some("5")),
            ("The result of the sum is: **17**.", Some("17")),
            ("Step 1: 4\nStep 2: 6\nAnswer: 10", Some("10")),
            ("Answer: 9\nNo, wait.\nAnswer: 10", Some("10")),
            ("Here it is:\n\n42\n\nLet me know.", Some("42")),
            ("Total = 17", Some("17")),
            ("$\\boxed{42}$", Some("42")),
            ("It is <answer>true</answer>", Some("true")),
            ("Verdict: False", Some("False")),
            ("My answer: dark blue", Some("dark blue")),
            ("答案：7", Some("7")),
            ("The total is 12,111.", Some("12,111")),
            ("Start at 10:30. Answer: 5", Some("5")),
            // Nothing is stated, or several things.
            ("Time: 10:30", None),
            ("3:2", None),
            ("I doubt that it is true", None),
            ("The opposite is true", None),
            ("It isn't clear whether the sum is 5", None),
            ("4 or 5", None),
            ("Step 1: 4\nStep 2: 6", None),
            ("4\n5", None),
            ("The answer is not 5.", None),
            ("Example answer: 5", None),
            ("Colour: red", None),
            ("Answer: it depends on the size of it", None),
            ("", None),
        ] {
            let window = Window::whole(text);
            assert_eq!(answer(&window, 0).map(|span| window.slice(span)), expected, "{text}");
        }
    }
}
