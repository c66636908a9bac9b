//! Answers whose line breaks are written as escapes, with their code block: `` ```json\n{\n "a": 1}\n``` ``.

use super::Sign;

/// Escapes of white space, and what they stand for.
const ESCAPES: [(&str, &str); 3] = [("\\n", "\n"), ("\\r", "\r"), ("\\t", "\t")];
/// The escapes of strings, of which those of white space are the first.
const QUOTES: [(&str, &str); 2] = [("\\\"", "\""), ("\\\\", "\\")];

/// Returns the escapes in `text`, if it has no line breaks, and one is written behind the fence of a block.
pub(super) fn signs(text: &str) -> Option<Vec<Sign>> {
    let fence = text.find("```")?;
    let tag = text.get(fence + 3..)?.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
    if !tag.starts_with("\\n") || text.trim().contains('\n') {
        return None;
    }
    // Quotes are escaped, too, or not at all.
    let escaped =
        text.find('"').is_some_and(|at| text.get(..at).is_some_and(|b| b.ends_with('\\')));
    let known = || ESCAPES.iter().chain(if escaped { &QUOTES[..] } else { &[] });
    let mut signs = Vec::new();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', text.as_bytes().get(at..)?) {
        let place = at + found;
        let rest = text.get(place..)?;
        let sign = known().find(|(sign, _)| rest.starts_with(sign));
        at = place + 2;
        signs.extend(sign.map(|(_, meant)| Sign::new(place, at, *meant)));
        if !text.is_char_boundary(at) {
            return None;
        }
    }
    Some(signs)
}

#[cfg(test)]
mod tests {
    use super::{super::tests::applied, signs};

    #[test]
    fn decoded_texts() {
        for (text, expected) in [
            (r#"```json\n{\n\t"a": 1}\n```"#, Some("```json\n{\n\t\"a\": 1}\n```")),
            (r#"Sure:\n```\n{\"a\": \"b\\n\"}\n```"#, Some("Sure:\n```\n{\"a\": \"b\\n\"}\n```")),
            ("```json\n{\"a\": \"\\n\"}\n```", None),
            (r#"{"a": "\n"}"#, None),
            (r"``` and \n", None),
        ] {
            let found = applied(text, signs(text));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
