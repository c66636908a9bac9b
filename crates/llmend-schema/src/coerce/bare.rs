//! What a text says without what models write around a single word or number.

use super::emphasis;
use crate::fold::{spaced, words};

/// Words of a label before an answer.
const LABEL: [&str; 11] = [
    "answer",
    "correct",
    "final",
    "is",
    "my",
    "output",
    "prediction",
    "response",
    "result",
    "the",
    "value",
];

/// Returns the text without white space, a code fence, a label such as `Answer:`, emphasis, quotes and
/// a final period or exclamation mark, for use where only a word or number is possible.
pub(crate) fn bare(text: &str) -> &str {
    let text = text.trim();
    let text = fenced(text).unwrap_or(text);
    let text = labeled(text).unwrap_or(text);
    let text = emphasis::stripped(text).unwrap_or(text).trim();
    let sentence = text
        .strip_suffix(['.', '!'])
        .filter(|rest| !rest.is_empty() && !rest.ends_with(['.', '!']));
    let text = sentence.unwrap_or(text);
    let text = emphasis::stripped(text).unwrap_or(text).trim();
    unquoted(text).unwrap_or(text).trim()
}

/// Returns what is between the quotes around a text.
fn unquoted(text: &str) -> Option<&str> {
    let quote = ['\'', '"'].into_iter().find(|quote| text.starts_with(*quote))?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inner.is_empty() && !inner.contains(quote)).then_some(inner)
}

/// Returns the content of the code block that the text is.
fn fenced(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("```")?.strip_suffix("```")?;
    let (language, content) = inner.split_once('\n').unwrap_or(("", inner));
    let plain = language.trim().bytes().all(|byte| byte.is_ascii_alphanumeric());
    (plain && !content.contains("```")).then(|| content.trim())
}

/// Returns what follows a label.
fn labeled(text: &str) -> Option<&str> {
    let (label, rest) = text.split_once(':')?;
    let emphasized = label.starts_with('*');
    let label = words(&spaced(label.trim_start_matches('*')));
    let known = !label.is_empty() && label.iter().all(|word| LABEL.contains(&word.as_str()));
    let rest = if emphasized { rest.trim_start_matches('*') } else { rest };
    known.then(|| rest.trim())
}

#[cfg(test)]
mod tests {
    use super::bare;

    #[test]
    fn what_is_around_a_word_goes() {
        for (text, expected) in [
            (" **7** ", "7"),
            (" 7 ", "7"),
            ("True.", "True"),
            ("**42.**", "42"),
            ("**42**.", "42"),
            ("Answer: **True**", "True"),
            ("**Final answer:** 42.", "42"),
            ("The answer is: yes", "yes"),
            ("```\nTrue\n```", "True"),
            ("```text\n42.\n```", "42"),
            ("'True'", "True"),
            ("\"7\".", "7"),
            ("True!", "True"),
            ("No!!", "No!!"),
            ("'a' or 'b'", "'a' or 'b'"),
            ("''", "''"),
            ("wait...", "wait..."),
            (".", "."),
            ("Note: 7", "Note: 7"),
            ("10:30", "10:30"),
            ("not the answer: 7", "not the answer: 7"),
            ("```\na\n```\n```\nb\n```", "```\na\n```\n```\nb\n```"),
        ] {
            assert_eq!(bare(text), expected, "{text}");
        }
    }
}
