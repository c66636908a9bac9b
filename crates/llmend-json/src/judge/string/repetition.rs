//! Did the model end in endless repetition before it was cut off?

/// White space that is more than anyone writes.
const BLANK: usize = 32;
/// Longest unit that is looked for.
pub(crate) const UNIT: usize = 24;
/// Repeats that are more than anyone writes.
const REPEATS: usize = 24;

/// How much of the inside of a string that was cut off is worth keeping: the rest is white space
/// (raw, or as escapes) or one unit over and over.
pub(crate) fn kept(content: &str) -> usize {
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
    use super::kept;

    #[test]
    fn only_endless_repetition_goes() {
        for (content, expected) in [
            ("plain", "plain"),
            ("two\\n\\n", "two\\n\\n"),
            (&format!("a{}", "\\n".repeat(40)), "a"),
            (&format!("a{}", " ".repeat(80)), "a"),
            (&format!("x{}", "ab ".repeat(40)), "xab "),
            (&"=".repeat(40), &"=".repeat(40)),
        ] {
            let got = content.get(..kept(content)).unwrap_or_default();
            assert_eq!(got, expected, "{content}");
        }
    }
}
