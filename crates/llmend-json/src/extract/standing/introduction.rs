//! The line that introduces a value.

use crate::{
    Origin,
    extract::{
        last,
        standing::words::{CONCLUSIONS, FINALS, SOURCES, VERBS},
    },
    parser::Window,
};

/// How far before a value its introduction is searched for, in bytes.
pub(in crate::extract) const INTRODUCTION_REACH: usize = 240;
/// Number of words before the verb that name what the value is.
const SUBJECT_WORDS: usize = 4;
/// Words at the end of a line that choose the value on the next.
const CHOICES: &[&str] = &["settle on", "settled on", "decide on", "decided on", "go with"];

/// Returns the line that introduces the value at `at`, in lower case. A line introduces it with a
/// colon, as a heading, in bold, or with a verb.
pub(in crate::extract) fn introduction(window: &Window<'_>, at: usize, origin: Origin) -> String {
    let mut before = window.before(at, INTRODUCTION_REACH).trim_end();
    if origin == Origin::Fence {
        // Only the first value of a block is introduced before the block.
        let end = ["```", "~~~"].into_iter().filter_map(|fence| last::end_of(fence, before)).max();
        if let Some(end) = end
            && before.get(end..).is_some_and(|inside| !inside.contains(['\n', '}', ']']))
        {
            before = before.get(..end - "```".len()).unwrap_or_default();
        }
        before = before.trim_end();
    }
    // The value may be code in its line.
    let before = before.strip_suffix('`').map_or(before, str::trim_end);
    let line = before.rsplit('\n').next().unwrap_or_default().trim();
    // Only the end of a long line is about the value.
    let line = line.rsplit(['.', '}', ']', '!', '?']).next().unwrap_or_default();
    // Before a block, a sentence may lack its end.
    let opens_block =
        || line.ends_with(char::is_alphabetic) && line.split_whitespace().nth(2).is_some();
    let names = line.ends_with([':', '：', '→'])
        || (line.ends_with('=') && line.contains("final "))
        || line.ends_with("->")
        || line.ends_with("=>")
        || line.starts_with(['#', '='])
        || line.ends_with("**")
        || is_heading(line)
        || CHOICES.iter().any(|words| line.ends_with(words))
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

/// Returns an introduction without words for the format in which something is given, and for what it is
/// given: `in the same format`, `for your input`.
pub(super) fn without_manner(introduction: &str) -> String {
    let words: Vec<&str> = introduction.split(' ').collect();
    let (mut kept, mut at) = (Vec::new(), 0);
    while let Some(word) = words.get(at) {
        let length = manner(words.get(at..).unwrap_or_default());
        // A colon behind it stays.
        let last = words.get(at + length.saturating_sub(1)).copied().unwrap_or_default();
        kept.push(if length == 0 { word } else { last.trim_start_matches(char::is_alphabetic) });
        at += length.max(1);
    }
    kept.join(" ")
}

/// Returns the number of the first words that say in which format, or for what, something is given.
fn manner(words: &[&str]) -> usize {
    let Some((first, rest)) = words.split_first() else { return 0 };
    let needs_article = match *first {
        "in" => false,
        "for" | "from" | "with" | "using" | "following" | "on" | "to" | "per" | "given" | "by"
        | "under" | "against" | "follows" | "matches" | "matching" | "fits" | "fitting"
        | "satisfies" | "satisfying" | "obeys" => true,
        _ => return 0,
    };
    if needs_article && !rest.first().is_some_and(|word| ARTICLES.contains(word)) {
        return 0;
    }
    let is_thing =
        |word: &&str| MANNERS.contains(&word.trim_end_matches(|c: char| !c.is_alphabetic()));
    rest.iter().take(MANNER_WORDS).position(is_thing).map_or(0, |at| at + 2)
}

/// Most words for a format: `the same JSON format`.
const MANNER_WORDS: usize = 5;
/// Words before what an answer is given for.
const ARTICLES: &[&str] = &["the", "your", "this", "that", "my", "our"];
/// What an answer is given in or for.
const MANNERS: &[&str] =
    &["format", "input", "schema", "template", "structure", "example", "sample"];

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

/// Returns whether an introduction names what is concluded from other values.
pub(crate) fn names_conclusion(introduction: &str) -> bool {
    has_token(introduction, CONCLUSIONS)
        || has_word(introduction, &["with this i can", "i can answer"])
}

/// Returns whether an introduction names what was given: an input, a log or what a tool said.
pub(crate) fn names_source(introduction: &str) -> bool {
    has_token(introduction, SOURCES)
}

/// Returns whether one of the words of an introduction is one of `words`.
fn has_token(introduction: &str, words: &[&str]) -> bool {
    introduction.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word))
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
    use super::{introduction, without_manner};
    use crate::{Origin, parser::Window};

    #[test]
    fn manners() {
        for (introduction, expected) in [
            ("here it is in the same format:", "here it is :"),
            ("for your input this gives:", " this gives:"),
            ("using the given schema:", ":"),
            ("one that follows this schema:", "one that :"),
            ("for example:", "for example:"),
            ("the format for this:", "the format for this:"),
            ("an example of the input:", "an example of the input:"),
            ("in json:", "in json:"),
        ] {
            assert_eq!(without_manner(introduction), expected, "{introduction}");
        }
    }

    #[test]
    fn introductions() {
        for (before, origin, expected) in [
            ("Final: ", Origin::Bare, "final:"),
            ("So. The Output:\n", Origin::Bare, " the output:"),
            ("## Final\n```json\n", Origin::Fence, "## final"),
            ("**Answer**\n\n", Origin::Bare, "**answer**"),
            ("The answer is easy.\n", Origin::Bare, ""),
            ("but then I settle on\n`", Origin::Bare, "but then i settle on"),
            ("The answer\n```\n", Origin::Fence, ""),
            ("Answer: {\"a\": 1} and\n", Origin::Bare, ""),
        ] {
            let window = Window::whole(before);
            assert_eq!(introduction(&window, before.len(), origin), expected, "{before}");
        }
    }
}
