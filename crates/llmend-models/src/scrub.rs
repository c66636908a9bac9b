//! Removal of secrets from texts.

use std::borrow::Cow;
use std::fmt;

use secrecy::{ExposeSecret, SecretString};

/// The replacement of a secret.
const REDACTED: &str = "[REDACTED]";

/// The prefixes of providers' keys.
const KEY_STARTS: [&str; 12] =
    ["sk-", "sk_", "gsk_", "csk-", "AIza", "xai-", "hf_", "r8_", "nvapi-", "pplx-", "ghp_", "tgp_"];

/// The minimum length after the prefix of a key. Shorter words are ordinary words.
const LEAST_KEY_BYTES: usize = 20;

/// A remover of known secrets.
#[derive(Clone, Default)]
pub(crate) struct Scrubber(Vec<SecretString>);

impl Scrubber {
    pub(crate) fn add(&mut self, secret: SecretString) {
        // An empty secret would be found everywhere.
        if !secret.expose_secret().is_empty() {
            self.0.push(secret);
        }
    }

    /// Removes the known secrets from a text, including their escaped forms in JSON.
    pub(crate) fn known(&self, text: &str) -> String {
        let mut text = Cow::Borrowed(text);
        for secret in &self.0 {
            let secret = secret.expose_secret();
            let quoted = serde_json::to_string(secret).unwrap_or_default();
            let escaped = quoted.trim_matches('"');
            for form in [secret, escaped] {
                if !form.is_empty() && text.contains(form) {
                    text = Cow::Owned(text.replace(form, REDACTED));
                }
            }
        }
        text.into_owned()
    }

    /// Removes the known secrets and whatever looks like a key.
    pub(crate) fn all(&self, text: &str) -> String {
        without_keys(&self.known(text))
    }
}

impl fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scrubber({} secrets)", self.0.len())
    }
}

/// Removes words with the prefix and the length of a key.
pub(crate) fn without_keys(text: &str) -> String {
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
                found.push_str(REDACTED);
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
    use super::{Scrubber, without_keys};

    #[test]
    fn known_secrets_are_taken_out_however_they_are_written() {
        let mut scrubber = Scrubber::default();
        scrubber.add("pla\"nted".into());
        scrubber.add("".into());
        let rows = [
            ("the key pla\"nted is wrong", "the key [REDACTED] is wrong"),
            ("{\"key\": \"pla\\\"nted\"}", "{\"key\": \"[REDACTED]\"}"),
            ("nothing", "nothing"),
            ("", ""),
        ];
        for (text, expected) in rows {
            assert_eq!(scrubber.known(text), expected);
        }
        assert_eq!(format!("{scrubber:?}"), "Scrubber(1 secrets)");
    }

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
            ("task-abcdefghijklmnopqrst1234", "task-abcdefghijklmnopqrst1234"),
            ("", ""),
        ];
        for (text, expected) in rows {
            assert_eq!(without_keys(text), expected, "{text}");
        }
    }
}
