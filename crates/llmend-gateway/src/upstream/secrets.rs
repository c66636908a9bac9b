//! Secrets that the gateway adds to a request, where an upstream repeats them in an error.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use llmend_models::Scrubber;

/// The keys and headers of the configuration in a request.
#[derive(Debug, Default)]
pub(crate) struct AddedSecrets(Scrubber);

impl AddedSecrets {
    /// Returns the secrets among the headers of a request that the client did not send itself.
    pub(crate) fn of(outgoing: &HeaderMap, incoming: &HeaderMap) -> Self {
        let mut scrubber = Scrubber::default();
        for (name, value) in outgoing.iter().filter(|(_, value)| value.is_sensitive()) {
            let is_theirs = incoming.get_all(name).iter().any(|theirs| theirs == value);
            if let Ok(text) = value.to_str()
                && !is_theirs
            {
                scrubber.add_header(name.as_str(), text);
            }
        }
        Self(scrubber)
    }

    /// Removes them from a body. One without them stays byte for byte.
    pub(crate) fn hidden_in(&self, body: Vec<u8>) -> Vec<u8> {
        let text = String::from_utf8_lossy(&body);
        let hidden = self.0.known(&text);
        if hidden == text { body } else { hidden.into_bytes() }
    }

    /// Removes the headers that repeat one of them.
    pub(crate) fn without(&self, mut headers: HeaderMap) -> HeaderMap {
        let repeats = |text: &str| self.0.known(text) != text;
        let named = |(name, value): (&HeaderName, &HeaderValue)| {
            value.to_str().is_ok_and(repeats).then(|| name.clone())
        };
        for name in headers.iter().filter_map(named).collect::<Vec<_>>() {
            headers.remove(name);
        }
        headers
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue};

    use super::AddedSecrets;

    fn map(rows: &[(&'static str, &'static str)]) -> HeaderMap {
        let row = |&(name, value): &(&'static str, &'static str)| {
            let mut value = HeaderValue::from_static(value);
            value.set_sensitive(name != "x-plain");
            (HeaderName::from_static(name), value)
        };
        rows.iter().map(row).collect()
    }

    #[test]
    fn what_the_client_did_not_send_is_hidden_from_it() {
        let outgoing = map(&[
            ("authorization", "Bearer ours-planted"),
            ("x-api-key", "theirs-planted"),
            ("x-plain", "plain-planted"),
        ]);
        let secrets = AddedSecrets::of(&outgoing, &map(&[("x-api-key", "theirs-planted")]));
        for (body, expected) in [
            ("wrong key ours-planted", "wrong key [REDACTED]"),
            ("{\"error\": \"Bearer ours-planted\"}", "{\"error\": \"[REDACTED]\"}"),
            ("theirs-planted plain-planted", "theirs-planted plain-planted"),
        ] {
            let found = String::from_utf8(secrets.hidden_in(body.into())).unwrap();
            assert_eq!(found, expected, "{body}");
        }
        assert_eq!(secrets.hidden_in(b"\xff\0".to_vec()), b"\xff\0");
        let headers = secrets.without(map(&[("x-plain", "ours-planted"), ("x-other", "fine")]));
        assert_eq!(headers.keys().collect::<Vec<_>>(), ["x-other"]);
    }
}
