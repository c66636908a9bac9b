//! The signs with which calls begin, by the table of notations.

use llmend::calls::{NOTATIONS, Notation};

/// Whether a text has a sign with which the calls of a notation begin. A mark that begins with a
/// letter has to be there as a whole.
pub(crate) fn may_begin_call(text: &str) -> bool {
    NOTATIONS.iter().flat_map(beginnings).any(|beginning| {
        let sign = beginning.chars().next().filter(|sign| !sign.is_alphanumeric());
        sign.map_or_else(|| text.contains(beginning), |sign| text.contains(sign))
    })
}

/// Returns the marks of a notation, or its example if it has none and the example is told by its
/// first sign.
fn beginnings(row: &'static Notation) -> impl Iterator<Item = &'static str> {
    let is_sign = |example: &&str| !example.starts_with(char::is_alphanumeric);
    let unmarked = Some(row.example).filter(|example| row.openers.is_empty() && is_sign(example));
    row.openers.iter().copied().chain(unmarked)
}

#[cfg(test)]
mod tests {
    use llmend::calls::NOTATIONS;

    use super::may_begin_call;

    #[test]
    fn marks_of_every_notation_and_no_words() {
        for row in NOTATIONS {
            for opener in row.openers {
                assert!(may_begin_call(&format!("So: {opener}")), "{opener}");
            }
        }
        for (text, expected) in
            [("{", true), ("[", true), ("<to", true), ("Action: run", true), ("Done. Bye!", false)]
        {
            assert_eq!(may_begin_call(text), expected, "{text}");
        }
    }
}
