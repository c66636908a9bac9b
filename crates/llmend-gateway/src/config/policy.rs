//! Policy for answers: what is repaired, and what happens to answers that cannot be.

use llmend::calls::{NOTATIONS, Notation};
use llmend::json::nearest;
use serde::{Deserialize, Deserializer, de};

/// A policy as configured. Omitted members of a route's policy come from the gateway's, and omitted members
/// of that from [`Policy::default`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PolicyConfig {
    /// Which requests are inspected.
    pub repair: Option<When>,
    /// How far repairs may go.
    pub level: Option<Level>,
    /// What to do with a truncated text.
    pub on_truncation: Option<OnTruncation>,
    /// What to do with a truncated tool call.
    pub on_truncated_call: Option<OnTruncation>,
    /// Which calls that the model wrote as text become tool calls.
    pub calls: Option<TextCalls>,
    /// What to do with an upstream's error that says which calls it could not read.
    pub failed_calls: Option<FailedCalls>,
    /// Whether tools are offered in the prompt, for servers that know none.
    pub emulate_tools: Option<EmulateTools>,
    /// What to do with calls that stand as text in earlier messages.
    pub past_calls: Option<PastCalls>,
    /// Maximum number of retries for one request.
    pub reasks: Option<u32>,
    /// Maximum number of tokens of all answers to one request, including the first.
    pub reask_tokens: Option<u64>,
}

/// A policy with all members resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Which requests are inspected.
    pub repair: When,
    /// How far repairs may go.
    pub level: Level,
    /// What to do with a truncated text. By default it is closed, and its `finish_reason` stays `length`.
    pub on_truncation: OnTruncation,
    /// What to do with a truncated tool call. By default it is refused, because a client would execute half
    /// a list of commands as if it were complete.
    pub on_truncated_call: OnTruncation,
    /// Which calls that the model wrote as text become tool calls.
    pub calls: TextCalls,
    /// What to do with an upstream's error that says which calls it could not read.
    pub failed_calls: FailedCalls,
    /// Whether tools are offered in the prompt, for servers that know none.
    pub emulate_tools: EmulateTools,
    /// What to do with calls that stand as text in earlier messages.
    pub past_calls: PastCalls,
    /// Maximum number of retries for one request.
    pub reasks: u32,
    /// Maximum number of tokens of all answers to one request, including the first.
    pub reask_tokens: Option<u64>,
}

/// Which requests are inspected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// All requests that ask for JSON or offer tools.
    #[default]
    Always,
    /// Those of them that opt in, by the plugin `response-healing` or an `x-llmend-*` header.
    Asked,
    /// None: every answer passes through unchanged.
    Never,
}

/// How far repairs may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// No repairs: an answer that does not match the request is refused or retried.
    Strict,
    /// All repairs that do not discard or replace complete data.
    #[default]
    Standard,
    /// All repairs.
    Lenient,
}

impl Level {
    /// Returns the name, which is also that of the corresponding [`llmend::Policy`].
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Standard => "standard",
            Self::Lenient => "lenient",
        }
    }
}

/// Which calls that the model wrote as text become tool calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextCalls {
    /// Those between the marks of a notation, and unmarked ones if there is enough evidence.
    #[default]
    Auto,
    /// Those between the marks of a notation.
    Marked,
    /// None: text stays text.
    Never,
}

/// What to do with an upstream's error that contains the calls it could not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailedCalls {
    /// Pass the error on.
    #[default]
    Pass,
    /// Read the calls, and answer with them.
    Read,
}

/// What to do with calls that stand as text in earlier messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PastCalls {
    /// Leave them as text.
    #[default]
    Keep,
    /// Write those that results follow as the calls that the protocol has.
    Read,
}

/// Whether tools are offered in the prompt, for servers that know none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EmulateTools {
    /// No: the server gets them.
    #[default]
    Off,
    /// In the notation that the model is known for, or else in plain JSON.
    ByModel,
    /// In this notation.
    In(&'static Notation),
}

/// Plain JSON, which every model knows.
pub(crate) const PLAIN: &Notation = &NOTATIONS[0];

impl EmulateTools {
    /// Returns the notation for a model, or `None` if its server gets the tools.
    pub(crate) fn notation(self, model: &str) -> Option<&'static Notation> {
        match self {
            Self::Off => None,
            Self::ByModel => Some(Notation::of_model(model).unwrap_or(PLAIN)),
            Self::In(notation) => Some(notation),
        }
    }
}

impl<'de> Deserialize<'de> for EmulateTools {
    /// Reads `true`, `false` or the name of a notation.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected `true`, `false` or the name of a notation")]
        enum Written {
            Switch(bool),
            Name(String),
        }
        let name = match Written::deserialize(deserializer)? {
            Written::Switch(true) => return Ok(Self::ByModel),
            Written::Switch(false) => return Ok(Self::Off),
            Written::Name(name) => name,
        };
        let known = NOTATIONS.iter().filter(|row| row.is_writable()).map(|row| row.name);
        match Notation::named(&name).filter(|row| row.is_writable()) {
            Some(notation) => Ok(Self::In(notation)),
            None => Err(de::Error::custom(match nearest(&name, known) {
                Some(near) => format!("unknown notation `{name}`; did you mean `{near}`?"),
                None => format!("unknown notation `{name}`, expected one that can be written"),
            })),
        }
    }
}

/// What to do with a truncated answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnTruncation {
    /// Refuse it.
    Refuse,
    /// Ask the model again; refuse it where that is not possible.
    Reask,
    /// Close it where it ends, and still report it as truncated.
    Allow,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            repair: When::default(),
            level: Level::default(),
            on_truncation: OnTruncation::Allow,
            on_truncated_call: OnTruncation::Refuse,
            calls: TextCalls::default(),
            failed_calls: FailedCalls::default(),
            emulate_tools: EmulateTools::default(),
            past_calls: PastCalls::default(),
            reasks: 0,
            reask_tokens: None,
        }
    }
}

impl Policy {
    /// Returns this policy with the members of `config` overriding it.
    #[must_use]
    pub fn with(self, config: &PolicyConfig) -> Self {
        Self {
            repair: config.repair.unwrap_or(self.repair),
            level: config.level.unwrap_or(self.level),
            on_truncation: config.on_truncation.unwrap_or(self.on_truncation),
            on_truncated_call: config.on_truncated_call.unwrap_or(self.on_truncated_call),
            calls: config.calls.unwrap_or(self.calls),
            failed_calls: config.failed_calls.unwrap_or(self.failed_calls),
            emulate_tools: config.emulate_tools.unwrap_or(self.emulate_tools),
            past_calls: config.past_calls.unwrap_or(self.past_calls),
            reasks: config.reasks.unwrap_or(self.reasks),
            reask_tokens: config.reask_tokens.or(self.reask_tokens),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{EmulateTools, Level, OnTruncation, Policy, PolicyConfig};

    #[test]
    fn a_route_overrides_the_gateway() {
        // S3-23: the number of retries is configured by the user, in a file.
        let text = "[gateway.policy]\nreasks = 3\n[[gateway.routes]]\nmodel = \"*\"\nupstream = \"a\"\npolicy = { reasks = 0 }";
        let config = crate::Config::from_toml(text).unwrap();
        assert_eq!(Policy::default().with(&config.policy).reasks, 3);
        assert_eq!(Policy::default().with(&config.policy).with(&config.routes[0].policy).reasks, 0);

        let gateway = PolicyConfig {
            level: Some(Level::Lenient),
            on_truncation: Some(OnTruncation::Refuse),
            ..PolicyConfig::default()
        };
        let route = PolicyConfig { level: Some(Level::Strict), ..PolicyConfig::default() };
        let policy = Policy::default().with(&gateway).with(&route);
        assert_eq!(policy.level, Level::Strict);
        assert_eq!(policy.on_truncation, OnTruncation::Refuse);
        // A truncated call is only closed where the configuration says so.
        assert_eq!(policy.on_truncated_call, OnTruncation::Refuse);
    }
    #[test]
    fn the_notation_of_emulated_tools_is_chosen_by_model_or_by_name() {
        let read = |value: &str| {
            let text = format!("[gateway.policy]\nemulate_tools = {value}");
            crate::Config::from_toml(&text).map(|config| config.policy.emulate_tools)
        };
        let notation = |value: &str, model: &str| {
            let emulated: EmulateTools = read(value).unwrap().unwrap();
            emulated.notation(model).map(|notation| notation.name)
        };
        assert_eq!(notation("false", "qwen3"), None);
        assert_eq!(notation("true", "qwen3"), Some("hermes"));
        assert_eq!(notation("true", "my-model"), Some("json"));
        assert_eq!(notation("\"react\"", "qwen3"), Some("react"));
        for (value, part) in [
            ("\"hermess\"", "did you mean `hermes`?"),
            ("\"minimax-m3\"", "unknown notation `minimax-m3`"),
            ("1", "expected `true`, `false` or the name of a notation"),
        ] {
            let error = read(value).unwrap_err().to_string();
            assert!(error.contains(part), "{value}: {error}");
        }
    }
}
