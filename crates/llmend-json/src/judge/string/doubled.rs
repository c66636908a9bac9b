//! Quotes that are doubled inside a string, as CSV, SQL and Pascal escape them.

/// Returns whether the quotes in `text`, the content of a string, are all doubled: pairs of them
/// surround words.
pub(crate) fn is_doubled(text: &str) -> bool {
    let mut count = 0_usize;
    let mut at = 0;
    while let Some(offset) = text.get(at..).and_then(|rest| rest.find('"')) {
        let mark = at + offset;
        let (before, rest) = text.split_at(mark);
        let Some(after) = rest.strip_prefix("\"\"") else { return false };
        let opens = count.is_multiple_of(2);
        let spaced = |c: char| c.is_whitespace() || c == '(';
        let sound = if opens {
            after.starts_with(char::is_alphanumeric)
                && (before.is_empty() || before.ends_with(spaced))
        } else {
            !before.ends_with(char::is_whitespace) && !after.starts_with(char::is_alphanumeric)
        };
        if !sound || after.starts_with('"') {
            return false;
        }
        count += 1;
        at = mark + 2;
    }
    count > 0 && count.is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::is_doubled;

    #[test]
    fn doubled_quotes() {
        for (text, expected) in [
            ("say \"\"stop\"\" twice", true),
            ("\"\"a b\"\" and (\"\"c\"\")", true),
            ("say \"\"stop\" twice", false),
            ("if a == \"\" or b == \"\"", false),
            ("x=\"\"y\"\"", false),
            ("\"\"\"doc\"\"\"", false),
            ("say \"\"stop", false),
            ("none", false),
        ] {
            assert_eq!(is_doubled(text), expected, "{text}");
        }
    }
}
