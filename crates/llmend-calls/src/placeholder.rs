//! Placeholders of documentation, in the place of a name or a value.

use crate::name;

/// Returns whether the name is a placeholder of documentation: `NAME`, `<tool>`, `function_name`.
pub(crate) fn is_name(written: &str) -> bool {
    let name = name::bare(written);
    let lower = name.to_ascii_lowercase();
    name.is_empty()
        || name.contains(['<', '>', '{', '}', '$', '…'])
        || name.contains("...")
        || (name.len() > 2 && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'))
        || [
            "function_name",
            "tool_name",
            "function-name",
            "tool-name",
            "name",
            "example_function_name",
        ]
        .contains(&lower.as_str())
}

/// Returns whether text stands for a value that is to be filled in, as documentation shows it:
/// `<your query>`, `{city}`, `...`.
pub(crate) fn is_value(text: &str) -> bool {
    let text = text.trim().trim_matches(['"', '\'']);
    let inside = |(open, close)| text.strip_prefix(open)?.strip_suffix(close);
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '\'');
    let is_named =
        |inside: &str| inside.starts_with(char::is_alphabetic) && inside.chars().all(is_word);
    matches!(text, "..." | "…")
        || [('<', '>'), ('{', '}')].into_iter().filter_map(inside).any(is_named)
}

#[cfg(test)]
mod tests {
    use super::{is_name, is_value};

    #[test]
    fn names() {
        for (text, expected) in [
            ("", true),
            ("<tool>", true),
            ("NAME", true),
            ("function_name", true),
            ("my_...", true),
            ("get_weather", false),
            ("OK", false),
        ] {
            assert_eq!(is_name(text), expected, "{text}");
        }
    }

    #[test]
    fn values() {
        for (text, expected) in [
            ("<your query>", true),
            ("{city}", true),
            ("...", true),
            ("\"…\"", true),
            ("<b>bold</b>", false),
            ("<a href='x'>", false),
            ("a < b > c", false),
            ("{\"a\": 1}", false),
            ("cats", false),
            ("", false),
        ] {
            assert_eq!(is_value(text), expected, "{text}");
        }
    }
}
