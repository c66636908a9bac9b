//! Markdown emphasis around whole texts.

/// Emphasis markers. `~~` is not one: it strikes the text out.
const MARKS: [&str; 6] = ["***", "**", "__", "`", "*", "_"];

/// Returns the text between enclosing markers; `None` without any.
pub(crate) fn stripped(text: &str) -> Option<&str> {
    let text = text.trim();
    MARKS.iter().find_map(|mark| {
        let inner = text.strip_prefix(mark)?.strip_suffix(mark)?;
        let whole = !inner.is_empty() && !inner.contains(mark) && inner.trim() == inner;
        (whole && !(mark.starts_with('_') && is_identifier(inner))).then_some(inner)
    })
}

/// Returns whether surrounding underscores may belong to the text, as in `__init__`.
fn is_identifier(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::stripped;

    #[test]
    fn only_marks_around_the_whole_go() {
        for (text, expected) in [
            ("**Paris**", Some("Paris")),
            ("*7*", Some("7")),
            ("`yes`", Some("yes")),
            ("__a b__", Some("a b")),
            ("__7__", Some("7")),
            ("__init__", None),
            ("_x_", None),
            ("***x***", Some("x")),
            (" **a b** ", Some("a b")),
            ("**a** and **b**", None),
            ("2*3*4", None),
            ("** a **", None),
            ("****", None),
            ("*", None),
            ("plain", None),
            ("~~7~~", None),
            ("**~~7~~**", Some("~~7~~")),
        ] {
            assert_eq!(stripped(text), expected, "{text}");
        }
    }
}
