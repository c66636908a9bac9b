//! Values of JSON right before or behind the chosen one, with nothing but white space and separators
//! between them, which the scan does not take for answers: a short list, an empty object, a scalar.
//!
//! Either may be what was meant, or both as a list, so the chosen one is a guess.

use crate::{
    Span,
    extract::{comment, scalar::is_scalar},
    parser::Window,
};

/// How much of the text on each side is inspected, in bytes.
const REACH: usize = 400;

/// Returns whether `c` is white space or a separator between values.
pub(crate) fn is_between(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | ';')
}

/// Returns whether another value touches the value at `span`. `others` are the candidates, among which
/// the choice was made.
pub(super) fn adjoins(window: &Window<'_>, span: Span, others: &[Span]) -> bool {
    let (before, after) = (window.before(span.start, REACH), window.near(span.end, REACH));
    let behind = after.trim_start_matches(is_between);
    let start = span.end + (after.len() - behind.len());
    let ahead = before.trim_end_matches(is_between);
    let end = span.start - (before.len() - ahead.len());
    let between = before.get(ahead.len()..).unwrap_or_default();
    let is_known = |at: usize| others.iter().any(|other| other.start == at || other.end == at);
    // On the same line, words in quotes are prose.
    let apart = after.get(..after.len() - behind.len()).is_some_and(|gap| gap.contains('\n'));
    let is_behind = || begins_value(behind) && (apart || !behind.starts_with('"'));
    (!is_known(start) && is_behind()) || (!is_known(end) && ends_value(ahead, between))
}

/// Returns whether `text` begins with a value: a bracket with the beginning of JSON in it, or a
/// scalar alone on its line.
pub(super) fn begins_value(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default().trim_end_matches(is_between);
    let Some(inside) = text.strip_prefix(['{', '[']).map(str::trim_start) else {
        return is_scalar(line);
    };
    if text.starts_with('{') {
        return inside.starts_with(['"', '\'', '}']) || begins_member(inside);
    }
    let closed = line.split_once(']');
    let is_link = closed.is_some_and(|(_, rest)| rest.starts_with(['(', ':']));
    let has_items = || {
        let items = closed.map_or(line, |(items, _)| items);
        // A citation stands before words.
        let alone = closed.is_none_or(|(_, rest)| !rest.contains(char::is_alphanumeric));
        alone && items.trim_start_matches('[').split(',').all(|item| is_scalar(item.trim()))
    };
    !is_link && (inside.starts_with(['"', '[', '{', ']']) || has_items())
}

/// Returns whether a name and a colon begin `text`.
fn begins_member(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    rest.len() < text.len() && rest.starts_with(':')
}

/// Returns whether `text` ends with a value, as [`begins_value`] means it. What is `between` it and the
/// next value tells a list from the label of a line.
pub(super) fn ends_value(text: &str, between: &str) -> bool {
    if !text.ends_with([']', '}']) {
        return is_scalar(text.rsplit('\n').next().unwrap_or_default().trim());
    }
    let Some(start) = opener(text) else { return false };
    let (before, value) = text.split_at(start);
    let line = text.get(before.rfind('\n').map_or(0, |at| at + 1)..).unwrap_or_default();
    let is_comment = comment::are_comments(line, true);
    let is_part = before.ends_with(|c: char| c.is_alphanumeric() || "$_{[)]".contains(c));
    let is_label = || {
        let item = value.strip_prefix('[').and_then(|item| item.strip_suffix(']'));
        let is_number = item.is_some_and(|item| item.parse::<u64>().is_ok());
        is_number && !between.is_empty() && between.trim().is_empty()
    };
    !is_part && !is_comment && begins_value(value) && !is_label()
}

/// Returns the place of the bracket that the last byte of `text` closes.
pub(super) fn opener(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.bytes().enumerate().rev().find_map(|(at, byte)| {
        match byte {
            b']' | b'}' => depth += 1,
            b'[' | b'{' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::adjoins;
    use crate::{Span, parser::Window};

    #[test]
    fn values_next_to_a_value() {
        for (text, expected) in [
            ("‹{}›", false),
            ("‹{}› and so on", false),
            ("‹{}›{}", true),
            ("‹{}› [\"x\"]", true),
            ("‹{}›\n\n[]", true),
            ("‹{}›, [[1]]", true),
            ("‹{}› [2", true),
            ("‹{}› [true]", true),
            ("‹{}› {b: [}", true),
            ("‹{}› {name}", false),
            ("‹{}› {name, city}", false),
            ("‹{}›\n\"s\"", true),
            ("‹{}›, \"s\"", false),
            ("// {}\n‹{}›", false),
            ("‹{}›\n\"s\" is short for it", false),
            ("‹{}›\n\n42\n", true),
            ("‹{}›\n42 rows", false),
            // A citation or a link.
            ("‹{}› [1] see above", false),
            ("‹{}› [source](http://a.b)", false),
            ("‹{}› [\"source\"](http://a.b)", false),
            ("‹{}›\n\n[1]: http://a.b", false),
            ("[]‹{}›", true),
            ("{} ‹{}›", true),
            ("[\"x\"]; ‹{}›", true),
            ("[[1], [2]] ‹{}›", true),
            ("\"s\"\n‹{}›", true),
            ("42\n\n‹{}›", true),
            ("[1], ‹{}›", true),
            // A label.
            ("[1] ‹{}›", false),
            ("[12:30:01] ‹{}›", false),
            ("[INFO] ‹{}›", false),
            ("x[0] ‹{}›", false),
            ("${a} ‹{}›", false),
            ("{{\"a\"}} ‹{}›", false),
            ("it is \"s\"\n‹{}›", false),
        ] {
            let (start, end) = (text.find('‹').expect(text), text.find('›').expect(text) - 3);
            let plain = text.replace(['‹', '›'], "");
            let found = adjoins(&Window::whole(&plain), Span::new(start, end), &[]);
            assert_eq!(found, expected, "{text}");
        }
    }
}
