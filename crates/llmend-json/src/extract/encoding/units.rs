//! Values whose brackets are escapes of code units: `\u007b\u0022a\u0022: 1\u007d`.

use super::{Sign, escapes};
use crate::extract::layer::unit;

/// The escapes of opening brackets.
const OPENING: [&str; 8] =
    [r"\u007B", r"\u007b", r"\u005B", r"\u005b", r"\x7B", r"\x7b", r"\x5B", r"\x5b"];

/// Returns the escapes in `text` from the first one of a bracket on, if neither brackets nor quotes are
/// in it.
pub(super) fn signs(text: &str) -> Option<Vec<Sign>> {
    let bytes = text.as_bytes();
    if memchr::memchr3(b'{', b'[', b'"', bytes).is_some() {
        return None;
    }
    let opens = |at: &usize| {
        let rest = text.get(*at..).unwrap_or_default();
        OPENING.iter().any(|sign| rest.starts_with(sign))
    };
    let start = memchr::memchr_iter(b'\\', bytes).find(opens)?;
    let undo =
        |rest: &str| unit::undo(rest).map_or((1, None), |(length, meant)| (length, Some(meant)));
    Some(escapes(text, start, undo))
}

#[cfg(test)]
mod tests {
    use super::{super::tests::applied, signs};

    #[test]
    fn decoded_texts() {
        for (text, expected) in [
            (r"\u007b\u0022a\u0022: 1\u007d", Some("{\"a\": 1}")),
            (r"Sure: \u005B1, 2\u005D", Some("Sure: [1, 2]")),
            (r"\u007B\u0022a\u0022: \u0022b\u005C\u0022\u0022\u007D", Some(r#"{"a": "b\""}"#)),
            (r#"{"a": "\u007b", b"#, None),
            (r#""\u007b\u0022a\u0022: 1\u007d""#, None),
            (r"\u0022a\u0022", None),
        ] {
            let found = applied(text, signs(text));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
