//! Remarks after three dots.

use crate::{
    judge::words::{interjection, omission},
    parser::Window,
};

/// Longest remark, in bytes.
const REACH: usize = 80;

/// Returns the length of the remark at `at`, directly after three dots, that explains the omission.
/// It ends before a comma or bracket. Other words may be an item.
pub(crate) fn remark(window: &Window<'_>, at: usize) -> Option<usize> {
    let line = window.line_after(at, REACH);
    let notice = line.trim();
    if notice.starts_with(['[', '(']) && interjection::is_notice(notice) {
        return Some(line.trim_end().len());
    }
    let end = line.find([',', ']', '}']).unwrap_or(line.len());
    let remark = line.get(..end)?.trim_end();
    let words = remark.chars().all(|c| {
        c.is_alphanumeric() || matches!(c, ' ' | '(' | ')' | '.' | '…' | '-' | '\'' | '+' | '/')
    });
    let says = omission::is_after_dots(&remark.to_ascii_lowercase());
    (words && says && (end < line.len() || line.len() < REACH)).then_some(remark.len())
}

#[cfg(test)]
mod tests {
    use super::remark;
    use crate::parser::Window;

    #[test]
    fn words_after_dots() {
        for (text, expected) in [
            (" 40 more rows ...]", Some(17)),
            (" (97 more), 0.9]", Some(10)),
            (" and so on\n]", Some(10)),
            (" [remaining items omitted]", None),
            (" b, c]", None),
            (" \"more\"]", None),
            (", 5]", None),
        ] {
            assert_eq!(remark(&Window::whole(text), 0), expected, "{text}");
        }
    }
}
