//! Whether several values are no answer as they are: the reader has to choose, or others said them.

use crate::{
    Origin, Span,
    extract::{
        correction, denial, listing,
        standing::{CODE_REACH, TOOLS, element_before, introduction},
        turn,
    },
    parser::Window,
};

/// Words that name one of several answers of which the reader has to choose.
const ALTERNATIVES: &[&str] = &[
    "variant",
    "version",
    "option",
    "alternative",
    "candidate",
    "possibility",
    "interpretation",
    "hypothesis",
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
/// Words between two values of which the reader has to choose.
const CHOICES: &[&str] =
    &["or", "vs", "versus", "alternatively", "oder", "ou", "oppure", "或", "或者"];

/// Returns whether the values are no answer as they are: alternatives of which the reader has to
/// choose, or what several speakers or tools said.
pub(crate) fn are_alternatives(
    window: &Window<'_>,
    values: impl Iterator<Item = (Span, Origin)>,
) -> bool {
    let mut last: Option<Span> = None;
    let mut first = None;
    let (mut named, mut said) = (true, true);
    for (span, origin) in values {
        if let Some(last) = last {
            let between = window.slice(Span::new(last.end.min(span.start), span.start));
            if offers_another(between)
                || is_conflict(window, between, span)
                || (!listing::are_listed(window, last, span)
                    && are_rivals(window, last, between, span))
            {
                return true;
            }
        }
        last = Some(span);
        first = first.or(last);
        let introduction = introduction(window, span.start, origin);
        let tag = element_before(window, span);
        named &= ALTERNATIVES.iter().any(|word| introduction.contains(word) || tag == *word);
        let speaker = introduction.trim_matches([':', '*', ' ', '#']);
        said &= turn::is_speaker(speaker) || TOOLS.contains(&speaker);
    }
    let outside = first.zip(last).map(|(first, last)| {
        (window.before(first.start, denial::REACH), window.near(last.end, denial::REACH))
    });
    named || said || outside.is_some_and(|(before, after)| denial::is_undecided(before, after))
}

/// Returns whether a label names one of several answers.
pub(super) fn names_rival(label: &str) -> bool {
    let label = label.to_lowercase();
    let mut words = label.split(|c: char| !c.is_alphanumeric());
    let is_version =
        |word: &str| word.strip_prefix('v').is_some_and(|rest| rest.parse::<u32>().is_ok());
    words.any(|word| ALTERNATIVES.contains(&word) || RIVALS.contains(&word) || is_version(word))
}

/// Fewest words that are a sentence and no label.
const SENTENCE: usize = 6;

/// Returns whether words tell two values apart that answer the same question: the first member of
/// both is the same, or a sentence or a condition is before the second one, which has the same first
/// key.
fn are_rivals(window: &Window<'_>, one: Span, between: &str, next: Span) -> bool {
    let is_said = |line: &&str| {
        !line.starts_with("```")
            && !(line.starts_with('<') && line.ends_with('>'))
            && !line
                .split_once(':')
                .is_some_and(|(name, _)| matches!(name, "data" | "event" | "id"))
            && line.contains(char::is_alphabetic)
    };
    let lines: Vec<&str> = between.lines().map(str::trim).filter(is_said).collect();
    let is_word = |word: &&str| word.contains(char::is_alphanumeric);
    let words = |line: &str| line.split_whitespace().filter(is_word).count();
    if lines.is_empty() || !correction::same_key(window, one, next) {
        return false;
    }
    let inline = !between.contains('\n') && !between.trim_end().ends_with([':', '：', '→', '>']);
    let is_sentence = |line: &&str| {
        words(line) >= SENTENCE
            || (words(line) > 1 && line.ends_with(['.', '!', '?', '。']))
            || (inline && words(line) > 1)
    };
    let is_condition = |line: &&str| {
        let word = line.split(|c: char| !c.is_alphabetic()).find(|word| !word.is_empty());
        word.is_some_and(|word| CONDITIONS.contains(&word.to_lowercase().as_str()))
    };
    let is_rival = |line: &&str| is_sentence(line) || is_condition(line) || names_rival(line);
    lines.iter().any(is_rival) || correction::same_beginning(window, one, next)
}

/// Returns whether the text between two values begins with a word for another possibility.
fn offers_another(between: &str) -> bool {
    if between.trim() == "/" {
        return true;
    }
    let is_mark =
        |c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '*' | '`' | '~' | '(');
    let words = between.trim_start_matches(is_mark);
    let word =
        words.split(|c: char| c.is_whitespace() || matches!(c, ',' | ':' | '.' | '*')).next();
    word.is_some_and(|word| CHOICES.iter().any(|choice| word.eq_ignore_ascii_case(choice)))
}

/// Returns whether only the mark between the versions of a conflict is before the value at `span`.
fn is_conflict(window: &Window<'_>, between: &str, span: Span) -> bool {
    let after = window.line_after(window.skip_space(span.end), CODE_REACH);
    between.trim() == "=======" && after.starts_with(">>>>>>>")
}

#[cfg(test)]
mod tests {
    use super::are_alternatives;
    use crate::{Origin, Span, parser::Window};

    #[test]
    fn values_of_which_the_reader_has_to_choose() {
        for (text, alternatives) in [
            ("[1]\nor\n[2]", true),
            ("[1] / [2]", true),
            ("[1]\n**oder**\n[2]", true),
            ("[1]\nand\n[2]", false),
            ("[1]\norders:\n[2]", false),
            ("Option A:\n[1]\nOption B:\n[2]", true),
            ("Option A:\n[1]\nSummary:\n[2]", false),
            ("User:\n[1]\nAssistant:\n[2]", true),
            ("Observation:\n[1]\nObservation:\n[2]", true),
            ("<option>\n[1]\n</option>\n<option>\n[2]\n</option>", true),
            ("<<<<<<< HEAD\n[1]\n=======\n[2]\n>>>>>>> main", true),
            ("[1]\n[2]\nBoth readings are possible.", true),
            ("[1]\nThe evening export says something else about it:\n[2]", false),
            ("[1]\nThe evening export says something else about it:\n[1]", true),
            ("[1]\nIf it was parked:\n[1]", true),
            ("[1] Otherwise: [1]", true),
            ("[1] ought to be [1]", true),
            ("1. [1]\n2. [1]", false),
            ("[1]\nAssistant B:\n[1]", true),
        ] {
            let values =
                text.match_indices('[').map(|(at, _)| (Span::new(at, at + 3), Origin::Bare));
            assert_eq!(are_alternatives(&Window::whole(text), values), alternatives, "{text}");
        }
    }
}
