//! Escapes of code units for what JSON is written with: `\u0022` for a quote, as programs write JSON into
//! a string that goes into a page.

use crate::parser::Window;

/// The printable characters of ASCII, from the space on.
const PRINTABLE: &str = concat!(
    " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`",
    "abcdefghijklmnopqrstuvwxyz{|}~"
);
/// How every escape begins, in JSON and in C.
const MARKS: [&str; 2] = [r"\u00", r"\x"];

/// Returns whether the escape of a quote is at `at`.
pub(super) fn is_quote(window: &Window<'_>, at: usize) -> bool {
    window.starts_with(at, br"\u0022") || window.starts_with(at, br"\x22")
}

/// Returns the length of the escape of an ASCII character at the start of `rest`, and the character.
pub(crate) fn undo(rest: &str) -> Option<(usize, &'static str)> {
    let (mark, digits) =
        MARKS.iter().find_map(|mark| Some((mark, rest.strip_prefix(mark)?.get(..2)?)))?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let unit = usize::from_str_radix(digits, 16).ok()?;
    let meant = match unit {
        0x09 => "\t",
        0x0A => "\n",
        0x0D => "\r",
        _ => {
            let at = unit.checked_sub(0x20)?;
            PRINTABLE.get(at..=at)?
        }
    };
    Some((mark.len() + digits.len(), meant))
}

#[cfg(test)]
mod tests {
    use super::undo;

    #[test]
    fn escapes() {
        for (text, expected) in [
            (r"\u0022a", Some((6, "\""))),
            (r"\x22a", Some((4, "\""))),
            (r"\xe9", None),
            (r"\u007B", Some((6, "{"))),
            (r"\u007e", Some((6, "~"))),
            (r"\u0020", Some((6, " "))),
            (r"\u005C", Some((6, "\\"))),
            (r"\u000a", Some((6, "\n"))),
            (r"\u007f", None),
            (r"\u0000", None),
            (r"\u00e9", None),
            (r"\u2028", None),
            (r"\u002", None),
            (r"\u00+9", None),
            ("u0022", None),
        ] {
            assert_eq!(undo(text), expected, "{text}");
        }
    }
}
