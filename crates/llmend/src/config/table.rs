//! The table of settings.

use std::time::Duration;

use super::{CostSetting, Headers, PriceSetting, Setting, Switch, Trust, form};
use crate::{asking::Strategy, config::RepairMode};

/// Generates the settings, one a row: description, name, type, parser, accepted values, default,
/// additional variables, flag, and who may set it.
macro_rules! settings {
    ($(
        $(#[doc = $about:literal])+
        $name:ident: $type:ty, $variables:expr, $flag:expr, $read:ident, $expected:ident, $default:literal, $trust:ident;
    )*) => {
        /// The values of all settings.
        #[derive(Clone, Debug, PartialEq)]
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

        /// Returns empty settings.
        pub(super) fn blank() -> Settings {
            Settings { $($name: Default::default(),)* }
        }

        /// Stores the value `text` in the field of that name. `None` if it cannot be read; unknown
        /// names were rejected before.
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
    /// Whether text is searched for its value and repaired. If off, text must be strict JSON.
    repair: RepairMode, &["LLMEND_REPAIR", "OPENMANUS_PLANNING_REPAIR"], None,
        repair_mode, SWITCH, "on", Anyone;
    /// The model to ask, as in `openai:gpt-4o`; only its name if the provider is set separately.
    model: Option<String>, &["LLMEND_MODEL"], Some("model"), model, MODEL, "", Anyone;
    /// The provider, if the model is given by its name alone.
    provider: Option<String>, &["LLMEND_PROVIDER"], Some("provider"), text, TEXT, "", Anyone;
    /// The base URL of the server to ask instead of the provider's own.
    base_url: Option<String>, &["LLMEND_BASE_URL"], Some("base-url"), base_url, BASE_URL, "", User;
    /// The environment variable that holds the key, if it is not the provider's usual one or the
    /// key goes to another server.
    api_key_env: Option<String>, &["LLMEND_API_KEY_ENV"], Some("api-key-env"),
        variable, VARIABLE, "", User;
    /// The named set of limits and retry strategies.
    preset: String, &["LLMEND_PRESET"], Some("preset"), preset, PRESET, "standard", Anyone;
    /// Whether a model is asked again at all.
    retry_enabled: Switch, &["LLMEND_RETRY_ENABLED"], None, switch, SWITCH, "on", Anyone;
    /// The maximum number of retries after the first answer. Defaults to the preset's. Given as a flag,
    /// it overrides the other settings of retries.
    retry_max: Option<u32>, &["LLMEND_RETRY_MAX"], Some("max-json-retries"),
        retries, RETRIES, "", Anyone;
    /// Whether a model is asked again after an answer that cannot be parsed.
    parse_retry_enabled: Switch, &["LLMEND_PARSE_RETRY_ENABLED", "GOMIND_PLAN_RETRY_ENABLED"], None,
        switch, SWITCH, "on", Anyone;
    /// The maximum number of retries after answers that cannot be parsed; others have the preset's
    /// limit. `retry_max` holds over all of them, if it is set. Defaults to the preset's.
    parse_retry_max: Option<u32>, &["LLMEND_PARSE_RETRY_MAX", "GOMIND_PLAN_RETRY_MAX"], None,
        retries, RETRIES, "", Anyone;
    /// The maximum number of an assistant's answers to one message: 0 disables validation, 1
    /// disables retries.
    max_repair_attempts: u32, &["LLMEND_MAX_REPAIR_ATTEMPTS"], Some("max-repair-attempts"),
        attempts, ATTEMPTS, "3", Anyone;
    /// The maximum number of tokens of all attempts together.
    budget_tokens: Option<u64>, &["LLMEND_BUDGET_TOKENS"], Some("budget-tokens"),
        tokens, TOKENS, "", Anyone;
    /// The maximum number of tokens of one answer. Defaults to what the answers so far suggest, if a
    /// budget applies, and else to the server's own.
    answer_tokens: Option<u32>, &["LLMEND_ANSWER_TOKENS"], Some("answer-tokens"),
        answer_tokens, TOKENS, "", Anyone;
    /// The maximum cost of all attempts together, in the currency of the prices, which it requires.
    budget_cost: Option<CostSetting>, &["LLMEND_BUDGET_COST"], Some("budget-cost"),
        money, MONEY, "", Anyone;
    /// The prices of a million input tokens and of a million output tokens, with their currency if it
    /// is to be shown. Defaults to the list price of a known model at its own provider.
    price: Option<PriceSetting>, &["LLMEND_PRICE"], Some("price"), price, PRICE, "", Anyone;
    /// The maximum number of output tokens that the model accepts for one answer. Defaults to that of
    /// a known model at its own provider; a server that refuses more teaches a lower one.
    output_limit: Option<u32>, &["LLMEND_OUTPUT_LIMIT"], None, answer_tokens, TOKENS, "", Anyone;
    /// The sampling temperature. Defaults to the preset's, and else to the server's.
    temperature: Option<f64>, &["LLMEND_TEMPERATURE"], Some("temperature"),
        temperature, TEMPERATURE, "", Anyone;
    /// Instructions before those of llmend, in every request.
    system: Option<String>, &["LLMEND_SYSTEM"], Some("system"), text, TEXT, "", Anyone;
    /// Further headers of every request, one a line as in `x-team: seven`; in a file, also a table.
    headers: Option<Headers>, &["LLMEND_HEADERS"], None, headers, HEADERS, "", User;
    /// The length of the context in tokens that Ollama provides, which otherwise cuts off a longer
    /// prompt without saying so.
    num_ctx: Option<u32>, &["LLMEND_NUM_CTX"], Some("num-ctx"), answer_tokens, TOKENS, "", Anyone;
    /// The retry strategies, one for each retry; the last one repeats. Defaults to the preset's.
    ladder: Option<Vec<Strategy>>, &["LLMEND_LADDER"], Some("ladder"), ladder, LADDER, "", Anyone;
    /// Whether requests to Anthropic mark their instructions for its prompt cache: writing to it
    /// costs more than a plain request, reading from it much less. Costs are counted without that
    /// difference.
    prompt_cache: Switch, &["LLMEND_PROMPT_CACHE"], None, switch, SWITCH, "off", Anyone;
    /// The file that keeps what servers refuse, such as formats and token limits, for later runs.
    refusals: Option<String>, &["LLMEND_REFUSALS"], None, text, TEXT, "", User;
    /// The folder with files such as `plan.md` that replace llmend's prompts. A project's file may
    /// name one beside or below itself.
    prompts: Option<String>, &["LLMEND_PROMPTS"], Some("prompts"), text, TEXT, "", Anyone;
    /// Another model, asked in the last attempt, and at once if the first one cannot be reached or has no quota left; a name alone is a model at the same server.
    escalate: Option<String>, &["LLMEND_ESCALATE"], Some("escalate"), model, MODEL, "", Anyone;
    /// The prices of that other model.
    escalate_price: Option<PriceSetting>, &["LLMEND_ESCALATE_PRICE"], Some("escalate-price"),
        price, PRICE, "", Anyone;
    /// The environment variable that holds the key of that other model, if it is at another server.
    escalate_api_key_env: Option<String>, &["LLMEND_ESCALATE_API_KEY_ENV"],
        Some("escalate-api-key-env"), variable, VARIABLE, "", User;
    /// The number of seconds after which no attempt starts and a running one is canceled, for each question and for each row of a batch.
    deadline: Option<Duration>, &["LLMEND_DEADLINE"], Some("deadline"),
        seconds, SECONDS, "", Anyone;
    /// The number of seconds for which a server may send nothing, before or within an answer.
    idle_timeout: Duration, &["LLMEND_IDLE_TIMEOUT"], Some("idle-timeout"),
        seconds, SECONDS, "60", Anyone;
    /// The file that records each exchange with a model, without its key.
    record: Option<String>, &["LLMEND_RECORD"], Some("record"), text, TEXT, "", User;
}
