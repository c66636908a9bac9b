//! Which model is asked, within which limits?

use clap::error::ErrorKind;
use llmend::{
    asking::{AskOptions, Preset, Retries},
    config::{Configuration, Given, Setting, Source, Switch},
    json::UnknownName,
    model::ChatModel,
};
use llmend_models::{HttpOptions, Keys, ModelSpec, Recorder, open, open_recorded};

use crate::{
    configuration::load,
    engine::misuse,
    exit::{Exit, Failure},
};

/// Which model is asked, and how often. What is not given here is looked for in the environment and in
/// the files of settings.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Which model is asked, and how often")]
pub(crate) struct ModelArguments {
    /// The model
    #[arg(
        long,
        value_name = "MODEL",
        help = "The model: openai:gpt-4o, ollama:llama3, replay:FILE, or on another server\nopenai+http://127.0.0.1:8080/v1:name"
    )]
    model: Option<String>,
    /// The provider, where --model is a name alone
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    /// The server to ask in place of the provider's own
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// The variable of the environment that holds the key
    #[arg(long, value_name = "VARIABLE")]
    api_key_env: Option<String>,
    /// The limits and ways of asking again: standard, gomind, clickweave-planner,
    /// clickweave-assistant, anton, openmanus
    #[arg(long, value_name = "NAME", verbatim_doc_comment)]
    preset: Option<String>,
    /// How often the model is asked again after its first answer
    #[arg(long, value_name = "N")]
    max_json_retries: Option<String>,
    /// The most tokens of all attempts together
    #[arg(long, value_name = "N")]
    budget_tokens: Option<String>,
    /// The seconds after which no attempt begins
    #[arg(long, value_name = "S")]
    deadline: Option<String>,
    /// The file to which each exchange is written, without the key
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    record: Option<String>,
    /// Ask nobody but the model, which is always so: the flag is there for those who are used
    /// to giving it
    #[arg(long, verbatim_doc_comment)]
    autonomous: bool,
}

/// A model that is open.
pub(crate) enum Opened {
    /// It.
    Plain(Box<dyn ChatModel>),
    /// With a record of what it is asked.
    Recorded(Recorder<Box<dyn ChatModel>>),
}

impl ModelArguments {
    /// Whether any of them was given.
    pub(crate) fn are_given(&self) -> bool {
        self.autonomous || self.given().next().is_some()
    }

    /// The settings under these arguments and `more`.
    pub(crate) fn load(
        &self,
        more: impl IntoIterator<Item = Given>,
    ) -> Result<Configuration, clap::Error> {
        load(self.given().chain(more))
    }

    fn given(&self) -> impl Iterator<Item = Given> {
        let flags = [
            ("model", &self.model),
            ("provider", &self.provider),
            ("base_url", &self.base_url),
            ("api_key_env", &self.api_key_env),
            ("preset", &self.preset),
            ("retry_max", &self.max_json_retries),
            ("budget_tokens", &self.budget_tokens),
            ("deadline", &self.deadline),
            ("record", &self.record),
        ];
        flags
            .into_iter()
            .filter_map(|(name, value)| Some(Setting::named(name)?.given_as_flag(value.as_ref()?)))
    }
}

/// The limits that are set.
pub(crate) fn options(found: &Configuration) -> Result<AskOptions, clap::Error> {
    let settings = &found.settings;
    let preset = settings.preset.parse::<Preset>().map_err(|UnknownName(name)| {
        misuse(ErrorKind::InvalidValue, format!("there is no preset '{name}'\n"))
    })?;
    Ok(limited(AskOptions::preset(preset), found))
}

/// `options` under the limits that are set.
pub(crate) fn limited(mut options: AskOptions, found: &Configuration) -> AskOptions {
    let settings = &found.settings;
    if let Some(retries) = settings.retry_max {
        options.retries = Retries::of(retries);
    }
    if settings.retry_enabled == Switch::Off {
        options.retries = Retries::of(0);
    }
    options.budget.tokens = settings.budget_tokens.or(options.budget.tokens);
    options.budget.time = settings.deadline.or(options.budget.time);
    options
}

/// Opens the model that is set. Nothing is sent.
pub(crate) fn opened(found: &Configuration) -> Result<Opened, Failure> {
    let unusable = |message: String| Failure::plain(Exit::Usage, "model/unusable", message);
    let spec = spec(found).map_err(unusable)?;
    let mut keys = Keys::from_env();
    if let Some(name) = &found.settings.api_key_env {
        keys = keys.named(name);
    }
    let options = HttpOptions::default();
    let opened = match &found.settings.record {
        None => open(&spec, &keys, &options).map(Opened::Plain),
        Some(file) => open_recorded(&spec, &keys, &options, file).map(Opened::Recorded),
    };
    opened.map_err(|error| unusable(error.to_string()))
}

/// Which model is meant.
fn spec(found: &Configuration) -> Result<ModelSpec, String> {
    let settings = &found.settings;
    let Some(model) = &settings.model else {
        return Err("no model is set: give --model, as in --model ollama:llama3".to_owned());
    };
    // A key that was named goes to whichever server is asked, so that a stranger may not choose it.
    let by_project = ["model", "provider"]
        .into_iter()
        .filter_map(Setting::named)
        .any(|setting| matches!(found.of(setting).1, Source::ProjectFile { .. }));
    if by_project && settings.api_key_env.is_some() && settings.base_url.is_none() {
        return Err(
            "a file in the project says which model, and you say which variable holds the key: \
                    say which model is to get it with --model"
                .to_owned(),
        );
    }
    let spec = match &settings.provider {
        Some(provider) => ModelSpec::of_parts(provider, settings.base_url.as_deref(), model),
        None => model.parse(),
    };
    let spec = spec.map_err(|error| error.to_string())?;
    match (&spec, &settings.base_url, &settings.provider) {
        (ModelSpec::Remote { provider, base_url: None, model }, Some(url), None) => {
            ModelSpec::of_parts(provider.name, Some(url), model).map_err(|error| error.to_string())
        }
        (_, Some(url), None) => Err(format!("the model {spec} has no place for the server {url}")),
        _ => Ok(spec),
    }
}

impl Opened {
    /// The model.
    pub(crate) fn model(&self) -> &dyn ChatModel {
        match self {
            Self::Plain(model) => model,
            Self::Recorded(model) => model,
        }
    }

    /// Ends the record, if there is one.
    pub(crate) fn close(self) -> Result<(), Failure> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Recorded(recorder) => recorder.finish().map(drop).map_err(|error| {
                let message = format!("the record is not complete: {error}");
                Failure::plain(Exit::Io, "model/record", message)
            }),
        }
    }
}
