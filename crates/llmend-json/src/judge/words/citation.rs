//! Citations and footnotes between tokens: as chat programs put them behind a value, `^1^`, `\\cite{a}`.

use crate::parser::Window;

/// Longest citation, in bytes.
const REACH: usize = 240;

/// The character that chat programs put before a citation. It is for private use, and no one sees it.
pub(crate) const MARK: char = '\u{e200}';
/// The one behind it.
const END: char = '\u{e201}';

/// Returns the end of the citation or footnote at `at`.
pub(crate) fn end(window: &Window<'_>, at: usize) -> Option<usize> {
    let line = || window.line_after(at, REACH);
    let length = match window.character(at)? {
        MARK => length(line())?,
        '^' => {
            let numbers = window.run(at + 1, |byte| byte.is_ascii_digit() || byte == b',');
            (numbers > 0 && window.byte(at + 1 + numbers) == Some(b'^')).then_some(numbers + 2)?
        }
        '\\' if ["\\cite", "\\footnote"]
            .iter()
            .any(|name| window.starts_with(at, name.as_bytes())) =>
        {
            line().find('}')? + 1
        }
        _ => return None,
    };
    Some(at + length)
}

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
    use super::{end, length};
    use crate::parser::Window;

    #[test]
    fn footnotes() {
        for (text, expected) in [
            ("^1^, 2", Some(3)),
            ("^2,3^", Some(5)),
            ("^2", None),
            ("^x^", None),
            ("\\cite{a}, 1", Some(8)),
            ("\\footnote{so it is}", Some(19)),
            ("\\cite{a", None),
            ("\\c", None),
        ] {
            assert_eq!(end(&Window::whole(text), 0), expected, "{text}");
        }
    }

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
