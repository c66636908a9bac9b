//! The colors of a terminal in visible signs: `␛[0m`, `^[[0m`, or `[0m` where the escape is lost.

use super::Sign;

/// What stands for the character before the bracket of a color.
const ESCAPES: [&str; 9] =
    ["\u{1b}", "␛", "^[", r"\u001b", r"\u001B", r"\x1b", r"\x1B", r"\033", r"\e"];
/// Codes that end what an earlier one begins.
const ENDS: &[&str] = &["", "0", "22", "23", "24", "27", "29", "39", "49"];
/// Fewest colors.
const FEWEST: usize = 2;

/// Returns the colors in `text`, if one of them is the end of another.
pub(super) fn signs(text: &str) -> Option<Vec<Sign>> {
    let bytes = text.as_bytes();
    let (mut signs, mut ends) = (Vec::<Sign>::new(), false);
    for at in memchr::memchr_iter(b'[', bytes) {
        let rest = bytes.get(at + 1..).unwrap_or_default();
        let length = rest.iter().take_while(|b| b.is_ascii_digit() || **b == b';').count();
        let escape =
            ESCAPES.iter().find(|escape| text.get(..at).is_some_and(|b| b.ends_with(**escape)));
        let start = at - escape.map_or(0, |escape| escape.len());
        match rest.get(length) {
            Some(b'm') if length > 0 || escape.is_some() => {
                ends |= ENDS.iter().any(|end| rest.get(..length) == Some(end.as_bytes()));
                signs.push(Sign::new(start, at + length + 2, ""));
            }
            // The text is cut off in it.
            None if escape.is_some() => signs.push(Sign::new(start, text.len(), "")),
            _ => {}
        }
    }
    (ends && signs.len() >= FEWEST).then_some(signs)
}

#[cfg(test)]
mod tests {
    use super::{super::tests::applied, signs};

    #[test]
    fn decoded_texts() {
        for (text, expected) in [
            ("␛[1;39m{␛[0m␛[34;1m\"a\"␛[0m: 1}", Some("{\"a\": 1}")),
            ("^[[1;39m[^[[0m1]", Some("[1]")),
            ("[1;39m{[0m\"a\": [31m1[0m}", Some("{\"a\": 1}")),
            (r#"{\x1b[31m"a"\x1b[m: 1}"#, Some("{\"a\": 1}")),
            ("{\"a\": \"\u{1b}[31mb\u{1b}[0m\"}", Some("{\"a\": \"b\"}")),
            ("␛[1m{␛[0m\"a\": 1␛[0;3", Some("{\"a\": 1")),
            ("^[[36m{^[[39m\"a\": 1}", Some("{\"a\": 1}")),
            // None ends, or there is only one.
            ("[1m, [2m]]", None),
            ("[0m]", None),
            ("[m, [m]]", None),
        ] {
            let found = applied(text, signs(text));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
