//! Removal of secrets from texts.

use std::borrow::Cow;
use std::fmt;

use llmend_model::{REDACTED, masked};
use secrecy::{ExposeSecret, SecretString};

/// The length of a secret, in bytes, that is no word of an answer.
const LEAST_SECRET_BYTES: usize = 20;

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
    use super::Scrubber;

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
