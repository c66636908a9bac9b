//! Tokens with which a chat template ends a text, at the end of a string that is cut off.

use crate::parser::Window;

/// How far the text behind a token is read, in bytes.
const REST_REACH: usize = 512;
/// Longest token, in bytes.
const REACH: usize = 40;
/// Tokens that no bars enclose.
const NAMED: &[&str] = &["</s>", "<eos>", "<end_of_turn>", "<｜end▁of▁sentence｜>"];

/// Returns the length of `text` without the token at its end, such as `<|im_end|>`.
pub(crate) fn without_end_token(text: &str) -> usize {
    let trimmed = text.trim_end();
    last_angle(trimmed)
        .filter(|&at| is_token(trimmed.get(at..).unwrap_or_default()))
        .unwrap_or(text.len())
}

/// Returns the length of `text` without a token at its end that may be incomplete.
pub(crate) fn without_partial_token(text: &str) -> usize {
    let begins = |tail: &str| {
        let name = tail.strip_prefix("<|").unwrap_or_default();
        let barred = tail == "<" || (tail.starts_with("<|") && is_name(name.trim_end_matches('|')));
        barred || NAMED.iter().any(|token| token.starts_with(tail)) || is_token(tail)
    };
    last_angle(text).filter(|&at| begins(text.get(at..).unwrap_or_default())).unwrap_or(text.len())
}

/// Returns the length of the token at the start of `text`, or of one that only fills texts up.
pub(crate) fn length(text: &str) -> Option<usize> {
    let end = text.get(..REACH.min(text.len())).unwrap_or(text).find('>')? + 1;
    let token = text.get(..end)?;
    let number = token.strip_prefix("<unused").and_then(|token| token.strip_suffix('>'));
    let fills = matches!(token, "<pad>" | "<unk>" | "<mask>" | "<s>" | "<bos>")
        || number.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    (fills || is_token(token)).then_some(end)
}

/// Returns whether a token is at `at`, and neither a quote nor a closing bracket comes after it.
pub(crate) fn ends_value(window: &Window<'_>, at: usize) -> bool {
    let rest = window.near(at, REST_REACH);
    length(rest).is_some() && !rest.contains(['"', '}', ']'])
}

/// Returns the position of the last `<`, if it is near the end.
fn last_angle(text: &str) -> Option<usize> {
    let near = text.len().saturating_sub(REACH);
    memchr::memrchr(b'<', text.as_bytes().get(near..)?).map(|at| near + at)
}

fn is_token(text: &str) -> bool {
    let barred = text.strip_prefix("<|").and_then(|name| name.strip_suffix("|>"));
    NAMED.contains(&text) || barred.is_some_and(|name| !name.is_empty() && is_name(name))
}

fn is_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::{ends_value, without_end_token, without_partial_token};
    use crate::parser::Window;

    #[test]
    fn tokens_behind_a_value() {
        for (text, expected) in [
            ("<eos>", true),
            ("</s>\nThat is all.", true),
            ("<end_of_turn>\n<pad>", true),
            ("<|im_end|>", true),
            ("<eos>, \"b\": 1}", false),
            ("<eos>}", false),
            ("<b>", false),
            ("<eos", false),
        ] {
            assert_eq!(ends_value(&Window::whole(text), 0), expected, "{text}");
        }
    }

    #[test]
    fn tokens_at_the_end() {
        for (text, whole, partial) in [
            ("so<|im_end|>", 2, 2),
            ("so</s>", 2, 2),
            ("so <|eot_id|>", 3, 3),
            ("so<|im_end|", 11, 2),
            ("so<|", 4, 2),
            ("so<", 3, 2),
            ("so</", 4, 2),
            ("so<b>", 5, 5),
            ("so</b>", 6, 6),
            ("a <|im_end|> b", 14, 14),
            ("a < b", 5, 5),
            ("a <||>", 6, 6),
            ("a <| b", 6, 6),
        ] {
            assert_eq!(without_end_token(text), whole, "{text}");
            assert_eq!(without_partial_token(text), partial, "{text}");
        }
        assert_eq!(without_end_token("so</s>\n"), 2);
    }
}
