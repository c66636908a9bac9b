//! Brackets that close what was opened before a text.

/// Returns whether a closing bracket of `text` closes nothing that is opened in it.
pub(crate) fn closes_outer(text: &[u8]) -> bool {
    let mut depth = 0_usize;
    for &byte in text {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return true,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::closes_outer;

    #[test]
    fn brackets_of_outside() {
        for (text, closes) in [
            (r#""id": 1}, {"id": 2"#, true),
            ("[1]}", true),
            (r#"{"id": 1}, {"id": 2"#, false),
            ("[1, {}]", false),
            ("", false),
        ] {
            assert_eq!(closes_outer(text.as_bytes()), closes, "{text}");
        }
    }
}
