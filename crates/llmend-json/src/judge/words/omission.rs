//! Words that say that something was left out, by where they stand.

/// Words that say so anywhere, in lower case.
const ANYWHERE: &[&str] = &["abbreviated", "elided", "omitted", "snipped", "truncated"];

/// Words that say so in a comment.
const IN_COMMENTS: &[&str] = &[
    "...",
    "…",
    "same as",
    "remaining",
    "rest of",
    "unchanged",
    "brevity",
    "and so on",
    "more items",
    "more entries",
    "continues",
    "etc.",
];

/// Words that say so in the note of a program.
const IN_NOTES: &[&str] = &["hidden", "too large"];

/// Words that say so after three dots.
const AFTER_DOTS: &[&str] = &[
    "additional",
    "and so on",
    "continue",
    "etc",
    "more",
    "other",
    "remain",
    "rest",
    "same",
    "similar",
    "skipped",
    "until",
];

/// Returns whether a comment, in lower case, says that something was left out.
pub(crate) fn is_in_comment(comment: &str) -> bool {
    says(comment, IN_COMMENTS)
}

/// Returns whether the note of a program, in lower case, says that something was left out.
pub(crate) fn is_in_note(note: &str) -> bool {
    says(note, IN_NOTES)
}

/// Returns whether words after three dots, in lower case, say that something was left out.
pub(crate) fn is_after_dots(words: &str) -> bool {
    says(words, AFTER_DOTS)
}

fn says(text: &str, there: &[&str]) -> bool {
    ANYWHERE.iter().chain(there).any(|words| text.contains(words))
}

#[cfg(test)]
mod tests {
    use super::{is_after_dots, is_in_comment, is_in_note};

    #[test]
    fn words_by_where_they_stand() {
        for (text, comment, note, dots) in [
            ("12 rows omitted", true, true, true),
            ("elided", true, true, true),
            ("snipped here", true, true, true),
            ("abbreviated", true, true, true),
            ("the rest of them", true, false, true),
            ("2 more", false, false, true),
            ("5 hidden lines", false, true, false),
            ("2 skipped", false, false, true),
            ("unchanged", true, false, false),
            ("a note", false, false, false),
        ] {
            let found = (is_in_comment(text), is_in_note(text), is_after_dots(text));
            assert_eq!(found, (comment, note, dots), "{text}");
        }
    }
}
