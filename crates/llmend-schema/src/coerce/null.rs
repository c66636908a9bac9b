//! Coercion to null.

use crate::CoercionKind;
use crate::coerce::conversion::{Conversion, Scalar};

/// Reads a text as null; `None` if it is anything else.
pub(crate) fn read(text: &str) -> Option<Conversion> {
    let kind = match text.trim() {
        "" => CoercionKind::NullFromEmpty,
        "null" | "Null" | "NULL" | "None" | "none" => CoercionKind::NullFromText,
        _ => return None,
    };
    Some(Conversion::new(Scalar::Null, kind))
}

/// Placeholders for absent values.
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

/// Returns whether a text is a placeholder, which is not wrapped in an array or object.
pub(crate) fn is_placeholder(text: &str) -> bool {
    let lower = text.trim().trim_end_matches('.').to_lowercase();
    NOTHING.contains(&lower.as_str())
}

#[cfg(test)]
mod tests {
    use super::{is_placeholder, read};

    #[test]
    fn placeholders_are_distinguished_from_texts() {
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
            assert_eq!(is_placeholder(text), expected, "{text}");
        }
    }

    #[test]
    fn only_words_for_null_are_null() {
        for (text, expected) in [
            ("null", Some("null-from-text")),
            ("None", Some("null-from-text")),
            ("", Some("null-from-empty")),
            (" ", Some("null-from-empty")),
            ("nothing", None),
            ("N/A", None),
            ("none of them", None),
        ] {
            assert_eq!(read(text).map(|conversion| conversion.kind.name()), expected, "{text}");
        }
    }
}
