//! Scalars beside a value.

use crate::judge::words::word;

/// Returns whether `text` is a scalar of JSON, or a short list, and nothing else.
pub(super) fn is_scalar(text: &str) -> bool {
    let inside = |open, close| {
        text.strip_prefix(open)
            .and_then(|text| text.strip_suffix(close))
            .is_some_and(|inside: &str| !inside.is_empty() && !inside.contains([open, close]))
    };
    let list = || inside('[', ']') && !text.contains(char::is_alphabetic);
    matches!(text, "null" | "true" | "false") || word::is_strict(text) || inside('"', '"') || list()
}

#[cfg(test)]
mod tests {
    use super::is_scalar;

    #[test]
    fn scalars() {
        for (text, scalar) in [
            ("1.5", true),
            ("null", true),
            ("\"a b\"", true),
            ("\"a\" b\"", false),
            ("[1, 2]", true),
            ("[a]", false),
            ("a", false),
            ("", false),
        ] {
            assert_eq!(is_scalar(text), scalar, "{text}");
        }
    }
}
