//! The line that introduces a value.

use crate::{
    Origin,
    extract::standing::words::{FINALS, VERBS},
    parser::Window,
};

/// How far before a value its introduction is searched for, in bytes.
pub(in crate::extract) const INTRODUCTION_REACH: usize = 240;
/// Number of words before the verb that name what the value is.
const SUBJECT_WORDS: usize = 4;
/// Returns the line that introduces the value at `at`, in lower case. A line introduces it with a
/// colon, as a heading, in bold, or with a verb.
pub(in crate::extract) fn introduction(window: &Window<'_>, at: usize, origin: Origin) -> String {
    let mut before = window.before(at, INTRODUCTION_REACH).trim_end();
    if origin == Origin::Fence {
        // Only the first value of a block is introduced before the block.
        let fence = before.rfind("```").max(before.rfind("~~~")).unwrap_or(before.len());
        let first = before.get(fence..).is_some_and(|inside| !inside.contains(['\n', '}', ']']));
        before = before.get(..if first { fence } else { before.len() }).unwrap_or_default();
        before = before.trim_end();
    }
    let line = before.rsplit('\n').next().unwrap_or_default().trim();
    // Only the end of a long line is about the value.
    let line = line.rsplit(['.', '}', ']', '!', '?']).next().unwrap_or_default();
    // Before a block, a sentence may lack its end.
    let opens_block =
        || line.ends_with(char::is_alphabetic) && line.split_whitespace().nth(2).is_some();
    let names = line.ends_with([':', '：', '→'])
        || line.ends_with("->")
        || line.ends_with("=>")
        || line.starts_with(['#', '='])
        || line.ends_with("**")
        || is_heading(line)
        || (if origin == Origin::Fence { opens_block() } else { ends_with_verb(line) });
    if names { line.to_lowercase() } else { String::new() }
}

/// Returns whether a line is a heading in capitals: `FINAL`, `[planner] FINAL OUTPUT`, `AFTER (a
/// note)`.
fn is_heading(line: &str) -> bool {
    let words = line.split(['(', ']']).find(|part| part.contains(char::is_uppercase));
    words.is_some_and(|words| {
        words.chars().filter(|c| c.is_alphabetic()).count() > 3
            && !words.contains(char::is_lowercase)
            && words.split_whitespace().count() <= HEADING_WORDS
    })
}

/// Most words of a heading in capitals.
const HEADING_WORDS: usize = 3;

/// Returns an introduction without its marks, and without a note behind it.
pub(super) fn label(introduction: &str) -> &str {
    let is_mark = |c: char| !c.is_alphanumeric();
    let text = introduction.split(['(', '–', '—']).next().unwrap_or_default();
    text.trim_matches(is_mark)
}

/// Returns whether a label names what the writer made: `My classification:`.
pub(super) fn is_own(label: &str, introduction: &str) -> bool {
    label.starts_with("my ") && !ends_with_verb(introduction)
}

/// Returns whether an introduction has one of `words` in it.
pub(in crate::extract) fn has_word(introduction: &str, words: &[&str]) -> bool {
    words.iter().any(|word| introduction.contains(word))
}

/// Returns the last words before the verb that introduces a value in a sentence.
pub(super) fn subject(introduction: &str) -> Option<&str> {
    let (clause, verb) = introduction.rsplit_once(' ')?;
    if !VERBS.contains(&verb) {
        return None;
    }
    let (start, _) =
        clause.rmatch_indices([' ', '"', ',']).nth(SUBJECT_WORDS - 1).unwrap_or((0, ""));
    clause.get(start..)
}

/// Returns whether a sentence ends with a verb that introduces a value.
pub(crate) fn ends_with_verb(sentence: &str) -> bool {
    sentence.rsplit(' ').next().is_some_and(|verb| VERBS.contains(&verb))
}

/// Returns whether a sentence ends with a word for the answer.
pub(crate) fn ends_with_answer(sentence: &str) -> bool {
    sentence.rsplit(' ').next().is_some_and(names_answer)
}

/// Returns whether `name`, before a colon, is a word for the answer.
pub(crate) fn names_answer(name: &str) -> bool {
    let name = name.to_lowercase();
    FINALS.iter().any(|word| *word == name)
}

#[cfg(test)]
mod tests {
    use super::introduction;
    use crate::{Origin, parser::Window};

    #[test]
    fn introductions() {
        for (before, origin, expected) in [
            ("Final: ", Origin::Bare, "final:"),
            ("So. The Output:\n", Origin::Bare, " the output:"),
            ("## Final\n```json\n", Origin::Fence, "## final"),
            ("**Answer**\n\n", Origin::Bare, "**answer**"),
            ("The answer is easy.\n", Origin::Bare, ""),
            ("The answer\n```\n", Origin::Fence, ""),
            ("Answer: {\"a\": 1} and\n", Origin::Bare, ""),
        ] {
            let window = Window::whole(before);
            assert_eq!(introduction(&window, before.len(), origin), expected, "{before}");
        }
    }
}
