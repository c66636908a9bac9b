//! Values that answer the same question, and labels that name such values.

use crate::{Span, extract::beginning, parser::Window};

/// Words that name one of several answers of which the reader has to choose.
pub(super) const ALTERNATIVES: &[&str] = &[
    "variant",
    "version",
    "option",
    "alternative",
    "candidate",
    "possibility",
    "interpretation",
    "hypothesis",
    "hypothèse",
    "hypothese",
    "hipótesis",
    "variante",
    "alternativa",
    "opción",
    "response",
    "attempt",
    "annotator",
    "reviewer",
    "kandidat",
    "möglichkeit",
];
/// Other words that name rivals where a number or letter tells them apart.
const RIVALS: &[&str] =
    &["assistant", "approach", "draft", "example", "method", "model", "modell", "pass", "try"];
/// Words that begin a condition under which a value is the answer.
const CONDITIONS: &[&str] = &[
    "if",
    "otherwise",
    "else",
    "unless",
    "wenn",
    "falls",
    "sonst",
    "si",
    "sinon",
    "se",
    "若",
    "如果",
];

/// Returns whether a label names one of several answers.
pub(super) fn names_rival(label: &str) -> bool {
    let label = label.to_lowercase();
    let mut words = label.split(|c: char| !c.is_alphanumeric());
    let is_version =
        |word: &str| word.strip_prefix('v').is_some_and(|rest| rest.parse::<u32>().is_ok());
    words.any(|word| ALTERNATIVES.contains(&word) || RIVALS.contains(&word) || is_version(word))
}

/// Returns whether a line begins with a condition under which a value is the answer.
pub(super) fn is_condition(line: &str) -> bool {
    let word = line.split(|c: char| !c.is_alphabetic()).find(|word| !word.is_empty());
    word.is_some_and(|word| CONDITIONS.contains(&word.to_lowercase().as_str()))
}

/// Fewest words that are a sentence and no label.
const SENTENCE: usize = 6;

/// Returns whether words tell two values apart that answer the same question: the first member of
/// both is the same, or a sentence or a condition is before the second one, which has the same first
/// key.
pub(super) fn are_rivals(window: &Window<'_>, one: Span, between: &str, next: Span) -> bool {
    let is_field = |line: &str| {
        let name = line.split_once(':').map(|(name, _)| name);
        name.is_some_and(|name| matches!(name, "data" | "event" | "id"))
    };
    let is_tag = |line: &str| line.starts_with('<') && line.ends_with('>');
    let is_said = |line: &&str| {
        let marks = line.starts_with("```") || is_tag(line) || is_field(line);
        !marks && line.contains(char::is_alphabetic)
    };
    let lines: Vec<&str> = between.lines().map(str::trim).filter(is_said).collect();
    let is_word = |word: &&str| word.contains(char::is_alphanumeric);
    let words = |line: &str| line.split_whitespace().filter(is_word).count();
    if lines.is_empty() || !beginning::same_key(window, one, next) {
        return false;
    }
    let inline = !between.contains('\n') && !between.trim_end().ends_with([':', '：', '→', '>']);
    let is_sentence = |line: &&str| {
        words(line) >= SENTENCE
            || (words(line) > 1 && line.ends_with(['.', '!', '?', '。']))
            || (inline && words(line) > 1)
    };
    let is_rival = |line: &&str| is_sentence(line) || is_condition(line) || names_rival(line);
    lines.iter().any(is_rival) || beginning::same_beginning(window, one, next)
}
