//! Parsing of the configuration.

use llmend::json::nearest;
use toml::{Table, Value};

use super::{Config, error::ConfigError, models};

/// The section of the gateway.
const SECTION: &str = "gateway";
/// All sections.
const SECTIONS: [&str; 3] = [SECTION, models::HEADERS, models::MODELS];

impl Config {
    /// Parses the section `[gateway]` of a TOML document, or returns the defaults if it has none, and
    /// the settings of models in `[headers]` and `[models.NAME]`.
    ///
    /// An unknown key or section is an error, which suggests a similar known one. The settings of other
    /// commands, which have no section, are ignored.
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        let table: Table =
            text.parse().map_err(|error: toml::de::Error| config_error(&error.to_string()))?;
        let unknown = table.iter().filter(|(name, value)| !is_known(name, value));
        let mut errors: Vec<ConfigError> = unknown.map(|(name, _)| unknown_table(name)).collect();
        let config = table.get(SECTION).map_or_else(|| Ok(Self::default()), Self::from_value);
        let mut config = config.unwrap_or_else(|error| {
            errors.push(error);
            Self::default()
        });
        match models::read(&table) {
            Ok(read) => (config.headers, config.models) = read,
            Err(error) => errors.push(error),
        }
        if errors.is_empty() { Ok(config) } else { Err(ConfigError(joined(&errors))) }
    }

    /// Converts the section.
    fn from_value(section: &Value) -> Result<Self, ConfigError> {
        section
            .clone()
            .try_into()
            .map_err(|error: toml::de::Error| config_error(&error.to_string()))
    }
}

/// Whether an entry of the document is a section of the gateway or a setting of other commands.
fn is_known(name: &str, value: &Value) -> bool {
    let is_table = match value {
        Value::Table(_) => true,
        Value::Array(items) => items.iter().any(Value::is_table),
        _ => false,
    };
    !is_table || SECTIONS.contains(&name)
}

/// Writes all problems, one a line.
fn joined(errors: &[ConfigError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn unknown_table(name: &str) -> ConfigError {
    let known = SECTIONS.map(|name| format!("`[{name}]`")).join(", ");
    let message = format!("unknown section `[{name}]`, expected one of {known}");
    match nearest(name, SECTIONS) {
        Some(near) => ConfigError(format!("{message}; did you mean `{near}`?")),
        None => ConfigError(message),
    }
}

/// Adds a suggestion to a message of the TOML parser.
fn config_error(message: &str) -> ConfigError {
    let message = message.trim();
    match suggestion(message) {
        Some(known) => ConfigError(format!("{message}; did you mean `{known}`?")),
        None => ConfigError(message.to_owned()),
    }
}

/// Returns the known key that is most similar to an unknown one. Serde lists both in one message: "unknown
/// field `a`, expected one of `b`, `c`".
fn suggestion(message: &str) -> Option<&str> {
    let at = message.find("unknown field ").or_else(|| message.find("unknown variant "))?;
    let mut names = message.get(at..)?.split('`').skip(1).step_by(2);
    let unknown = names.next()?;
    nearest(unknown, names)
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, Level, OnTruncation};

    #[test]
    fn unknown_sections_are_errors() {
        for (text, part) in [
            ("[gatway]\nlisten = 1", "did you mean `gateway`?"),
            (
                "[policy]\nreasks = 1",
                "unknown section `[policy]`, expected one of `[gateway]`, `[headers]`, `[models]`",
            ),
            ("[model.m]\nprice = \"1/2\"", "did you mean `models`?"),
            ("[[routes]]\nmodel = \"*\"", "unknown section `[routes]`"),
        ] {
            let error = Config::from_toml(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        // All problems are told at once.
        let text = "[gatway]\n[polici]\n[gateway]\nlisen = 1\n";
        let error = Config::from_toml(text).unwrap_err().to_string();
        assert_eq!(error.matches("unknown section").count(), 2, "{error}");
        assert!(error.contains("did you mean `listen`?"), "{error}");
        // Settings of other commands have no section.
        assert!(Config::from_toml("retry_max = 1\n[gateway]\n").is_ok());
    }

    #[test]
    fn omitted_keys_have_defaults() {
        let config = Config::from_toml(
            "[gateway]\nlisten = \"127.0.0.1:1\"\n[gateway.policy]\nlevel = \"strict\"\n\
             on_truncated_call = \"reask\"",
        )
        .unwrap();
        assert_eq!(config.listen.port(), 1);
        assert_eq!(config.policy.level, Some(Level::Strict));
        assert_eq!(config.policy.on_truncated_call, Some(OnTruncation::Reask));
        assert_eq!(config.limits.body_bytes, 20_000_000);
        assert_eq!(Config::from_toml("").unwrap(), Config::default());
    }

    #[test]
    fn typos_are_errors_with_a_suggestion() {
        let rows = [
            ("[gateway]\nlisen = \"a\"", "did you mean `listen`?"),
            ("[gateway.timers]\nidel_ms = 1", "did you mean `idle_ms`?"),
            ("[gateway.policy]\nlevel = \"lenietn\"", "did you mean `lenient`?"),
            ("[gateway.policy]\nlevel = \"whatever\"", "unknown variant `whatever`"),
            ("[gateway.upstreams.a]\nbase_ulr = \"x\"", "did you mean `base_url`?"),
            ("[gateway.upstreams.a]", "missing field `base_url`"),
            ("[[gateway.routes]]\nmodell = \"x\"", "did you mean `model`?"),
            ("[[gateway.keys]]\nname = \"a\"\nkey = \"x\"", "unknown field `key`"),
            ("[gateway]\nlisten = 8080", "socket address"),
            ("[gateway]\nlisten = \"127.0.0.1\"", "socket address"),
            ("[gateway.limits]\nin_flight = -1", "in_flight"),
            ("[gateway", "TOML parse error"),
        ];
        for (text, part) in rows {
            let error = Config::from_toml(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
