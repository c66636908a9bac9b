//! Does an answer that names a value deny it, or doubt it?

/// Words that say of what is named that it does not hold, no longer holds, or may not hold.
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

/// Words after which the reason for an answer begins: what is in doubt there is not the answer.
const REASONS: [&str; 8] =
    ["because", "since", "as", "for", "given", "based", "due", "considering"];

/// Words with which a sentence goes on that says of a value that it is the answer.
const AFFIRMED: [&str; 7] = ["the", "my", "your", "correct", "right", "best", "appropriate"];

/// Whether a text asks instead of answering, or has struck out or crossed a part of what it says, or
/// left its box empty.
pub(crate) fn is_no_answer(text: &str) -> bool {
    text.contains(['?', '？', '¿', '~', '❌', '✗', '✘', '✖', '❎', '🚫', '⛔', '👎', '≠', '¬'])
        || text.contains("[ ]")
}

/// Whether one of the words of an answer, of which those `within` are the value itself, denies or
/// doubts the value. Words of the reason that follows it are not looked at.
pub(crate) fn is_doubted<'w>(
    said: impl Iterator<Item = &'w str>,
    within: impl Fn(usize) -> bool,
) -> bool {
    let (mut named, mut reasoning) = (false, false);
    for (place, word) in said.enumerate() {
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

/// Whether `is` after a value leads to words that affirm it: `red is the answer`, but not `red is
/// out`.
pub(crate) fn is_affirmed(next: Option<&str>) -> bool {
    next.is_some_and(|word| AFFIRMED.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::{is_doubted, is_no_answer};

    #[test]
    fn doubt_is_told_from_reasons() {
        for (text, expected) in [
            ("the answer is RED", false),
            ("RED because it might rain", false),
            ("it could be RED", true),
            ("used to be RED", true),
            ("false RED", true),
            ("RED false", true),
            ("RED for now and then RED if asked", true),
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
