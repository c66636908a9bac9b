//! Literals beside each other that may be one string.

/// Returns whether the text of a literal may go on in the next one: it ends with a space or a line break.
pub(crate) fn may_go_on(content: &str) -> bool {
    content.ends_with(' ') || content.ends_with("\\n")
}

#[cfg(test)]
mod tests {
    use super::may_go_on;

    #[test]
    fn ends_of_literals() {
        for (content, expected) in
            [("one, ", true), ("one\\n", true), ("one", false), ("one.", false), ("", false)]
        {
            assert_eq!(may_go_on(content), expected, "{content}");
        }
    }
}
