//! Which settings are there? One table of all of them.

use std::time::Duration;

use super::{Setting, Switch, Trust, form};
use crate::{asking::Price, config::Repairing};

/// One setting a row: what it is for, its name and type, how its text is read, what may be given, what it
/// says by default, other variables than our own, its flag, and who may give it.
macro_rules! settings {
    ($(
        $(#[doc = $about:literal])+
        $name:ident: $type:ty, $variables:expr, $flag:expr, $read:ident, $expected:ident, $default:literal, $trust:ident;
    )*) => {
        /// What all settings say.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Settings {
            $($(#[doc = $about])+ pub $name: $type,)*
        }

        /// Every setting, in the order in which `llmend config` shows them.
        pub const SETTINGS: &[Setting] = &[$(Setting {
            name: stringify!($name),
            variables: $variables,
            flag: $flag,
            default: $default,
            expected: form::$expected,
            trust: Trust::$trust,
            about: concat!($($about),+).trim_ascii(),
        }),*];

        /// Nothing said of any of them.
        pub(super) fn blank() -> Settings {
            Settings { $($name: Default::default(),)* }
        }

        /// Puts what `text` says into the field of that name. `None` if it cannot be read; unknown names
        /// are told before.
        pub(super) fn put(settings: &mut Settings, name: &str, text: &str) -> Option<()> {
            match name {
                $(stringify!($name) => settings.$name = form::$read(text)?.into(),)*
                _ => {}
            }
            Some(())
        }
    };
}

settings! {
    /// Whether text is searched for its value and repaired. Off, it is strict JSON or an error.
    repair: Repairing, &["LLMEND_REPAIR", "OPENMANUS_PLANNING_REPAIR"], None,
        repairing, SWITCH, "on", Anyone;
    /// The model to ask, as in `openai:gpt-4o`; only its name, where the provider is given apart.
    model: Option<String>, &["LLMEND_MODEL"], Some("model"), model, MODEL, "", Anyone;
    /// The provider, where the model is given by its name alone.
    provider: Option<String>, &["LLMEND_PROVIDER"], Some("provider"), text, TEXT, "", Anyone;
    /// The server to ask in place of the provider's own.
    base_url: Option<String>, &["LLMEND_BASE_URL"], Some("base-url"), base_url, BASE_URL, "", User;
    /// The variable that holds the key, where it is not the provider's usual one or goes to another server.
    api_key_env: Option<String>, &["LLMEND_API_KEY_ENV"], Some("api-key-env"),
        variable, VARIABLE, "", User;
    /// The set of limits and ways of asking again.
    preset: String, &["LLMEND_PRESET"], Some("preset"), preset, PRESET, "standard", Anyone;
    /// Whether a model is asked again at all.
    retry_enabled: Switch, &["LLMEND_RETRY_ENABLED", "GOMIND_PLAN_RETRY_ENABLED"], None,
        switch, SWITCH, "on", Anyone;
    /// How often a model is asked again after its first answer. By default as the preset says.
    retry_max: Option<u32>, &["LLMEND_RETRY_MAX", "GOMIND_PLAN_RETRY_MAX"],
        Some("max-json-retries"), retries, RETRIES, "", Anyone;
    /// Answers that an assistant may give to one question: 0 to check none of them, 1 to check without asking again.
    max_repair_attempts: u32, &["LLMEND_MAX_REPAIR_ATTEMPTS"], Some("max-repair-attempts"),
        attempts, ATTEMPTS, "3", Anyone;
    /// The most tokens that all attempts together may use.
    budget_tokens: Option<u64>, &["LLMEND_BUDGET_TOKENS"], Some("budget-tokens"),
        tokens, TOKENS, "", Anyone;
    /// The most money that all attempts together may cost, in the unit of the prices; it needs them.
    budget_cost: Option<u64>, &["LLMEND_BUDGET_COST"], Some("budget-cost"),
        money, MONEY, "", Anyone;
    /// What a million tokens of questions and a million of answers cost.
    price: Option<Price>, &["LLMEND_PRICE"], Some("price"), price, PRICE, "", Anyone;
    /// Another model, which is asked in the last attempt; a name alone is one at the same server.
    escalate: Option<String>, &["LLMEND_ESCALATE"], Some("escalate"), model, MODEL, "", Anyone;
    /// What that other model costs.
    escalate_price: Option<Price>, &["LLMEND_ESCALATE_PRICE"], Some("escalate-price"),
        price, PRICE, "", Anyone;
    /// The variable that holds the key for that other model, where it is on another server.
    escalate_api_key_env: Option<String>, &["LLMEND_ESCALATE_API_KEY_ENV"],
        Some("escalate-api-key-env"), variable, VARIABLE, "", User;
    /// The seconds after which no further attempt begins, and a running one ends.
    deadline: Option<Duration>, &["LLMEND_DEADLINE"], Some("deadline"),
        seconds, SECONDS, "", Anyone;
    /// The file to which each exchange with a model is written, without its key.
    record: Option<String>, &["LLMEND_RECORD"], Some("record"), text, TEXT, "", User;
}
