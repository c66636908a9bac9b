//! What may be done to an answer, and what becomes of one that cannot be repaired?

use serde::Deserialize;

/// How answers are treated, as it is configured. What is left out is decided by whoever stands above:
/// a route's by the gateway's, the gateway's by [`Policy::default`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PolicyConfig {
    /// Which requests are looked at.
    pub repair: Option<When>,
    /// How far a repair may go.
    pub level: Option<Level>,
    /// What becomes of a text that was cut off.
    pub on_truncation: Option<OnTruncation>,
    /// What becomes of a tool call that was cut off.
    pub on_truncated_call: Option<OnTruncation>,
    /// How often the model is asked again at most, for one request.
    pub reasks: Option<u32>,
    /// The most tokens of all answers to one request, the first included.
    pub reask_tokens: Option<u64>,
}

/// How answers are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Which requests are looked at.
    pub repair: When,
    /// How far a repair may go.
    pub level: Level,
    /// What becomes of a text that was cut off. By default it is closed, and still said to be cut off:
    /// its `finish_reason` stays `length`.
    pub on_truncation: OnTruncation,
    /// What becomes of a tool call that was cut off. By default it is refused: half a list of commands
    /// that was closed is carried out by whoever takes it for the whole.
    pub on_truncated_call: OnTruncation,
    /// How often the model is asked again at most, for one request.
    pub reasks: u32,
    /// The most tokens of all answers to one request, the first included.
    pub reask_tokens: Option<u64>,
}

/// Which requests are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// All that ask for JSON or offer tools.
    #[default]
    Always,
    /// Those of them that ask for it: by the plugin `response-healing`, or a header of llmend's.
    Asked,
    /// None: everything passes as it is.
    Never,
}

/// How far a repair may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Nothing is changed: an answer that is not what was asked for is refused or asked for again.
    Strict,
    /// Everything but what drops or replaces finished data.
    #[default]
    Standard,
    /// Everything.
    Lenient,
}

impl Level {
    /// The word for it, which is that of the policy of texts it comes to.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Standard => "standard",
            Self::Lenient => "lenient",
        }
    }
}

/// What becomes of an answer that was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnTruncation {
    /// It is refused.
    Refuse,
    /// The model is asked again; it is refused where that is not possible.
    Reask,
    /// It is closed where it breaks off, and still said to be cut off.
    Allow,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            repair: When::default(),
            level: Level::default(),
            on_truncation: OnTruncation::Allow,
            on_truncated_call: OnTruncation::Refuse,
            reasks: 0,
            reask_tokens: None,
        }
    }
}

impl Policy {
    /// This policy, but for what `config` says.
    #[must_use]
    pub fn with(self, config: &PolicyConfig) -> Self {
        Self {
            repair: config.repair.unwrap_or(self.repair),
            level: config.level.unwrap_or(self.level),
            on_truncation: config.on_truncation.unwrap_or(self.on_truncation),
            on_truncated_call: config.on_truncated_call.unwrap_or(self.on_truncated_call),
            reasks: config.reasks.unwrap_or(self.reasks),
            reask_tokens: config.reask_tokens.or(self.reask_tokens),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Level, OnTruncation, Policy, PolicyConfig};

    #[test]
    fn the_nearer_word_counts() {
        // S3-23: how often is asked again is the user's to say, in a file that stays.
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
        // Never closed and carried out, unless somebody says so.
        assert_eq!(policy.on_truncated_call, OnTruncation::Refuse);
    }
}
