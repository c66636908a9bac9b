//! Notices that a text was cut off, as programs and models put them behind it.

use crate::parser::Window;

/// Longest notice, in bytes.
const REACH: usize = 200;

/// Words of such a notice, in lower case.
const WORDS: &[&str] = &[
    "truncated",
    "cut off",
    "cut short",
    "max_tokens",
    "max tokens",
    "maximum tokens",
    "token limit",
    "tokens reached",
    "length limit",
    "limit reached",
    "limit was reached",
    "finish_reason",
    "stop_reason",
    "stream closed",
    "stream ended",
    "connection lost",
    "connection closed",
    "connection reset",
    "aborted",
    "interrupted",
    "timed out",
    "generation stopped",
    "continued in",
    "to be continued",
    "abgeschnitten",
    "abgebrochen",
    "tronqué",
    "interrompu",
    "truncad",
    "interrumpid",
    "se detuvo",
    "截断",
    "中断",
];

/// Returns whether `text`, in lower case, says that a text was cut off.
pub(crate) fn says_cut(text: &str) -> bool {
    WORDS.iter().any(|words| text.contains(words))
}

/// Returns whether a notice is at `at`, up to the end of the text: on a line of its own, behind three
/// dots, or in brackets.
pub(crate) fn is_at(window: &Window<'_>, at: usize) -> bool {
    let first = window.character(at).unwrap_or_default();
    let marked = matches!(first, '(' | '[' | '…') || window.starts_with(at, b"...");
    // A sign may be before it.
    let is_sign = |c: char| c.is_whitespace() || !(c.is_ascii() || c.is_alphanumeric());
    let begins_line =
        || window.line_before(at, REACH).is_some_and(|line| line.chars().all(is_sign));
    if matches!(first, '"' | '\'' | '{' | '}' | ']' | ',') || !(marked || begins_line()) {
        return false;
    }
    // Only its own line is read, unless that is one.
    let line = window.line_after(at, REACH).to_lowercase();
    if !says_cut(&line) {
        return false;
    }
    let rest = window.near(at, REACH);
    let notice = rest.trim_end();
    let in_brackets = notice.starts_with('[') || notice.contains("...[") || notice.contains("… [");
    window.at_end
        && at + rest.len() == window.end()
        && !notice.contains('"')
        && !notice.ends_with('}')
        && (in_brackets || !notice.ends_with(']'))
}

#[cfg(test)]
mod tests {
    use super::is_at;
    use crate::parser::Window;

    #[test]
    fn notices_at_the_end() {
        for (text, notice) in [
            ("1\n[Output truncated: max_tokens reached]", true),
            ("1,\n... (response cut off)", true),
            ("1 ...[truncated]", true),
            ("1 (continued in next message)", true),
            ("1\n\n⚠️ Output truncated: maximum tokens reached.\n", true),
            ("1,\nERROR: stream closed by server (code 1006)", true),
            ("1,\n[Nota: la generación se detuvo a los 256 tokens]", true),
            ("1 stream closed", false),
            ("1,\nstatus: \"aborted\"", false),
            ("1,\nstatus: aborted}", false),
            ("1,\nNote: it is done", false),
        ] {
            let at = 1 + text[1..].len() - text[1..].trim_start_matches([' ', '\n', ',']).len();
            assert_eq!(is_at(&Window::whole(text), at), notice, "{text}");
        }
    }
}
