//! Removal of secrets from texts.

use std::borrow::Cow;
use std::fmt;

use llmend_model::{REDACTED, masked};
use secrecy::{ExposeSecret, SecretString};

/// The length of a secret, in bytes, that is no word of an answer.
const LEAST_SECRET_BYTES: usize = 20;

/// The length of a word in a header, in bytes, that may be a secret.
pub(crate) const LEAST_WORD_BYTES: usize = 8;

/// Headers that hold no secret, and whose values errors are about.
const PLAIN_HEADERS: [&str; 12] = [
    "accept",
    "accept-language",
    "anthropic-beta",
    "anthropic-version",
    "content-type",
    "http-referer",
    "openai-beta",
    "openai-organization",
    "openai-project",
    "referer",
    "user-agent",
    "x-title",
];

/// Returns whether a header may hold a secret: all do but well-known ones.
#[must_use]
pub fn may_be_secret(header: &str) -> bool {
    !PLAIN_HEADERS.iter().any(|plain| plain.eq_ignore_ascii_case(header))
}

/// Returns the parts of a header's value that may be secrets, the longest first: the whole value, and
/// its words of at least eight bytes, with and without a name before `=`.
fn secrets_in(value: &str) -> Vec<&str> {
    let words = value.split([' ', '\t', ';', ',']);
    let parts = words.flat_map(|word| [Some(word), word.split_once('=').map(|(_, rest)| rest)]);
    let mut found: Vec<&str> = std::iter::once(value.trim()).chain(parts.flatten()).collect();
    found.retain(|part| part.len() >= LEAST_WORD_BYTES);
    found.sort_by_key(|part| std::cmp::Reverse(part.len()));
    found.dedup();
    found
}

/// A remover of known secrets from texts.
///
/// ```
/// let mut scrubber = llmend_models::Scrubber::default();
/// scrubber.add_header("authorization", "Bearer planted-key");
/// assert_eq!(scrubber.known("no such key: planted-key"), "no such key: [REDACTED]");
/// ```
#[derive(Clone, Default)]
pub struct Scrubber(Vec<SecretString>);

impl Scrubber {
    /// Adds a secret.
    pub fn add(&mut self, secret: SecretString) {
        // An empty secret would be found everywhere.
        if !secret.expose_secret().is_empty() {
            self.0.push(secret);
        }
    }

    /// Adds what may be a secret in a header: its value, and longer words of it, such as the key
    /// behind `Bearer`.
    pub fn add_header(&mut self, name: &str, value: &str) {
        if may_be_secret(name) {
            for secret in secrets_in(value) {
                self.add(secret.into());
            }
        }
    }

    /// Removes the known secrets from a text, including their escaped forms in JSON.
    #[must_use]
    pub fn known(&self, text: &str) -> String {
        self.longer(0, text)
    }

    /// Removes the known secrets from an answer. A short one, as for a server on this machine, may be
    /// a word of the answer.
    pub(crate) fn answer(&self, text: &str) -> String {
        self.longer(LEAST_SECRET_BYTES, text)
    }

    /// Removes the known secrets of at least this many bytes.
    fn longer(&self, least: usize, text: &str) -> String {
        let mut text = Cow::Borrowed(text);
        let secrets = self.0.iter().map(ExposeSecret::expose_secret);
        for secret in secrets.filter(|secret| secret.len() >= least) {
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
        masked(&self.known(text))
    }
}

impl fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scrubber({} secrets)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::{Scrubber, may_be_secret, secrets_in};

    #[test]
    fn secrets_in_headers_are_found_with_and_without_what_is_around_them() {
        for (value, expected) in [
            ("seven", &[][..]),
            ("planted-key", &["planted-key"]),
            ("Bearer planted-key", &["Bearer planted-key", "planted-key"]),
            (
                "id=planted-one; t=short, planted-two==",
                &[
                    "id=planted-one; t=short, planted-two==",
                    "id=planted-one",
                    "planted-two==",
                    "planted-one",
                ],
            ),
        ] {
            assert_eq!(secrets_in(value), expected, "{value}");
        }
        for (name, expected) in [
            ("authorization", true),
            ("x-api-key", true),
            ("x-team", true),
            ("Anthropic-Beta", false),
            ("user-agent", false),
        ] {
            assert_eq!(may_be_secret(name), expected, "{name}");
        }
    }

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
        scrubber.add("ollama".into());
        scrubber.add("a-key-of-another-provider".into());
        let answer = "ollama has no a-key-of-another-provider";
        assert_eq!(scrubber.answer(answer), "ollama has no [REDACTED]");
    }
}
