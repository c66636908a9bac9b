//! Detection of endless repetition at the end of a string that is cut off.

/// Length of trailing white space that counts as endless.
const BLANK: usize = 32;
/// Longest repeated unit, in bytes.
pub(crate) const UNIT: usize = 24;
/// Number of repeats that counts as endless.
const REPEATS: usize = 24;

/// Returns the length of `content`, a string that is cut off, without endless white space (raw or
/// escaped) or one unit repeated endlessly.
pub(crate) fn without_repetition(content: &str) -> usize {
    let blank = content.trim_end_matches([' ', '\n', '\r', '\t']);
    let mut text = blank;
    while let Some(rest) = text
        .strip_suffix("\\n")
        .or_else(|| text.strip_suffix("\\t"))
        .or_else(|| text.strip_suffix("\\r"))
    {
        if rest.ends_with('\\') {
            break;
        }
        text = rest.trim_end_matches([' ', '\n', '\r', '\t']);
    }
    if content.len() - text.len() > BLANK {
        return text.len();
    }
    for unit in 1..=UNIT {
        let bytes = content.as_bytes();
        let same = (unit..bytes.len())
            .rev()
            .take_while(|&at| bytes.get(at) == bytes.get(at - unit))
            .count();
        if same >= unit * REPEATS && same >= 2 * BLANK {
            let first = content.len() - same;
            return (first..content.len())
                .find(|&at| content.is_char_boundary(at))
                .unwrap_or(content.len());
        }
    }
    content.len()
}

#[cfg(test)]
mod tests {
    use super::without_repetition;

    #[test]
    fn only_endless_repetition_is_removed() {
        for (content, expected) in [
            ("plain", "plain"),
            ("two\\n\\n", "two\\n\\n"),
            (&format!("a{}", "\\n".repeat(40)), "a"),
            (&format!("a{}", " ".repeat(80)), "a"),
            (&format!("x{}", "ab ".repeat(40)), "xab "),
            (&"=".repeat(40), &"=".repeat(40)),
        ] {
            let got = content.get(..without_repetition(content)).unwrap_or_default();
            assert_eq!(got, expected, "{content}");
        }
    }
}
