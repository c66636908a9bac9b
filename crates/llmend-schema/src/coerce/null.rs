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

#[cfg(test)]
mod tests {
    use super::read;

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
