//! Keys with values on the line of a value that has a key: `a=1 b={…}`.

use crate::extract::record::{
    line::MARKS,
    pair::{Pair, labeled},
};

/// What is between two fields on a line.
const GAPS: &[char] = &[' ', '\t', ',', ';', '&'];
/// Longest value of a field, in words.
const VALUE_WORDS: usize = 2;

/// Returns whether a field is right before the key of the value, or right behind the value.
pub(super) fn judge(before: &str, after: &str) -> bool {
    let left = before.rsplit('\n').next().unwrap_or_default();
    let right = after.split('\n').next().unwrap_or_default();
    let Some(head) = before_key(left) else { return false };
    ends_in_field(head) || begins_with_field(right)
}

/// Returns what is before the key of the value.
fn before_key(left: &str) -> Option<&str> {
    let named = left.trim_end_matches(MARKS).trim_end();
    let named = ["->", "=>", "→", ":", "="].iter().find_map(|sign| named.strip_suffix(sign))?;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '`');
    let head = named.trim_end().trim_end_matches(is_part);
    (head.len() < named.trim_end().len()).then_some(head)
}

/// Returns whether `head` ends in a field and what separates it from the next one.
fn ends_in_field(head: &str) -> bool {
    let field = head.trim_end_matches(GAPS);
    let word = field.rsplit(GAPS).next();
    let ended = head.trim_end().strip_suffix([',', ';', '&']);
    let clause = ended.and_then(|text| text.rsplit([',', ';', '&']).next());
    // `SET b = 5; SET a = `
    let statement = head.rsplit_once(';').and_then(|(text, _)| text.rsplit(';').next());
    field.len() < head.len() && [word, clause, statement].into_iter().flatten().any(is_field)
}

/// Returns whether `right` is a gap and then a field.
fn begins_with_field(right: &str) -> bool {
    let rest = right.trim_start_matches(MARKS);
    let next = rest.trim_start_matches(GAPS);
    // Another statement: `SET b = 5`.
    let statement =
        || next.split_once(' ').is_some_and(|(_, rest)| rest.contains('=') && is_field(rest));
    next.len() < rest.len() && (is_field(next) || (rest.starts_with(';') && statement()))
}

/// Returns whether `text` is a key with a short value.
fn is_field(text: &str) -> bool {
    let is_short = |pair: &Pair<'_>| {
        let value = pair.value.trim_end_matches(['>', '/', ';', '}', ')']);
        (1..=VALUE_WORDS).contains(&value.split_whitespace().count())
    };
    let is_assigned = |pair: &Pair<'_>| pair.separator != ':' || pair.is_small();
    labeled(text).is_some_and(|pair| is_short(&pair) && is_assigned(&pair))
}

#[cfg(test)]
mod tests {
    use super::judge;

    #[test]
    fn fields_on_the_line() {
        for (text, expected) in [
            ("a=1 b={}", true),
            ("a=1 b={} c=2", true),
            ("b={} c=2", true),
            ("<i a=\"1\" b='{}'/>", true),
            ("SET a = {}; SET b = 5;", true),
            ("SET b = 5; SET a = {};", true),
            ("kind: x, config: {}", true),
            ("config: {}, kind: x", true),
            ("q=1&filter={}", true),
            ("config: {}", false),
            ("Here, as asked: {}", false),
            ("Note: the config is config: {}", false),
            ("config: {}, note: see below for more", false),
            ("const x = {};", false),
            ("x = y = {}", false),
            ("http://x.example config: {}", false),
            ("{} a=1", false),
        ] {
            let (before, after) = text.split_once("{}").expect(text);
            assert_eq!(judge(before, after), expected, "{text}");
        }
    }
}
