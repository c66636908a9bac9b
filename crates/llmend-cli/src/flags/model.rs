//! The model, its limits and its retries.

use llmend::config::{Setting, SettingInput};

use crate::{
    approval::Approval, configuration::load_models, exit::UsageError, models::ChosenModels,
    prompt_files,
};

#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Model")]
pub(crate) struct ModelFlags {
    /// The model
    #[arg(
        long,
        value_name = "MODEL",
        help = "The model: openai:gpt-4o, ollama:llama3, replay:FILE, or on another server\nopenai+http://127.0.0.1:8080/v1:name"
    )]
    model: Option<String>,
    /// The provider, if --model is only a name
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    /// The base URL of the server, instead of the provider's own
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// The environment variable that holds the API key
    #[arg(long, value_name = "VARIABLE")]
    api_key_env: Option<String>,
    /// The limits and the retry strategies: standard, gomind, clickweave-planner,
    /// clickweave-patcher, clickweave-assistant, anton, openmanus
    #[arg(long, value_name = "NAME", verbatim_doc_comment)]
    preset: Option<String>,
    /// The maximum number of retries after the first answer
    #[arg(long, value_name = "N")]
    max_json_retries: Option<String>,
    /// The maximum number of tokens over all attempts
    #[arg(long, value_name = "N")]
    budget_tokens: Option<String>,
    /// The maximum number of tokens of one answer
    #[arg(long, value_name = "N")]
    answer_tokens: Option<String>,
    /// The maximum cost over all attempts, as in 0.05 or '0.05 EUR'; requires a price
    #[arg(long, value_name = "SUM")]
    budget_cost: Option<String>,
    /// The price of a million input and output tokens, as in 0.15/0.60 or '$0.15/0.60' [default: the
    /// list price, if the model is known]
    #[arg(long, value_name = "IN/OUT", verbatim_doc_comment)]
    price: Option<String>,
    /// The model for the last attempt, and in an outage of the first or without quota there: as
    /// --model, or only a name on the same server
    #[arg(long, value_name = "MODEL", verbatim_doc_comment)]
    escalate: Option<String>,
    /// The price of the --escalate model, as for --price [default: its list price, if it is known]
    #[arg(long, value_name = "IN/OUT")]
    escalate_price: Option<String>,
    /// The environment variable that holds its API key, if it is on another server
    #[arg(long, value_name = "VARIABLE")]
    escalate_api_key_env: Option<String>,
    /// The time in seconds after which no further attempt starts; with `batch`, for each row
    #[arg(long, value_name = "S")]
    deadline: Option<String>,
    /// The time in seconds for which the server may send nothing [default: 60]
    #[arg(long, value_name = "S")]
    idle_timeout: Option<String>,
    /// Record every exchange in this file, without keys; an existing file is overwritten
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    record: Option<String>,
    /// The sampling temperature, from 0 to 2
    #[arg(long, value_name = "T")]
    temperature: Option<String>,
    /// Instructions before those of llmend, in every request
    #[arg(long, value_name = "TEXT")]
    system: Option<String>,
    /// The retry strategies, as in fields,full; the last one repeats
    #[arg(long, value_name = "NAMES")]
    ladder: Option<String>,
    /// The length of the context in tokens that Ollama provides
    #[arg(long, value_name = "N")]
    num_ctx: Option<String>,
    /// The folder with files such as plan.md that replace llmend's prompts
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    prompts: Option<String>,
    /// Accept every valid answer without asking; by default a person at the terminal confirms
    /// guesses and warnings, and with `assist` every change
    #[arg(long, verbatim_doc_comment)]
    autonomous: bool,
}

impl ModelFlags {
    /// Whether any of these flags was given.
    pub(crate) fn are_given(&self) -> bool {
        self.autonomous || self.given().next().is_some()
    }

    /// Loads the settings, with these flags and `more`, and the prompts that replace llmend's.
    pub(crate) fn load(
        &self,
        more: impl IntoIterator<Item = SettingInput>,
    ) -> Result<ChosenModels, UsageError> {
        let found = load_models(self.given().chain(more))?;
        prompt_files::replace(&found.first)?;
        Ok(ChosenModels::of(found))
    }

    /// Returns who approves an answer.
    pub(crate) fn approval(&self) -> Approval {
        if self.autonomous { Approval::Nobody } else { Approval::at_terminal() }
    }

    fn given(&self) -> impl Iterator<Item = SettingInput> {
        let flags = [
            ("model", &self.model),
            ("provider", &self.provider),
            ("base_url", &self.base_url),
            ("api_key_env", &self.api_key_env),
            ("preset", &self.preset),
            ("retry_max", &self.max_json_retries),
            ("budget_tokens", &self.budget_tokens),
            ("answer_tokens", &self.answer_tokens),
            ("budget_cost", &self.budget_cost),
            ("price", &self.price),
            ("escalate", &self.escalate),
            ("escalate_price", &self.escalate_price),
            ("escalate_api_key_env", &self.escalate_api_key_env),
            ("deadline", &self.deadline),
            ("idle_timeout", &self.idle_timeout),
            ("record", &self.record),
            ("temperature", &self.temperature),
            ("system", &self.system),
            ("ladder", &self.ladder),
            ("num_ctx", &self.num_ctx),
            ("prompts", &self.prompts),
        ];
        flags
            .into_iter()
            .filter_map(|(name, value)| Some(Setting::named(name)?.given_as_flag(value.as_ref()?)))
    }
}
