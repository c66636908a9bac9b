//! Masking of what looks like an API key.

/// The replacement of a secret.
pub const REDACTED: &str = "[REDACTED]";

/// The prefixes of providers' keys.
const KEY_STARTS: [&str; 12] =
    ["sk-", "sk_", "gsk_", "csk-", "AIza", "xai-", "hf_", "r8_", "nvapi-", "pplx-", "ghp_", "tgp_"];

/// The minimum length after the prefix of a key. Shorter words are ordinary words.
const LEAST_KEY_BYTES: usize = 20;

/// The prefixes of AWS's key ids, which sixteen capital letters and digits follow.
const AWS_STARTS: [&str; 2] = ["AKIA", "ASIA"];
const AWS_BYTES: usize = 16;

/// Replaces each word that has the prefix and the length of a provider's key with [`REDACTED`].
///
/// ```
/// let text = "use sk-proj-abcdefghijklmnopqrst1234, please";
/// assert_eq!(llmend_model::masked(text), "use [REDACTED], please");
/// ```
#[must_use]
pub fn masked(text: &str) -> String {
    with_keys(text, |found, _| found.push_str(REDACTED))
}

/// Replaces each byte of what [`masked`] replaces with an asterisk, so that places in the text stay.
///
/// ```
/// let text = "use sk-proj-abcdefghijklmnopqrst1234, please";
/// assert_eq!(llmend_model::starred(text), "use ********************************, please");
/// ```
#[must_use]
pub fn starred(text: &str) -> String {
    with_keys(text, |found, key| found.extend(std::iter::repeat_n('*', key.len())))
}

/// Returns a text with something else in the place of each key.
fn with_keys(text: &str, replace: impl Fn(&mut String, &str)) -> String {
    let is_key = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_key) {
        let (before, word) = rest.split_at(start);
        let end = word.find(|c| !is_key(c)).unwrap_or(word.len());
        let (word, behind) = word.split_at(end);
        found.push_str(before);
        match key_in(before, word) {
            Some(start) => {
                found.push_str(&word[..start]);
                replace(&mut found, &word[start..]);
            }
            None => found.push_str(word),
        }
        rest = behind;
    }
    found.push_str(rest);
    found
}

/// Returns where a key starts in a word. In JSON, the end of an escape may precede it: `\n`,
/// `\u0000`.
fn key_in(before: &str, word: &str) -> Option<usize> {
    let starts: &[usize] = if before.ends_with('\\') { &[0, 1, 5] } else { &[0] };
    let is_key = |start: usize| word.get(start..).is_some_and(looks_like_a_key);
    starts.iter().copied().find(|&start| is_key(start))
}

/// Keys contain letters and digits, which distinguishes them from names such as
/// `sk-learn-compatible-models`.
fn looks_like_a_key(word: &str) -> bool {
    let is_of_aws = |rest: &str| {
        rest.len() == AWS_BYTES
            && rest.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    if AWS_STARTS.iter().filter_map(|start| word.strip_prefix(start)).any(is_of_aws) {
        return true;
    }
    KEY_STARTS.iter().any(|start| {
        word.strip_prefix(start).is_some_and(|rest| {
            rest.len() >= LEAST_KEY_BYTES
                && rest.bytes().any(|byte| byte.is_ascii_digit())
                && rest.bytes().any(|byte| byte.is_ascii_alphabetic())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::masked;

    #[test]
    fn what_looks_like_a_key_is_one() {
        let rows = [
            ("Bearer sk-proj-abcdefghijklmnopqrst1234!", "Bearer [REDACTED]!"),
            ("gsk_0123456789abcdefghij0123", "[REDACTED]"),
            ("\u{e4}AIzaSyA1234567890abcdefghij\u{e4}", "\u{e4}[REDACTED]\u{e4}"),
            ("sk-learn-compatible-estimators", "sk-learn-compatible-estimators"),
            ("{\"a\": \"\\nsk-abcdefghijklmnopqrst1234\"}", "{\"a\": \"\\n[REDACTED]\"}"),
            ("\\u0000sk-abcdefghijklmnopqrst1234", "\\u0000[REDACTED]"),
            ("sk-short1", "sk-short1"),
            ("id AKIAIOSFODNN7EXAMPLE.", "id [REDACTED]."),
            ("AKIAIOSFODNN7EXAMPLES", "AKIAIOSFODNN7EXAMPLES"),
            ("ASIAN-AND-AFRICAN-FOOD", "ASIAN-AND-AFRICAN-FOOD"),
            ("task-abcdefghijklmnopqrst1234", "task-abcdefghijklmnopqrst1234"),
            ("", ""),
        ];
        for (text, expected) in rows {
            assert_eq!(masked(text), expected, "{text}");
        }
    }
}
