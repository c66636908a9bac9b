//! What to do about a refused key.

use llmend::config::Headers;
use llmend_models::{ModelSpec, may_be_secret};

/// What to do if the key is another one.
pub(super) const OTHER_KEY: &str = "Use --api-key-env NAME to send the one in another variable.";

/// What to do if the server has no URL.
pub(super) const OTHER_URL: &str = "Use --base-url URL to name the server.";

/// Returns what to do about a refused key. It comes from this variable, if any, and these headers are sent.
pub(super) fn key_help(
    variable: Option<&str>,
    spec: &ModelSpec,
    headers: Option<&Headers>,
) -> String {
    let sent = headers.iter().flat_map(|headers| &headers.0).map(|(name, _)| name.as_str());
    let sent: Vec<&str> = sent.filter(|name| may_be_secret(name)).collect();
    let provider = match spec {
        ModelSpec::Remote { provider, .. } => Some(provider),
        _ => None,
    };
    // A header of the settings takes the place of the one for the key.
    if let Some(name) =
        sent.iter().find(|name| provider.is_some_and(|known| known.sends_key_in(name)))
    {
        return format!(
            "The key is that in the header `{name}` of the settings. Correct it there."
        );
    }
    if let Some(name) = variable {
        return format!("The key is that of {name}. {OTHER_KEY}");
    }
    if !sent.is_empty() {
        let names: Vec<String> = sent.iter().map(|name| format!("`{name}`")).collect();
        return format!(
            "No key was sent besides what the settings put into {}. {OTHER_KEY}",
            names.join(", ")
        );
    }
    match provider.filter(|provider| !provider.key_names.is_empty()) {
        Some(provider) => format!(
            "No key was sent: that of {} goes only to the own server of {}. {OTHER_KEY}",
            provider.key_names.join(" or "),
            provider.name
        ),
        None => format!("No key was sent. {OTHER_KEY}"),
    }
}

#[cfg(test)]
mod tests {
    use llmend::config::Headers;

    use super::key_help;

    #[test]
    fn what_was_sent_is_named() {
        for (spec, variable, headers, expected) in [
            ("openai:m", Some("KEY"), &[][..], "The key is that of KEY. "),
            (
                "openai+http://a/v1:m",
                None,
                &[],
                "No key was sent: that of OPENAI_API_KEY goes only to",
            ),
            ("ollama:m", None, &[], "No key was sent. "),
            ("ollama:m", None, &["accept"], "No key was sent. "),
            (
                "ollama:m",
                None,
                &["x-key", "accept", "x-b"],
                "besides what the settings put into `x-key`, `x-b`. ",
            ),
            ("ollama:m", Some("KEY"), &["x-key"], "The key is that of KEY. "),
            (
                "openai:m",
                Some("KEY"),
                &["authorization"],
                "that in the header `authorization` of the settings",
            ),
            ("anthropic:m", None, &["x-api-key"], "that in the header `x-api-key` of the settings"),
            (
                "anthropic:m",
                None,
                &["authorization"],
                "besides what the settings put into `authorization`. ",
            ),
        ] {
            let sent = headers.iter().map(|name| ((*name).to_owned(), "value".to_owned()));
            let found = key_help(variable, &spec.parse().unwrap(), Some(&Headers(sent.collect())));
            assert!(found.contains(expected), "{spec} {headers:?}: {found}");
        }
    }
}
