//! Settings from the environment, and variables that are none.

use std::env;

use llmend::{
    config::{SETTINGS, SettingInput, Source},
    json::{edits, nearest},
};

use crate::output::eprint;

/// The prefix of llmend's environment variables.
const PREFIX: &str = "LLMEND_";

/// The variable by which the npm package is told what runs it.
const OF_NPM: &str = "LLMEND_ENGINE";

/// Reads the environment. A variable with our prefix that misspells a setting is taken for one, and is an
/// error; any other unknown one is warned of.
pub(crate) fn of_environment() -> Vec<SettingInput> {
    let is_known = |name: &str| {
        name == OF_NPM || SETTINGS.iter().any(|setting| setting.variables.contains(&name))
    };
    let mut unknown: Vec<String> = env::vars_os()
        .filter_map(|(name, value)| {
            let name = name.into_string().ok()?;
            let ours = name.starts_with(PREFIX) && !is_known(&name);
            (ours && !is_injected(&name, &value.to_string_lossy())).then_some(name)
        })
        .collect();
    unknown.sort();
    let (meant, strange): (Vec<_>, Vec<_>) = unknown.into_iter().partition(|name| is_typo(name));
    for name in strange {
        let what = advice(&name);
        eprint(&format!("llmend: warning: unknown environment variable {name}; {what}"));
    }
    let meant = meant.into_iter().map(|name| SettingInput {
        source: Source::Environment { variable: name.clone() },
        name,
        value: None,
    });
    let known = SETTINGS.iter().flat_map(|setting| setting.given_by(&|name| env::var_os(name)));
    known.chain(meant).collect()
}

/// Returns what to do about an unknown variable.
fn advice(variable: &str) -> String {
    let names = SETTINGS.iter().map(|setting| setting.name);
    match variable.strip_prefix(PREFIX).and_then(|name| nearest(name, names)) {
        Some(near) => format!("did you mean {PREFIX}{}?", near.to_uppercase()),
        None => "`llmend config` lists the settings".to_owned(),
    }
}

/// Returns whether a variable misspells a setting, rather than being another name: one edit away if it has the
/// same letters, else one for every six letters of the setting, and at most two. The prefix does not count.
fn is_typo(variable: &str) -> bool {
    let Some(name) = variable.strip_prefix(PREFIX) else { return false };
    let sorted = |name: &str| {
        let letters = name.bytes().filter(u8::is_ascii_alphanumeric);
        let mut letters: Vec<u8> = letters.map(|letter| letter.to_ascii_lowercase()).collect();
        letters.sort_unstable();
        letters
    };
    SETTINGS.iter().any(|setting| {
        let letters = sorted(setting.name);
        let most = if sorted(name) == letters { 1 } else { (letters.len() / 6).min(2) };
        edits(name, setting.name).is_some_and(|edits| edits <= most)
    })
}

/// Returns whether Kubernetes or Docker set a variable for a service or container that is called
/// `llmend` or `llmend-…`.
fn is_injected(name: &str, value: &str) -> bool {
    let is_address = ["tcp://", "udp://", "sctp://"].iter().any(|scheme| value.starts_with(scheme));
    let of_service = ["_SERVICE_HOST", "_SERVICE_PORT"];
    let of_port = ["_ADDR", "_PORT", "_PROTO"];
    let is_port = name.contains("_PORT_") && of_port.iter().any(|part| name.ends_with(part));
    let is_link = name.contains("_ENV_") || (name.ends_with("_NAME") && value.starts_with('/'));
    is_address
        || is_port
        || is_link
        || of_service.iter().any(|part| name.ends_with(part))
        || name.contains("_SERVICE_PORT_")
}

#[cfg(test)]
mod tests {
    use super::{advice, is_injected, is_typo};

    #[test]
    fn variables_of_containers_are_no_settings() {
        for (name, value, expected) in [
            ("LLMEND_PORT", "tcp://10.0.0.7:8080", true),
            ("LLMEND_SERVICE_HOST", "10.0.0.7", true),
            ("LLMEND_GATEWAY_SERVICE_PORT", "8080", true),
            ("LLMEND_SERVICE_PORT_HTTP", "8080", true),
            ("LLMEND_PORT_8080_TCP", "tcp://10.0.0.7:8080", true),
            ("LLMEND_PORT_8080_TCP_ADDR", "10.0.0.7", true),
            ("LLMEND_PORT_8080_TCP_PORT", "8080", true),
            ("LLMEND_PORT_8080_TCP_PROTO", "tcp", true),
            ("LLMEND_NAME", "/web/llmend", true),
            ("LLMEND_ENV_LANG", "C", true),
            ("LLMEND_PORT", "8080", false),
            ("LLMEND_NAME", "me", false),
            ("LLMEND_RETRY_MAXX", "3", false),
        ] {
            assert_eq!(is_injected(name, value), expected, "{name}={value}");
        }
    }

    #[test]
    fn a_setting_that_may_be_meant_is_named() {
        for (name, expected) in [
            ("LLMEND_MODL", "did you mean LLMEND_MODEL?"),
            ("LLMEND_PRICES", "did you mean LLMEND_PRICE?"),
            ("LLMEND_HOME", "`llmend config` lists the settings"),
        ] {
            assert_eq!(advice(name), expected, "{name}");
        }
    }

    #[test]
    fn only_a_misspelled_setting_is_taken_for_one() {
        for (name, expected) in [
            ("RETRY_MAXX", true),
            ("RETRY_MX", true),
            ("RETRYMAX", true),
            ("MODLE", true),
            ("PRIEC", true),
            ("PROMPT", true),
            ("PROVDER", true),
            ("BUGDET_TOKEN", true),
            ("ESCALATE_API_KEY_EVN", true),
            ("PROJECT", false),
            ("PREFIX", false),
            ("HOME", false),
            ("MODE", false),
            ("MODELS", false),
            ("PRICES", false),
            ("NODE", false),
            ("PATH", false),
            ("PORT", false),
            ("REPORT", false),
            ("RETRIES", false),
            ("VERSION", false),
            ("IMAGE", false),
            ("CONFIG", false),
            ("RELEASE", false),
            ("MODEL_NAME", false),
            ("BASE_DIR", false),
            ("API_KEY", false),
            ("LOG", false),
        ] {
            assert_eq!(is_typo(&format!("LLMEND_{name}")), expected, "{name}");
        }
    }
}
