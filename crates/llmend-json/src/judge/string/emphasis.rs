//! Markdown emphasis around a whole text.

/// Emphasis marks. Longer ones come before their prefixes.
const MARKS: [&str; 6] = ["***", "**", "__", "*", "_", "~~"];

/// Returns the mark before and after `text` that does not occur inside. Underscores around a name belong
/// to it, as in `__init__`.
pub(crate) fn around(text: &str) -> Option<&'static str> {
    MARKS.into_iter().find(|mark| {
        let inner = text.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
        let is_around = |inner: &str| {
            let is_name = *mark == "__" && is_identifier(inner);
            !inner.is_empty() && !inner.contains(mark) && !is_name
        };
        inner.is_some_and(is_around)
    })
}

/// Words that are a value, and no name.
const LITERALS: &[&str] = &["true", "false", "null", "none", "yes", "no"];

/// Returns whether underscores around `text` may belong to it.
fn is_identifier(text: &str) -> bool {
    !LITERALS.contains(&text)
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::around;

    #[test]
    fn emphasis_around_a_text() {
        for (text, expected) in [
            ("**a b**", Some("**")),
            ("*a*", Some("*")),
            ("***a***", Some("***")),
            ("__a b__", Some("__")),
            ("__init__", None),
            ("__true__", Some("__")),
            ("_a_", Some("_")),
            ("~~a~~", Some("~~")),
            ("*a* and *b*", None),
            ("**a** and **b**", None),
            ("**a", None),
            ("****", None),
            ("**", None),
            ("~a~", None),
            ("a", None),
        ] {
            assert_eq!(around(text), expected, "{text}");
        }
    }
}
