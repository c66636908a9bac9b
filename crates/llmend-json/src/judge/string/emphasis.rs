//! Markdown emphasis around a whole text.

/// Emphasis marks. Longer ones come before their prefixes.
const MARKS: [&str; 5] = ["**", "__", "*", "_", "~~"];

/// Returns the mark before and after `text` that does not occur inside.
pub(crate) fn around(text: &str) -> Option<&'static str> {
    MARKS.into_iter().find(|mark| {
        let inner = text.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
        inner.is_some_and(|inner| !inner.is_empty() && !inner.contains(mark))
    })
}

#[cfg(test)]
mod tests {
    use super::around;

    #[test]
    fn emphasis_around_a_text() {
        for (text, expected) in [
            ("**a b**", Some("**")),
            ("*a*", Some("*")),
            ("__a__", Some("__")),
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
