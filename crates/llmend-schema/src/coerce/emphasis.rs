//! Is a whole text set off by Markdown?

/// Marks that set off what stands between them. What `~~` strikes out is taken back: that is kept.
const MARKS: [&str; 6] = ["***", "**", "__", "`", "*", "_"];

/// The text between marks that enclose all of it; nothing if there are none.
pub(crate) fn stripped(text: &str) -> Option<&str> {
    let text = text.trim();
    MARKS.iter().find_map(|mark| {
        let inner = text.strip_prefix(mark)?.strip_suffix(mark)?;
        let whole = !inner.is_empty() && !inner.contains(mark) && inner.trim() == inner;
        (whole && !(mark.starts_with('_') && is_identifier(inner))).then_some(inner)
    })
}

/// Whether underscores around it may be a part of it, as those of `__init__` are.
fn is_identifier(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The text as it is meant where only a word or a number can be: without white space and marks.
pub(crate) fn bare(text: &str) -> &str {
    stripped(text).unwrap_or(text).trim()
}

#[cfg(test)]
mod tests {
    use super::{bare, stripped};

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
        assert_eq!(bare(" **7** "), "7");
        assert_eq!(bare(" 7 "), "7");
    }
}
