//! Answers whose line breaks are written as escapes, with their code block: `` ```json\n{\n "a": 1}\n``` ``.

use super::{Sign, escapes};
use crate::extract::layer::undo_backslash;

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
    let is_known = |meant: &str| escaped || meant.chars().all(char::is_whitespace);
    let undo = |rest: &str| {
        undo_backslash(rest).map_or((1, None), |(length, meant)| {
            (length, Some(meant).filter(|meant| is_known(meant)))
        })
    };
    Some(escapes(text, 0, undo))
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
            (r#"```json\n{"a": "\\n\é"}"#, Some("```json\n{\"a\": \"\\\\n\\é\"}")),
            (r#"{"a": "\n"}"#, None),
            (r"``` and \n", None),
        ] {
            let found = applied(text, signs(text));
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
