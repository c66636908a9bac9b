//! Detection of denial and doubt in textual answers.

/// Words that deny or doubt what an answer names.
const DOUBTS: [&str; 62] = [
    "wrong",
    "false",
    "incorrect",
    "untrue",
    "invalid",
    "mistaken",
    "mistake",
    "error",
    "rejected",
    "reject",
    "excluded",
    "exclude",
    "excluding",
    "avoid",
    "avoided",
    "ruled",
    "denied",
    "deny",
    "disagree",
    "refuse",
    "refused",
    "used",
    "former",
    "formerly",
    "previous",
    "previously",
    "once",
    "old",
    "earlier",
    "originally",
    "initially",
    "stopped",
    "could",
    "might",
    "may",
    "maybe",
    "can",
    "perhaps",
    "possibly",
    "possible",
    "either",
    "or",
    "whether",
    "if",
    "unless",
    "until",
    "depends",
    "unsure",
    "uncertain",
    "unclear",
    "unknown",
    "unlikely",
    "doubt",
    "doubtful",
    "doubtfully",
    "supposedly",
    "allegedly",
    "suppose",
    "assuming",
    "hypothetically",
    "almost",
    "nearly",
];

/// Words that introduce the reason for an answer; doubt in the reason does not concern the answer.
const REASONS: [&str; 8] =
    ["because", "since", "as", "for", "given", "based", "due", "considering"];

/// Words after `is` that confirm a value.
const AFFIRMED: [&str; 7] = ["the", "my", "your", "correct", "right", "best", "appropriate"];

/// Returns whether a text is a question, or crosses out or leaves unchecked what it names.
pub(crate) fn is_no_answer(text: &str) -> bool {
    text.contains(['?', '？', '¿', '~', '❌', '✗', '✘', '✖', '❎', '🚫', '⛔', '👎', '≠', '¬'])
        || text.contains("[ ]")
}

/// Returns whether the words of an answer deny or doubt the value, which consists of the words at
/// which `within` is true. Words of the reason after it are ignored.
pub(crate) fn is_doubted<'w>(
    words: impl Iterator<Item = &'w str>,
    within: impl Fn(usize) -> bool,
) -> bool {
    let (mut named, mut reasoning) = (false, false);
    for (place, word) in words.enumerate() {
        if within(place) {
            (named, reasoning) = (true, false);
            continue;
        }
        reasoning |= named && REASONS.contains(&word);
        if !reasoning && DOUBTS.contains(&word) {
            return true;
        }
    }
    false
}

/// Returns whether the word after `is` confirms the value, as in `red is the answer` but not `red
/// is out`.
pub(crate) fn is_affirmed(next: Option<&str>) -> bool {
    next.is_some_and(|word| AFFIRMED.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::{is_doubted, is_no_answer};

    #[test]
    fn doubt_is_distinguished_from_reasons() {
        for (text, expected) in [
            ("the answer is RED", false),
            ("RED because it might rain", false),
            ("it could be RED", true),
            ("used to be RED", true),
            ("false RED", true),
            ("RED false", true),
            ("RED for now and then RED if target", true),
            ("may", false),
        ] {
            let within = |at: usize| {
                text.split(' ').nth(at).is_some_and(|word| word == "RED" || text == "may")
            };
            assert_eq!(is_doubted(text.split(' '), within), expected, "{text}");
        }
        assert!(is_no_answer("Is it red?"));
        assert!(is_no_answer("~~dark blue~~"));
        assert!(is_no_answer("- [ ] red"));
        assert!(!is_no_answer("It is red."));
    }
}
