//! Citations as chat programs put them behind a value.

/// The character that chat programs put before a citation. It is for private use, and no one sees it.
pub(crate) const MARK: char = '\u{e200}';
/// The one behind it.
const END: char = '\u{e201}';

/// Returns the length of the citations at the start of `line`, between the marks of chat programs.
pub(crate) fn length(line: &str) -> Option<usize> {
    let rest = line.strip_prefix(MARK)?;
    // The last one may be cut off.
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '\u{e200}'..='\u{e202}');
    let cut = || rest.chars().all(is_part).then_some(line.len());
    line.find(END).map(|at| at + END.len_utf8()).or_else(cut)
}

#[cfg(test)]
mod tests {
    use super::length;

    #[test]
    fn citations() {
        for (line, expected) in [
            ("\u{e200}cite\u{e202}turn0search1\u{e201}, 1", Some(25)),
            ("\u{e200}cite\u{e202}turn0sea", Some(18)),
            ("\u{e200}cite and so on", None),
            ("cite\u{e201}", None),
        ] {
            assert_eq!(length(line), expected, "{line:?}");
        }
    }
}
