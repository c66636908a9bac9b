//! Does a text say that there is nothing?

use crate::CoercionKind;
use crate::coerce::reading::{Reading, Scalar};

/// Reads a text as null; nothing if it says something.
pub(crate) fn read(text: &str) -> Option<Reading> {
    let kind = match text.trim() {
        "" => CoercionKind::NullFromEmpty,
        "null" | "Null" | "NULL" | "None" | "none" => CoercionKind::NullFromText,
        _ => return None,
    };
    Some(Reading::new(Scalar::Null, kind))
}

/// What is written where there is nothing to write.
const NOTHING: [&str; 12] = [
    "",
    "null",
    "nil",
    "none",
    "undefined",
    "n/a",
    "na",
    "nothing",
    "not applicable",
    "not available",
    "-",
    "—",
];

/// Whether a text says that there is nothing, so that no list or object is made around it.
pub(crate) fn says_nothing(text: &str) -> bool {
    let lower = text.trim().trim_end_matches('.').to_lowercase();
    NOTHING.contains(&lower.as_str())
}

#[cfg(test)]
mod tests {
    use super::{read, says_nothing};

    #[test]
    fn nothing_is_told_from_something() {
        for (text, expected) in [
            ("", true),
            ("  ", true),
            ("None", true),
            ("none.", true),
            ("N/A", true),
            ("-", true),
            ("none of them", false),
            ("nonesuch", false),
            ("0", false),
            ("Nathan", false),
        ] {
            assert_eq!(says_nothing(text), expected, "{text}");
        }
    }

    #[test]
    fn only_words_for_nothing_count() {
        for (text, expected) in [
            ("null", Some("null-from-text")),
            ("None", Some("null-from-text")),
            ("", Some("null-from-empty")),
            (" ", Some("null-from-empty")),
            ("nothing", None),
            ("N/A", None),
            ("none of them", None),
        ] {
            assert_eq!(read(text).map(|reading| reading.kind.name()), expected, "{text}");
        }
    }
}
